# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""No core is measured before its digests agree with Python's hashlib."""
import hashlib
import subprocess

# As main.c makes it.
MESSAGE = bytes((i * i + 7 * i) >> 3 & 0xFF for i in range(8192))

HASHES = {"blake2b": hashlib.blake2b, "sha3-256": hashlib.sha3_256, "sha3-512": hashlib.sha3_512}


class Wrong(Exception):
    """A core computes something else."""


def check(program):
    run = subprocess.run([*program, "digests"], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise Wrong(f"{' '.join(program)} digests ended with status {run.returncode}")
    compare(run.stdout)


def compare(output):
    lines = output.splitlines()
    if not lines:
        raise Wrong("the program printed no digest")
    for line in lines:
        hash, core, length, digest = line.split("\t")
        if HASHES[hash](MESSAGE[:int(length)]).hexdigest() != digest:
            raise Wrong(f"{core} computes a wrong {hash} of {length} bytes; nothing was measured")
