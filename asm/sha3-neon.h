/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * SHA-3 with NEON: what the schedules share. That is rho and pi, the absorbing phase and the two
 * functions; a core adds the homes of the lanes, theta and chi.
 *
 * All 25 lanes stay in registers, across rounds and blocks: A<n> is lane n = x + 5y with two
 * digits. The lanes of row 0 and of column 0 have the same registers in every schedule; where
 * the other sixteen go decides which of them share a Q register. Seven D registers are left:
 *
 *	d1		column parity C[0]; scratch of chi row 0, round constant
 *	d12-d15		column parities C[1]-C[4]
 *	d10, d11	scratch of theta
 *	d10-d13		new lanes 5, 10, 15, 20 from pi until chi reads them
 *	d14, d15	scratch of chi
 *
 * Between pi and chi the homes of the lanes 5, 10, 15, 20 (d2-d5) are free and serve as scratch
 * too. So nothing is spilled, and the round has no moves.
 *
 * Pi is one cycle through 24 lanes. Its four lanes of column 0 cut it into four chains of six
 * moves, each into the register that the move before has emptied. All four advance together,
 * so that the second half of a rotation never waits for the first. Rotations by 8 and 56 are
 * one vext each.
 */
#include "asm.h"

	STATE	.req	r0
	DATA	.req	r1
	NBLOCKS	.req	r2
	RATE	.req	r3
	RC	.req	ip	// next round constant

	// row 0
	A00	.req	d0
	A01	.req	d6
	A02	.req	d7
	A03	.req	d8
	A04	.req	d9
	A01_02	.req	q3
	A03_04	.req	q4

	// column 0
	A05	.req	d2
	A10	.req	d3
	A15	.req	d4
	A20	.req	d5
	A05_10	.req	q1
	A15_20	.req	q2

	// column parities C[x]
	C_0	.req	d1
	C_1	.req	d12
	C_2	.req	d13
	C_3	.req	d14
	C_4	.req	d15
	C_1_2	.req	q6
	C_3_4	.req	q7

	// lanes 5, 10, 15, 20 between pi and chi
	B05	.req	d10
	B10	.req	d11
	B15	.req	d12
	B20	.req	d13
	B05_10	.req	q5
	B15_20	.req	q6

// to = from rol \r: a head, and a tail some instructions later. Whole bytes need no tail.
.macro	_rol_head	to, from, r
	.if	(\r) % 8
	vshl.i64	\to, \from, #\r
	.else
	vext.8		\to, \from, \from, #(8 - (\r) / 8)
	.endif
.endm

.macro	_rol_tail	to, from, r
	.if	(\r) % 8
	vsri.64		\to, \from, #(64 - (\r))
	.endif
.endm

.macro	_rol_four	t0, f0, r0, t1, f1, r1, t2, f2, r2, t3, f3, r3
	_rol_head	\t0, \f0, \r0
	_rol_head	\t1, \f1, \r1
	_rol_head	\t2, \f2, \r2
	_rol_head	\t3, \f3, \r3
	_rol_tail	\t0, \f0, \r0
	_rol_tail	\t1, \f1, \r1
	_rol_tail	\t2, \f2, \r2
	_rol_tail	\t3, \f3, \r3
.endm

// Each line is one move of all four chains; the first line writes the temporaries. A whole-byte
// rotation stands last: without a tail of its own it keeps the others at their distance.
.macro	_rho_pi
	_rol_four	B10, A01, 1,	B20, A02, 62,	B15, A04, 27,	B05, A03, 28
	_rol_four	A01, A06, 44,	A02, A12, 43,	A04, A24, 14,	A03, A18, 21
	_rol_four	A06, A09, 20,	A12, A13, 25,	A24, A21, 2,	A18, A17, 15
	_rol_four	A09, A22, 61,	A21, A08, 55,	A17, A11, 10,	A13, A19, 8
	_rol_four	A22, A14, 39,	A08, A16, 45,	A11, A07, 6,	A19, A23, 56
	_rol_four	A14, A20, 18,	A23, A15, 41,	A16, A05, 36,	A07, A10, 3
.endm

