# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What a step says when the board does not do what it should."""


# Enough for two digests of 64 bytes; a list of all blocks of a disk says no more in full.
MAX_SHOWN = 256


class Failure(Exception):
    """The board is wrong: what was expected and what was seen."""


class Skip(Exception):
    """This kernel or guest cannot do the step; the message names what is missing."""


def expect(what, expected, seen):
    if expected != seen:
        raise Failure(f"{what}: expected {show(expected)}, saw {show(seen)}")


def show(value):
    text = value.hex() if isinstance(value, bytes) else repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}... ({len(text)} characters)"
