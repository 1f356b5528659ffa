// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The list of what a call has broken. */
#include <stdarg.h>
#include <stdio.h>

#include "abi.h"

void fault(struct faults *faults, const char *format, ...)
{
	va_list arguments;

	if (faults->count == MAX_FAULTS)
		return;
	va_start(arguments, format);
	vsnprintf(faults->text[faults->count++], sizeof(faults->text[0]), format, arguments);
	va_end(arguments);
}
