// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A call with random arguments, on memory that is watched. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

struct call call;
struct area areas[MAX_ARGUMENTS], stack;
sigjmp_buf escape;
static uint8_t *volatile escape_address;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	escape_address = info->si_addr;
	siglongjmp(escape, 1);
}

/* The handlers need a stack of their own: that of an entry may be anywhere. */
void call_init(void)
{
	static uint8_t handler_stack[65536];
	const stack_t alternative = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	const struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	for (int i = 0; i < MAX_ARGUMENTS; i++)
		areas[i] = area_new();
	stack = area_new();
	if (sigaltstack(&alternative, NULL) || sigaction(SIGSEGV, &action, NULL) ||
	    sigaction(SIGBUS, &action, NULL) || sigaction(SIGILL, &action, NULL)) {
		perror("abi: cannot catch signals");
		exit(2);
	}
}

static uint32_t random_value(const struct argument *argument)
{
	uint32_t span = argument->most - argument->least + 1;	/* 0: all 32-bit numbers */

	if (argument->n_choices)
		return argument->choices[random_below(argument->n_choices)];
	return argument->least + (span ? random_below(span) : random_word());
}

/* Near one of the two guard pages, half of the time right at it. */
static uint8_t *place(const struct area *area, size_t bytes, size_t alignment)
{
	size_t gap = random_below(2) ? 0 : random_below(64);
	size_t offset = random_below(2) ? gap : area->size - bytes - gap;

	return area->base + offset / alignment * alignment;
}

static void random_registers(struct registers *registers)
{
	uint32_t *words = (uint32_t *)registers;

	for (size_t i = 0; i < sizeof(*registers) / sizeof(*words); i++)
		words[i] = random_word();
	registers->word[FLAGS] &= FLAG_BITS;
	registers->word[FPSCR] &= FPSCR_BITS;
	registers->word[LR] = (uintptr_t)call_return;
}

static void set_stack(void (*entry)(void))
{
	uint8_t *sp = stack.base + stack.size / 2 + 8 * random_below(64);
	uint32_t address = (uintptr_t)entry;

	area_fill(&stack);
	memcpy(sp - sizeof(address), &address, sizeof(address));
	area_snapshot(&stack);
	call.before.word[SP] = (uintptr_t)sp;
}

static void set_arguments(void)
{
	const struct argument *arguments = call.contract->arguments;
	unsigned int n = call.contract->n_arguments;
	uint32_t *r = call.before.word;

	for (unsigned int i = 0; i < n; i++)
		if (!arguments[i].bytes)
			r[i] = random_value(&arguments[i]);
	for (unsigned int i = 0; i < n; i++) {
		if (!arguments[i].bytes)
			continue;
		call.bytes[i] = arguments[i].bytes(r);
		if (call.bytes[i] + 64 > areas[i].size) {
			fprintf(stderr, "abi: %s: %s has %zu bytes: raise AREA in memory.c\n",
				call.contract->name, arguments[i].name, call.bytes[i]);
			exit(2);
		}
		call.pointer[i] = place(&areas[i], call.bytes[i], arguments[i].alignment);
		area_fill(&areas[i]);
		area_snapshot(&areas[i]);
	}
	for (unsigned int i = 0; i < n; i++)
		if (arguments[i].bytes)
			r[i] = (uintptr_t)call.pointer[i];
}

void call_prepare(const struct contract *contract, void (*entry)(void), struct faults *faults)
{
	call = (struct call){ .contract = contract };
	faults->count = 0;
	random_registers(&call.before);
	set_stack(entry);
	set_arguments();
}

/* Tells what a signal means by the address that raised it. */
void explain_signal(struct faults *faults)
{
	const uint8_t *address = escape_address;

	for (unsigned int i = 0; i < call.contract->n_arguments; i++) {
		const char *name = call.contract->arguments[i].name;

		if (!call.pointer[i] || !area_owns(&areas[i], address))
			continue;
		/* All of an argument can be read: it was written. */
		if (address >= call.pointer[i] && address < call.pointer[i] + call.bytes[i])
			fault(faults, "%s written", name);
		else
			fault(faults, "access outside %s", name);
		return;
	}
	fault(faults, "crash");
}
