# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Block devices, read and written past the page cache."""

import contextlib
import errno
import mmap
import os
import pathlib

from expect import Failure

CHUNK_SIZE = 256 * 1024


def by_serial(serial):
    """The disk that the board was given under this serial: by virtio, or in memory."""
    in_memory = pathlib.Path("/run/disks") / serial
    if in_memory.exists():
        return str(in_memory.resolve())
    for path in pathlib.Path("/sys/block").glob("vd*/serial"):
        if path.read_text(encoding="ascii").strip() == serial:
            return f"/dev/{path.parent.name}"
    raise Failure(f"no disk has the serial {serial}; the board must be started with the disks"
                  " of job.json")


class Device:
    """An open block device with O_DIRECT: every read reaches the driver."""

    def __init__(self, path, writable=False):
        mode = os.O_RDWR | os.O_SYNC if writable else os.O_RDONLY
        self.fd = os.open(path, mode | os.O_DIRECT)
        # O_DIRECT wants aligned memory, and an anonymous mapping begins on a page.
        self.buffer = mmap.mmap(-1, CHUNK_SIZE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def read_into_buffer(self, offset, size):
        with memoryview(self.buffer) as view, view[:size] as part:
            return os.preadv(self.fd, [part], offset)

    def readable(self, offset, size):
        """Whether all of this range can be read; EIO, and nothing else, is a no."""
        try:
            return self.read_into_buffer(offset, size) == size
        except OSError as error:
            if error.errno == errno.EIO:
                return False
            raise

    def bad_blocks(self, block_size, blocks):
        """The numbers of the blocks in the range `blocks` that give EIO."""
        bad = []
        per_chunk = CHUNK_SIZE // block_size
        for first in range(blocks.start, blocks.stop, per_chunk):
            chunk = range(first, min(first + per_chunk, blocks.stop))
            # In large pieces first: only where one fails is it read again block by block.
            if not self.readable(chunk.start * block_size, len(chunk) * block_size):
                bad += [b for b in chunk if not self.readable(b * block_size, block_size)]
        return bad

    def write_byte(self, offset, change):
        """Replace the byte at `offset` by change(byte), within its page."""
        page = offset // mmap.PAGESIZE * mmap.PAGESIZE
        if self.read_into_buffer(page, mmap.PAGESIZE) != mmap.PAGESIZE:
            raise Failure(f"short read at byte {page} of a disk")
        self.buffer[offset - page] = change(self.buffer[offset - page])
        with memoryview(self.buffer) as view, view[: mmap.PAGESIZE] as part:
            os.pwritev(self.fd, [part], page)


@contextlib.contextmanager
def flipped_byte(path, offset):
    """The byte at `offset` of a disk with all its bits inverted; afterwards it is restored."""

    def flip(byte):
        return byte ^ 0xFF

    with Device(path, writable=True) as device:
        device.write_byte(offset, flip)
        try:
            yield
        finally:
            device.write_byte(offset, flip)
