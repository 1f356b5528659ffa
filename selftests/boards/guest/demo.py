# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The module at work on a board: load, AF_ALG, dm-verity, unload. Exit status 0: all of it held."""

import json
import pathlib
import sys
import time

import afalg
import blockdev
import kcapi
import module
import verity
from algorithms import ALGORITHMS, BY_NAME
from expect import Failure, Skip, expect
from kernellog import KernelLog

FILES = pathlib.Path("/job/files")
MIB = 1 << 20


def main():
    started = time.monotonic()
    try:
        show_loading()
        show_af_alg()
        show_verity()
        show_unloading()
    except (Failure, Skip, OSError) as error:
        say(f"demo FAILED: {error}")
        return 1
    seconds = time.monotonic() - started
    say(f"demo passed: 8 hashes, AF_ALG, dm-verity and unloading all as expected ({seconds:.0f} s)")
    return 0


def say(text=""):
    print(text, flush=True)


def title(text):
    say(f"\n== {text}")


def command_line(text):
    say(f"$ {text}")


def read_json(name):
    return json.loads((FILES / name).read_text(encoding="utf-8"))


def short(digest):
    text = digest.hex()
    return f"{text[:8]}..{text[-4:]}"


def mib(size):
    return f"{size / MIB:.1f} MiB"


# 1. Load


def show_loading():
    title("1. Load the module")
    command_line(f"insmod {module.PATH.name}")
    loading = module.load_and_wait()
    for line in loading.log:
        say(str(line))
    for name in ("blake2b_impl", "sha3_impl"):
        expect(f"implementation in use, {name}", True, module.parameter(name).startswith("neon"))
    rows = module.rows()
    command_line("cat /proc/crypto    # the rows of neon_shash")
    say(f"{'name':14}{'driver':22}{'priority':>8}{'digest':>8}{'block':>7}   selftest")
    for row in rows:
        say(f"{row['name']:14}{row['driver']:22}{row['priority']:>8}{row['digestsize']:>8}"
            f"{row['blocksize']:>7}   {row['selftest']}")
    expect("drivers of neon_shash", [a.driver() for a in ALGORITHMS], [r["driver"] for r in rows])


# 2. AF_ALG


def show_af_alg():
    expected = read_json("expected.json")
    path = FILES / expected["file"]
    data = path.read_bytes()
    expect(f"size of {path.name}", expected["size"], len(data))
    title(f"2. AF_ALG: one file of {mib(len(data))}, hashed by the kernel for two programs")
    command_line(f"kcapi-dgst -c DRIVER --hex -i {path.name}    # and Python's socket.AF_ALG")
    say(f"{'driver':22}{'kcapi-dgst':18}{'socket.AF_ALG':18}hashlib, other machine")
    for algorithm in ALGORITHMS:
        show_digests(algorithm.driver(), path, data,
                     bytes.fromhex(expected["digests"][algorithm.name]))


def show_digests(driver, path, data, expected):
    by_kcapi = kcapi.digest(driver, path)
    by_socket = afalg.digest(driver, data)
    expect(f"{driver} by kcapi-dgst", expected, by_kcapi)
    expect(f"{driver} by socket.AF_ALG", expected, by_socket)
    say(f"{driver:22}{short(by_kcapi):18}{short(by_socket):18}{short(expected):24}ok")


# 3. dm-verity


def show_verity():
    trees = verity.load_trees(FILES / "verity.json")
    manifest = read_json("manifest.json")
    image = trees["sha3-256"].data_blocks * trees["sha3-256"].data_block_size
    title(f"3. dm-verity: an ext4 image of {mib(image)} with {len(manifest['files'])} files")
    for name in ("blake2b-256", "sha3-256"):
        show_dmsetup(trees[name], BY_NAME[name].driver(), manifest)
    show_veritysetup(trees["sha3-256"], manifest)
    for name in ("blake2b-256", "sha3-256"):
        show_corruption(trees[name], BY_NAME[name].driver())


def show_dmsetup(tree, driver, manifest):
    words = tree.table(driver).split(" ")
    shown = " ".join(word if len(word) < 40 else f"{word[:8]}.." for word in words)
    command_line("dmsetup create demo --readonly --table \\")
    say(f'    "{shown}"')
    with verity.created("demo", tree.table(driver)) as device:
        module.expect_use(driver, "by the device")
        say(f"  {mount_and_compare(device, manifest)}")


def show_veritysetup(tree, manifest):
    driver = BY_NAME[tree.algorithm].driver()
    command_line(f"veritysetup open --no-superblock --hash={tree.algorithm} ... "
                 "  # the generic name")
    with KernelLog() as log, verity.opened("demo", tree) as device:
        module.expect_use(driver, "by the device")
        say(f"  {mount_and_compare(device, manifest)}; served by {driver}:")
        # 7.2 logs no such line; the use count above is the evidence there.
        for line in log.read(f'"{driver}"'):
            say(f"  {line}")


def mount_and_compare(device, manifest):
    with verity.mounted(device) as folder:
        files, size = verity.compare_files(folder, manifest)
    return f"mounted; {files} files, {mib(size)} read, all as expected"


def show_corruption(tree, driver):
    block = tree.data_blocks // 2
    byte = block * tree.data_block_size + 1234
    with verity.created("demo", tree.table(driver)) as device, KernelLog() as log:
        with blockdev.flipped_byte(verity.data_disk(), byte):
            say(f"{driver}: byte {byte} of the data disk inverted;"
                f" all {tree.data_blocks} blocks read:")
            expect(f"{driver}: blocks with EIO", [block], verity.bad_blocks(device, tree))
            lines = log.read(f"data block {block} is corrupted")
        say(f"  EIO for block {block} and no other; the kernel says:")
        expect("a line of the kernel on the corrupted block", True, bool(lines))
        say(f"  {lines[0]}")
        verity.expect_readable(device, tree, range(block, block + 1))
        say(f"  byte restored: block {block} reads again")


# 4. Unload


def show_unloading():
    title("4. Unload")
    tree = verity.load_trees(FILES / "verity.json")["sha3-256"]
    with verity.created("demo", tree.table("sha3-256-neon")):
        command_line("rmmod neon_shash    # a dm-verity device is open")
        say(f"  {module.expect_unload_refused()}")
        expect("module still loaded", True, module.is_loaded())
    command_line("rmmod neon_shash    # the device is closed")
    module.unload()
    expect("module still loaded", False, module.is_loaded())
    say("  done; /proc/crypto has no row of neon_shash any more")
    say()


if __name__ == "__main__":
    sys.exit(main())
