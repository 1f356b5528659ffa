# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Hash through the kernel by AF_ALG, with Python's own socket module."""

import errno
import socket

import module
from expect import Failure, Skip

SEND_SIZE = 64 * 1024
MAX_DIGEST_SIZE = 64


class NoSuchHash(Failure):
    """The kernel has nothing of that name."""


class Transform:
    """A bound AF_ALG socket: one tfm in the kernel, by generic or driver name."""

    def __init__(self, name):
        self.socket = open_socket()
        try:
            self.socket.bind(("hash", name))
        except OSError as error:
            self.socket.close()
            if error.errno != errno.ENOENT:
                raise Failure(f"AF_ALG bind to {name}: {error}") from None
            if not has_hashes():
                raise Skip("no AF_ALG hashes in this kernel:"
                           " CONFIG_CRYPTO_USER_API_HASH") from None
            raise NoSuchHash(f"AF_ALG bind to {name}: expected success, saw ENOENT") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def set_key(self, key):
        self.socket.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, key)

    def request(self):
        """An operation socket: one message at a time."""
        return self.socket.accept()[0]

    def digest(self, data, chunks=None, close_last=True):
        with self.request() as request:
            return hash_on(request, data, chunks, close_last)


def open_socket():
    try:
        return socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0)
    except OSError as error:
        raise Skip(f"no AF_ALG in this kernel ({error.strerror}):"
                   " CONFIG_CRYPTO_USER_API_HASH") from None


def has_hashes():
    """Whether AF_ALG offers any hash of another module; ENOENT alone does not tell."""
    others = [row["driver"] for row in module.crypto_records()
              if row["type"] in ("shash", "ahash") and row["module"] != module.NAME]
    return any(binds(driver) for driver in others)


def binds(name):
    with open_socket() as probe:
        try:
            probe.bind(("hash", name))
        except OSError:
            return False
        return True


def hash_on(request, data, chunks=None, close_last=True):
    """Send `data` in pieces of the sizes `chunks` and receive the digest.

    Without `chunks` the pieces have SEND_SIZE bytes. `close_last` sends the last piece without
    MSG_MORE (finup in the driver); otherwise the receiving call ends the message (final).
    """
    pieces = list(split(memoryview(data), chunks))
    for index, piece in enumerate(pieces):
        last = close_last and index == len(pieces) - 1
        send(request, piece, more=not last)
    return request.recv(MAX_DIGEST_SIZE)


def split(view, chunks):
    """Slices of the sizes `chunks`; what they leave follows in pieces of SEND_SIZE."""
    position = 0
    for size in chunks or ():
        yield view[position : position + size]
        position += size
    for first in range(position, len(view), SEND_SIZE):
        yield view[first : first + SEND_SIZE]


def send(request, piece, more):
    sent = request.send(piece, socket.MSG_MORE if more else 0)
    if sent != len(piece):
        raise Failure(f"AF_ALG send of {len(piece)} bytes: the kernel took {sent}")


def digest(name, data, key=None, chunks=None):
    """The digest of one message by the kernel's driver or generic name."""
    with Transform(name) as transform:
        if key is not None:
            transform.set_key(key)
        return transform.digest(data, chunks)
