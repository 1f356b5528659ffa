/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Keccak-f[1600] and the absorbing phase of SHA-3 (FIPS 202) with NEON, for 32-bit ARM.
 * Schedule for Cortex-A7 and others with a 64-bit NEON datapath; sha3-neon.h has what it shares
 * with the other schedule.
 */
/*yaml
Name: neon_shash_sha3_absorb_neon_a7
Description: xor each block of rate bytes into a Keccak state and permute it
Signature: void neon_shash_sha3_absorb_neon_a7(u64 state[25], const u8 *data, size_t nblocks, size_t rate)
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
Stack: {bytes: 8, reason: "r4 and lr"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
*/
/*yaml
Name: neon_shash_sha3_permute_neon_a7
Description: Keccak-f[1600], for callers that have xored the bytes in themselves
Signature: void neon_shash_sha3_permute_neon_a7(u64 state[25])
Requires:
  - NEON may be used (in the kernel, between kernel_neon_begin and kernel_neon_end)
  - little-endian CPU, ARM state
Registers:
  r0: {c_name: state, bytes: 200, permission: read/write, alignment: 8, layout: "lane x + 5y, as in FIPS 202"}
Clobbers: [r0-r3, r12, flags, d0-d31]
Preserves: [r4-r11, sp]
Stack: {bytes: 8, reason: "r4 and lr"}
ConstantTime: true
Notes:
  - d8-d15 are not preserved; a user-space caller has to save them
  - runs in the block loop of neon_shash_sha3_absorb_neon_a7, entered behind the absorption
*/
/*
 * Register map
 *
 * Lanes of the columns 1 2 and 3 4 share Q registers, so that one operation serves two columns
 * of the parity and of chi. The aliases below and in sha3-neon.h are the map.
 *
 * Operations per round: 117 D and 19 Q, two vext, one load; 158 cycles on A7.
 *
 *  - theta: parities in Q form. D[x] = C[x-1] ^ (C[x+1] rol 1) is built in a register that an
 *    earlier D[x] has freed, and applied with D operations, which on A7 cost half a Q.
 *  - chi: per row five vbic, then two Q and one D veor.
 *
 * Schedule
 *
 * Rho, pi and the rows 0-3 of chi fill themselves. Theta would not: its parities are chains
 * of four dependent operations and every D[x] three more. So row 4 of chi runs into the theta of
 * the next round (_theta chi=1, its instructions indented by two), the columns 1 and 2 come
 * first, and D[1] is applied while columns 3 and 4 are still being summed. The first
 * round of a block has no row to bring along and the last one ends with its row alone. In the
 * loop no instruction waits for another one on A7; it is four rounds long, because counting and
 * branching cost a cycle each there.
 *
 * Cycles per byte, 24 blocks of SHA3-256 (rate 136)
 *
 *				hardware		modelled
 *	this core
 *	  A7			not measured yet	28.38
 *	  A8			not measured yet	24.20
 *	  A9			not measured yet	24.99
 *	  A57, 32-bit state	not measured yet	15.4 [1]
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
 * The other rates of this core on A7, modelled: 26.83 (144), 37.01 (104), 53.32 (72).
 *
 * Counted from the disassembly, per round: this core 139 NEON instructions, of them 136 data
 * processing; cryptogams 138, libgcrypt 159. A D operation is 1, a Q operation 2: 155, 169, 156.
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
 *  - vshl #1 for the rotations by one: the same on A7-A9; vadd spares the shift port of A15.
 *  - Lane complementing: nothing to gain, vbic is and-not already. vbsl for chi: same count.
 *  - A rotating state (offsets 36 and 28 in turn) makes three more rotations byte moves: one
 *    cycle a round at best, and a second set of constants.
 *  - Pairs of lanes in a column, as in the other schedule: six cycles a round more on A7.
 *  - Two messages at once: dm-verity and shash have one.
 *  - pld of the next block: cannot show in a model with every load a hit. To be measured.
 */
#include "sha3-neon.h"

	FOURS	.req	r4	// fours of rounds left

	// rows 1 to 4, columns 1 to 4: neighbours in a row share a Q register
	A06	.req	d16
	A07	.req	d17
	A08	.req	d18
	A09	.req	d19
	A06_07	.req	q8
	A08_09	.req	q9

	A11	.req	d20
	A12	.req	d21
	A13	.req	d22
	A14	.req	d23
	A11_12	.req	q10
	A13_14	.req	q11

	A16	.req	d24
	A17	.req	d25
	A18	.req	d26
	A19	.req	d27
	A16_17	.req	q12
	A18_19	.req	q13

	A21	.req	d28
	A22	.req	d29
	A23	.req	d30
	A24	.req	d31
	A21_22	.req	q14
	A23_24	.req	q15

.macro	_when	condition, instruction, operands:vararg
	.if	\condition
	\instruction	\operands
	.endif
.endm

