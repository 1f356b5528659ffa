# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""dm-verity with the module's hashes, by real dmsetup and veritysetup."""

import json
import pathlib
from functools import partial

import blockdev
import command
import fixture
import module
import verity
from algorithms import ALGORITHMS, BY_NAME
from expect import Failure, expect
from kernellog import KernelLog

FILES = pathlib.Path("/job/files")
NAME = "check"
# The pair that is read in full; of the others, a sample is.
WHOLE = ("blake2b-256", "sha3-256")
# Debian's veritysetup knows these of our names.
VERITYSETUP = ("sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2b-512")
SAMPLE_SIZE = 1 << 20


def tests():
    # First of all: dm-verity logs no more than ten such lines in five seconds.
    yield "dm-verity: the log names a corrupted block", corrupted_block_logged
    for name in WHOLE:
        driver = BY_NAME[name].driver()
        yield f"dm-verity {driver}: every file as expected", partial(whole_image, name)
        yield f"dm-verity {driver}: EIO for corrupted blocks only", partial(corruption, name)
        yield f"dm-verity {driver}: a wrong root is refused", partial(wrong_root, name)
    for algorithm in ALGORITHMS:
        if algorithm.name not in WHOLE:
            yield f"dm-verity {algorithm.driver()}: a sample", partial(sample, algorithm.name)
    for name in VERITYSETUP:
        yield f"veritysetup --hash={name}: served by ours", partial(by_veritysetup, name)
    yield "unload: refused while a dm-verity device is open, then done", unload_with_device


def tree_of(name):
    fixture.loaded()
    return verity.load_trees(FILES / "verity.json")[name]


def created(tree):
    return verity.created(NAME, tree.table(BY_NAME[tree.algorithm].driver()))


def whole_image(name):
    tree = tree_of(name)
    manifest = json.loads((FILES / "manifest.json").read_text(encoding="utf-8"))
    with created(tree) as device:
        with verity.mounted(device) as folder:
            files, size = verity.compare_files(folder, manifest)
    # An empty manifest would agree with an empty image.
    expect("at least 32 MiB in ordinary files", True, files > 0 and size >= 32 << 20)


def corruption(name):
    tree = tree_of(name)
    last = tree.data_blocks - 1
    for block, byte in ((0, 0), (tree.data_blocks // 2, 1234), (last, tree.data_block_size - 1)):
        corrupt(tree, block, byte, range(tree.data_blocks))


def corrupt(tree, block, byte, blocks):
    """Of `blocks`, exactly the one with an inverted byte must give EIO, and only meanwhile."""
    offset = block * tree.data_block_size + byte
    with created(tree) as device:
        expect("status before the corruption", "V", status(device))
        with blockdev.flipped_byte(verity.data_disk(), offset):
            expect(f"blocks with EIO, byte {offset} inverted", [block],
                   verity.bad_blocks(device, tree, blocks))
        expect("status after the corruption", "C", status(device))
        expect("blocks with EIO after the repair", [],
               verity.bad_blocks(device, tree, range(block, block + 1)))


def status(device):
    """dm-verity's verdict so far: V for verified, C for corrupted."""
    return command.must("dmsetup", "status", device).split()[-1]


def corrupted_block_logged():
    tree = tree_of("sha3-256")
    block = 4711
    with created(tree) as device, KernelLog() as log:
        with blockdev.flipped_byte(verity.data_disk(), block * tree.data_block_size):
            verity.bad_blocks(device, tree, range(block, block + 1))
        expect("a line in the log", True, bool(log.read(f"data block {block} is corrupted")))


def wrong_root(name):
    tree = tree_of(name)
    first = f"{int(tree.root[:2], 16) ^ 1:02x}"
    with created(tree._replace(root=first + tree.root[2:])) as device:
        expect("readable blocks of the first eight", list(range(8)),
               verity.bad_blocks(device, tree, range(8)))
        expect("image with a wrong root mounted", False, mounts(device))


def mounts(device):
    try:
        with verity.mounted(device):
            return True
    except Failure:
        return False


def sample(name):
    tree = tree_of(name)
    blocks = min(SAMPLE_SIZE // tree.data_block_size, tree.data_blocks)
    with created(tree) as device:
        verity.expect_readable(device, tree, range(blocks))
        verity.expect_readable(device, tree, range(tree.data_blocks - blocks, tree.data_blocks))
    block = tree.data_blocks // 3
    corrupt(tree, block, 77, range(block - 300, block + 300))


def by_veritysetup(name):
    tree = tree_of(name)
    driver = BY_NAME[name].driver()
    module.expect_no_use(driver)
    with KernelLog() as log, verity.opened(NAME, tree) as device:
        module.expect_use(driver, f"by a device of {name}")
        # 7.2 does not say which driver serves; where the kernel does, it must be ours.
        for line in log.read("device-mapper: verity"):
            if " using " in line.text and f'"{driver}"' not in line.text:
                raise Failure(f"expected {driver} in the log, saw {line.text!r}")
        verity.expect_readable(device, tree, range(256))


def unload_with_device():
    tree = tree_of("sha3-256")
    with created(tree) as device:
        module.expect_unload_refused()
        verity.expect_readable(device, tree, range(256))
    fixture.unloaded()
