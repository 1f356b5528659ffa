// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a call did to registers, stack and memory that its contract does not allow. */
#include "call.h"

static size_t depth;

size_t check_depth(void)
{
	size_t deepest = depth;

	depth = 0;
	return deepest;
}

static void lock_arguments(bool lock)
{
	for (unsigned int i = 0; i < call.contract->n_arguments; i++)
		if (call.pointer[i] && !call.contract->arguments[i].writable)
			area_lock(&areas[i], lock);
}

static void check_registers(struct faults *faults)
{
	static const char *const special[] = { "sp", "lr", "flags", "fpscr" };

	for (int i = 1; i < WORDS; i++) {		/* r0 is lost in stub.S */
		uint32_t bits = i == FLAGS ? FLAG_BITS : ~0u;

		if (call.contract->clobbers >> i & 1 ||
		    !((call.before.word[i] ^ call.after.word[i]) & bits))
			continue;
		if (i < SP)
			fault(faults, "r%d changed", i);
		else
			fault(faults, "%s changed", special[i - SP]);
	}
	for (int i = 0; i < 32; i++)
		if (!(call.contract->neon_clobbers >> i & 1) &&
		    call.before.d[i] != call.after.d[i])
			fault(faults, "d%d changed", i);
}

static void check_stack(struct faults *faults)
{
	const uint8_t *sp = (const uint8_t *)(uintptr_t)call.before.word[SP];
	const uint8_t *lowest = stack.base;

	while (lowest < sp && !area_changed(&stack, lowest, lowest + 1))
		lowest++;
	if ((size_t)(sp - lowest) > call.contract->stack)
		fault(faults, "stack written deeper than announced");
	else if ((size_t)(sp - lowest) > depth)
		depth = sp - lowest;
	if (area_changed(&stack, sp, stack.base + stack.size))
		fault(faults, "stack of the caller written");
}

static void check_memory(struct faults *faults)
{
	for (unsigned int i = 0; i < call.contract->n_arguments; i++) {
		const struct argument *argument = &call.contract->arguments[i];
		const uint8_t *start = call.pointer[i], *end = start + call.bytes[i];
		bool changed;

		if (!start)
			continue;
		if (area_changed(&areas[i], areas[i].base, start) ||
		    area_changed(&areas[i], end, areas[i].base + areas[i].size))
			fault(faults, "access outside %s", argument->name);
		changed = area_changed(&areas[i], start, end);
		if (changed && !argument->writable)
			fault(faults, "%s written", argument->name);
		/* Else an entry that does nothing would keep any contract. */
		if (!changed && argument->writable)
			fault(faults, "%s left as it was", argument->name);
	}
}

void check_call(const struct contract *contract, void (*entry)(void), struct faults *faults)
{
	call_prepare(contract, entry, faults);
	lock_arguments(true);
	if (sigsetjmp(escape, 1)) {
		lock_arguments(false);
		explain_signal(faults);
		return;
	}
	call_checked(&call.before, &call.after);
	lock_arguments(false);
	check_registers(faults);
	check_stack(faults);
	check_memory(faults);
}
