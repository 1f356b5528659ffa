# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Digests through AF_ALG, compared with Python's hashlib and with another machine's."""

import errno
import hashlib
import hmac
import json
import pathlib
import random
from functools import partial

import afalg
import fixture
import kcapi
import module
from algorithms import ALGORITHMS, BLAKE2B, BY_NAME, MAX_KEY_SIZE, SHA3
from expect import Failure, Skip, expect

FILES = pathlib.Path("/job/files")
NOISE = hashlib.shake_128(b"neon-shash").digest(128 * 1024)
KEY_SIZES = (1, 31, 32, 63, 64)
WRONG_KEY_SIZES = (0, MAX_KEY_SIZE + 1)
# Besides that of fixture.NEON, which all other tests use.
OTHERS = ("neon-a8", "portable")
HMAC_KEY_SIZES = (1, 64, 128, 200)


def tests():
    for algorithm in ALGORITHMS:
        driver = algorithm.driver()
        yield f"{driver}: lengths around every edge", partial(edges, algorithm)
        yield f"{driver}: split messages and empty sends", partial(splits, algorithm)
        yield f"{driver}: half-fed sockets cloned", partial(clones, algorithm)
        yield f"{driver}: a large file by socket.AF_ALG", partial(large_file, algorithm, by_socket)
        yield f"{driver}: a large file by kcapi-dgst", partial(large_file, algorithm, kcapi.digest)
        yield f"{driver}: serves the generic name", partial(generic_name, algorithm)
    for algorithm in BLAKE2B:
        driver = algorithm.driver()
        yield f"{driver}: keys", partial(keys, algorithm)
        yield f"{driver}: wrong keys refused, old key kept", partial(wrong_keys, algorithm)
    for algorithm in SHA3:
        yield f"{algorithm.driver()}: keys refused", partial(no_keys, algorithm)
    for name in ("sha3-256", "blake2b-256"):
        yield f"hmac({name}-neon)", partial(hmac_over, BY_NAME[name])
    # Grouped by implementation: each group loads the module once.
    for implementation in OTHERS:
        for algorithm in ALGORITHMS:
            test = partial(by_implementation, algorithm, implementation)
            yield f"{algorithm.driver()}: {implementation}", test


def lengths(block):
    """Around the hash's blocks, the page, the NEON section and the send size."""
    around_blocks = [count * block + more for count in (1, 2, 3, 8) for more in (-1, 0, 1)]
    around_pages = [count * 4096 + more for count in (1, 2) for more in (-1, 0, 1)]
    return [0, 1, *around_blocks, *around_pages, 4096 + block, 65535, 65536, 65537]


def message(length, offset=0):
    """Noise at an address of its own alignment: AF_ALG hands the pages over as they are."""
    return memoryview(NOISE)[offset : offset + length]


def edges(algorithm, key=b"", **parameters):
    fixture.loaded(**parameters)
    new = partial(algorithm.new, key=key) if key else algorithm.new
    with afalg.Transform(algorithm.driver()) as transform:
        if key:
            transform.set_key(key)
        for length in lengths(algorithm.block_size):
            for offset in (0, 1 + length % 15):
                data = message(length, offset)
                expect(f"{length} bytes at offset {offset}, key of {len(key)} bytes",
                       new(data).digest(), transform.digest(data))


