# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Loading, what the kernel shows of the module, parameters and unloading."""

import itertools
import pathlib
import subprocess
import time
from functools import partial

import afalg
import fixture
import module
from algorithms import ALGORITHMS, BY_NAME
from expect import Failure, expect

# Documentation/admin-guide/tainted-kernels.rst
OUT_OF_TREE = 1 << 12
UNSIGNED = 1 << 13
IMPLEMENTATIONS = ("neon-a7", "neon-a8", "portable")
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
    yield "load: one line in the log for each family and one for all", loads
    yield "load: the choice follows from the figures in the log", choice
    yield "measure=N: the first implementation, unmeasured", unmeasured
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
    yield "insmod killed at various moments: a sound module or none", killed


def loads():
    fixture.unloaded()
    loading = module.load_and_wait()
    expect("lines of the module in the log", 3, len(own_lines(loading)))
    expect("number of algorithms", len(ALGORITHMS), len(module.rows()))


def own_lines(loading):
    # The kernel's own lines on out-of-tree and unsigned modules carry the module's name as well.
    return [line.text for line in loading.log if "taint" not in line.text]


def choice():
    """In an emulator the figures are noise; what follows from them is not."""
    fixture.unloaded()
    lines = own_lines(module.load_and_wait())
    for family, incumbent in (("blake2b", None), ("sha3", "sha3-256-generic")):
        figures, chosen = figures_of(family, lines)
        expect(f"implementation of {family} in use", chosen, module.parameter(f"{family}_impl"))
        ours = {name: figures[name] for name in IMPLEMENTATIONS}
        # The short message decides where the long one is nearly a draw.
        if ours[chosen] > min(ours.values()) * 1.05:
            raise Failure(f"{family}: expected the fastest of {ours}, saw {chosen}")
        if incumbent and figures[incumbent] < ours[chosen] * 0.95:
            raise Failure(f"{family}: {incumbent} is faster by the log, but the test expects that"
                          " NEON is, in an emulator too")


def figures_of(family, lines):
    """The figures and the choice in a line such as "sha3: a 12, b 13, c 14 ns/KiB -> a"."""
    found = [line for line in lines if f"{family}: " in line and "->" in line]
    expect(f"lines with figures for {family}", 1, len(found))
    table, chosen = found[0].split(f"{family}: ")[1].split(" -> ")
    pairs = [pair.split() for pair in table.removesuffix(" ns/KiB").split(", ")]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2}, chosen


def unmeasured():
    fixture.unloaded()
    lines = own_lines(module.load_and_wait(measure="N"))
    expect("lines that tell that nothing was measured", 2,
           sum(line.endswith("neon-a7 (not measured)") for line in lines))


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


def killed():
    """An insmod that is killed while the kernel tests the algorithms leaves nothing half done."""
    fixture.unloaded()
    for tenths in range(8):
        insmod = subprocess.Popen(["insmod", str(module.PATH)], stderr=subprocess.DEVNULL)
        time.sleep(tenths / 10)
        insmod.kill()
        insmod.wait()
        # The kernel's self-tests hold the module for a moment, which unload() grants.
        if module.is_loaded():
            module.unload()


def load_again():
    for _ in range(3):
        fixture.unloaded()
        fixture.loaded()
        expect("number of algorithms", len(ALGORITHMS), len(module.rows()))
