/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * BLAKE2b compression (RFC 7693) with NEON, for 32-bit ARM. Schedule for Cortex-A8, A9, A15 and
 * others with a 128-bit NEON datapath; blake2b-neon.h has what it shares with the other schedule.
 */
/*yaml
Name: neon_shash_blake2b_compress_neon_a8
Description: absorb whole 128-byte blocks into a BLAKE2b state
Signature: void neon_shash_blake2b_compress_neon_a8(u64 state[12], const u8 *data, size_t nblocks, u32 inc)
Requires:
  - NEON may be used (in the kernel, between kernel_neon_begin and kernel_neon_end)
  - nblocks >= 1
  - data does not overlap state
  - ldr may be unaligned (SCTLR.A is clear, as Linux has it on ARMv7)
  - little-endian CPU, ARM state
Registers:
  r0: {c_name: state, bytes: 96, permission: read/write, alignment: 8, layout: "h[8], t[2], f[2]"}
  r1: {c_name: data, bytes: 128 * nblocks, permission: read-only, alignment: 1}
  r2: {c_name: nblocks, permission: value}
  r3: {c_name: inc, permission: value, meaning: added to the 128-bit t before each block}
Clobbers: [r0-r3, r12, lr, flags, d0-d31]
Preserves: [r4-r11, sp]
Stack: {bytes: 72, reason: "36 for r4-r11 and lr, 32 for row d without t, 4 to keep sp aligned"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
  - f is read and not written; t is written back in every block
*/
/*
 * Register map
 *
 *	q1 = a1, q2 q3 = b, q6 q7 = d	never change their row
 *	q0, q4, q5, q14			take turns as a0, c0, c1 and the spare s
 *	q15				the spare t
 *
 * m8-m11 wait in core registers, r4-r11: vmov to a D register takes one issue slot, by some
 * sources two, where a load from the stack takes two. They are read from data by ldr, which has
 * a unit of its own. t stays in memory and passes through r4-r7 before m8 and m9 need them.
 * NEON is never asked for a value, which would cost some 20 cycles on A8.
 *
 * On the stack is row d without t.
 *
 * Schedule
 *
 * Here a Q operation costs as much as a D operation. A8 issues one data processing operation
 * and one load, store, permute or transfer a cycle, A9 one of either; shifts and permutes read
 * their operands a cycle earlier than the rest and so wait one cycle more.
 *
 * ror 63 is x >> 63, x + x and the two xored: three operations, one more than with vsra. But
 * vsra is late, and with it the chain through a, b, c, d would have 30 cycles a half-round,
 * against 27. b does not leave its registers either.
 *
 * A half-round has 32 data processing operations, eight vext and two vrev64. The two halves of
 * the rows are two chains, kept two or three cycles apart, and the additions of message words
 * (indented by two) fill up: the second ones where d and then b are permuted, the first ones of
 * the next half-round where b is rotated. A8 then takes 33 or 34 cycles. On A9 two instructions
 * of a block wait, both for a1 before the first message addition.
 *
 * Cycles per byte, 4096-byte message
 *
 *				hardware		modelled
 *	this core
 *	  A7			not measured yet	16.16
 *	  A8			not measured yet	 6.55
 *	  A9			not measured yet	 8.60
 *	  A57, 32-bit state	not measured yet	 7.3  [1]
 *	Linux blake2b-neon
 *	  A7			14.1  [2]		14.05
 *	  A8			none published		11.11
 *	  A9			none published		13.28
 *	Andrew Moon, blake2b-opt
 *	  A9			10.60 [3]		not modelled
 *	BLAKE2 team, NEON intrinsics
 *	  A8			28.6-30.7 [4]		not modelled
 *
 * Counted from the disassembly, per block: this core 1098 instructions, of them 1021 NEON data
 * processing and permutes (488 D, 533 Q), 59 loads, stores and transfers, 18 core.
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
 *  - ror 63 with vsra: 48 slots a block less. By the best orders found A9 gains 12 cycles a
 *    block and A8 loses 76. In one half of b only: 6 and 36.
 *  - One spare, two message words in core registers: 24 transfers less, but the halves of b
 *    rotate one after the other. A8 loses 24 cycles a block, A9 gains nothing.
 *  - m12-m15 in place of m8-m11: two more half-rounds wait for a1 on A9.
 *  - vext of a Q register to move the lanes of c, which on A8 is off the data processing unit:
 *    two operations less a half-round there, two slots more on A9.
 *  - Row d with t xored in core registers: the core unit becomes the bottleneck between blocks.
 *  - The next block's loads under the last half-round: worth some 10 cycles on A8, none on A9,
 *    and the last block would need a place to load from.
 *  - pld of the next block: cannot show in a model with every load a hit. To be measured.
 */
