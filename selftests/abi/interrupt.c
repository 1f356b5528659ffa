// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What an entry keeps below sp is lost when an interrupt comes: its result shows it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "call.h"

#define INTERRUPTS	4				/* in each check */
#define PERIOD_US	200				/* from one to the next */
#define TRIES		100000
#define BELOW_SP	2048				/* bytes that an interrupt overwrites */

static volatile sig_atomic_t interrupts;

/* What the kernel's interrupts do to the stack of the code that they interrupt. */
static void on_timer(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	uint8_t *sp = (uint8_t *)(uintptr_t)interrupted->uc_mcontext.arm_sp;

	(void)signal, (void)info;
	if (!area_owns(&stack, sp))
		return;
	memset(sp - BELOW_SP, 0xa5, BELOW_SP);
	interrupts++;
}

static void catch_timer(void)
{
	const struct sigaction action = {
		.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};

	if (sigaction(SIGALRM, &action, NULL)) {
		perror("abi: cannot catch the timer's signal");
		exit(2);
	}
}

static void set_timer(unsigned int period)
{
	const struct itimerval timer = { { .tv_usec = period }, { .tv_usec = period } };

	if (setitimer(ITIMER_REAL, &timer, NULL)) {
		perror("abi: cannot set a timer");
		exit(2);
	}
}

/* Once more from the same start. */
static void call_again(void)
{
	uint8_t *sp = (uint8_t *)(uintptr_t)call.before.word[SP];

	for (unsigned int i = 0; i < call.contract->n_arguments; i++)
		if (call.pointer[i])
			area_restore(&areas[i], call.pointer[i], call.bytes[i]);
	area_restore(&stack, sp - sizeof(uint32_t), sizeof(uint32_t));
	call_checked(&call.before, &call.after);
}

/* Keeps the arguments as the first call left them, or compares. */
static bool same_result(bool keep)
{
	static uint8_t *kept[MAX_ARGUMENTS];
	bool same = true;

	for (unsigned int i = 0; i < call.contract->n_arguments; i++) {
		if (!call.pointer[i])
			continue;
		if (!kept[i])
			kept[i] = area_buffer(&areas[i]);
		if (keep)
			memcpy(kept[i], call.pointer[i], call.bytes[i]);
		same = same && !memcmp(kept[i], call.pointer[i], call.bytes[i]);
	}
	return same;
}

void check_interrupted(const struct contract *contract, void (*entry)(void), struct faults *faults)
{
	call_prepare(contract, entry, faults);
	catch_timer();
	interrupts = 0;
	if (sigsetjmp(escape, 1)) {
		set_timer(0);
		explain_signal(faults);
		return;
	}
	call_again();
	same_result(true);
	set_timer(PERIOD_US);
	for (unsigned int i = 0; i < TRIES && interrupts < INTERRUPTS && !faults->count; i++) {
		call_again();
		if (!same_result(false))
			fault(faults, "wrong when interrupted");
	}
	set_timer(0);
	if (!interrupts)
		fault(faults, "never interrupted in %u calls", TRIES);
}
