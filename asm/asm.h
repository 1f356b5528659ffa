/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What every core in this folder includes first.
 *
 * The directives below are the whole contract with the assembler: GNU as and clang take the
 * same text, with any -march, -mfpu or float ABI on the command line, and no kernel header.
 * .fpu comes before anything else that names a register, because clang rejects a .req of a
 * D register otherwise.
 */

	.syntax	unified
	.arch	armv7-a
	.fpu	neon
	.arm

	/* Without this section the linker assumes that the object wants an executable stack. */
	.section .note.GNU-stack, "", %progbits
	.text

/*
 * function NAME [, with=OTHER] ... endfunc NAME
 *
 * A function is global, so that Rust can call it, and hidden, so that the module exports
 * nothing. It has a section of its own for --gc-sections, or shares that of OTHER, which it
 * may then branch into without a relocation. Between the two macros stand .save and .pad for
 * what the prologue pushes: the ARM unwinder of the kernel stops at a frame without them.
 */
.macro	function	name, with
	.ifb	\with
	.section .text.\name, "ax", %progbits
	.else
	.section .text.\with, "ax", %progbits
	.endif
	.p2align 5
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.fnstart
.endm

.macro	endfunc	name
	.fnend
	.size	\name, . - \name
.endm

/*
 * const NAME, user=FUNCTION [, align=LOG2] ... endconst NAME
 *
 * A table lives in the section of the function that reads it, just before the code: adr then
 * reaches it with one instruction and no relocation.
 */
.macro	const	name, user, align=4
	.section .text.\user, "ax", %progbits
	.p2align \align
	.type	\name, %object
\name:
.endm

.macro	endconst	name
	.size	\name, . - \name
.endm
