# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The kernel's log after all other tests."""

import re

import fixture
from expect import expect
from kernellog import KernelLog

# The board runs with panic_on_warn and oops=panic, so most of these end it at once; a board started
# by hand may run without.
TROUBLE = re.compile(
    r"WARNING:|BUG:|Oops|Call trace:|self-tests for .* failed|kernel BUG at|Unable to handle"
    r"|blocked for more than|soft lockup"
)


def tests():
    yield "the log has no warning, bug, oops or failed self-test", clean


def clean():
    fixture.unloaded()
    with KernelLog(whole=True) as log:
        lines = [str(line) for line in log.read()]
    expect("the log holds the run", True, any("neon_shash" in line for line in lines))
    expect("lines of trouble", [], [line for line in lines if TROUBLE.search(line)])
