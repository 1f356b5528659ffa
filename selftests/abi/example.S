/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A function that keeps a narrow contract, and one for each way to break it. The checker has to
 * pass the first and to catch every other, by the right name.
 */
/*yaml
Name: abi_example
Description: add the first byte of every block to a state
Signature: void abi_example(u64 state[4], const u8 *data, size_t nblocks)
Requires:
  - nblocks >= 1
Registers:
  r0: {c_name: state, bytes: 32, permission: read/write, alignment: 8}
  r1: {c_name: data, bytes: 24 * nblocks, permission: read-only, alignment: 1}
  r2: {c_name: nblocks, permission: value}
Clobbers: [r0-r2, d0-d7]
Preserves: [r3-r12, sp, lr, flags, fpscr, d8-d31]
Stack: {bytes: 16, reason: "r3-r5 and flags"}
ConstantTime: true
*/
#include "asm.h"

// Leaves r0 at the state, r1 at the last block, and all of its 16 bytes of stack written.
.macro	_work
	sub		sp, sp, #16
	stm		sp, {r3-r5}
	mrs		r3, cpsr
	str		r3, [sp, #12]
	vld1.64		{d0-d3}, [r0, :64]
1:	vld1.8		{d4-d6}, [r1]
	ldrb		r4, [r1], #24
	eor		r4, r4, #0xff00			// never zero: the state always changes
	vmov.i8		d7, #0
	vmov.32		d7[0], r4
	vadd.i64	d0, d0, d7
	subs		r2, r2, #1
	bne		1b
	vst1.64		{d0-d3}, [r0, :64]
	sub		r1, r1, #24
	ldr		r3, [sp, #12]
	msr		cpsr_fs, r3
	ldm		sp, {r3-r5}
	add		sp, sp, #16
.endm

function abi_example
	_work
	bx		lr
endfunc abi_example

	.section .rodata.corrupters, "a", %progbits
	.p2align	2
	.globl		corrupters
corrupters:
	.text

// The function from here to the next `corrupter` does what "fault" says; it is in the table.
.macro	corrupter	fault, check=check_call
	.section .rodata.faults, "aMS", %progbits, 1
9:	.asciz		"\fault"
	.section .rodata.corrupters
	.word		9b, 8f, \check
	.text
	.p2align	2
8:
.endm

	.irp	reg, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12
	corrupter	"\reg changed"
	_work
	eor		\reg, \reg, #0x80
	bx		lr
	.endr

	corrupter	"lr changed"
	_work
	mov		r0, lr
	mov		lr, #0
	bx		r0

	corrupter	"sp changed"
	_work
	sub		sp, sp, #8
	bx		lr

	corrupter	"sp changed"
	_work
	add		sp, sp, #4
	bx		lr

	.irp	bit, 31, 30, 29, 28, 27, 16			// N, Z, C, V, Q, GE[0]
	corrupter	"flags changed"
	_work
	mrs		r0, cpsr
	eor		r0, r0, #1 << \bit
	msr		cpsr_fs, r0
	bx		lr
	.endr

	corrupter	"fpscr changed"
	_work
	vmrs		r0, fpscr
	eor		r0, r0, #1 << 27			// QC
	vmsr		fpscr, r0
	bx		lr

	.irp	reg, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, \
		28, 29, 30, 31
	corrupter	"d\reg changed"
	_work
	vmvn		d\reg, d\reg
	bx		lr
	.endr

	corrupter	"d8 changed"
	_work
	vmov		r0, r1, d8				// one bit of the upper half
	eor		r1, r1, #0x80000000
	vmov		d8, r0, r1
	bx		lr

	corrupter	"stack written deeper than announced"
	_work
	strb		r0, [sp, #-17]
	bx		lr

	corrupter	"stack written deeper than announced"
	push		{r3-r7}
	_work
	pop		{r3-r7}
	bx		lr

	corrupter	"stack of the caller written"
	_work
	strb		r0, [sp]
	bx		lr

	corrupter	"stack of the caller written"
	_work
	strb		r0, [sp, #1024]
	bx		lr

	corrupter	"access outside state"			// writes before
	_work
	strb		r1, [r0, #-1]
	bx		lr

	corrupter	"access outside state"			// writes after
	_work
	strb		r1, [r0, #32]
	bx		lr

	corrupter	"access outside state"			// reads before
	_work
	ldrb		r1, [r0, #-1]
	bx		lr

	corrupter	"access outside state"			// reads after
	_work
	ldrb		r1, [r0, #32]
	bx		lr

	corrupter	"data written"
	_work
	ldrb		r2, [r1, #23]				// the byte that is there already
	strb		r2, [r1, #23]
	bx		lr

	corrupter	"access outside data"			// reads before
	sub		r1, r1, #1
	vld1.8		{d7[0]}, [r1]
	add		r1, r1, #1
	_work
	bx		lr

	corrupter	"access outside data"			// reads after
	_work
	ldrb		r0, [r1, #24]
	bx		lr

	corrupter	"access outside data"			// writes after
	_work
	strb		r0, [r1, #24]
	bx		lr

	corrupter	"state left as it was"			// does nothing
	bx		lr

	corrupter	"crash"
	_work
	mov		r0, #0
	str		r0, [r0]
	bx		lr

	corrupter	"crash"
	udf		#0

	corrupter	"wrong when interrupted", check=check_interrupted
	_work
	str		r0, [sp, #-8]
	mov		r2, #0x10000				// a while, for the interrupt
1:	subs		r2, r2, #1
	bne		1b
	ldr		r2, [sp, #-8]
	eor		r2, r2, r0
	str		r2, [r0]
	bx		lr

	.section .rodata.corrupters
	.globl		corrupters_end
corrupters_end:
