#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Prepare the disks and expected results of one board run.

    prepare.py --out DIR --source FOLDER

The expected digests come from this machine's hashlib, so the board is compared with another
computer. The same FOLDER and e2fsprogs give the same bytes; README.md lists what DIR then holds.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import hashtree  # noqa: E402

MIB = 1 << 20
CONTENT_SIZE = 33 * MIB  # of ordinary files in the image
FILE_SIZE = 8 * MIB  # of file.bin, the AF_ALG input
BLOCK_SIZE = 4096
# Any fixed values do; they keep the image, and so the roots, the same everywhere.
EPOCH = 1700000000
IMAGE_UUID = "6e656f6e-7368-4173-a800-000000000001"
HASH_SEED = "6e656f6e-7368-4173-a800-000000000002"
# Named one by one, since mke2fs.conf and the defaults of e2fsprogs change.
FEATURES = "none,extent,filetype,large_file,metadata_csum"


class PrepareError(Exception):
    """Preparing stops here; the message says why and what to do."""


class Geometry(NamedTuple):
    """What one hash tree is made with."""

    salt_size: int
    data_block_size: int = BLOCK_SIZE
    hash_block_size: int = BLOCK_SIZE


# blake2b-256 and sha3-256 are the usual case. The others vary what reaches the driver: no salt (an
# empty update), a salt of a byte and the longest one, and blocks as small as dm-verity takes.
GEOMETRIES = {
    "blake2b-160": Geometry(0, 512, 512),
    "blake2b-256": Geometry(32),
    "blake2b-384": Geometry(1),
    "blake2b-512": Geometry(256),
    "sha3-224": Geometry(256),
    "sha3-256": Geometry(32),
    "sha3-384": Geometry(0),
    "sha3-512": Geometry(1, 1024, 4096),
}


class Content(NamedTuple):
    """The part of the source folder that goes into the image, as sorted relative paths."""

    source: pathlib.Path
    files: list
    links: list


def choose(source):
    """All links and, so that the board hashes more than it opens, the largest files."""
    if not source.is_dir():
        raise PrepareError(f"{source} is no folder; give one with ordinary files")
    sizes, links = scan(source)
    files, total = [], 0
    for path in sorted(sizes, key=lambda path: (-sizes[path], path)):
        if total >= CONTENT_SIZE:
            break
        files.append(path)
        total += sizes[path]
    if total < CONTENT_SIZE:
        raise PrepareError(
            f"{source} holds {total / MIB:.1f} MiB of readable ordinary files;"
            f" {CONTENT_SIZE // MIB} MiB are needed, so give a larger folder"
        )
    return Content(source, sorted(files), sorted(links))


def scan(source):
    """({path: size} of regular files, [path] of symbolic links) below `source`."""
    sizes, links = {}, []
    for folder, subfolders, names in os.walk(source):
        # os.walk lists links to folders among the folders, and does not follow them.
        for name in names + subfolders:
            path = pathlib.Path(folder, name)
            relative = str(path.relative_to(source))
            if not quotable(relative):
                continue
            if path.is_symlink():
                # Only what stays inside the folder means the same on every machine.
                target = os.readlink(path)
                if quotable(target) and not os.path.isabs(target):
                    links.append(relative)
            elif path.is_file() and os.access(path, os.R_OK):
                sizes[relative] = path.stat().st_size
    return sizes, links


def quotable(text):
    """debugfs reads its commands line by line and knows no escape inside quotes."""
    return '"' not in text and text.isprintable()


def make_image(content, image):
    """An ext4 image, made without root and without a trace of the clock.

    Not by `mke2fs -d`: it copies the change times and the folder order of the host's file system.
    """
    image.unlink(missing_ok=True)
    inodes = len(content.files) + len(content.links) + len(folders(content)) + 64
    run(
        "mke2fs", "-q", "-t", "ext4", "-b", BLOCK_SIZE, "-N", inodes, "-m", 0, "-O", FEATURES,
        "-U", IMAGE_UUID, "-E", f"hash_seed={HASH_SEED},root_owner=0:0,lazy_itable_init=0",
        image, f"{image_size(content, inodes) // 1024}k",
    )
    errors = run("debugfs", "-w", "-f", "-", image, input=fill_commands(content)).stderr
    # debugfs ends with 0 whatever happens; beyond its banner, it writes only errors there.
    errors = [line for line in errors.splitlines() if not line.startswith("debugfs ")]
    if errors:
        raise PrepareError(f"debugfs could not fill {image}: {errors[0]}; is the disk full?")
    run("e2fsck", "-f", "-n", image)


def image_size(content, inodes):
    blocks = sum(-(-size(content, path) // BLOCK_SIZE) for path in content.files)
    blocks += len(content.links) + len(folders(content))
    # An inode takes 256 bytes; 1 MiB and 1/64 are room for the metadata of the file system.
    bytes_needed = blocks * BLOCK_SIZE + inodes * 256
    return (bytes_needed + bytes_needed // 64 + MIB) // BLOCK_SIZE * BLOCK_SIZE


def size(content, path):
    return (content.source / path).stat().st_size


def folders(content):
    """Every folder that the chosen paths need, parents first."""
    parents = {str(p) for path in content.files + content.links
               for p in pathlib.PurePath(path).parents}
    return sorted(parents - {"."})


def fill_commands(content):
    lines = [f'mkdir "/{path}"' for path in folders(content)]
    lines += [f'write "{content.source.absolute() / path}" "/{path}"' for path in content.files]
    lines += [f'symlink "/{path}" "{os.readlink(content.source / path)}"'
              for path in content.links]
    return "\n".join(lines) + "\n"


def run(tool, *arguments, **options):
    """Run a tool of e2fsprogs; Debian keeps them outside an ordinary user's PATH."""
    program = shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        raise PrepareError(f"{tool} is missing; install it: sudo apt-get install e2fsprogs")
    result = subprocess.run(
        [program, *map(str, arguments)], text=True, capture_output=True, check=False,
        env=os.environ | {"E2FSPROGS_FAKE_TIME": str(EPOCH), "LC_ALL": "C"}, **options,
    )
    if result.returncode:
        said = (result.stderr or result.stdout).strip().splitlines()
        raise PrepareError(f"{tool} failed: {said[-1] if said else result.returncode}")
    return result


def make_manifest(content):
    return {
        "files": {path: hashlib.sha256((content.source / path).read_bytes()).hexdigest()
                  for path in content.files},
        "links": {path: os.readlink(content.source / path) for path in content.links},
    }


def make_file(content, path):
    """A tar of the first chosen files, at least FILE_SIZE long, with all that varies set to 0."""
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for name in content.files:
            archive.add(content.source / name, name, filter=anonymous)
            if archive.offset >= FILE_SIZE:
                return


def anonymous(member):
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


def make_digests(path):
    data = path.read_bytes()
    digests = {name: new(data).hexdigest() for name, new in hashtree.HASHES.items()}
    return {"file": path.name, "size": len(data), "digests": digests}


def make_tree(data, out, algorithm):
    """Write the tree image of one algorithm; what a table line needs is returned."""
    geometry = GEOMETRIES[algorithm]
    salt = hashlib.shake_128(algorithm.encode()).digest(geometry.salt_size)
    tree = hashtree.build(
        data, algorithm, salt, geometry.data_block_size, geometry.hash_block_size
    )
    (out / f"tree-{algorithm}.img").write_bytes(tree.image)
    return {
        "serial": f"tree-{algorithm}",
        "root": tree.root.hex(),
        "salt": tree.salt.hex() or "-",
        "data_blocks": tree.data_blocks,
        "data_block_size": tree.data_block_size,
        "hash_blocks": len(tree.image) // tree.hash_block_size,
        "hash_block_size": tree.hash_block_size,
        "hash_start": 0,
    }


def make_job(verity):
    """What the board gets: files for /job/files, and disks to be found by their serial."""
    disks = [{"file": "data.img", "serial": "data", "readonly": False}]
    disks += [{"file": f"{tree['serial']}.img", "serial": tree["serial"], "readonly": True}
              for tree in verity.values()]
    return {"files": ["file.bin", "expected.json", "manifest.json", "verity.json"], "disks": disks}


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def prepare(source, out):
    content = choose(source)
    out.mkdir(parents=True, exist_ok=True)
    # job.json is written last: a DIR without it is unfinished.
    (out / "job.json").unlink(missing_ok=True)
    make_image(content, out / "data.img")
    make_file(content, out / "file.bin")
    write_json(out / "manifest.json", make_manifest(content))
    write_json(out / "expected.json", make_digests(out / "file.bin"))
    with open(out / "data.img", "rb") as data:
        verity = {algorithm: make_tree(data, out, algorithm) for algorithm in GEOMETRIES}
    write_json(out / "verity.json", verity)
    write_json(out / "job.json", make_job(verity))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path, metavar="DIR")
    parser.add_argument("--source", required=True, type=pathlib.Path, metavar="FOLDER",
                        help=f"at least {CONTENT_SIZE // MIB} MiB of ordinary files")
    arguments = parser.parse_args()
    try:
        prepare(arguments.source, arguments.out)
    except (PrepareError, hashtree.TreeError, OSError) as error:
        print(f"prepare: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
