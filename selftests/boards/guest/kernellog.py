# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The kernel's log from a moment on, read from /dev/kmsg."""

import os
from typing import NamedTuple

RECORD_SIZE = 8192  # the kernel refuses to cut a record


class Line(NamedTuple):
    """One message, printed as dmesg does."""

    seconds: float
    text: str

    def __str__(self):
        return f"[{self.seconds:12.6f}] {self.text}"


class KernelLog:
    """Messages from now on, or with `whole` all that the kernel still holds."""

    def __init__(self, whole=False):
        self.fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        if not whole:
            os.lseek(self.fd, 0, os.SEEK_END)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def read(self, part=""):
        """The messages that came since the last call and contain `part`."""
        lines = []
        while record := self.record():
            # "priority,sequence,microseconds,flags;text", then lines of device properties.
            header, _, rest = record.decode(errors="replace").partition(";")
            line = Line(int(header.split(",")[2]) / 1e6, rest.split("\n")[0])
            if part in line.text:
                lines.append(line)
        return lines

    def record(self):
        while True:
            try:
                return os.read(self.fd, RECORD_SIZE)
            except BlockingIOError:
                return b""
            except BrokenPipeError:
                # The next record was overwritten; the file now stands at the oldest one left.
                continue
