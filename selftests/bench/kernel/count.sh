#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Runs on a board: times the kernel's own drivers and each implementation of ours, which its suffix
# names, and prints "driver operation nanoseconds".
set -e

count() {
	insmod /job/neon_shash_bench.ko driver="$1"
	rmmod neon_shash_bench
}

modprobe -a blake2b_generic blake2b-neon
for driver in blake2b-256-neon blake2b-256-generic sha3-256-generic sha3-512-generic; do
	count $driver
done
for implementation in neon-a7 neon-a8 portable; do
	insmod /job/neon_shash.ko suffix=$implementation \
		blake2b_impl=$implementation sha3_impl=$implementation
	for hash in blake2b-256 sha3-256 sha3-512; do
		count $hash-$implementation
	done
	rmmod neon_shash
done
dmesg | sed -n 's/.*neon_shash_bench: //p'
