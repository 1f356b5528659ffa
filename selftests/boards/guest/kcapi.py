# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Hash a file through the kernel by libkcapi's kcapi-dgst."""

import command
from expect import Failure, Skip


def digest(name, path):
    # libkcapi asks crypto_user for the sizes of an algorithm before it binds to it.
    if command.run("modprobe", "crypto_user").status:
        raise Skip("kcapi-dgst needs crypto_user: CONFIG_CRYPTO_USER")
    output = command.must("kcapi-dgst", "-c", name, "--hex", "-i", str(path))
    try:
        return bytes.fromhex(output)
    except ValueError:
        raise Failure(f"kcapi-dgst -c {name}: expected a digest in hex, saw {output!r}") from None
