// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The rivals' cores, from the sources that `make bench` fetches, and the glue that they need.
 */
#include "cores.h"

void blake2b_compress_neon(void);			/* Linux, arch/arm/crypto */
void blake2b_compress_generic(void);			/* Linux, crypto */
void sha3_absorb_generic(void);				/* Linux, crypto, with rivals/linux-sha3.c */
void SHA3_absorb_neon(void);				/* OpenSSL */
void _gcry_keccak_absorb_lanes64_armv7_neon(void);	/* libgcrypt */

/*
 * libgcrypt keeps the round constants (FIPS 202, 3.2.5) in C code that is not taken. Its core stops
 * at the last entry.
 */
const uint64_t _gcry_keccak_round_consts_64bit[24 + 1] = {
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
	UINT64_MAX,
};

/* SHA3_absorb_neon(state, data, bytes, rate) */
static struct arguments openssl_arguments(const struct job *job)
{
	return (struct arguments){ {
		(uintptr_t)job->state, (uintptr_t)job->data,
		job->blocks * job->block_size, job->block_size,
	} };
}

/* _gcry_keccak_absorb_lanes64_armv7_neon(state, position, data, lanes, lanes per block) */
static struct arguments libgcrypt_arguments(const struct job *job)
{
	return (struct arguments){ {
		(uintptr_t)job->state, 0, (uintptr_t)job->data,
		job->blocks * job->block_size / 8, job->block_size / 8,
	} };
}

const struct core rival_cores[] = {
	{ BLAKE2B, "Linux blake2b-neon", blake2b_compress_neon, plain_arguments },
	{ BLAKE2B, "Linux generic C", blake2b_compress_generic, plain_arguments },
	{ SHA3, "OpenSSL", SHA3_absorb_neon, openssl_arguments },
	{ SHA3, "libgcrypt", _gcry_keccak_absorb_lanes64_armv7_neon, libgcrypt_arguments },
	{ SHA3, "Linux generic C", sha3_absorb_generic, plain_arguments },
	{ .name = NULL },
};
