/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#include "asm.h"

// void call_core(void (*entry)(void), const struct arguments *arguments)
function call_core
	push		{r4-r11, lr}
	vpush		{d8-d15}
	sub		sp, sp, #12			// keeps sp at a multiple of 8
	mov		ip, r0
	ldr		r4, [r1, #16]
	str		r4, [sp]			// the fifth argument
	ldm		r1, {r0-r3}
	blx		ip
	.globl		call_core_return
call_core_return:
	add		sp, sp, #12
	vpop		{d8-d15}
	pop		{r4-r11, pc}
endfunc call_core
