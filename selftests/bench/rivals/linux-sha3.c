// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The block loop of Linux's crypto_sha3_update(), without the crypto API around it. */
#include "linux.h"
#include "sha3-keccakf.c"

void sha3_absorb_generic(u64 *state, const u8 *data, size_t blocks, size_t rate)
{
	do {
		for (unsigned int i = 0; i < rate / 8; i++)
			state[i] ^= get_unaligned_le64(data + 8 * i);
		keccakf(state);
		data += rate;
	} while (--blocks);
}
