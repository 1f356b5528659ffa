/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Keccak-f[1600] and the absorbing phase of SHA-3 (FIPS 202) with NEON, for 32-bit ARM.
 * Schedule for Cortex-A8, A9, A15 and others with a 128-bit NEON datapath; sha3-neon.h has what it
 * shares with the other schedule.
 */
/*yaml
Name: neon_shash_sha3_absorb_neon_a8
Description: xor each block of rate bytes into a Keccak state and permute it
Signature: void neon_shash_sha3_absorb_neon_a8(u64 state[25], const u8 *data, size_t nblocks, size_t rate)
Requires:
  - NEON may be used (in the kernel, between kernel_neon_begin and kernel_neon_end)
  - nblocks >= 1
  - rate is 144, 136, 104 or 72 (SHA3-224, -256, -384, -512); not checked
  - data does not overlap state
  - little-endian CPU, ARM state
Registers:
  r0: {c_name: state, bytes: 200, permission: read/write, alignment: 8, layout: "lane x + 5y, as in FIPS 202"}
  r1: {c_name: data, bytes: nblocks * rate, permission: read-only, alignment: 1}
  r2: {c_name: nblocks, permission: value}
  r3: {c_name: rate, permission: value}
Clobbers: [r0-r3, r12, flags, d0-d31]
Preserves: [r4-r11, sp]
Stack: {bytes: 16, reason: "r4-r6 and lr"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
*/
/*yaml
Name: neon_shash_sha3_permute_neon_a8
Description: Keccak-f[1600], for callers that have xored the bytes in themselves
Signature: void neon_shash_sha3_permute_neon_a8(u64 state[25])
Requires:
  - NEON may be used (in the kernel, between kernel_neon_begin and kernel_neon_end)
  - little-endian CPU, ARM state
Registers:
  r0: {c_name: state, bytes: 200, permission: read/write, alignment: 8, layout: "lane x + 5y, as in FIPS 202"}
Clobbers: [r0-r3, r12, flags, d0-d31]
Preserves: [r4-r11, sp]
Stack: {bytes: 16, reason: "r4-r6 and lr"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
  - runs in the block loop of neon_shash_sha3_absorb_neon_a8, entered behind the absorption
*/
/*
 * Register map
 *
 * Lanes of the rows 1 2 and 3 4 share Q registers, so that chi serves two rows at once: 28
 * operations, where five single rows take 40. In row 0 the lanes 1 2 and 3 4 share Q registers,
 * which saves two there. The aliases below and in sha3-neon.h are the map.
 *
 * The state in memory is not in this order. It is loaded as for the other schedule, row by row,
 * and four vswp exchange the lanes that are not at home, and back again before it is stored.
 *
 * Operations per round: 75 D and 40 Q of data processing, eight permutes, one transfer. A Q
 * operation costs as much as a D operation here, so that they are 115 cycles on A8, which pairs
 * permutes with the rest, and 124 on A9, which does not.
 *
 *  - theta, parities: the rows in Q form; then the two halves have to be added up. For the columns
 *    3 and 4 a vswp makes that one Q operation. The columns 1 and 2 have a single Q register to
 *    work in, and column 2 is summed up in D form.
 *  - theta, D[x]: q5-q7 and d1 hold the parities and what is built from them. The order D[4] and
 *    D[1], D[2] and D[3], D[0] needs no more: each one takes the place of parities that
 *    nobody reads any more. rol 1 of C[3] and C[4] together is x + x, then vsra of x >> 63: two
 *    operations, where vsri of a Q register would take two cycles. To be applied to two rows
 *    at once, D[x] has to be in both halves of a Q register: a vext, off the data processing
 *    unit of A8. D[1] goes without, and with it D[4] and D[1] are built side by side.
 *  - chi, two rows: b0 comes from pi and does not stay; once it has been read, its register is the
 *    scratch that makes the second and third vbic possible. So three Q registers will do.
 *
 * The round constant comes by ldrd and vmov: the core registers are idle, and a load to NEON
 * takes two slots on A9, a transfer one.
 *
 * Schedule
 *
 * Rho and pi fill themselves. Chi lacks one operation in each pair of rows, between t1 and the
 * lane that takes it in; the last two operations of row 0 stand there. Theta is in the order in
 * which its chains need it: the additions of D[1] to its column fill the chains of D[0], D[2]
 * and D[3]. Per round A8 waits once, for vswp: 116 cycles. A9 never waits: 124.
 *
 * Cycles per byte, 24 blocks of SHA3-256 (rate 136)
 *
 *				hardware		modelled
 *	this core
 *	  A7			not measured yet	33.55
 *	  A8			not measured yet	20.67
 *	  A9			not measured yet	22.17
 *	  A57, 32-bit state	not measured yet	14.7 [1]
 *	cryptogams, OpenSSL [2]
 *	  A7			34			33.90
 *	  A8			30			23.64
 *	  A9			26			26.41
 *	  A15			18			not modelled
 *	libgcrypt 1.11 [3]
 *	  A7			none published		41.20
 *	  A8			31.19			28.88
 *	  A9			none published		33.07
 *
 * The other rates of this core, modelled: 19.52 (144), 26.98 (104), 38.90 (72) on A8, and 20.95,
 * 28.91, 41.63 on A9.
 *
 * Counted from the disassembly, per round: this core 124 NEON instructions, cryptogams 138,
 * libgcrypt 159.
 *
 * Modelled: an in-order issue model replays the trace of a run, every load a cache hit. On the
 * few cores where silicon is known it is within 1 % on A7 and 2 % on A9, and up to 21 % too
 * low on A8. A15: the model does not know it.
 * [1] llvm-mca -mcpu=cortex-a57, the round loop
 * [2] the header of keccak1600-armv4.pl in dot-asm/cryptogams
 * [3] commit a1cc7bb1 of gpg/libgcrypt, 1008 MHz
 *
 * Ideas
 *
 *  - Lanes paired as in the other schedule, D[x] applied in pairs: 129 or 130 instructions a round.
 *  - vswp for the columns 1 and 2 too: one operation less, but it has to wait for a register. By
 *    the best orders found one cycle a round more on A8, two on A9.
 *  - rol 1 of C[1] and C[2] together, D[1] applied in Q form: four operations less on A8, and by
 *    the best orders found six cycles a round more, since D[4] comes before D[1] then.
 *  - The last D[x] under the first moves of rho and pi: no order found is any shorter.
 *  - A rotating state (offsets 36 and 28 in turn) makes three more rotations byte moves: two
 *    operations a round, and a second set of constants.
 *  - The loop unrolled: counting and branching have a unit of their own. To be measured.
 *  - LLVM has vext of a D register in two operations on A9, GCC in one. If LLVM is right, the vext
 *    of theta should be veor with both parts once more.
 *  - pld of the next block: cannot show in a model with every load a hit. To be measured.
 */