// vld1 or vst1 of the whole state, which lies in memory in the order of the lane numbers: the
// rows 1 to 4 to d16-d31, four lanes each
.macro	_move_state	op
	mov		ip, STATE
	\op\().64	{d0}, [ip, :64]!
	\op\().64	{d6-d9}, [ip, :64]!
	\op\().64	{d2}, [ip, :64]!
	\op\().64	{d16-d19}, [ip, :64]!
	\op\().64	{d3}, [ip, :64]!
	\op\().64	{d20-d23}, [ip, :64]!
	\op\().64	{d4}, [ip, :64]!
	\op\().64	{d24-d27}, [ip, :64]!
	\op\().64	{d5}, [ip, :64]!
	\op\().64	{d28-d31}, [ip, :64]
.endm

.macro	_absorb_row	a0, a1, a2, a3, a4
	vld1.8		{d14}, [DATA]!
	vld1.8		{d10-d13}, [DATA]!
	veor		\a0, \a0, d14
	veor		\a1, \a1, d10
	veor		\a2, \a2, d11
	veor		\a3, \a3, d12
	veor		\a4, \a4, d13
.endm

// Both functions of a core, whose round constants come first. The core defines
//
//	_load_state, _store_state	memory to or from the homes of the lanes
//	_keccak_f			24 rounds; may change RC and the saved registers
//
// \saved: the registers that the functions push beside lr. Spelled out, because the list goes to
// .save too, and GNU as fails to find the short unwind opcode for a range.
.macro	_sha3_functions	variant, saved:vararg
const	keccak_rc, user=neon_shash_sha3_absorb_neon_\variant
	.quad	0x0000000000000001, 0x0000000000008082
	.quad	0x800000000000808a, 0x8000000080008000
	.quad	0x000000000000808b, 0x0000000080000001
	.quad	0x8000000080008081, 0x8000000000008009
	.quad	0x000000000000008a, 0x0000000000000088
	.quad	0x0000000080008009, 0x000000008000000a
	.quad	0x000000008000808b, 0x800000000000008b
	.quad	0x8000000000008089, 0x8000000000008003
	.quad	0x8000000000008002, 0x8000000000000080
	.quad	0x000000000000800a, 0x800000008000000a
	.quad	0x8000000080008081, 0x8000000000008080
	.quad	0x0000000080000001, 0x8000000080008008
endconst keccak_rc

// Same frame as the absorbing function, whose tail it runs, so that both return and both unwind
// in the same way.
function neon_shash_sha3_permute_neon_\variant, with=neon_shash_sha3_absorb_neon_\variant
	push		{\saved, lr}
	.save		{\saved, lr}
	_load_state
	mov		NBLOCKS, #1
	b		.Lpermute
endfunc neon_shash_sha3_permute_neon_\variant

function neon_shash_sha3_absorb_neon_\variant
	push		{\saved, lr}
	.save		{\saved, lr}
	_load_state

	// Every rate is one, two or three whole rows and two to four lanes of the next one.
.Lnext_block:
	_absorb_row	A00, A01, A02, A03, A04
	cmp		RATE, #104
	blo		.Labsorb_72
	_absorb_row	A05, A06, A07, A08, A09
	beq		.Labsorb_104
	_absorb_row	A10, A11, A12, A13, A14
	cmp		RATE, #136
	vld1.8		{d10-d11}, [DATA]!
	veor		A15, A15, d10
	veor		A16, A16, d11
	beq		.Lpermute
	vld1.8		{d12}, [DATA]!
	veor		A17, A17, d12

.Lpermute:
	adr		RC, keccak_rc
	_keccak_f
	subs		NBLOCKS, NBLOCKS, #1
	bne		.Lnext_block

	_store_state
	pop		{\saved, pc}

.Labsorb_72:
	vld1.8		{d10-d13}, [DATA]!
	veor		A05, A05, d10
	veor		A06, A06, d11
	veor		A07, A07, d12
	veor		A08, A08, d13
	b		.Lpermute

.Labsorb_104:
	vld1.8		{d10-d12}, [DATA]!
	veor		A10, A10, d10
	veor		A11, A11, d11
	veor		A12, A12, d12
	b		.Lpermute
endfunc neon_shash_sha3_absorb_neon_\variant
.endm
