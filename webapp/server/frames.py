"""How the front and a worker talk over their socket: frames of a length and as many bytes.

A request is two frames: its WSGI environment as JSON, and its body (empty where the environment names a file that has
it). An answer is a frame with status and headers as JSON, a frame for each part of the body, and an empty frame.
Before its first request a worker sends one frame with its settings as JSON.
"""

from __future__ import annotations

import struct

_LENGTH = struct.Struct("!I")
LENGTH_BYTES = _LENGTH.size
LONGEST = 1 << 20  # bytes in one frame of a body


def frame(payload: bytes) -> bytes:
    r"""`payload` with its length before it.

    >>> frame(b"ok")
    b'\x00\x00\x00\x02ok'
    """
    return _LENGTH.pack(len(payload)) + payload


def payload_length(prefix: bytes) -> int:
    r"""The length that the first bytes of a frame give.

    >>> payload_length(b"\0\0\0\2")
    2
    """
    (length,) = _LENGTH.unpack(prefix)
    return int(length)
