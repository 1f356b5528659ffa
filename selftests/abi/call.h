/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The one call that is being checked.
 */
#ifndef CALL_H
#define CALL_H

#include <setjmp.h>

#include "abi.h"

#define FLAG_BITS	0xf80f0000u			/* N, Z, C, V, Q and GE */
#define FPSCR_BITS	0xf8000000u			/* N, Z, C, V and QC: no mode, no trap */

struct call {
	const struct contract *contract;
	struct registers before, after;
	uint8_t *pointer[MAX_ARGUMENTS];
	size_t bytes[MAX_ARGUMENTS];
};

/* Outside the functions' frames, where siglongjmp() leaves it alone. */
extern struct call call;
extern struct area areas[MAX_ARGUMENTS], stack;

/* A signal that an entry has raised ends up here. */
extern sigjmp_buf escape;

void call_prepare(const struct contract *contract, void (*entry)(void), struct faults *faults);
void explain_signal(struct faults *faults);

#endif
