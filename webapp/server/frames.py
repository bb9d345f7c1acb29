"""The protocol between the front and a worker: frames, each a length followed by that many bytes.

A request is two frames: its WSGI environment as JSON, and its body, which is empty if the environment names a file
with the body. A response begins with one frame with the number of the thread that handles the request, as JSON, and an
empty one if the request is about to store something (`STORES`). It continues with one frame with status and headers as
JSON, one for each part of the body, an empty one, and one with the worker's report as JSON
(`webapp/observing/report.py`). Before its first request, a worker sends one frame with its settings as JSON.
"""

from __future__ import annotations

import struct

_LENGTH = struct.Struct("!I")
LENGTH_BYTES = _LENGTH.size
LONGEST = 1 << 20  # bytes in one frame of a body


def frame(payload: bytes) -> bytes:
    r"""`payload` as a frame: its length as four bytes, big-endian, and its content.

    >>> frame(b"ok")
    b'\x00\x00\x00\x02ok'
    """
    return _LENGTH.pack(len(payload)) + payload


def payload_length(prefix: bytes) -> int:
    r"""The length of the payload, from the first four bytes of a frame.

    >>> payload_length(b"\0\0\0\2")
    2
    """
    (length,) = _LENGTH.unpack(prefix)
    return int(length)
