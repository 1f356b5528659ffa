# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Tests of hashtree.py: python3 -m unittest discover selftests/boards

Three oracles: veritysetup where it is installed, roots that veritysetup 2.6.1 printed, and small
trees written out by hand for the hashes that veritysetup lacks.
"""

import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import hashtree  # noqa: E402

VERITYSETUP = shutil.which("veritysetup", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
VERITYSETUP_HASHES = ("sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2b-512")
SALTS = ("-", "a5", bytes(range(32)).hex(), bytes(range(256)).hex())
BLOCK_COUNTS = (1, 2, 128, 129, 300)

# Printed by `veritysetup format --no-superblock` for sample(300) and the salt 00 01 .. 1f.
KNOWN_ROOTS = {
    "sha3-224": "92f97248cacbbbb97701c96ac9eb77aab4633e4d685fa9b047b7db8f",
    "sha3-256": "501a1bdab416b685033f31e45cca138bc7c6b2868270c79c349b167aaa8f195d",
    "sha3-384": (
        "ddac8963edf7fb9d3eb98f24ce7dae80c21f6e31c0d58049a2794b01577ecb1b"
        "70f18442cbfea4b26a92524ea5c43ccb"
    ),
    "sha3-512": (
        "d288fadd3fecf2286c4b8e96cd8ad05841627a8d187c4419edbeda73c398f5ce"
        "267b9ef406a598474dfe4c15e71b0f038a581f0e74dd232dc73be6fa6e12de23"
    ),
    "blake2b-512": (
        "d9a279fff3818113ba0344649a7f9d375d190e97a8f02ccbb2fab26c0f9d8b04"
        "edb5d2576a8554c509b9603f57baa0458ef08c8b11190e4f54bdd0bcd1211035"
    ),
}


def sample(blocks, block_size=4096):
    return hashlib.shake_128(b"hashtree").digest(blocks * block_size)


def build(data, algorithm, salt="-", **sizes):
    return hashtree.build(io.BytesIO(data), algorithm, hashtree.parse_salt(salt), **sizes)


class KnownRoots(unittest.TestCase):
    def test_300_blocks(self):
        for algorithm, root in KNOWN_ROOTS.items():
            with self.subTest(algorithm):
                self.assertEqual(build(sample(300), algorithm, SALTS[2]).root.hex(), root)


class ByHand(unittest.TestCase):
    """The format's definition, spelled out for every hash."""

    def test_one_block_is_its_own_root(self):
        for algorithm, new in hashtree.HASHES.items():
            with self.subTest(algorithm):
                tree = build(sample(1), algorithm, "a5")
                self.assertEqual(tree.root, new(b"\xa5" + sample(1)).digest())
                self.assertEqual(tree.image, b"")

    def test_two_blocks_share_one_hash_block(self):
        slots = {20: 32, 28: 32, 32: 32, 48: 64, 64: 64}
        first, second = sample(2)[:4096], sample(2)[4096:]
        for algorithm, new in hashtree.HASHES.items():
            with self.subTest(algorithm):
                slot = slots[new().digest_size]
                block = new(first).digest().ljust(slot, b"\0")
                block += new(second).digest().ljust(slot, b"\0")
                block += bytes(4096 - 2 * slot)
                tree = build(sample(2), algorithm)
                self.assertEqual(tree.image, block)
                self.assertEqual(tree.root, new(block).digest())

    def test_upper_levels_come_first(self):
        # 512-byte hash blocks hold 16 digests of 32 bytes: 17 data blocks need 2 + 1 hash blocks.
        tree = build(sample(17, 512), "blake2b-256", data_block_size=512, hash_block_size=512)
        top, lower = tree.image[:512], tree.image[512:]
        self.assertEqual(len(lower), 1024)
        new = hashtree.HASHES["blake2b-256"]
        self.assertEqual(tree.root, new(top).digest())
        self.assertEqual(top[:64], new(lower[:512]).digest() + new(lower[512:]).digest())


