/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef BENCH_STOPWATCH_H
#define BENCH_STOPWATCH_H

#include <stdint.h>

/* Chooses the CPU's cycle counter if the kernel gives it out, a clock otherwise. */
void stopwatch_open(void);

/* "cycles", counted in user mode only, or "ns" */
const char *stopwatch_unit(void);

uint64_t stopwatch_read(void);

#endif
