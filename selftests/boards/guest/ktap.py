# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Run tests and report them as KTAP, the kernel's test protocol."""

import time
import traceback

from expect import Failure, Skip


def run(tests):
    """Run [(name, function)] in order; returns whether none failed."""
    print("KTAP version 1")
    print(f"1..{len(tests)}", flush=True)
    # A list: all() would stop at the first failure.
    return all([run_one(number, *test) for number, test in enumerate(tests, 1)])


def run_one(number, name, function):
    started = time.monotonic()
    try:
        function()
    except Skip as skip:
        print(f"ok {number} - {name} # SKIP {skip}", flush=True)
        return True
    except Failure as failure:
        return fail(number, name, str(failure))
    except Exception:  # a fault in one test must not hide the results of the others
        return fail(number, name, traceback.format_exc())
    print(f"# {time.monotonic() - started:.1f} s")
    print(f"ok {number} - {name}", flush=True)
    return True


def fail(number, name, reason):
    for line in reason.splitlines():
        print(f"# {line}")
    print(f"not ok {number} - {name}", flush=True)
    return False
