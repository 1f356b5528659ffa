/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What an entry is called with, what it may do, and what it has done.
 */
#ifndef ABI_H
#define ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SP = 13, LR, FLAGS, FPSCR, WORDS };
#define MAX_ARGUMENTS	4
#define MAX_FAULTS	8

/* stub.S and contract.py know this order. */
struct registers {
	uint32_t word[WORDS];				/* r0-r12, sp, lr, flags, FPSCR */
	uint64_t d[32];
};

/* An argument; a pointer has bytes(), a value has choices or limits. */
struct argument {
	const char *name;
	size_t (*bytes)(const uint32_t *r);
	size_t alignment;
	bool writable;
	uint32_t choices[8], least, most;
	unsigned int n_choices;
};

/* contract.py makes them from the blocks in the sources. Bit n of a mask is register n. */
struct contract {
	const char *name;
	void (*entry)(void);
	size_t stack;
	uint32_t clobbers, neon_clobbers;
	struct argument arguments[MAX_ARGUMENTS];
	unsigned int n_arguments;
};

/* Both end with an entry without a name. */
extern const struct contract cores[];
extern const struct contract example[];

/* Every rule that a call has broken, in words. */
struct faults {
	unsigned int count;
	char text[MAX_FAULTS][64];
};

__attribute__((format(printf, 2, 3)))
void fault(struct faults *faults, const char *format, ...);

/*
 * Two or more pages between two that nobody may touch. Whatever is not part of an argument is
 * random, and its copy tells whether it has changed.
 */
struct area {
	uint8_t *base, *copy;
	size_t size;
};

struct area area_new(void);
/* Room for as much as the area holds. */
uint8_t *area_buffer(const struct area *area);
void area_fill(const struct area *area);
void area_snapshot(const struct area *area);
void area_restore(const struct area *area, const uint8_t *from, size_t bytes);
void area_lock(const struct area *area, bool read_only);
bool area_changed(const struct area *area, const uint8_t *from, const uint8_t *to);
bool area_owns(const struct area *area, const uint8_t *address);

uint32_t random_word(void);
uint32_t random_below(uint32_t limit);

void call_init(void);

/* Calls entry with random arguments and reports what breaks the contract. */
typedef void check(const struct contract *contract, void (*entry)(void), struct faults *faults);

/* One call: registers, stack and memory. */
check check_call;

/* The same call with and without interrupts that overwrite what is below sp: equal results. */
check check_interrupted;

/*
 * A function that does what example[0] does and one thing that its contract forbids, and the check
 * that has to see it.
 */
struct corrupter {
	const char *fault;
	void (*entry)(void);
	check *check;
};

extern const struct corrupter corrupters[], corrupters_end[];

/* The deepest write below sp since the last call of this. */
size_t check_depth(void);

/* Loads all registers, jumps to the address in the word below sp, stores all registers but r0. */
void call_checked(const struct registers *before, struct registers *after);
void call_return(void);

#endif
