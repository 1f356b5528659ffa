# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The addresses of all instructions that a program executes under qemu-arm.

Single steps would take minutes. Instead QEMU reports each block of code once, when it translates
it, with the addresses of its instructions, and then each execution of a block.
"""
import os
import re
import subprocess
import tempfile

ADDRESS = re.compile(r"0x([0-9a-f]{8}):  ")
EXECUTED = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")


def addresses(command, emulator="qemu-arm"):
    """Runs `command` and returns the addresses in the order of execution."""
    return traced(command, emulator)[0]


def traced(command, emulator="qemu-arm"):
    """As `addresses`, with the program's output beside them."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        # nochain: without it QEMU goes from block to block and reports only the first.
        run = subprocess.run([emulator, "-d", "in_asm,exec,nochain", "-D", log, *command],
                             stdout=subprocess.PIPE, text=True, check=True)
        with open(log) as lines:
            return expand(lines), run.stdout


def expand(lines):
    """The addresses in the lines of QEMU's log."""
    blocks = {}  # its instructions by the address of the first
    order = []
    block = []
    for line in lines:
        if line.startswith("0x"):
            block.append(int(ADDRESS.match(line)[1], 16))
        elif line.startswith("Trace"):
            order.append(int(EXECUTED.match(line)[1], 16))
        elif line.startswith("IN:"):
            block = []
        elif line.startswith("Stopped"):
            order.pop()  # the block was left before its first instruction
        elif not line.strip() and block:
            blocks[block[0]] = block
    missing = set(order) - set(blocks)
    if missing:
        raise ValueError("qemu-arm does not list the code that it translates; Debian's does")
    return [address for first in order for address in blocks[first]]
