# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""All tests of one board, as KTAP. Exit status 0: none failed."""

import sys

import check_afalg
import check_conflicts
import check_log
import check_module
import check_verity
import command
import ktap

# Not left to the kernel's requests: a test shall fail for what it tests, not for a missing module.
PRELOAD = ("af_alg", "algif_hash", "crypto_user", "dm-mod", "dm-verity", "ext4")


def main():
    for name in PRELOAD:
        # What a kernel has built in or lacks, the tests that need it find out and name.
        command.run("modprobe", name)
    tests = [
        *check_module.tests(),
        *check_afalg.tests(),
        *check_verity.tests(),
        *check_conflicts.tests(),
        *check_log.tests(),
    ]
    return 0 if ktap.run(tests) else 1


if __name__ == "__main__":
    sys.exit(main())
