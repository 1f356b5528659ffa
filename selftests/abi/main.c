// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls every core through a stub that sees what the core does to registers, stack and memory, and
 * compares that with the core's contract. Before that the checker itself is tested. Output: KTAP.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "abi.h"

#define CALLS		200				/* of each entry */
#define TIME_LIMIT	300				/* CPU seconds: an entry may not return */

static unsigned int number, failed;

static void result(bool ok, const char *name, const char *what)
{
	printf("%sok %u - %s: %s\n", ok ? "" : "not ", ++number, name, what);
	failed += !ok;
}

static void show(const struct faults *faults, unsigned int call)
{
	for (unsigned int i = 0; i < faults->count; i++)
		printf("# call %u: %s\n", call, faults->text[i]);
}

/* Up to the first call that breaks the contract. */
static bool passes(const struct contract *contract, check *check)
{
	struct faults faults = { 0 };

	for (unsigned int i = 0; i < CALLS && !faults.count; i++) {
		check(contract, contract->entry, &faults);
		show(&faults, i);
	}
	return !faults.count;
}

static void check_entry(const struct contract *contract)
{
	bool ok;

	check_depth();
	ok = passes(contract, check_call);
	printf("# stack: %zu bytes written of %zu announced\n", check_depth(), contract->stack);
	result(ok, contract->name, "keeps its contract");
	result(passes(contract, check_interrupted), contract->name, "stores nothing below sp");
}

/*
 * The fault has to be seen, and no other. A read outside is seen at a guard page only, so not in
 * every call.
 */
static void check_corrupter(const struct corrupter *corrupter)
{
	struct faults faults;
	unsigned int seen = 0;
	bool other = false;

	for (unsigned int i = 0; i < CALLS && !other; i++) {
		corrupter->check(&example[0], corrupter->entry, &faults);
		seen += faults.count != 0;
		other = faults.count > 1 ||
			(faults.count && strcmp(faults.text[0], corrupter->fault));
		if (other)
			show(&faults, i);
	}
	printf("# seen in %u of %u calls\n", seen, CALLS);
	result(seen && !other, "the checker sees", corrupter->fault);
}

static unsigned int count(const struct contract *contracts)
{
	unsigned int n = 0;

	while (contracts[n].name)
		n++;
	return n;
}

int main(void)
{
	const struct rlimit limit = { TIME_LIMIT, TIME_LIMIT };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (setrlimit(RLIMIT_CPU, &limit)) {
		perror("abi: cannot limit the time");
		return 2;
	}
	call_init();
	printf("KTAP version 1\n1..%u\n",
	       (unsigned int)(corrupters_end - corrupters) + 2 * (1 + count(cores)));
	for (const struct corrupter *c = corrupters; c < corrupters_end; c++)
		check_corrupter(c);
	check_entry(&example[0]);
	for (const struct contract *core = cores; core->name; core++)
		check_entry(core);
	return failed != 0;
}
