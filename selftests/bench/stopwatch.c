// SPDX-License-Identifier: GPL-2.0-only OR MIT
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stopwatch.h"

static int counter = -1;

static bool read_counter(uint64_t *cycles)
{
	return read(counter, cycles, sizeof(*cycles)) == sizeof(*cycles);
}

/* Some kernels open a counter that stands still, or that another event holds. */
static bool counter_runs(void)
{
	uint64_t before, after;

	return read_counter(&before) && read_counter(&after) && after > before;
}

void stopwatch_open(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,			/* never shared in turns with another event */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	counter = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
	if (counter >= 0 && !counter_runs()) {
		close(counter);
		counter = -1;
	}
}

const char *stopwatch_unit(void)
{
	return counter >= 0 ? "cycles" : "ns";
}

uint64_t stopwatch_read(void)
{
	struct timespec now;
	uint64_t cycles;

	if (counter < 0) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	}
	if (!read_counter(&cycles)) {
		fputs("cores: the cycle counter has stopped; is another profiler running?\n", stderr);
		exit(1);
	}
	return cycles;
}
