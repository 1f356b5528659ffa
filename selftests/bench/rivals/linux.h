/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the parts taken from Linux expect of its headers; their own includes are cut out. */
#ifdef __ASSEMBLER__

#define ENTRY(name)	.globl name; .type name, %function; name:
#define ENDPROC(name)	.size name, . - name

#else

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define noinline	__attribute__((noinline))

static inline u64 get_unaligned_le64(const void *p)
{
	u64 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline u64 ror64(u64 value, unsigned int n)
{
	return value >> (n & 63) | value << (-n & 63);
}

static inline u64 rol64(u64 value, unsigned int n)
{
	return value << (n & 63) | value >> (-n & 63);
}

enum { BLAKE2B_BLOCK_SIZE = 128 };

struct blake2b_state {
	u64 h[8];
	u64 t[2];
	u64 f[2];
};

/* RFC 7693, 2.6 */
#define BLAKE2B_IV0	0x6a09e667f3bcc908ULL
#define BLAKE2B_IV1	0xbb67ae8584caa73bULL
#define BLAKE2B_IV2	0x3c6ef372fe94f82bULL
#define BLAKE2B_IV3	0xa54ff53a5f1d36f1ULL
#define BLAKE2B_IV4	0x510e527fade682d1ULL
#define BLAKE2B_IV5	0x9b05688c2b3e6c1fULL
#define BLAKE2B_IV6	0x1f83d9abfb41bd6bULL
#define BLAKE2B_IV7	0x5be0cd19137e2179ULL

#endif
