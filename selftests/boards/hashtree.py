#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Build a dm-verity hash tree with Python's hashlib.

    hashtree.py DATA HASH-OUT --hash sha3-256 --salt HEX|- [--driver sha3-256-neon]

HASH-OUT receives the bare tree (format version 1, no superblock, hash start 0). Printed are the
root digest and the table line for `dmsetup create NAME --readonly --table "..."`.

Debian's veritysetup has no blake2b-160, -256 and -384, and its blake2b-512 and sha3-* are what
test_hashtree.py holds this builder against.
"""

import argparse
import functools
import hashlib
import os
import sys
from typing import NamedTuple

SECTOR = 512
BLOCK_SIZES = (512, 1024, 2048, 4096)
BITS = {"blake2b": (160, 256, 384, 512), "sha3": (224, 256, 384, 512)}

# Kernel name -> hashlib constructor.
HASHES = {
    f"blake2b-{bits}": functools.partial(hashlib.blake2b, digest_size=bits // 8)
    for bits in BITS["blake2b"]
} | {f"sha3-{bits}": getattr(hashlib, f"sha3_{bits}") for bits in BITS["sha3"]}


# As veritysetup's.
DEFAULT_SALT_SIZE = 32


class TreeError(ValueError):
    """The request cannot be served; the message says why and what to do."""


class Tree(NamedTuple):
    """A finished tree: the bytes of the hash device, and what a table line needs."""

    image: bytes
    root: bytes
    algorithm: str
    salt: bytes
    data_blocks: int
    data_block_size: int
    hash_block_size: int

    def table(self, data_device, hash_device, driver=None):
        """The table line; `driver` goes in the place of the generic name."""
        sectors = self.data_blocks * self.data_block_size // SECTOR
        return (
            f"0 {sectors} verity 1 {data_device} {hash_device}"
            f" {self.data_block_size} {self.hash_block_size} {self.data_blocks} 0"
            f" {driver or self.algorithm} {self.root.hex()} {self.salt.hex() or '-'}"
        )


def build(data, algorithm, salt=b"", data_block_size=4096, hash_block_size=4096):
    """The tree over `data`, a binary file object that can seek."""
    check_block_size("data", data_block_size)
    check_block_size("hash", hash_block_size)
    if algorithm not in HASHES:
        raise TreeError(f"no hash named {algorithm}; there are: {', '.join(HASHES)}")
    data_blocks = count_blocks(data, data_block_size)

    salted = HASHES[algorithm](salt)
    digests = [digest(salted, block) for block in read_blocks(data, data_blocks, data_block_size)]
    levels = []
    # The digest of a lone data block is the root itself: the kernel then reads no hash block.
    while len(digests) > 1:
        level = pack(digests, hash_block_size)
        levels.append(b"".join(level))
        digests = [digest(salted, block) for block in level]
    # The level next to the root comes first on the device.
    image = b"".join(reversed(levels))
    return Tree(image, digests[0], algorithm, salt, data_blocks, data_block_size, hash_block_size)


def digest(salted, block):
    """Version 1 hashes the salt before the block."""
    state = salted.copy()
    state.update(block)
    return state.digest()


def pack(digests, block_size):
    """Hash blocks: every digest in a slot of a power of two, zeros after the last one."""
    slot = 1 << (len(digests[0]) - 1).bit_length()
    per_block = block_size // slot
    slots = [value.ljust(slot, b"\0") for value in digests]
    return [
        b"".join(slots[first : first + per_block]).ljust(block_size, b"\0")
        for first in range(0, len(slots), per_block)
    ]


def check_block_size(what, size):
    if size not in BLOCK_SIZES:
        sizes = ", ".join(map(str, BLOCK_SIZES))
        raise TreeError(f"{what} block size {size} is not one of {sizes}")


def count_blocks(data, block_size):
    # Not stat(): the size of a block device is only known by seeking.
    size = data.seek(0, os.SEEK_END)
    if size == 0:
        raise TreeError("the data is empty; a tree needs at least one block")
    if size % block_size:
        raise TreeError(
            f"the data has {size} bytes, which is no multiple of the data block size {block_size};"
            " pad it with zeros, or choose a smaller --data-block-size"
        )
    return size // block_size


def read_blocks(data, count, size):
    data.seek(0)
    for _ in range(count):
        yield data.read(size)


def parse_salt(text):
    if text is None:
        return os.urandom(DEFAULT_SALT_SIZE)
    if text == "-":
        return b""
    try:
        salt = bytes.fromhex(text)
    except ValueError:
        salt = b""
    if not salt:
        raise TreeError(f"salt {text!r} is neither hex digits in pairs nor '-' for none")
    return salt


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="file or block device to protect")
    parser.add_argument("hash_out", help="file or block device that receives the tree")
    parser.add_argument("--hash", required=True, choices=HASHES, metavar="NAME",
                        help=f"one of {', '.join(HASHES)}")
    parser.add_argument("--salt", help="hex digits, or - for no salt (default: 32 random bytes)")
    parser.add_argument("--driver", help="crypto driver to name in the table line")
    parser.add_argument("--data-block-size", type=int, default=4096)
    parser.add_argument("--hash-block-size", type=int, default=4096)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        # Before DATA is opened: writing the tree over it would destroy what it protects.
        if os.path.exists(arguments.hash_out) and os.path.samefile(
            arguments.data, arguments.hash_out
        ):
            raise TreeError("DATA and HASH-OUT are the same; the tree needs a place of its own")
        with open(arguments.data, "rb") as data:
            tree = build(
                data,
                arguments.hash,
                parse_salt(arguments.salt),
                arguments.data_block_size,
                arguments.hash_block_size,
            )
        with open(arguments.hash_out, "wb") as output:
            output.write(tree.image)
    except (TreeError, OSError) as error:
        print(f"hashtree: {error}", file=sys.stderr)
        return 1
    # The line alone goes to standard output, ready for `dmsetup create NAME --table "$(...)"`.
    print(f"root: {tree.root.hex()}", file=sys.stderr)
    print(tree.table(arguments.data, arguments.hash_out, arguments.driver))
    return 0


if __name__ == "__main__":
    sys.exit(main())
