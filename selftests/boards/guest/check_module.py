# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Loading, what the kernel shows of the module, parameters and unloading."""

import itertools
import pathlib
from functools import partial

import afalg
import fixture
import module
from algorithms import ALGORITHMS, BY_NAME
from expect import Failure, expect

# Documentation/admin-guide/tainted-kernels.rst
OUT_OF_TREE = 1 << 12
UNSIGNED = 1 << 13
IMPLEMENTATIONS = ("neon", "generic")
# Parameter, a value to be refused, and what the refusing line in the log must name.
REFUSALS = (
    ("suffix", "neon rs"),
    ("suffix", "x" * 60),
    ("priority", -1),
    ("blake2b_impl", "sse"),
    ("sha3_impl", "sse"),
    ("sha3_impl", "y" * 60),
)


def tests():
    yield "load: one line in the log", loads
    for algorithm in ALGORITHMS:
        yield f"{algorithm.driver()}: row in /proc/crypto", partial(row, algorithm)
    yield "taint: out of tree, unsigned and nothing else", taint
    yield "sysfs: implementation in use", implementation
    yield "suffix=neon-rs: driver names", suffix
    yield "priority=77: priorities", priority
    for name, value in REFUSALS:
        yield f"{name}={str(value)[:10]}: refused with a sentence", partial(refused, name, value)
    yield "unload: refused while a socket is bound, then done", unload_with_socket
    yield "load and unload again, three times", load_again


def loads():
    fixture.unloaded()
    loading = module.load_and_wait()
    # The kernel's own lines on out-of-tree and unsigned modules carry the module's name as well.
    own = [line.text for line in loading.log if "taint" not in line.text]
    expect("lines of the module in the log", 1, len(own))
    expect("number of algorithms", len(ALGORITHMS), len(module.rows()))


def row(algorithm):
    fixture.loaded()
    seen = module.row_of(algorithm.driver())
    expected = {
        "name": algorithm.name,
        "driver": algorithm.driver(),
        "module": module.NAME,
        "priority": "400",
        "selftest": "passed",
        "internal": "no",
        "type": "shash",
        "blocksize": str(algorithm.block_size),
        "digestsize": str(algorithm.digest_size),
    }
    for field, value in expected.items():
        expect(field, value, seen.get(field))


def taint():
    fixture.loaded()
    expect("taint letters of the module but O and E", "", module.taint().strip("OE"))
    expect("letter O, out of tree", True, "O" in module.taint())
    seen = int(pathlib.Path("/proc/sys/kernel/tainted").read_text(encoding="ascii"))
    expect("taint bits of the kernel beside those two", 0, seen & ~(OUT_OF_TREE | UNSIGNED))


def implementation():
    for blake2b, sha3 in itertools.product(IMPLEMENTATIONS, repeat=2):
        fixture.loaded(blake2b_impl=blake2b, sha3_impl=sha3)
        expect("blake2b_impl", blake2b, module.parameter("blake2b_impl"))
        expect("sha3_impl", sha3, module.parameter("sha3_impl"))


def suffix():
    fixture.loaded(suffix="neon-rs")
    expect("drivers", [a.driver("neon-rs") for a in ALGORITHMS],
           [row["driver"] for row in module.rows()])


def priority():
    fixture.loaded(priority=77)
    expect("priorities", {"77"}, {row["priority"] for row in module.rows()})


def refused(name, value):
    fixture.unloaded()
    loading = module.load(**{name: value})
    if loading.status == 0:
        module.unload()
        raise Failure(f"{name}={value}: expected insmod to fail, saw exit status 0")
    expect("module loaded", False, module.is_loaded())
    expect("rows in /proc/crypto", [], module.rows())
    lines = [line.text for line in loading.log if name in line.text]
    if not lines:
        raise Failure(f"expected a line of neon_shash in the log that names {name},"
                      f" saw {[line.text for line in loading.log]}")


def unload_with_socket():
    fixture.loaded()
    with afalg.Transform("sha3-256-neon") as transform:
        module.expect_unload_refused()
        # Refused means unchanged: the open transform still hashes.
        expect("digest after the refusal", BY_NAME["sha3-256"].new(b"").digest(),
               transform.digest(b""))
    fixture.unloaded()


def load_again():
    for _ in range(3):
        fixture.unloaded()
        fixture.loaded()
        expect("number of algorithms", len(ALGORITHMS), len(module.rows()))