#include "sha3-neon.h"

	RC_LO	.req	r4
	RC_HI	.req	r5
	ROUNDS	.req	r6	// rounds left

	// rows 1 to 4, columns 1 to 4: neighbours in a column share a Q register
	A06	.req	d16
	A11	.req	d17
	A08	.req	d18
	A13	.req	d19
	A06_11	.req	q8
	A08_13	.req	q9

	A07	.req	d20
	A12	.req	d21
	A09	.req	d22
	A14	.req	d23
	A07_12	.req	q10
	A09_14	.req	q11

	A16	.req	d24
	A21	.req	d25
	A18	.req	d26
	A23	.req	d27
	A16_21	.req	q12
	A18_23	.req	q13

	A17	.req	d28
	A22	.req	d29
	A19	.req	d30
	A24	.req	d31
	A17_22	.req	q14
	A19_24	.req	q15

// theta, A[x,y] ^= D[x]. D[x] are named where they are complete; by then the register has had
// another use.
.macro	_theta
	// Parities. q5 and C_3_4 hold two partial sums each, one column in a register; vswp makes it
	// two columns in a register, ready to be added up.
	veor		C_1_2, A06_11, A16_21
	veor		C_3_4, A09_14, A19_24
	veor		q5, A08_13, A18_23
	veor		C_1, C_1, C_2
	veor		C_2, A07, A12
	vswp		d11, C_3
	veor		C_3_4, C_3_4, q5
	veor		q5, A05_10, A15_20
	veor		C_2, C_2, A17
	veor		C_0, A00, d10
	veor		C_2, C_2, A22
	veor		C_0, C_0, d11
	veor		C_1_2, C_1_2, A01_02
	vadd.i64	d10, C_0, C_0
	vadd.i64	d11, C_2, C_2
	veor		C_3_4, C_3_4, A03_04

	// D[4] to both halves of q5, D[1] to d1
	vsri.64		d10, C_0, #63
	vsri.64		d11, C_2, #63
	veor		d10, d10, C_3			// D[4] = C[3] ^ rol(C[0])
	veor		d1, C_0, d11			// D[1] = C[0] ^ rol(C[2])
	veor		A04, A04, d10
	vext.8		d11, d10, d10, #0
	veor		A06, A06, d1
	veor		A09_14, A09_14, q5
	veor		A19_24, A19_24, q5

	// D[2] and D[3] to q5, D[0] to d14; then one of them to each of q5, q6, q7, twice
	vadd.i64	q5, C_3_4, C_3_4
	veor		A11, A11, d1
	veor		A16, A16, d1
	vsra.u64	q5, C_3_4, #63
	vadd.i64	d14, C_1, C_1
	veor		A21, A21, d1
	veor		A01, A01, d1
	vsri.64		d14, C_1, #63
	veor		q5, q5, C_1_2			// D[2], D[3] = (C[1], C[2]) ^ rol(C[3], C[4])
	veor		d14, d14, C_4			// D[0] = C[4] ^ rol(C[1])
	veor		A03, A03, d11
	vext.8		d12, d10, d10, #0
	veor		A00, A00, d14
	vext.8		d13, d10, d10, #0
	veor		A02, A02, d12
	vext.8		d15, d14, d14, #0
	veor		A07_12, A07_12, q6
	vext.8		d10, d11, d11, #0
	veor		A17_22, A17_22, q6
	veor		A08_13, A08_13, q5
	veor		A18_23, A18_23, q5
	veor		A05_10, A05_10, q7
	veor		A15_20, A15_20, q7
