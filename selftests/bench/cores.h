/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Whole-block functions of BLAKE2b and SHA-3, ours and the rivals', by one description.
 */
#ifndef BENCH_CORES_H
#define BENCH_CORES_H

#include <stddef.h>
#include <stdint.h>

enum family { BLAKE2B, SHA3 };

/* The state as ours and the rivals' cores know it. */
union state {
	uint64_t lanes[25];				/* SHA-3 */
	struct { uint64_t h[8], t[2], f[2]; } blake2b;
};

/* Up to five words: the rivals' functions take no more. */
struct arguments {
	uintptr_t word[5];
};

/* What a core is asked to do; block_size is also the counter's increment, or the rate. */
struct job {
	union state *state;
	const uint8_t *data;
	size_t blocks;
	size_t block_size;
};

struct core {
	enum family family;
	const char *name;
	void (*entry)(void);				/* called through call_core() only */
	struct arguments (*arguments)(const struct job *job);
};

/* Ends with an entry without a name. */
extern const struct core our_cores[];
extern const struct core rival_cores[];

/* void f(state, data, blocks, block_size), as our cores are. */
struct arguments plain_arguments(const struct job *job);

/*
 * Calls entry and saves d8-d15 around it: cores that are made for the kernel do not. A trace finds
 * a call between the instruction before the label call_core_return and the label.
 */
void call_core(void (*entry)(void), const struct arguments *arguments);

#endif