// theta, A[x,y] ^= D[x], and with chi=1 row 4 of the chi before it. D[x] are named where they
// are complete; by then the register has had another use.
.macro	_theta	chi
	  _when \chi,	vbic,	A20, A22, A21
	  _when \chi,	vbic,	d14, B20, A24
	  _when \chi,	vbic,	d15, A21, B20
	  _when \chi,	vbic,	d10, A23, A22
	  _when \chi,	vbic,	d11, A24, A23
	  _when \chi,	veor,	A20, B20, A20
	veor		C_1_2, A01_02, A06_07
	  _when \chi,	veor,	A21_22, A21_22, q5
	veor		C_1_2, C_1_2, A11_12
	  _when \chi,	veor,	A23_24, A23_24, q7
	veor		C_1_2, C_1_2, A16_17
	veor		q5, A05_10, A15_20
	veor		C_1_2, C_1_2, A21_22
	veor		C_0, A00, d10
	veor		C_3_4, A03_04, A08_09
	vadd.i64	d10, C_2, C_2
	veor		C_0, C_0, d11
	veor		C_3_4, C_3_4, A13_14
	vsri.64		d10, C_2, #63
	vadd.i64	d11, C_0, C_0
	veor		C_3_4, C_3_4, A18_19
	veor		d10, d10, C_0			// D[1] = C[0] ^ rol(C[2])
	vsri.64		d11, C_0, #63
	veor		C_3_4, C_3_4, A23_24
	vadd.i64	d1, C_1, C_1
	veor		A01, A01, d10
	veor		A06, A06, d10
	veor		d11, d11, C_3			// D[4] = C[3] ^ rol(C[0])
	vsri.64		d1, C_1, #63
	veor		A11, A11, d10
	veor		A16, A16, d10
	veor		A21, A21, d10
	veor		d1, d1, C_4			// D[0] = C[4] ^ rol(C[1])
	vadd.i64	d10, C_3, C_3
	veor		A04, A04, d11
	veor		A09, A09, d11
	veor		A14, A14, d11
	vsri.64		d10, C_3, #63
	vadd.i64	d14, C_4, C_4
	veor		A19, A19, d11
	veor		A24, A24, d11
	veor		d10, d10, C_1			// D[2] = C[1] ^ rol(C[3])
	vsri.64		d14, C_4, #63
	veor		A05, A05, d1
	veor		A10, A10, d1
	veor		A02, A02, d10
	veor		d14, d14, C_2			// D[3] = C[2] ^ rol(C[4])
	veor		A07, A07, d10
	veor		A12, A12, d10
	veor		A17, A17, d10
	veor		A22, A22, d10
	veor		A03, A03, d14
	veor		A08, A08, d14
	veor		A13, A13, d14
	veor		A18, A18, d14
	veor		A23, A23, d14
	veor		A00, A00, d1
	veor		A15, A15, d1
	veor		A20, A20, d1
.endm

// One row: out = b0 ^ (b2 & ~b1), b1 ^= b3 & ~b2, and so on. \t0 may be \out.
.macro	_chi_row	out, b0, b1, b2, b3, b4, b1_2, b3_4, t0, t1, t2, t1_2, t3, t4, t3_4
	vbic		\t3, \b0, \b4
	vbic		\t4, \b1, \b0
	vbic		\t0, \b2, \b1
	vbic		\t1, \b3, \b2
	vbic		\t2, \b4, \b3
	veor		\b3_4, \b3_4, \t3_4
	veor		\out, \b0, \t0
	veor		\b1_2, \b1_2, \t1_2
.endm

// Rows 0 to 3 of chi, and iota. The scratch of row 3 is not that of the others, because the
// lanes 15 and 20 are coming home to q2.
.macro	_chi_rows_0_3
	_chi_row	A00, A00, A01, A02, A03, A04, A01_02, A03_04, d1, d14, d15, q7, d4, d5, q2
	  vld1.64	{d1}, [RC, :64]!
	_chi_row	A05, B05, A06, A07, A08, A09, A06_07, A08_09, A05, d14, d15, q7, d4, d5, q2
	  veor		A00, A00, d1
	_chi_row	A10, B10, A11, A12, A13, A14, A11_12, A13_14, A10, d14, d15, q7, d4, d5, q2
	_chi_row	A15, B15, A16, A17, A18, A19, A16_17, A18_19, A15, d10, d11, q5, d14, d15, q7
.endm

.macro	_chi_row_4
	_chi_row	A20, B20, A21, A22, A23, A24, A21_22, A23_24, A20, d10, d11, q5, d14, d15, q7
.endm

.macro	_load_state
	_move_state	vld1
.endm

.macro	_store_state
	_move_state	vst1
.endm

.macro	_keccak_f
	mov		FOURS, #6
	_theta		chi=0
	b		.Lafter_theta

.Lnext_four_rounds:
	_theta		chi=1
.Lafter_theta:
	.rept		3
	_rho_pi
	_chi_rows_0_3
	_theta		chi=1
	.endr
	_rho_pi
	  subs		FOURS, FOURS, #1
	_chi_rows_0_3
	bne		.Lnext_four_rounds
	_chi_row_4
.endm

_sha3_functions	a7, r4