.endm

// Row 0, but for A00 ^= d1, which fills a gap of the next rows
.macro	_chi_row_0
	vbic		d14, A03, A02
	vbic		d15, A04, A03
	vbic		d4, A00, A04
	vbic		d5, A01, A00
	vbic		d1, A02, A01
	veor		A01_02, A01_02, q7
	veor		A03_04, A03_04, q2
.endm

// Two rows at once: home = b0 ^ (b2 & ~b1), b1 ^= b3 & ~b2, and so on. b0 is not kept.
.macro	_chi_two_rows	home, b0, b1, b2, b3, b4, t3, t4, fill:vararg
	vbic		\home, \b2, \b1
	vbic		\t4, \b1, \b0
	vbic		\t3, \b0, \b4
	veor		\home, \b0, \home
	vbic		\b0, \b3, \b2
	  \fill
	veor		\b1, \b1, \b0
	vbic		\b0, \b4, \b3
	veor		\b4, \b4, \t4
	veor		\b3, \b3, \t3
	veor		\b2, \b2, \b0
.endm

// Between the order of _move_state, neighbours in a row, and that of the rounds
.macro	_exchange_lanes
	vswp		d17, d20
	vswp		d19, d22
	vswp		d25, d28
	vswp		d27, d30
.endm

.macro	_load_state
	_move_state	vld1
	_exchange_lanes
.endm

.macro	_store_state
	_exchange_lanes
	_move_state	vst1
.endm

.macro	_keccak_f
	mov		ROUNDS, #24
.Lnext_round:
	_theta
	  ldrd		RC_LO, RC_HI, [RC], #8
	_rho_pi
	  subs		ROUNDS, ROUNDS, #1
	_chi_row_0
	_chi_two_rows	A05_10, B05_10, A06_11, A07_12, A08_13, A09_14, q2, q7, \
			veor	A00, A00, d1
	vmov		d1, RC_LO, RC_HI
	_chi_two_rows	A15_20, B15_20, A16_21, A17_22, A18_23, A19_24, q5, q7, \
			veor	A00, A00, d1
	bne		.Lnext_round
.endm

_sha3_functions	a8, r4, r5, r6
