#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes selftests/suite/src/vectors.rs: messages by their seed, and their digests by Python's hashlib.

    python3 selftests/suite/vectors.py > selftests/suite/src/vectors.rs
"""
import functools
import hashlib

# As in cases/: what the suite feeds.
ALL_LENGTHS = 4096
ALL_LENGTHS_SEED = 0x5EED
KEY_SEED = 0x6EE7
KEYED_MESSAGE_SEED = 0x3E55
KEYED_LENGTHS = (0, 1, 127, 128, 129, 256, 300)
WIDTH = 100  # as rustfmt fills lines


def stream(seed, size):
    """The bytes of random.rs: xorshift32, the high byte of each step."""
    state = (seed * 2654435761 + 1) & 0xFFFFFFFF or 1
    out = bytearray()
    for _ in range(size):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        out.append(state >> 24)
    return bytes(out)


def lengths(block):
    edges = {at + near for at in (block, 2 * block, 4096, 8192) for near in (-1, 0, 1)}
    return sorted(edges | {0, 1, 2, 7, 8, 63, 64, 65, 4096 - block, 4096 + block, 12345, 16384})


def all_lengths(new):
    message = stream(ALL_LENGTHS_SEED, ALL_LENGTHS)
    outer = new()
    for size in range(ALL_LENGTHS + 1):
        outer.update(new(message[ALL_LENGTHS - size:]).digest())
    return outer.digest()


def all_keys(new):
    outer = new()
    message = stream(KEYED_MESSAGE_SEED, max(KEYED_LENGTHS))
    for size in range(1, 65):
        key = stream(KEY_SEED + size, size)
        for length in KEYED_LENGTHS:
            outer.update(new(message[:length], key=key).digest())
    return outer.digest()


def literal(digest, indent):
    per_row = (WIDTH - len(indent) - 4 + 1) // len("0x00, ")
    rows = (digest[at:at + per_row] for at in range(0, len(digest), per_row))
    body = "".join(f"{indent}    {', '.join(f'0x{b:02x}' for b in row)},\n" for row in rows)
    return f"&[\n{body}{indent}]"


def emit(name, block, new, keyed):
    print("    Vectors {")
    print(f'        name: "{name}",')
    print(f"        digest_size: {new().digest_size},\n        block_size: {block},")
    print("        messages: &[")
    for size in lengths(block):
        seed = size + 1
        digest = new(stream(seed, size)).digest()
        print("            Message {")
        print(f"                seed: {seed},\n                len: {size},")
        print(f"                digest: {literal(digest, ' ' * 16)},")
        print("            },")
    print("        ],")
    print(f"        all_lengths: {literal(all_lengths(new), ' ' * 8)},")
    keys = f"Some({literal(all_keys(new), ' ' * 8)})" if keyed else "None"
    print(f"        all_keys: {keys},")
    print("    },")


def main():
    print("// SPDX-License-Identifier: GPL-2.0-only OR MIT")
    print("//! Made by `python3 selftests/suite/vectors.py`, from Python's hashlib; do not edit.")
    print("\nuse crate::{Message, Vectors};")
    print("\n/// What each algorithm must give.\npub static VECTORS: [Vectors; 8] = [")
    for bits in (160, 256, 384, 512):
        new = functools.partial(hashlib.blake2b, digest_size=bits // 8)
        emit(f"blake2b-{bits}", 128, new, keyed=True)
    for bits in (224, 256, 384, 512):
        emit(f"sha3-{bits}", 200 - bits // 4, getattr(hashlib, f"sha3_{bits}"), keyed=False)
    print("];")


if __name__ == "__main__":
    main()