def splits(algorithm):
    fixture.loaded()
    block = algorithm.block_size
    patterns = [[size] * (3 * block // size) for size in (1, 7, block - 1, block, block + 1)]
    patterns += [[0, 5, 0, 0, block, 0], [4095, 0, 4097, 1], [0], [block, block], [4096, 4096]]
    patterns += [random_chunks(random.Random(seed), block) for seed in range(12)]
    with afalg.Transform(algorithm.driver()) as transform:
        for chunks in patterns:
            for close_last in (True, False):
                data = message(sum(chunks), 3)
                expect(f"sends of {chunks}, the last one closes: {close_last}",
                       algorithm.new(data).digest(), transform.digest(data, chunks, close_last))


def random_chunks(source, block):
    sizes = (0, 1, block - 1, block, block + 1, 4096, source.randrange(9000))
    return [source.choice(sizes) for _ in range(source.randrange(1, 9))]


def clones(algorithm):
    """accept() on a half-fed socket exports its state; both ends must finish right."""
    fixture.loaded()
    block = algorithm.block_size
    with afalg.Transform(algorithm.driver()) as transform:
        for fill in (*range(block + 2), 2 * block - 1, 2 * block, 4096, 5000):
            clone_at(algorithm, transform, fill)


def clone_at(algorithm, transform, fill):
    head, left, right = message(fill), message(fill + 77, 5), message(block_tail(fill), 9)
    with transform.request() as original:
        afalg.send(original, head, more=True)
        with original.accept()[0] as clone:
            left_digest = afalg.hash_on(original, left)
            right_digest = afalg.hash_on(clone, right)
    expect(f"original, cloned after {fill} bytes",
           algorithm.new(bytes(head) + bytes(left)).digest(), left_digest)
    expect(f"clone after {fill} bytes",
           algorithm.new(bytes(head) + bytes(right)).digest(), right_digest)


def block_tail(fill):
    return 300 - fill % 300


def by_socket(driver, path):
    return afalg.digest(driver, path.read_bytes())


def large_file(algorithm, client):
    """Against the digest that another machine computed."""
    fixture.loaded()
    expected = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))
    path = FILES / expected["file"]
    expect(path.name, bytes.fromhex(expected["digests"][algorithm.name]),
           client(algorithm.driver(), path))


def generic_name(algorithm):
    fixture.loaded()
    module.expect_no_use(algorithm.driver())
    with afalg.Transform(algorithm.name):
        module.expect_use(algorithm.driver(), f"by a socket bound to {algorithm.name}")


def keys(algorithm):
    fixture.loaded()
    for size in KEY_SIZES:
        edges(algorithm, key=NOISE[size : 2 * size])
    with afalg.Transform(algorithm.driver()) as transform:
        data = message(1000)
        expect("unkeyed", algorithm.new(data).digest(), transform.digest(data))
        for key in (b"first", b"second" * 10, b"third"):
            transform.set_key(key)
            for _ in range(2):
                expect(f"key {key}", algorithm.new(data, key=key).digest(),
                       transform.digest(data))


def wrong_keys(algorithm):
    fixture.loaded()
    data = message(1000)
    for size in WRONG_KEY_SIZES:
        with afalg.Transform(algorithm.driver()) as transform:
            expect_key_refused(transform, NOISE[:size], errno.EINVAL)
            expect(f"unkeyed digest after a key of {size} bytes",
                   algorithm.new(data).digest(), transform.digest(data))
            transform.set_key(b"old key")
            expect_key_refused(transform, NOISE[:size], errno.EINVAL)
            expect(f"keyed digest after a key of {size} bytes",
                   algorithm.new(data, key=b"old key").digest(), transform.digest(data))


def no_keys(algorithm):
    fixture.loaded()
    with afalg.Transform(algorithm.driver()) as transform:
        expect_key_refused(transform, b"a key", errno.ENOSYS)
        expect("digest afterwards", algorithm.new(b"").digest(), transform.digest(b""))


def expect_key_refused(transform, key, expected):
    what = f"ALG_SET_KEY of {len(key)} bytes"
    try:
        transform.set_key(key)
    except OSError as error:
        expect(what, errno.errorcode[expected], errno.errorcode[error.errno])
    else:
        raise Failure(f"{what}: expected {errno.errorcode[expected]}, saw it accepted")


def hmac_over(algorithm):
    fixture.loaded()
    try:
        afalg.digest("hmac(sha256)", b"", b"key")
    except afalg.NoSuchHash:
        raise Skip("no hmac(sha256), so no hmac template, in this kernel") from None
    # Exactly our driver: the generic name could fall back to another one without a word.
    with afalg.Transform(f"hmac({algorithm.driver()})") as transform:
        for size in HMAC_KEY_SIZES:
            key = NOISE[size : 2 * size]
            transform.set_key(key)
            for length in lengths(algorithm.block_size)[:12]:
                data = bytes(message(length))
                expect(f"key of {size} bytes, {length} bytes",
                       hmac.digest(key, data, constructor(algorithm)), transform.digest(data))


def constructor(algorithm):
    """hmac calls it without data as well."""
    return lambda data=b"": algorithm.new(data)


def by_implementation(algorithm, implementation):
    forced = {"blake2b_impl": implementation, "sha3_impl": implementation}
    edges(algorithm, **forced)
    if algorithm in BLAKE2B:
        edges(algorithm, key=NOISE[:MAX_KEY_SIZE], **forced)
