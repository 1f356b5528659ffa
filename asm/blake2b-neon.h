/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * BLAKE2b with NEON: what the schedules share. That is the place of the message and of the rows,
 * the diagonal form, the rounds and the end of a block. A core adds its registers, its
 * half-round and its loop over blocks.
 *
 * The 4x4 working matrix has the rows a = v0-v3, b = v4-v7, c = v8-v11, d = v12-v15. A row is
 * two Q registers, four lanes: \a0 = lanes 0 and 1, \a1 = lanes 2 and 3. Eight Q registers
 * hold the rows, q8-q13 hold twelve message words, and two are spare.
 *
 * Two spares, because ror 63 needs a register per Q register of b to work on both halves at
 * once. The price is four message words without a NEON register. Any four would do, since each
 * word is used once per round. The spares also receive these words when they are needed.
 *
 * ror 32 is vrev64.32, ror 24 and ror 16 are vext.8 of a D register with itself (no table as
 * for vtbl). The smallest set of operations for a half-round is 16 D and 22 Q: an add has two
 * operands, and of the four rotations only that by 32 is one instruction on a Q register.
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
 */
#include "asm.h"

	STATE		.req	r0
	DATA		.req	r1
	NBLOCKS		.req	r2
	INC		.req	r3
	IV		.req	ip
	H4		.req	lr	// h + 4

	m0		.req	d16
	m1		.req	d17
	m2		.req	d18
	m3		.req	d19
	m4		.req	d20
	m5		.req	d21
	m6		.req	d22
	m7		.req	d23
	// The core says which words are in d24-d27.

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

// Fetch message word number \word to \reg, if it has no register of its own. The core defines
// SPILLED, a bit mask of these words, and _fetch, which knows where they are.
.macro	_reload	word, reg
	.if	(SPILLED >> \word) & 1
	_fetch		\word, \reg
	.endif
.endm

// dst = src + m[word]; \reg is where _reload has put it
.macro	_add_word	dst, src, word, reg
	.if	(SPILLED >> \word) & 1
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

// a += m, and a moves by one lane to \dir: from (a0, a1) to (s, a1), which leaves a0 spare. It
// takes four steps, so that the caller can spread them out. Their order matters: each one
// overwrites a lane that an earlier one has consumed. n0-n3 are the words for the lanes of the
// result. The last half-round of a block has none: it starts with h ^= v instead, where a is
// still in the order of the diagonals.
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

// The twelve rounds. Registers change their roles from one round to the next and are back after
// two, so that the core defines _even_round and _odd_round. Their arguments are
//	s0-s15	the round's row of SIGMA
//	n0-n3	the first words of the next round's columns
//	fill	an instruction of the loop for the diagonal half-round, which has a free cycle there
.macro	_rounds
	_even_round	 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 14,  4,  9, 13
	_odd_round	14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3, 11, 12,  5, 15
	_even_round	11,  8, 12,  0,  5,  2, 15, 13, 10, 14,  3,  6,  7,  1,  9,  4,  7,  3, 13, 11
	_odd_round	 7,  9,  3,  1, 13, 12, 11, 14,  2,  6,  5, 10,  4,  0, 15,  8,  9,  5,  2, 10
	_even_round	 9,  0,  5,  7,  2,  4, 10, 15, 14,  1, 11, 12,  6,  8,  3, 13,  2,  6,  0,  8
	_odd_round	 2, 12,  6, 10,  0, 11,  8,  3,  4, 13,  7,  5, 15, 14,  1,  9, 12,  1, 14,  4
	_even_round	12,  5,  1, 15, 14, 13,  4, 10,  0,  7,  6,  3,  9,  2,  8, 11, 13,  7, 12,  3
	_odd_round	13, 11,  7, 14, 12,  1,  3,  9,  5,  0, 15,  4,  8,  6,  2, 10,  6, 14, 11,  0
	_even_round	 6, 15, 14,  9, 11,  3,  0,  8, 12,  2, 13,  7,  1,  4, 10,  5, 10,  8,  7,  1
	_odd_round	10,  2,  8,  4,  7,  6,  1,  5, 15, 11,  9, 14,  3, 12, 13,  0,  0,  2,  4,  6, \
			subs	NBLOCKS, NBLOCKS, #1
	_even_round	 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 14,  4,  9, 13
	_odd_round	14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3
.endm

// h ^= v[0..7] ^ v[8..15]. The old h is in q8-q11 and has taken in a; the rest is b = q2 q3,
// c = q4 q5 as c1 c2 c3 c0, d = q6 q7. The new h is left in q0-q3: it is a and b of the next
// block.
.macro	_feed_forward
	veor		q10, q10, q6
	veor		q11, q11, q7
	veor		q2, q10, q2
	veor		q3, q11, q3
	veor		d0, d16, q5_hi
	veor		d1, d17, q4_lo
	veor		d2, d18, q4_hi
	veor		d3, d19, q5_lo
	vst1.64		{q2-q3}, [H4, :64]
	vst1.64		{q0-q1}, [STATE, :64]
.endm

// Row d, but for t, to q6 and q7: it is the same for every block of a call.
.macro	_row_d_without_t	scratch
	add		\scratch, IV, #32
	vld1.64		{q6-q7}, [\scratch, :128]
	add		\scratch, STATE, #80
	vld1.64		{q8}, [\scratch, :64]
	veor		q7, q7, q8
.endm

// IV[0..3] starts with IV[1]: the first half-round moves c to the right like every other.
.macro	_blake2b_iv	function
const	blake2b_iv, user=\function
	.quad	0xbb67ae8584caa73b, 0x3c6ef372fe94f82b
	.quad	0xa54ff53a5f1d36f1, 0x6a09e667f3bcc908
	.quad	0x510e527fade682d1, 0x9b05688c2b3e6c1f
	.quad	0x1f83d9abfb41bd6b, 0x5be0cd19137e2179
endconst blake2b_iv
.endm
