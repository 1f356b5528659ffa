/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * BLAKE2b compression (RFC 7693) with NEON, for 32-bit ARM. Schedule for Cortex-A7 and others
 * with a 64-bit NEON datapath; blake2b-neon.h has what it shares with the other schedule.
 */
/*yaml
Name: neon_shash_blake2b_compress_neon_a7
Description: absorb whole 128-byte blocks into a BLAKE2b state
Signature: void neon_shash_blake2b_compress_neon_a7(u64 state[12], const u8 *data, size_t nblocks, u32 inc)
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
Stack: {bytes: 88, reason: "24 for r4-r8 and lr, 32 for four message words, 32 for row d without t"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
  - f is read and not written; t is written back once, after the last block
*/
/*
 * Register map
 *
 *	q1 = a1, q5 = c1, q6 q7 = d	never change their row
 *	q0, q2, q4, q14			take turns as a0, b0, c0 and the spare s
 *	q3, q15				take turns as b1 and the spare t
 *
 * Core registers: r4-r7 = t, which NEON is never asked for (a transfer from NEON to a core
 * register costs some 20 cycles on A8).
 *
 * On the stack are m10, m11, m14, m15, and row d without t. Few half-rounds lack one of these
 * four among the first words of the half-round after it; see below.
 *
 * Schedule
 *
 * ror 63 is x + x, then vsra of x >> 63: two Q operations, and the sum is in the spare.
 *
 * The chain through a, b, c, d has 13 steps of two independent Q operations, or four D: four
 * cycles a step on A7, which is also the latency, so that a step never waits for the one
 * before. The exception is D feeding Q, which lacks one cycle. The additions of message words
 * and the reloads from the stack are off the chain (indented by two); they stand where
 * that cycle is missing. To that end the first message addition of a half-round is already
 * done in the half-round before. The cycle after ror 24 is for reloads alone, and three
 * half-rounds of 24 have none to offer; in a fourth the loop counts its blocks.
 *
 * Cycles per byte, 4096-byte message
 *
 *				hardware		modelled
 *	this core
 *	  A7			not measured yet	12.20
 *	  A8			not measured yet	 8.25
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
 * Counted from the disassembly, per block: this core 1042 instructions, of them 973 NEON data
 * processing (488 D, 485 Q), 63 loads, stores and transfers, 6 core. Linux, the 12 rounds
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
 *  - vtbl.8 for the byte rotations: as fast on A7, but needs tables in registers. Left out.
 *  - vshr + vsli for ror 63: same count on A7.
 *  - One spare, two message words on the stack: 24 reloads instead of 48, but the halves of b
 *    rotate one after the other. About 3 % slower on A7.
 *  - The four message words straight from data with vld1.8, not from the stack: by arithmetic 8
 *    cycles a block less, but 48 loads of unknown alignment, and data is read twelve times.
 *  - Message pairs added as Q: needs the pairs in registers, 168 more loads a block.
 *  - vrev64 and vadd in D form, core registers for part of the work: slower on every core.
 *  - pld of the next block: cannot show in a model with every load a hit. To be measured.
 */
#define	SPILLED	(1 << 10 | 1 << 11 | 1 << 14 | 1 << 15)
#include "blake2b-neon.h"

	ROW_D		.req	r8

	m8		.req	d24
	m9		.req	d25
	m12		.req	d26
	m13		.req	d27

// m10, m11, m14, m15 lie on the stack, in this order.
.macro	_fetch	word, reg
	vldr		\reg, [sp, #(8 * (\word % 2) + 16 * (\word / 14))]
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

// Four G in parallel, one per lane. The first message words have been added to a already.
//	x0-x3	second message words of this half-round, by lane
//	n0-n3	first message words of the next one, by lane
// Afterwards a = (c0, a1), b = (a0, t), c = (s, c1), the spares are b0 and b1, and a and c
// have moved by one lane to \dir.
.macro	_half_round	a0, a1, b0, b1, c0, c1, d0, d1, s, t, dir, x0, x1, x2, x3, n0, n1, n2, n3, fill:vararg
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
	  \fill

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

// Lanes 0-3 do the diagonal G number 3, 0, 1, 2, hence the order of s8-s15.
.macro	_even_round	s0, s1, s2, s3, s4, s5, s6, s7, \
			s8, s9, s10, s11, s12, s13, s14, s15, n0, n1, n2, n3, fill:vararg
	_half_round	q0, q1, q2, q3, q4, q5, q6, q7, q14, q15, right, \
			\s1, \s3, \s5, \s7, \s14, \s8, \s10, \s12
	_half_round	q4, q1, q0, q15, q14, q5, q7, q6, q2, q3, left, \
			\s15, \s9, \s11, \s13, \n0, \n1, \n2, \n3, \fill
.endm

.macro	_odd_round	s0, s1, s2, s3, s4, s5, s6, s7, \
			s8, s9, s10, s11, s12, s13, s14, s15, n0, n1, n2, n3, fill:vararg
	_half_round	q14, q1, q4, q3, q2, q5, q6, q7, q0, q15, right, \
			\s1, \s3, \s5, \s7, \s14, \s8, \s10, \s12
	_half_round	q2, q1, q14, q15, q0, q5, q7, q6, q4, q3, left, \
			\s15, \s9, \s11, \s13, \n0, \n1, \n2, \n3, \fill
.endm

_blake2b_iv	neon_shash_blake2b_compress_neon_a7

function neon_shash_blake2b_compress_neon_a7
	push		{r4-r8, lr}
	// Spelled out: given a range, GNU as fails to find the short unwind opcode.
	.save		{r4, r5, r6, r7, r8, lr}
	sub		sp, sp, #64
	.pad		#64
	adr		IV, blake2b_iv
	add		H4, STATE, #32
	_row_d_without_t	r8
	add		ROW_D, sp, #32
	vstmia		ROW_D, {d12-d15}
	ldrd		r4, r5, [STATE, #64]
	ldrd		r6, r7, [STATE, #72]
	vld1.64		{q0-q1}, [STATE, :64]
	vld1.64		{q2-q3}, [H4, :64]

.Lnext_block:
	vld1.8		{q8-q9}, [DATA]!
	  adds		r4, r4, INC
	vld1.8		{q10-q11}, [DATA]!
	  adcs		r5, r5, #0
	vld1.8		{q12}, [DATA]!
	vld1.8		{q14}, [DATA]!
	  adcs		r6, r6, #0
	vld1.8		{q13}, [DATA]!
	vld1.8		{q15}, [DATA]!
	  adc		r7, r7, #0
	vldmia		ROW_D, {d12-d15}
	vstmia		sp, {d28-d31}
	vmov		d28, r4, r5
	vmov		d29, r6, r7
	vld1.64		{q4-q5}, [IV, :128]
	vadd.i64	q0_lo, q0_lo, m0
	vadd.i64	q0_hi, q0_hi, m2
	vadd.i64	q1_lo, q1_lo, m4
	vadd.i64	q1_hi, q1_hi, m6
	veor		q6, q6, q14

	_rounds
	_feed_forward
	bne		.Lnext_block

	strd		r4, r5, [STATE, #64]
	strd		r6, r7, [STATE, #72]
	add		sp, sp, #64
	pop		{r4-r8, pc}
endfunc neon_shash_blake2b_compress_neon_a7
