#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes src/known_answers/digests.rs: the digests that the module checks at load, from Python's hashlib.

    python3 selftests/known_answers.py > src/known_answers/digests.rs
"""
import hashlib

LEN = 557  # several blocks of every rate, and a rest
KEY = bytes(range(32))
MESSAGE = bytes((i * i + 7 * i) >> 3 & 0xFF for i in range(LEN))


def constant(name, digest):
    rows = [", ".join(f"0x{b:02x}" for b in digest[i:i + 16]) for i in range(0, len(digest), 16)]
    body = "".join(f"    {row},\n" for row in rows)
    return f"pub(super) const {name}: [u8; {len(digest)}] = [\n{body}];\n"


def main():
    print("// SPDX-License-Identifier: GPL-2.0-only OR MIT")
    print("//! Made by `python3 selftests/known_answers.py`, from Python's hashlib; do not edit.")
    print(f"\npub(super) const MESSAGE_SIZE: usize = {LEN};")
    for bits in (160, 256, 384, 512):
        print(constant(f"BLAKE2B_{bits}", hashlib.blake2b(MESSAGE, digest_size=bits // 8).digest()), end="")
    print(constant("BLAKE2B_512_KEYED", hashlib.blake2b(MESSAGE, key=KEY).digest()), end="")
    for bits in (224, 256, 384, 512):
        print(constant(f"SHA3_{bits}", hashlib.new(f"sha3_{bits}", MESSAGE).digest()), end="")


if __name__ == "__main__":
    main()