#define	SPILLED	(1 << 8 | 1 << 9 | 1 << 10 | 1 << 11)
#include "blake2b-neon.h"

	m12		.req	d24
	m13		.req	d25
	m14		.req	d26
	m15		.req	d27

	M8_LO		.req	r4
	M8_HI		.req	r5
	M9_LO		.req	r6
	M9_HI		.req	r7
	M10_LO		.req	r8
	M10_HI		.req	r9
	M11_LO		.req	r10
	M11_HI		.req	r11

// m8-m11 wait in core registers.
.macro	_fetch	word, reg
	vmov		\reg, M\word\()_LO, M\word\()_HI
.endm

// c += d, and c moves by one lane to \dir: from (c0, c1) to (s, c0), which leaves c1 spare. Four
// steps, as in _rotate_a.
.macro	_rotate_c	step, dir, c0, c1, s, d0, d1
	.ifc	\dir, right
	.if	\step == 1
	vadd.i64	\s\()_lo,  \c1\()_hi, \d0\()_lo
	.elseif	\step == 2
	vadd.i64	\s\()_hi,  \c0\()_lo, \d0\()_hi
	.elseif	\step == 3
	vadd.i64	\c0\()_lo, \c0\()_hi, \d1\()_lo
	.else
	vadd.i64	\c0\()_hi, \c1\()_lo, \d1\()_hi
	.endif
	.else
	.if	\step == 1
	vadd.i64	\s\()_lo,  \c0\()_hi, \d0\()_lo
	.elseif	\step == 2
	vadd.i64	\s\()_hi,  \c1\()_lo, \d0\()_hi
	.elseif	\step == 3
	vadd.i64	\c0\()_hi, \c0\()_lo, \d1\()_hi
	.else
	vadd.i64	\c0\()_lo, \c1\()_hi, \d1\()_lo
	.endif
	.endif
.endm

// Four G in parallel, one per lane. The first message words have been added to a already.
//	x0-x3	second message words of this half-round, by lane
//	n0-n3	first message words of the next one, by lane
// Afterwards a = (c1, a1), c = (s, c0), the spare is a0, and a and c have moved by one lane to
// \dir. From _rotate_c 4 on, the second half of c is in c0.
.macro	_half_round	a0, a1, b0, b1, c0, c1, d0, d1, s, t, dir, x0, x1, x2, x3, n0, n1, n2, n3, fill:vararg
	  _reload	\x0, \s\()_lo
	  _reload	\x1, \s\()_hi
	  _reload	\x2, \t\()_lo
	  _reload	\x3, \t\()_hi

	// a += b; d = (d ^ a) ror 32; c += d
	vadd.i64	\a0, \a0, \b0
	vadd.i64	\a1, \a1, \b1
	veor		\d0, \d0, \a0
	  _add_word	\a0\()_lo, \a0\()_lo, \x0, \s\()_lo
	veor		\d1, \d1, \a1
	  _add_word	\a0\()_hi, \a0\()_hi, \x1, \s\()_hi
	vrev64.32	\d0, \d0
	_rotate_c	1, \dir, \c0, \c1, \s, \d0, \d1
	vrev64.32	\d1, \d1
	_rotate_c	2, \dir, \c0, \c1, \s, \d0, \d1
	_rotate_c	3, \dir, \c0, \c1, \s, \d0, \d1

	// b = (b ^ c) ror 24; a += b
	veor		\b0, \b0, \s
	_rotate_c	4, \dir, \c0, \c1, \s, \d0, \d1
	  _add_word	\a1\()_lo, \a1\()_lo, \x2, \t\()_lo
	veor		\b1, \b1, \c0
	_ror_bytes	\b0, 3
	vadd.i64	\a0, \a0, \b0
	  _add_word	\a1\()_hi, \a1\()_hi, \x3, \t\()_hi
	_ror_bytes	\b1, 3
	  \fill

	// d = (d ^ a) ror 16; c += d
	veor		\d0, \d0, \a0
	vadd.i64	\a1, \a1, \b1
	  _reload_for_a	\c1, \t, \n0, \n1, \n2, \n3
	  _rotate_a	1, \dir, \a0, \a1, \c1, \t, \n0, \n1, \n2, \n3
	veor		\d1, \d1, \a1
	_ror_bytes	\d0, 2
	  _rotate_a	2, \dir, \a0, \a1, \c1, \t, \n0, \n1, \n2, \n3
	vadd.i64	\s, \s, \d0
	vext.8		\d1\()_lo, \d1\()_lo, \d1\()_lo, #2
	  _rotate_a	3, \dir, \a0, \a1, \c1, \t, \n0, \n1, \n2, \n3
	veor		\b0, \b0, \s
	vext.8		\d1\()_hi, \d1\()_hi, \d1\()_hi, #2
	vadd.i64	\c0, \c0, \d1
	  _rotate_a	4, \dir, \a0, \a1, \c1, \t, \n0, \n1, \n2, \n3

	// b = (b ^ c) ror 63
	veor		\b1, \b1, \c0
	vshr.u64	\a0, \b0, #63
	vadd.i64	\b0, \b0, \b0
	vshr.u64	\t, \b1, #63
	vadd.i64	\b1, \b1, \b1
	veor		\b0, \b0, \a0
	veor		\b1, \b1, \t