class TableLine(unittest.TestCase):
    def test_fields(self):
        tree = build(sample(6, 1024), "sha3-256", "a5", data_block_size=1024)
        root = tree.root.hex()
        self.assertEqual(
            tree.table("/dev/vda", "/dev/vdb", "sha3-256-neon"),
            f"0 12 verity 1 /dev/vda /dev/vdb 1024 4096 6 0 sha3-256-neon {root} a5",
        )

    def test_no_salt_is_a_dash(self):
        tree = build(sample(2), "sha3-256")
        self.assertTrue(tree.table("d", "h").endswith(f" sha3-256 {tree.root.hex()} -"))


class BadInput(unittest.TestCase):
    def refused(self, pattern, data, algorithm="sha3-256", salt="-", **sizes):
        with self.assertRaisesRegex(hashtree.TreeError, pattern):
            build(data, algorithm, salt, **sizes)

    def test_refusals(self):
        self.refused("empty", b"")
        self.refused("4097 bytes.*multiple of the data block size 4096", bytes(4097))
        self.refused("no hash named sha3_256", sample(1), algorithm="sha3_256")
        self.refused("salt 'abc' is neither", sample(1), salt="abc")
        self.refused("salt '' is neither", sample(1), salt="")
        self.refused("hash block size 8192", sample(1), hash_block_size=8192)
        self.refused("data block size 1000", sample(1), data_block_size=1000)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name, "data")
        self.hash = pathlib.Path(folder.name, "hash")
        self.data.write_bytes(sample(3))

    def hashtree(self, *arguments):
        return subprocess.run(
            [sys.executable, HERE / "hashtree.py", *arguments],
            capture_output=True, text=True, check=False,
        )

    def test_writes_the_tree_and_prints_the_table(self):
        result = self.hashtree(self.data, self.hash, "--hash", "blake2b-160", "--salt", "a5",
                               "--driver", "blake2b-160-neon")
        tree = build(sample(3), "blake2b-160", "a5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.hash.read_bytes(), tree.image)
        self.assertEqual(f"root: {tree.root.hex()}\n", result.stderr)
        self.assertEqual(f"{tree.table(self.data, self.hash, 'blake2b-160-neon')}\n",
                         result.stdout)

    def test_keeps_the_data_when_both_names_are_one_file(self):
        result = self.hashtree(self.data, self.data, "--hash", "sha3-256", "--salt", "-")
        self.assertEqual(result.returncode, 1)
        self.assertIn("are the same", result.stderr)
        self.assertEqual(self.data.read_bytes(), sample(3))


@unittest.skipUnless(VERITYSETUP, "veritysetup is not installed (Debian: cryptsetup-bin)")
class AgainstVeritysetup(unittest.TestCase):
    def compare(self, algorithm, salt, blocks, data_block_size=4096, hash_block_size=4096):
        with tempfile.TemporaryDirectory() as folder:
            data, image = pathlib.Path(folder, "data"), pathlib.Path(folder, "hash")
            data.write_bytes(sample(blocks, data_block_size))
            printed = subprocess.run(
                [VERITYSETUP, "format", "--no-superblock", f"--hash={algorithm}", f"--salt={salt}",
                 f"--data-block-size={data_block_size}", f"--hash-block-size={hash_block_size}",
                 data, image],
                capture_output=True, text=True, check=True,
            ).stdout
            tree = build(data.read_bytes(), algorithm, salt, data_block_size=data_block_size,
                         hash_block_size=hash_block_size)
            self.assertRegex(printed, rf"Root hash:\s+{tree.root.hex()}\n")
            self.assertEqual(image.read_bytes(), tree.image)

    def test_block_counts_and_salts(self):
        for algorithm in VERITYSETUP_HASHES:
            for salt in SALTS:
                for blocks in BLOCK_COUNTS:
                    with self.subTest(algorithm, salt=salt, blocks=blocks):
                        self.compare(algorithm, salt, blocks)

    def test_block_sizes(self):
        for algorithm in VERITYSETUP_HASHES:
            for data_size, hash_size in ((512, 512), (1024, 4096), (4096, 1024), (2048, 2048)):
                with self.subTest(algorithm, data_size=data_size, hash_size=hash_size):
                    self.compare(algorithm, SALTS[2], 300, data_size, hash_size)


if __name__ == "__main__":
    unittest.main()
