// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Memory that tells what has been done to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"

#define AREA	8192					/* more than any argument takes */

static void *must(void *p)
{
	if (!p || p == MAP_FAILED) {
		perror("abi: cannot allocate memory");
		exit(2);
	}
	return p;
}

struct area area_new(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = (AREA + page - 1) / page * page;
	uint8_t *all = must(mmap(NULL, size + 2 * page, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	struct area area = { .base = all + page, .size = size };

	area.copy = area_buffer(&area);
	area_lock(&area, false);
	return area;
}

uint8_t *area_buffer(const struct area *area)
{
	return must(malloc(area->size));
}

void area_lock(const struct area *area, bool read_only)
{
	if (mprotect(area->base, area->size, read_only ? PROT_READ : PROT_READ | PROT_WRITE)) {
		perror("abi: cannot protect memory");
		exit(2);
	}
}

void area_fill(const struct area *area)
{
	for (size_t i = 0; i < area->size; i += sizeof(uint32_t)) {
		uint32_t word = random_word();

		memcpy(area->base + i, &word, sizeof(word));
	}
}

void area_snapshot(const struct area *area)
{
	memcpy(area->copy, area->base, area->size);
}

/* Back to the snapshot. */
void area_restore(const struct area *area, const uint8_t *from, size_t bytes)
{
	size_t offset = from - area->base;

	memcpy(area->base + offset, area->copy + offset, bytes);
}

bool area_changed(const struct area *area, const uint8_t *from, const uint8_t *to)
{
	return memcmp(from, area->copy + (from - area->base), to - from);
}

/* The guard pages count as the area's. */
bool area_owns(const struct area *area, const uint8_t *address)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return address >= area->base - page && address < area->base + area->size + page;
}

/* xorshift32; any seed but 0 will do. */
uint32_t random_word(void)
{
	static uint32_t x = 2463534242;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

uint32_t random_below(uint32_t limit)
{
	return random_word() % limit;
}
