// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Runs cores, ours and the rivals', on one message:
 *
 *	cores digests	<hash> <core> <length> <digest>, for lengths around the ends of blocks
 *	cores trace	<hash> <core> <bytes> <blocks>, after one call of each core
 *	cores time	<hash> <core> <bytes> <unit> <figure>, the best of many calls
 *
 * The words are separated by tabs. bench.py makes sense of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cores.h"
#include "stopwatch.h"

struct hash {
	const char *name;
	enum family family;
	size_t block_size;
	size_t digest_size;
	size_t blocks;				/* of the message that is measured */
};

static const struct hash hashes[] = {
	{ "blake2b", BLAKE2B, 128, 64, 4096 / 128 },
	{ "sha3-256", SHA3, 136, 32, 24 },
	{ "sha3-512", SHA3, 72, 64, 24 },
};

enum {
	MESSAGE = 8192,
	BATCH = 16,				/* calls between two looks at the clock */
	BATCHES = 64,
};

static uint8_t message[MESSAGE];

static void make_message(void)
{
	for (uint32_t i = 0; i < MESSAGE; i++)
		message[i] = (i * i + 7 * i) >> 3;
}

struct arguments plain_arguments(const struct job *job)
{
	return (struct arguments){ {
		(uintptr_t)job->state, (uintptr_t)job->data, job->blocks, job->block_size,
	} };
}

static void run(const struct core *core, const struct job *job)
{
	const struct arguments arguments = core->arguments(job);

	call_core(core->entry, &arguments);
}

/* RFC 7693: the parameter block of an unkeyed 64-byte digest is xored into the constants. */
static void start(const struct hash *hash, union state *state)
{
	static const uint64_t iv[8] = {
		0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	};

	memset(state, 0, sizeof(*state));
	if (hash->family == BLAKE2B) {
		memcpy(state->blake2b.h, iv, sizeof(iv));
		state->blake2b.h[0] ^= 0x01010000 | hash->digest_size;
	}
}

/* Hashes the first length bytes of the message; the digest is at the beginning of the state. */
static void digest(const struct hash *hash, const struct core *core, size_t length,
		   union state *state)
{
	uint8_t last[144] = { 0 };
	struct job job = { state, message, length / hash->block_size, hash->block_size };
	size_t rest;

	start(hash, state);
	/* The last block of BLAKE2b is marked, so a whole one is held back. */
	if (hash->family == BLAKE2B && length && length % hash->block_size == 0)
		job.blocks--;
	if (job.blocks)
		run(core, &job);

	rest = length - job.blocks * hash->block_size;
	memcpy(last, message + length - rest, rest);
	job.data = last;
	job.blocks = 1;
	if (hash->family == BLAKE2B) {
		state->blake2b.f[0] = UINT64_MAX;
		job.block_size = rest;			/* what the counter grows by */
	} else {
		last[rest] = 0x06;
		last[hash->block_size - 1] |= 0x80;
	}
	run(core, &job);
}

static void print_digests(const struct hash *hash, const struct core *core)
{
	const size_t block = hash->block_size;
	const size_t lengths[] = {
		0, 1, block - 1, block, block + 1, 2 * block, 3 * block + 7, hash->blocks * block, 4096
	};
	union state state;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		digest(hash, core, lengths[i], &state);
		printf("%s\t%s\t%zu\t", hash->name, core->name, lengths[i]);
		for (size_t n = 0; n < hash->digest_size; n++)
			printf("%02x", ((const uint8_t *)&state)[n]);
		putchar('\n');
	}
}

static struct job measured_job(const struct hash *hash, union state *state)
{
	start(hash, state);
	return (struct job){ state, message, hash->blocks, hash->block_size };
}

static void trace(const struct hash *hash, const struct core *core)
{
	union state state;
	const struct job job = measured_job(hash, &state);

	run(core, &job);
	printf("%s\t%s\t%zu\t%zu\n", hash->name, core->name, job.blocks * job.block_size,
	       job.blocks);
}

/* The best of many batches: what disturbs a measurement only adds to it. */
static void measure(const struct hash *hash, const struct core *core)
{
	union state state;
	const struct job job = measured_job(hash, &state);
	uint64_t best = UINT64_MAX;

	for (int batch = 0; batch < BATCHES; batch++) {
		const uint64_t begun = stopwatch_read();

		for (int i = 0; i < BATCH; i++)
			run(core, &job);
		const uint64_t spent = stopwatch_read() - begun;
		if (spent < best)
			best = spent;
	}
	printf("%s\t%s\t%zu\t%s\t%.1f\n", hash->name, core->name, job.blocks * job.block_size,
	       stopwatch_unit(), (double)best / BATCH);
	fflush(stdout);
}

static void each(const struct core *cores, void (*action)(const struct hash *, const struct core *))
{
	for (const struct core *core = cores; core->name; core++)
		for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++)
			if (hashes[i].family == core->family)
				action(&hashes[i], core);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	void (*action)(const struct hash *, const struct core *);

	if (!strcmp(what, "digests")) {
		action = print_digests;
	} else if (!strcmp(what, "trace")) {
		action = trace;
	} else if (!strcmp(what, "time")) {
		action = measure;
		stopwatch_open();
	} else {
		fputs("usage: cores digests|trace|time\n", stderr);
		return 2;
	}
	make_message();
	each(our_cores, action);
	each(rival_cores, action);
	return 0;
}
