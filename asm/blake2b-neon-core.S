/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * BLAKE2b compression (RFC 7693) with NEON, for 32-bit ARM. Schedule for Cortex-A7.
 */
/*yaml
Name: neon_shash_blake2b_compress_neon
Description: absorb whole 128-byte blocks into a BLAKE2b state
Signature: void neon_shash_blake2b_compress_neon(u64 state[12], const u8 *data, size_t nblocks, u32 inc)
Requires:
  - NEON may be used (in the kernel, between kernel_neon_begin and kernel_neon_end)
  - nblocks >= 1
  - data does not overlap state
  - little-endian CPU, ARM state
Registers:
  r0: {c_name: state, bytes: 96, permission: read/write, alignment: 8, layout: "h[8], t[2], f[2]"}
  r1: {c_name: data, bytes: 128 * nblocks, permission: read-only, alignment: 1}
  r2: {c_name: nblocks, permission: value}
  r3: {c_name: inc, permission: value, meaning: added to the 128-bit t before each block}
Clobbers: [r0-r3, r12, lr, flags, d0-d31]
Preserves: [r4-r11, sp]
Stack: {bytes: 64, reason: "32 for r4-r10 and lr, 32 for m12-m15, which find no register"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
  - f is read and not written; t is written back once, after the last block
*/
/*
 * Register map
 *
 * The 4x4 working matrix has the rows a = v0-v3, b = v4-v7, c = v8-v11, d = v12-v15. A row is
 * two Q registers, four lanes: \a0 = lanes 0 and 1, \a1 = lanes 2 and 3. Eight Q registers
 * hold the rows, q8-q13 hold m0-m11, and two are spare:
 *
 *	q1 = a1, q5 = c1, q6 q7 = d	never change their row
 *	q0, q2, q4, q14			take turns as a0, b0, c0 and the spare s
 *	q3, q15				take turns as b1 and the spare t
 *
 * The turns repeat after two rounds, which is why there is an _even_round and an _odd_round.
 * Two spares and not one, because ror 63 needs a register per Q register of b to work on both
 * halves at once; the price is four message words instead of two on the stack. Any four would
 * do, each word is used once per round; m12-m15 arrive last. The spares also receive the words
 * that come back from the stack.
 *
 * Core registers: r4-r7 = t, which NEON is never asked for (a transfer from NEON to a core
 * register costs some 20 cycles on A8); r8, r9 = the IV; r10 = f; lr = h + 4.
 *
 * Operations
 *
 * ror 32 is vrev64.32, ror 24 and ror 16 are vext.8 of a D register with itself (no table as
 * for vtbl), ror 63 is x + x, then vsra of x >> 63. One half-round costs 16 D and 22 Q
 * operations. NEON has no smaller set: an add has two operands, and of the four rotations only
 * that by 32 is one instruction on a Q register.
 *
 * The diagonal half-round works on the diagonals of the matrix, and rotating three rows for
 * it and back again would cost 8 vext a round. Here b stays where it is: lane i of b then
 * belongs to diagonal G number i - 1 (mod 4), so that the other rows have to be
 *
 *	a = a3 a0 a1 a2		c = c1 c2 c3 c0		d = d2 d3 d0 d1
 *
 * Row a gets there inside the first message addition of the half-round, which has four D adds
 * anyway: each add writes its sum to another lane. Row c gets there inside the first c += d,
 * written as four D adds for that. Row d exchanges the names of its two registers. On a core
 * where a Q operation costs as much as two D operations (A5, A7) all this is free; elsewhere
 * it costs two slots per half-round.
 *
 * Schedule
 *
 * The chain through a, b, c, d has 13 steps of two independent Q operations, or four D: four
 * cycles a step on A7, which is also the latency, so that a step never waits for the one
 * before. The exception is D feeding Q, which lacks one cycle. The additions of message words
 * and the reloads from the stack are off the chain (indented by two); they stand where
 * that cycle is missing on A7, or where A8 and A9 would wait for a shift or permutation. To
 * that end the first message addition of a half-round is already done in the half-round before.
 *
 * Cycles per byte, 4096-byte message
 *
 *				hardware		modelled
 *	this core
 *	  A7			not measured yet	12.27
 *	  A8			not measured yet	 8.29
 *	  A9			not measured yet	 9.07
 *	  A57, 32-bit state	not measured yet	 7.5  [1]
 *	Linux blake2b-neon
 *	  A7			14.1  [2]		14.05
 *	  A8			none published		11.11
 *	  A9			none published		13.28
 *	Andrew Moon, blake2b-opt
 *	  A9			10.60 [3]		not modelled
 *	BLAKE2 team, NEON intrinsics
 *	  A8			28.6-30.7 [4]		not modelled
 *
 * Counted from the disassembly, per block: this core 1042 instructions, of them 974 NEON data
 * processing (488 D, 486 Q), 62 loads, stores and transfers, 6 core. Linux, the 12 rounds
 * alone: 1204, against 1008 here.
 *
 * Modelled: an in-order issue model replays the trace of a run, every load a cache hit. On the
 * few cores where silicon is known it is within 1 % on A7 and 2 % on A9, and up to 21 % too
 * low on A8. A15 and A17: no figure is published and the model does not know them.
 * [1] llvm-mca -mcpu=cortex-a57, the block loop
 * [2] whole shash, Raspberry Pi 2: 20201215234708.105527-1-ebiggers@kernel.org on lore.kernel.org
 * [3] 8192-byte message, ZedBoard: README.md of floodyberry/blake2b-opt
 * [4] BeagleBoard, from MiB/s at 0.95 GHz or GiHz: randombit/botan pull request 845
 *
 * Ideas
 *
 *  - vtbl.8 for the byte rotations: as fast on A7, but needs tables in registers, two cycles on
 *    A8. Left out.
 *  - vshr + vsli for ror 63: same count; vsli of a Q register takes two cycles on A8 and A9.
 *  - One spare, m14 and m15 on the stack: 24 reloads instead of 48, but the halves of b rotate
 *    one after the other. About 3 % slower on A7, 9 % faster on A8: worth a variant there.
 *  - m6, m7, m14, m15 on the stack: their reloads would fill 4 of the 8 cycles that the rounds
 *    still lose on A7 (0.03 c/B), but two more loads of the message would be split.
 *  - Message pairs added as Q: needs the pairs in registers, 168 more loads a block.
 *  - vrev64 and vadd in D form, core registers for part of the work: slower on every core.
 *  - pld of the next block: cannot show in a model with every load a hit. To be measured.
 */
