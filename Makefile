# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The one door. `make help` says what there is. What the kernel's build system reads is Kbuild.

# DKMS gives KERNELRELEASE, Yocto KERNEL_SRC, Buildroot KERNEL_PATH or KDIR.
RELEASE := $(or $(KERNELRELEASE),$(shell uname -r))
KDIR ?= $(or $(KERNEL_SRC),$(KERNEL_PATH),/lib/modules/$(RELEASE)/build)
# The kernel's configuration is in its output folder, if that is another than its source.
KOUT := $(or $(O),$(KDIR))
# On an ARM machine the plain gcc will do.
CROSS_COMPILE ?= $(if $(filter arm%,$(shell uname -m)),,arm-linux-gnueabihf-)
export CROSS_COMPILE V

ifneq ($(filter-out arm,$(ARCH)),)
$(error neon_shash: ARCH=$(ARCH): the module is for 32-bit ARM kernels only (ARCH=arm))
endif

CARGO ?= cargo
XTASK = $(CARGO) xtask
OBJECT := neon_shash_core.o_shipped
KBUILD = $(MAKE) -C $(KDIR) M=$(CURDIR) ARCH=arm CROSS_COMPILE=$(CROSS_COMPILE) $(if $(O),O=$(O))

BOARD_FLAGS = $(if $(BOARD),--board $(BOARD)) $(if $(KERNEL),--kernel $(KERNEL))

modules: check-kernel $(OBJECT)
	$(KBUILD) modules

# Header packages have no System.map, without which the kernel's build does not run depmod; and
# without that modprobe does not find the module. Nor have they the key that signs modules.
modules_install: check-kernel
	@if [ ! -f neon_shash.ko ]; then \
		echo "neon_shash: neon_shash.ko is not built; run 'make' first." >&2; exit 1; \
	fi
	$(KBUILD) $(if $(wildcard $(KOUT)/certs/signing_key.*),,CONFIG_MODULE_SIG_ALL=) modules_install
	PATH=$$PATH:/usr/sbin:/sbin depmod -b "$(or $(INSTALL_MOD_PATH),/)" \
		"$$(cat $(KOUT)/include/config/kernel.release)"

# By name, so that it works without the kernel's build folder too.
clean:
	rm -f $(OBJECT) neon_shash.ko neon_shash.mod neon_shash.mod.c Module.symvers modules.order
	find . kernel-rust-shims/c -maxdepth 1 \( -name '*.o' -o -name '.*.cmd' \) -delete

distclean: clean
	@if $(CARGO) --version >/dev/null 2>&1; then $(CARGO) clean --quiet; fi

help:
	@echo 'make                     neon_shash.ko for the kernel in KDIR= (or KERNEL_SRC=)'
	@echo '                         now: $(KDIR)'
	@echo 'make modules_install     into /lib/modules; then: modprobe neon_shash'
	@echo 'make clean, distclean    the latter also removes target/, which takes minutes to make again'
	@echo ''
	@echo 'On any Debian 12 or 13 machine:'
	@echo 'make demo                see the module work on an emulated board with a stock kernel'
	@echo 'make check [ONLY=audit]  all tests, or the steps with that word in their name'
	@echo 'make bench               our speed and that of Linux, OpenSSL and libgcrypt; on an ARM'
	@echo '                         machine measured, elsewhere modelled: docs/bench.md'
	@echo 'make audit               what the object may not contain, for every kernel; that it is the'
	@echo '                         same built elsewhere; the oldest rustc that is here'
	@echo 'make board               a shell on that board'
	@echo 'make board RUN=script [FILES=folder]'
	@echo '                         run a script there as root; a failure is status 2, as of every'
	@echo '                         make (cargo xtask board --run script gives that of the script)'
	@echo 'make lint                rustfmt, clippy, stale generated files'
	@echo ''
	@echo 'O= ARCH= CROSS_COMPILE= V=1 mean what they mean in the kernel; BOARD= KERNEL= choose'
	@echo 'the emulated board and its kernel.'

# A sentence now is better than the compiler's word for it later.
check-kernel:
	@if [ ! -d "$(KDIR)" ]; then \
		echo "neon_shash: there is no kernel build folder $(KDIR)." >&2; \
		case "$$(uname -m)" in \
		arm*) echo "Install the headers of the running kernel (Debian:" \
			"linux-headers-$$(uname -r)), or give KDIR=." >&2 ;; \
		*) echo "This is no ARM machine: give KDIR=, the build folder of the board's kernel." >&2 ;; \
		esac; \
		exit 1; \
	elif [ ! -f "$(KOUT)/include/config/auto.conf" ]; then \
		echo "neon_shash: $(KOUT) is not a configured kernel build folder." >&2; \
		echo "Run 'make modules_prepare' there, or give KDIR= (and O= for its output)." >&2; \
		exit 1; \
	fi
	@$(MAKE) --no-print-directory -f $(KOUT)/include/config/auto.conf -f kernel-check.mk \
		--eval 'neon_shash_kernel_fits: ; @:' neon_shash_kernel_fits

# Cargo knows best what is up to date. A release brings the object ready made and needs no cargo.
$(OBJECT): FORCE
	@if $(CARGO) --version >/dev/null 2>&1 || [ ! -f $@ ]; then \
		sh xtask/bootstrap.sh && object=$$($(XTASK) object) && \
		{ cmp -s "$$object" $@ || cp "$$object" $@; }; \
	fi

demo:
	@sh xtask/bootstrap.sh --install
	@$(XTASK) demo $(BOARD_FLAGS)

check:
	@sh xtask/bootstrap.sh --install
	@$(XTASK) check $(BOARD_FLAGS) $(if $(ONLY),--only '$(ONLY)')

bench:
	@sh xtask/bootstrap.sh --install
	@$(XTASK) bench $(BOARD_FLAGS)

audit:
	@sh xtask/bootstrap.sh --install
	@$(XTASK) audit $(if $(KERNEL),--kernel $(KERNEL))

board:
	@sh xtask/bootstrap.sh
	@$(XTASK) board $(BOARD_FLAGS) $(if $(RUN),--run '$(RUN)') $(if $(FILES),--files '$(FILES)')

lint:
	$(CARGO) fmt --all --check
	python3 selftests/known_answers.py | diff -u src/known_answers/digests.rs -
	python3 selftests/suite/vectors.py | diff -u selftests/suite/src/vectors.rs -
	$(CARGO) clippy --quiet --workspace --all-targets -- -D warnings

FORCE:
.PHONY: modules modules_install clean distclean help check-kernel demo check bench audit board lint FORCE
