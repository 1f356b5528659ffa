# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Refuses a kernel that cannot carry the module. Read by Kbuild, and by the Makefile before it calls
# the kernel's build, in both cases with the kernel's configuration loaded.

neon_shash_refuse = $(error neon_shash: $(1))

ifneq ($(CONFIG_ARM),y)
$(call neon_shash_refuse,this kernel is not for 32-bit ARM: give KDIR=<its headers>)
endif
ifeq ($(CONFIG_CPU_BIG_ENDIAN),y)
$(call neon_shash_refuse,big-endian kernels are not supported (CONFIG_CPU_BIG_ENDIAN=y))
endif
ifeq ($(CONFIG_THUMB2_KERNEL),y)
$(call neon_shash_refuse,Thumb-2 kernels are not supported (CONFIG_THUMB2_KERNEL=y))
endif
ifneq ($(CONFIG_KERNEL_MODE_NEON),y)
$(call neon_shash_refuse,this kernel cannot use NEON: it needs CONFIG_KERNEL_MODE_NEON=y)
endif
ifeq ($(filter y m,$(CONFIG_CRYPTO_HASH)),)
$(call neon_shash_refuse,this kernel has no hashes in its crypto API: it needs CONFIG_CRYPTO_HASH)
endif