#include "asm.h"

	STATE		.req	r0
	DATA		.req	r1
	NBLOCKS		.req	r2
	INC		.req	r3
	IV_C		.req	r8
	IV_D		.req	r9
	F		.req	r10
	H4		.req	lr

	m0		.req	d16
	m1		.req	d17
	m2		.req	d18
	m3		.req	d19
	m4		.req	d20
	m5		.req	d21
	m6		.req	d22
	m7		.req	d23
	m8		.req	d24
	m9		.req	d25
	m10		.req	d26
	m11		.req	d27

// The lanes of the Q registers that hold rows: macros get a Q register and need its halves.
.macro	_lanes	q, lo, hi
	\q\()_lo	.req	\lo
	\q\()_hi	.req	\hi
.endm
	_lanes	q0, d0, d1
	_lanes	q1, d2, d3
	_lanes	q2, d4, d5
	_lanes	q3, d6, d7
	_lanes	q4, d8, d9
	_lanes	q5, d10, d11
	_lanes	q6, d12, d13
	_lanes	q7, d14, d15
	_lanes	q14, d28, d29
	_lanes	q15, d30, d31

// Fetch message word number \word to \reg, if it lives on the stack. Well ahead of its use: a
// loaded register can be read after three cycles on A7.
.macro	_reload	word, reg
	.if	\word >= 12
	vldr		\reg, [sp, #8 * (\word - 12)]
	.endif
.endm

// dst = src + m[word]; \reg is where _reload has put it
.macro	_add_word	dst, src, word, reg
	.if	\word >= 12
	vadd.i64	\dst, \src, \reg
	.else
	vadd.i64	\dst, \src, m\word
	.endif
.endm

// Rotate each lane right by 8 * \bytes bits.
.macro	_ror_bytes	q, bytes
	vext.8		\q\()_lo, \q\()_lo, \q\()_lo, #\bytes
	vext.8		\q\()_hi, \q\()_hi, \q\()_hi, #\bytes
.endm

// c += d, and c moves by one lane to \dir: from (c0, c1) to (s, c1), which leaves c0 spare.
// The order of the adds matters: each one overwrites a lane that an earlier one has consumed.
.macro	_rotate_c	dir, c0, c1, s, d0, d1
	.ifc	\dir, right
	vadd.i64	\s\()_lo,  \c1\()_hi, \d0\()_lo
	vadd.i64	\s\()_hi,  \c0\()_lo, \d0\()_hi
	vadd.i64	\c1\()_hi, \c1\()_lo, \d1\()_hi
	vadd.i64	\c1\()_lo, \c0\()_hi, \d1\()_lo
	.else
	vadd.i64	\s\()_lo,  \c0\()_hi, \d0\()_lo
	vadd.i64	\s\()_hi,  \c1\()_lo, \d0\()_hi
	vadd.i64	\c1\()_lo, \c1\()_hi, \d1\()_lo
	vadd.i64	\c1\()_hi, \c0\()_lo, \d1\()_hi
	.endif
.endm

// The same for a += m, from (a0, a1) to (s, a1), in four steps that the caller spreads out.
// n0-n3 are the words for the lanes of the result. The last half-round of a block has none:
// it starts with h ^= v instead, where a is still in the order of the diagonals.
.macro	_rotate_a	step, dir, a0, a1, s, t, n0, n1, n2, n3
	.ifb	\n0
	_feed_forward_a	\step, \a0, \a1
	.else
	.ifc	\dir, right
	.if	\step == 1
	_add_word	\s\()_lo,  \a1\()_hi, \n0, \s\()_lo
	.elseif	\step == 2
	_add_word	\s\()_hi,  \a0\()_lo, \n1, \s\()_hi
	.elseif	\step == 3
	_add_word	\a1\()_hi, \a1\()_lo, \n3, \t\()_hi
	.else
	_add_word	\a1\()_lo, \a0\()_hi, \n2, \t\()_lo
	.endif
	.else
	.if	\step == 1
	_add_word	\s\()_lo,  \a0\()_hi, \n0, \s\()_lo
	.elseif	\step == 2
	_add_word	\s\()_hi,  \a1\()_lo, \n1, \s\()_hi
	.elseif	\step == 3
	_add_word	\a1\()_lo, \a1\()_hi, \n2, \t\()_lo
	.else
	_add_word	\a1\()_hi, \a0\()_lo, \n3, \t\()_hi
	.endif
	.endif
	.endif
.endm

// h[0..3] ^= a, with h in q8 and q9
.macro	_feed_forward_a	step, a0, a1
	.if	\step == 1
	veor		d16, d16, \a0\()_hi
	.elseif	\step == 2
	veor		d17, d17, \a1\()_lo
	.elseif	\step == 3
	veor		d18, d18, \a1\()_hi
	.else
	veor		d19, d19, \a0\()_lo
	.endif
.endm

// What _rotate_a will need: message words, or h once the message has been used up
.macro	_reload_for_a	s, t, n0, n1, n2, n3
	.ifb	\n0
	vld1.64		{q8-q9}, [STATE, :64]
	vld1.64		{q10-q11}, [H4, :64]
	.else
	_reload		\n0, \s\()_lo
	_reload		\n1, \s\()_hi
	_reload		\n2, \t\()_lo
	_reload		\n3, \t\()_hi
	.endif
.endm

// Four G in parallel, one per lane. The first message words have been added to a already.
//	x0-x3	second message words of this half-round, by lane
//	n0-n3	first message words of the next one, by lane
// Afterwards a = (c0, a1), b = (a0, t), c = (s, c1), the spares are b0 and b1, and a and c
// have moved by one lane to \dir.
.macro	_half_round	a0, a1, b0, b1, c0, c1, d0, d1, s, t, dir, x0, x1, x2, x3, n0, n1, n2, n3
	  _reload	\x0, \s\()_lo
	  _reload	\x1, \s\()_hi
	  _reload	\x2, \t\()_lo
	  _reload	\x3, \t\()_hi

	// a += b; d = (d ^ a) ror 32
	vadd.i64	\a0, \a0, \b0
	vadd.i64	\a1, \a1, \b1
	veor		\d0, \d0, \a0
	veor		\d1, \d1, \a1
	  _add_word	\a0\()_lo, \a0\()_lo, \x0, \s\()_lo
	vrev64.32	\d0, \d0
	vrev64.32	\d1, \d1
	  _add_word	\a0\()_hi, \a0\()_hi, \x1, \s\()_hi

	// c += d; b = (b ^ c) ror 24
	_rotate_c	\dir, \c0, \c1, \s, \d0, \d1
	  _add_word	\a1\()_lo, \a1\()_lo, \x2, \t\()_lo
	veor		\b0, \b0, \s
	veor		\b1, \b1, \c1
	  _add_word	\a1\()_hi, \a1\()_hi, \x3, \t\()_hi
	_ror_bytes	\b0, 3
	_ror_bytes	\b1, 3
	  _reload_for_a	\c0, \t, \n0, \n1, \n2, \n3

	// a += b; d = (d ^ a) ror 16
	vadd.i64	\a0, \a0, \b0
	vadd.i64	\a1, \a1, \b1
	veor		\d0, \d0, \a0
	veor		\d1, \d1, \a1
	  _rotate_a	1, \dir, \a0, \a1, \c0, \t, \n0, \n1, \n2, \n3
	_ror_bytes	\d0, 2
	_ror_bytes	\d1, 2
	  _rotate_a	2, \dir, \a0, \a1, \c0, \t, \n0, \n1, \n2, \n3

	// c += d; b = (b ^ c) ror 63
	vadd.i64	\s, \s, \d0
	vadd.i64	\c1, \c1, \d1
	  _rotate_a	3, \dir, \a0, \a1, \c0, \t, \n0, \n1, \n2, \n3
	veor		\b0, \b0, \s
	veor		\b1, \b1, \c1
	  _rotate_a	4, \dir, \a0, \a1, \c0, \t, \n0, \n1, \n2, \n3
	vadd.i64	\a0, \b0, \b0
	vadd.i64	\t, \b1, \b1
	vsra.u64	\a0, \b0, #63
	vsra.u64	\t, \b1, #63
.endm

// s0-s15 = the round's row of SIGMA; n0-n3 = the first words of the next round's columns.
// Lanes 0-3 do the diagonal G number 3, 0, 1, 2, hence the order of s8-s15.
.macro	_even_round	s0, s1, s2, s3, s4, s5, s6, s7, \
			s8, s9, s10, s11, s12, s13, s14, s15, n0, n1, n2, n3
	_half_round	q0, q1, q2, q3, q4, q5, q6, q7, q14, q15, right, \
			\s1, \s3, \s5, \s7, \s14, \s8, \s10, \s12
	_half_round	q4, q1, q0, q15, q14, q5, q7, q6, q2, q3, left, \
			\s15, \s9, \s11, \s13, \n0, \n1, \n2, \n3
.endm

.macro	_odd_round	s0, s1, s2, s3, s4, s5, s6, s7, \
			s8, s9, s10, s11, s12, s13, s14, s15, n0, n1, n2, n3
	_half_round	q14, q1, q4, q3, q2, q5, q6, q7, q0, q15, right, \
			\s1, \s3, \s5, \s7, \s14, \s8, \s10, \s12
	_half_round	q2, q1, q14, q15, q0, q5, q7, q6, q4, q3, left, \
			\s15, \s9, \s11, \s13, \n0, \n1, \n2, \n3
.endm

// IV[0..3] starts with IV[1]: the first half-round moves c to the right like every other.
const	blake2b_iv, user=neon_shash_blake2b_compress_neon
	.quad	0xbb67ae8584caa73b, 0x3c6ef372fe94f82b
	.quad	0xa54ff53a5f1d36f1, 0x6a09e667f3bcc908
	.quad	0x510e527fade682d1, 0x9b05688c2b3e6c1f
	.quad	0x1f83d9abfb41bd6b, 0x5be0cd19137e2179
endconst blake2b_iv

function neon_shash_blake2b_compress_neon
	push		{r4-r10, lr}
	// Spelled out: given a range, GNU as fails to find the short unwind opcode.
	.save		{r4, r5, r6, r7, r8, r9, r10, lr}
	sub		sp, sp, #32
	.pad		#32
	ldrd		r4, r5, [STATE, #64]
	ldrd		r6, r7, [STATE, #72]
	adr		IV_C, blake2b_iv
	add		IV_D, IV_C, #32
	add		F, STATE, #80
	add		H4, STATE, #32
	vld1.64		{q0-q1}, [STATE, :64]
	vld1.64		{q2-q3}, [H4, :64]

.Lnext_block:
	// Here h is in q0-q3: it is a and b.
	vld1.8		{q8-q9}, [DATA]!
	  adds		r4, r4, INC
	vld1.8		{q10-q11}, [DATA]!
	  adcs		r5, r5, #0
	vld1.8		{q12-q13}, [DATA]!
	  adcs		r6, r6, #0
	vld1.8		{q14-q15}, [DATA]!
	  adc		r7, r7, #0
	vld1.64		{q4-q5}, [IV_C, :128]
	vld1.64		{q6-q7}, [IV_D, :128]
	vstmia		sp, {d28-d31}
	vmov		d28, r4, r5
	vmov		d29, r6, r7
	vld1.64		{q15}, [F, :64]
	vadd.i64	q0_lo, q0_lo, m0
	vadd.i64	q0_hi, q0_hi, m2
	vadd.i64	q1_lo, q1_lo, m4
	vadd.i64	q1_hi, q1_hi, m6
	veor		q6, q6, q14
	veor		q7, q7, q15

	_even_round	 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 14,  4,  9, 13
	_odd_round	14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3, 11, 12,  5, 15
	_even_round	11,  8, 12,  0,  5,  2, 15, 13, 10, 14,  3,  6,  7,  1,  9,  4,  7,  3, 13, 11
	_odd_round	 7,  9,  3,  1, 13, 12, 11, 14,  2,  6,  5, 10,  4,  0, 15,  8,  9,  5,  2, 10
	_even_round	 9,  0,  5,  7,  2,  4, 10, 15, 14,  1, 11, 12,  6,  8,  3, 13,  2,  6,  0,  8
	_odd_round	 2, 12,  6, 10,  0, 11,  8,  3,  4, 13,  7,  5, 15, 14,  1,  9, 12,  1, 14,  4
	_even_round	12,  5,  1, 15, 14, 13,  4, 10,  0,  7,  6,  3,  9,  2,  8, 11, 13,  7, 12,  3
	_odd_round	13, 11,  7, 14, 12,  1,  3,  9,  5,  0, 15,  4,  8,  6,  2, 10,  6, 14, 11,  0
	_even_round	 6, 15, 14,  9, 11,  3,  0,  8, 12,  2, 13,  7,  1,  4, 10,  5, 10,  8,  7,  1
	_odd_round	10,  2,  8,  4,  7,  6,  1,  5, 15, 11,  9, 14,  3, 12, 13,  0,  0,  2,  4,  6
	_even_round	 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 14,  4,  9, 13
	_odd_round	14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3

	// h ^= v[0..7] ^ v[8..15]. The old h is in q8-q11 and has taken in a; the rest is
	// b = q2 q3, c = q4 q5 as c1 c2 c3 c0, d = q6 q7.
	veor		q10, q10, q6
	veor		q11, q11, q7
	  subs		NBLOCKS, NBLOCKS, #1
	veor		q2, q10, q2
	veor		q3, q11, q3
	veor		d0, d16, q5_hi
	veor		d1, d17, q4_lo
	veor		d2, d18, q4_hi
	veor		d3, d19, q5_lo
	vst1.64		{q2-q3}, [H4, :64]
	vst1.64		{q0-q1}, [STATE, :64]
	bne		.Lnext_block

	strd		r4, r5, [STATE, #64]
	strd		r6, r7, [STATE, #72]
	add		sp, sp, #32
	pop		{r4-r10, pc}
endfunc neon_shash_blake2b_compress_neon
