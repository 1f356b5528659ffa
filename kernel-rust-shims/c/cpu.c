// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Clock and CPUs, for measuring at load. */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <asm/cputype.h>

#include "../shims.h"

struct cpu_kind {
	u32 midr;
	atomic_t others;
};

u64 shim_time_ns(void)
{
	return ktime_get_ns();
}

u32 shim_cpu_pin(void)
{
	migrate_disable();
	return read_cpuid_id();
}

void shim_cpu_unpin(void)
{
	migrate_enable();
}

static void compare_kind(void *info)
{
	struct cpu_kind *kind = info;

	if (read_cpuid_id() != kind->midr)
		atomic_inc(&kind->others);
}

bool shim_cpus_alike(u32 midr)
{
	struct cpu_kind kind = { .midr = midr, .others = ATOMIC_INIT(0) };

	on_each_cpu(compare_kind, &kind, true);
	return !atomic_read(&kind.others);
}
