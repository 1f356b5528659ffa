/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#include "asm.h"

#define FLAGS	60
#define FPSCR	64
#define NEON	72

// void call_checked(const struct registers *before, struct registers *after)
//
// The entry runs on a stack of its own and is entered with every register given, so that none is
// left for its address: that is in the word below sp. Afterwards no register can be trusted, sp
// included, and one has to go: r0.
function call_checked
	push		{r4-r11, lr}
	vpush		{d8-d15}
	movw		r2, #:lower16:saved
	movt		r2, #:upper16:saved
	str		r1, [r2]
	str		sp, [r2, #4]
	add		r2, r0, #NEON
	vldmia		r2!, {d0-d15}
	vldmia		r2, {d16-d31}
	ldr		r2, [r0, #FPSCR]
	vmsr		fpscr, r2
	ldr		r2, [r0, #FLAGS]
	msr		cpsr_fs, r2
	ldr		lr, [r0, #56]
	ldr		r2, [r0, #52]
	sub		sp, r2, #4			// in one step: an interrupt spares the word
	ldm		r0, {r0-r12}
	pop		{pc}
	.globl		call_return
	.type		call_return, %function
call_return:
	movw		r0, #:lower16:saved
	movt		r0, #:upper16:saved
	ldr		r0, [r0]
	stmib		r0, {r1-r12}
	str		sp, [r0, #52]
	str		lr, [r0, #56]
	mrs		r1, cpsr
	str		r1, [r0, #FLAGS]
	vmrs		r1, fpscr
	str		r1, [r0, #FPSCR]
	add		r1, r0, #NEON
	vstmia		r1!, {d0-d15}
	vstmia		r1, {d16-d31}
	mov		r1, #0
	vmsr		fpscr, r1
	movw		r0, #:lower16:saved
	movt		r0, #:upper16:saved
	ldr		sp, [r0, #4]
	vpop		{d8-d15}
	pop		{r4-r11, pc}
endfunc call_checked

	.bss
	.p2align	2
saved:	.space		8				// after, sp
