# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Load and unload neon_shash, and read what the kernel shows of it."""

import ctypes
import errno
import os
import pathlib
import time
from typing import NamedTuple

import command
from algorithms import ALGORITHMS
from expect import Failure, expect
from kernellog import KernelLog

NAME = "neon_shash"
PATH = pathlib.Path("/job/neon_shash.ko")
SYSFS = pathlib.Path("/sys/module")
SELF_TEST_LIMIT = 30  # seconds
UNLOAD_LIMIT = 5  # seconds
NR_DELETE_MODULE = 129  # arch/arm/tools/syscall.tbl


class Loading(NamedTuple):
    """What an attempt to load came to."""

    status: int
    output: str
    log: list  # the module's own lines


def load(**parameters):
    """insmod with the given parameters; quotes keep a value with a space in one piece."""
    words = [f'{name}="{value}"' if " " in str(value) else f"{name}={value}"
             for name, value in parameters.items()]
    with KernelLog() as log:
        result = command.run("insmod", str(PATH), *words)
        return Loading(result.status, result.output, log.read(f"{NAME}:"))


def load_and_wait(**parameters):
    """Load, and wait until the kernel's own self-test has passed all eight."""
    loading = load(**parameters)
    if loading.status:
        said = "; ".join([loading.output, *map(str, loading.log)])
        raise Failure(f"insmod {PATH.name}: exit status {loading.status}, it said: {said}")
    wait_until_passed([row["driver"] for row in rows()])
    return loading


def wait_until_passed(drivers, owner=NAME):
    """From 6.12 on the self-test runs beside the loading program."""
    deadline = time.monotonic() + SELF_TEST_LIMIT
    while True:
        states = {driver: row_of(driver, owner).get("selftest", "absent") for driver in drivers}
        waiting = {driver: state for driver, state in states.items() if state != "passed"}
        if not waiting:
            return
        if time.monotonic() > deadline:
            raise Failure(f"self-test: expected passed within {SELF_TEST_LIMIT} s, saw {waiting}")
        time.sleep(0.05)


def unload():
    """rmmod; a self-test that has just passed may hold the module for a moment longer."""
    deadline = time.monotonic() + UNLOAD_LIMIT
    while True:
        result = command.run("rmmod", NAME)
        if result.status == 0:
            expect("rows in /proc/crypto after rmmod", [], rows())
            return
        if time.monotonic() > deadline:
            raise Failure(f"rmmod {NAME}: exit status {result.status}, it said: {result.output}")
        time.sleep(0.05)


def expect_unload_refused():
    """rmmod must refuse, and the kernel too: kmod's rmmod looks at the use count and never asks."""
    result = command.run("rmmod", NAME)
    if result.status == 0:
        raise Failure("rmmod while in use: expected a refusal, saw exit status 0")
    libc = ctypes.CDLL(None, use_errno=True)
    status = libc.syscall(NR_DELETE_MODULE, NAME.encode(), os.O_NONBLOCK)
    error = errno.errorcode.get(ctypes.get_errno())
    # The kernel says EAGAIN to O_NONBLOCK when the module is busy.
    expect("delete_module() while in use", (-1, "EAGAIN"), (status, error))
    return result.output


def is_loaded(name=NAME):
    return (SYSFS / name).is_dir()


def parameter(name):
    return (SYSFS / NAME / "parameters" / name).read_text(encoding="ascii").strip()


def taint():
    """The taint letters of the module, as sysfs shows them."""
    return (SYSFS / NAME / "taint").read_text(encoding="ascii").strip()


def crypto_records():
    """/proc/crypto as a list of dictionaries."""
    text = pathlib.Path("/proc/crypto").read_text(encoding="ascii")
    return [dict(map(str.strip, line.split(":", 1)) for line in record.splitlines())
            for record in text.split("\n\n") if record.strip()]


def rows(owner=NAME):
    """The rows of a module in the order of the table."""
    order = [algorithm.name for algorithm in ALGORITHMS]
    found = [row for row in crypto_records() if row["module"] == owner and row["name"] in order]
    return sorted(found, key=lambda row: order.index(row["name"]))


def row_of(driver, owner=NAME):
    """The row of a module's driver; {} when there is none. 6.1 lets two modules use one name."""
    return next((row for row in rows(owner) if row["driver"] == driver), {})


def expect_use(driver, text):
    """The kernel counts users from 1, and one transform twice where it wraps a shash."""
    expect(f"{driver} in use {text}", True, int(row_of(driver).get("refcnt", 1)) > 1)


def expect_no_use(driver):
    expect(f"references to {driver}", "1", row_of(driver).get("refcnt"))
