# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""dm-verity over the disks of the board, with real dmsetup and veritysetup."""

import contextlib
import hashlib
import json
import os
import pathlib
import tempfile
from typing import NamedTuple

import blockdev
import command
from expect import Failure, expect

SECTOR = 512
DATA_SERIAL = "data"


class Tree(NamedTuple):
    """One entry of verity.json."""

    algorithm: str
    serial: str
    root: str
    salt: str
    data_blocks: int
    data_block_size: int
    hash_blocks: int
    hash_block_size: int
    hash_start: int

    def table(self, driver):
        sectors = self.data_blocks * self.data_block_size // SECTOR
        return (
            f"0 {sectors} verity 1 {data_disk()} {blockdev.by_serial(self.serial)}"
            f" {self.data_block_size} {self.hash_block_size} {self.data_blocks}"
            f" {self.hash_start} {driver} {self.root} {self.salt}"
        )


def load_trees(path):
    """{algorithm: Tree} from verity.json."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {name: Tree(name, **fields) for name, fields in entries.items()}


def data_disk():
    return blockdev.by_serial(DATA_SERIAL)


@contextlib.contextmanager
def created(name, table):
    """A device made by dmsetup from a table line; yields its path."""
    command.must("dmsetup", "create", name, "--readonly", "--table", table)
    with command.at_end("dmsetup", "remove", "--retry", name):
        yield f"/dev/mapper/{name}"


@contextlib.contextmanager
def opened(name, tree):
    """A device made by veritysetup, which knows generic names only; yields its path."""
    command.must(
        "veritysetup", "open", data_disk(), name, blockdev.by_serial(tree.serial), tree.root,
        "--no-superblock", "--format=1", f"--hash={tree.algorithm}", f"--salt={tree.salt}",
        f"--data-blocks={tree.data_blocks}", f"--data-block-size={tree.data_block_size}",
        f"--hash-block-size={tree.hash_block_size}",
    )
    with command.at_end("veritysetup", "close", name):
        yield f"/dev/mapper/{name}"


@contextlib.contextmanager
def mounted(device):
    """The ext4 file system on a device, mounted read-only; yields its folder."""
    with tempfile.TemporaryDirectory() as folder:
        command.must("mount", "-t", "ext4", "-o", "ro", device, folder)
        with command.at_end("umount", folder):
            yield pathlib.Path(folder)


def compare_files(folder, manifest):
    """Read every file below `folder`; returns (files, bytes) when all are as in the manifest."""
    seen = {str(path.relative_to(folder)) for path in walk(folder)}
    expect("names only on the image or only in the manifest", [],
           sorted(seen ^ (manifest["files"] | manifest["links"]).keys()))
    for name, target in manifest["links"].items():
        expect(f"link {name}", target, os.readlink(folder / name))
    total = 0
    for name, digest in manifest["files"].items():
        data = read(folder / name)
        expect(f"sha256 of {name}", digest, hashlib.sha256(data).hexdigest())
        total += len(data)
    return len(manifest["files"]), total


def read(path):
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"reading {path}: expected its content, saw {error.strerror}") from None


def walk(folder):
    """Every file and link below `folder`, without following links."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from walk(path)
        else:
            yield path


def bad_blocks(device, tree, blocks=None):
    with blockdev.Device(device) as opened_device:
        return opened_device.bad_blocks(tree.data_block_size, blocks or range(tree.data_blocks))


def expect_readable(device, tree, blocks=None):
    expect(f"unreadable blocks of {device}", [], bad_blocks(device, tree, blocks))