.endm

// Lanes 0-3 do the diagonal G number 3, 0, 1, 2, hence the order of s8-s15.
.macro	_even_round	s0, s1, s2, s3, s4, s5, s6, s7, \
			s8, s9, s10, s11, s12, s13, s14, s15, n0, n1, n2, n3, fill:vararg
	_half_round	q0, q1, q2, q3, q4, q5, q6, q7, q14, q15, right, \
			\s1, \s3, \s5, \s7, \s14, \s8, \s10, \s12
	_half_round	q5, q1, q2, q3, q14, q4, q7, q6, q0, q15, left, \
			\s15, \s9, \s11, \s13, \n0, \n1, \n2, \n3, \fill
.endm

.macro	_odd_round	s0, s1, s2, s3, s4, s5, s6, s7, \
			s8, s9, s10, s11, s12, s13, s14, s15, n0, n1, n2, n3, fill:vararg
	_half_round	q4, q1, q2, q3, q0, q14, q6, q7, q5, q15, right, \
			\s1, \s3, \s5, \s7, \s14, \s8, \s10, \s12
	_half_round	q14, q1, q2, q3, q5, q0, q7, q6, q4, q15, left, \
			\s15, \s9, \s11, \s13, \n0, \n1, \n2, \n3, \fill
.endm

_blake2b_iv	neon_shash_blake2b_compress_neon_a8

function neon_shash_blake2b_compress_neon_a8
	push		{r4-r11, lr}
	// Spelled out: given a range, GNU as fails to find the short unwind opcode.
	.save		{r4, r5, r6, r7, r8, r9, r10, r11, lr}
	sub		sp, sp, #36
	.pad		#36
	adr		IV, blake2b_iv
	add		H4, STATE, #32
	_row_d_without_t	r4
	vstmia		sp, {d12-d15}
	vld1.64		{q0-q1}, [STATE, :64]
	vld1.64		{q2-q3}, [H4, :64]

.Lnext_block:
	vld1.8		{q8-q9}, [DATA]!
	  ldrd		r4, r5, [STATE, #64]
	  ldrd		r6, r7, [STATE, #72]
	  adds		r4, r4, INC
	vld1.8		{q10-q11}, [DATA]!
	  adcs		r5, r5, #0
	  adcs		r6, r6, #0
	  adc		r7, r7, #0
	vmov		d28, r4, r5
	vmov		d29, r6, r7
	vldmia		sp, {d12-d15}
	vadd.i64	q0_lo, q0_lo, m0
	  ldr		M10_LO, [DATA, #16]
	vadd.i64	q0_hi, q0_hi, m2
	  ldr		M10_HI, [DATA, #20]
	vadd.i64	q1_lo, q1_lo, m4
	  ldr		M11_LO, [DATA, #24]
	vadd.i64	q1_hi, q1_hi, m6
	  ldr		M11_HI, [DATA, #28]
	vld1.64		{q4-q5}, [IV, :128]
	  strd		r4, r5, [STATE, #64]
	  strd		r6, r7, [STATE, #72]
	veor		q6, q6, q14
	  ldr		M8_LO, [DATA], #32	// on to m12
	  ldr		M8_HI, [DATA, #-28]
	vld1.8		{q12-q13}, [DATA]!
	  ldr		M9_LO, [DATA, #-56]
	  ldr		M9_HI, [DATA, #-52]

	_rounds
	_feed_forward
	bne		.Lnext_block

	add		sp, sp, #36
	pop		{r4-r11, pc}
endfunc neon_shash_blake2b_compress_neon_a8
