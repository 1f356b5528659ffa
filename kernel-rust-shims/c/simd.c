// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* When NEON may be used is the running kernel's to say: its own macros, compiled for it. */
#include <asm/hwcap.h>
#include <asm/neon.h>
#include <asm/simd.h>
#include <crypto/internal/simd.h>

#include "../shims.h"

bool shim_cpu_has_neon(void)
{
	return cpu_has_neon();
}

bool shim_simd_usable(void)
{
	return crypto_simd_usable();
}

void shim_neon_begin(void)
{
	kernel_neon_begin();
}

void shim_neon_end(void)
{
	kernel_neon_end();
}
