// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Our cores. The Makefile finds their entries by name and writes one line for each:
 *	CORE(BLAKE2B, neon_shash_blake2b_compress_neon, "neon")
 */
#include "cores.h"

#define CORE(family, symbol, variant) void symbol(void);
#include "ours.inc"
#undef CORE

const struct core our_cores[] = {
#define CORE(family, symbol, variant) { family, "neon-shash " variant, symbol, plain_arguments },
#include "ours.inc"
	{ .name = NULL },
};
