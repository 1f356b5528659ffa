# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The eight algorithms of the module, and an implementation of each to compare with."""

import functools
import hashlib
from typing import Callable, NamedTuple

MAX_KEY_SIZE = 64  # of BLAKE2b, RFC 7693


class Algorithm(NamedTuple):
    """One generic crypto API name; sizes in bytes."""

    name: str
    digest_size: int
    block_size: int
    keyed: bool
    new: Callable  # hashlib's constructor: new(data), for BLAKE2b also new(data, key=key)

    def driver(self, suffix="neon"):
        return f"{self.name}-{suffix}"


def blake2b(bits):
    new = functools.partial(hashlib.blake2b, digest_size=bits // 8)
    return Algorithm(f"blake2b-{bits}", bits // 8, 128, True, new)


def sha3(bits):
    # FIPS 202: the rate is what twice the digest leaves of the 200-byte state.
    new = getattr(hashlib, f"sha3_{bits}")
    return Algorithm(f"sha3-{bits}", bits // 8, 200 - 2 * bits // 8, False, new)


BLAKE2B = tuple(blake2b(bits) for bits in (160, 256, 384, 512))
SHA3 = tuple(sha3(bits) for bits in (224, 256, 384, 512))
ALGORITHMS = BLAKE2B + SHA3
BY_NAME = {algorithm.name: algorithm for algorithm in ALGORITHMS}
