# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Run the tools of the guest."""

import contextlib
import os
import subprocess
from typing import NamedTuple

from expect import Failure

# Where Debian's package list of the guest provides the tools that a step cannot do without.
PACKAGES = {
    "dmsetup": "dmsetup",
    "insmod": "kmod",
    "kcapi-dgst": "kcapi-tools",
    "modprobe": "kmod",
    "rmmod": "kmod",
    "veritysetup": "cryptsetup-bin",
}
TIME_LIMIT = 120
# The guest has no udev, so libdevmapper must make the nodes in /dev/mapper itself.
ENVIRONMENT = os.environ | {"DM_DISABLE_UDEV": "1"}


class Result(NamedTuple):
    """How a tool ended, and what it printed on both streams."""

    status: int
    output: str


def run(*argv):
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=TIME_LIMIT, check=False, env=ENVIRONMENT,
        )
    except FileNotFoundError:
        package = PACKAGES.get(argv[0], "busybox-static")
        raise Failure(f"{argv[0]} is missing; add Debian's {package} to the guest") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(argv)}: no end within {TIME_LIMIT} s") from None
    return Result(done.returncode, done.stdout.strip())


def must(*argv):
    """Run a tool that has to succeed; its output is returned."""
    result = run(*argv)
    if result.status:
        said = result.output or "nothing"
        raise Failure(f"{' '.join(argv)}: exit status {result.status}, it said: {said}")
    return result.output


@contextlib.contextmanager
def at_end(*argv):
    """Run a tool when the block ends; a failure of the block is the one to be reported."""
    try:
        yield
    except BaseException:
        run(*argv)
        raise
    must(*argv)
