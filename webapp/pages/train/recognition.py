"""Tells by the name and the first bytes of a file what it is."""

from __future__ import annotations

import json
import zlib
from typing import IO, Literal

import zstandard

PEEKED = 1 << 16  # bytes
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# Files that people upload as text, by their first bytes.
OTHERS = {
    b"PK\x03\x04": "ZIP",
    b"%PDF": "PDF",
    b"PAR1": "Parquet",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\xd0\xcf\x11\xe0": "Word",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"SQLite f": "SQLite",
}

Format = Literal["text", "jsonl"]


class NoTextFileError(ValueError):
    """A file that is no text; `kind` is what it is, such as `PDF`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def format_of(name: str, stream: IO[bytes]) -> Format:
    r"""Whether a file is text or JSON Lines; the stream stays at its beginning.

    >>> from io import BytesIO
    >>> format_of("a.txt", BytesIO(b"low")), format_of("a.jsonl.gz", BytesIO(b""))
    ('text', 'jsonl')
    >>> format_of("a", BytesIO(b'{"a": 1}\n{'))
    'jsonl'

    Raises NoTextFileError for a file of a known kind that is neither.
    """
    start = stream.read(PEEKED)
    stream.seek(0)
    start = _decompressed(start)
    kind = next((kind for magic, kind in OTHERS.items() if start.startswith(magic)), None)
    if kind:
        raise NoTextFileError(kind)
    stem = name.lower().removesuffix(".gz").removesuffix(".zst").removesuffix(".zstd")
    if stem.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "jsonl" if _is_object(start.lstrip(b"\xef\xbb\xbf").partition(b"\n")[0]) else "text"


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _decompressed(start: bytes) -> bytes:
    """The decompressed beginning of a file; what cannot be decompressed is found when the corpus is read."""
    try:
        if start.startswith(GZIP):
            return zlib.decompressobj(31).decompress(start, PEEKED)
        if start.startswith(ZSTD):
            with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(start) as reader:
                return reader.read(PEEKED)
    except (zlib.error, zstandard.ZstdError):
        return b""
    return start
