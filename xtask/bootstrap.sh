#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Sees to what xtask itself is built with: a cargo that is new enough, and a C compiler, which rustc
# links with. With --install, and as root, it installs what is missing; otherwise it says how to.
# xtask does the same for the rest.
set -eu

packages=
minor=$("${CARGO:-cargo}" --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
if [ "${minor:-0}" -lt 85 ]; then
	if grep -qs '^VERSION_ID="12"' /etc/os-release; then
		packages="rustc-web cargo-web"
	else
		packages="rustc cargo"
	fi
fi
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
echo "neon_shash: cargo 1.85 or later and a C compiler are needed. With Debian's packages:" >&2
echo "  sudo apt-get install $(echo $packages)" >&2
exit 1
