#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Sees to what xtask itself is built with: a cargo that is new enough, and a C compiler, which rustc
# links with. With --install, and as root, it installs what is missing; otherwise it says how to.
# xtask does the same for the rest.
set -eu

if grep -qs '^VERSION_ID="12"' /etc/os-release; then
	rust="rustc-web cargo-web" source=rust-web-src gcc=12
else
	rust="rustc cargo" source=rust-src gcc=14
fi
packages=
minor=$("${CARGO:-cargo}" --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
[ "${minor:-0}" -ge 85 ] || packages="$rust $source"
command -v cc >/dev/null || packages="$packages gcc libc6-dev"
[ -n "$packages" ] || exit 0

if [ "${1-}" = --install ] && [ "$(id -u)" = 0 ]; then
	echo "installing $packages" >&2
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of words
	install() { apt-get -q install -y --no-install-recommends $packages >/dev/null; }
	# A fresh machine has no package lists.
	install 2>/dev/null || { apt-get -q update >/dev/null && install; }
	exit
fi
if [ "${1-}" = --install ]; then
	# Nobody should have to ask twice: also what xtask itself would ask for next.
	packages="$packages make kmod python3 e2fsprogs cryptsetup-bin qemu-system-arm qemu-user libclang1
		gcc-arm-linux-gnueabihf gcc-$gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
fi
echo "neon_shash: cargo 1.85 or later and a C compiler are needed. With Debian's packages:" >&2
echo "  sudo apt-get install $(echo $packages)" >&2
exit 1
