#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Compares our cores with the rivals': a table on standard output, bench.json and bench.svg.

    bench.py target/bench/build/cores --out target/bench --emulator qemu-arm

`make bench` builds the program and calls this. With an emulator the figures come from the issue
model and from counting; without one this must be an ARM machine, and they are measured. Figures of
the whole path, taken in a kernel, are added from kernel.json in the output folder if it is there.
docs/bench.md has the method. Exit status 1: a digest is wrong, or a figure misses its mark.
"""
import argparse
import json
import os
import subprocess
import sys

import figures
import hardware
import model
import chart
import table
from digests import Wrong, check


def write(path, text):
    partial = path + ".partial"
    with open(partial, "w") as file:
        file.write(text)
    os.replace(partial, path)


def measured(a):
    """The entries that this machine can give."""
    runner = [a.emulator] if a.emulator else []
    check([*runner, a.program])
    if a.emulator:
        return model.entries(a.program, a.emulator, a.cross)
    return hardware.entries(a.program)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("program", help="the program `cores`")
    p.add_argument("--out", required=True, metavar="FOLDER", help="for bench.json and bench.svg")
    p.add_argument("--emulator", metavar="PROGRAM", help="what runs ARM programs here")
    p.add_argument("--cross", default="", metavar="PREFIX", help="prefix of objdump and nm")
    p.add_argument("--rivals", default="", metavar="TEXT", help="the rivals' versions")
    a = p.parse_args()
    try:
        entries = measured(a)
        entries += figures.read(os.path.join(a.out, "kernel.json"))
    except (Wrong, ValueError, hardware.Refused, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
    write(os.path.join(a.out, "bench.json"), json.dumps(entries, indent=1) + "\n")
    write(os.path.join(a.out, "bench.svg"), chart.svg(entries))
    print(table.text(entries, a.rivals))
    missed = figures.missed(entries)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
