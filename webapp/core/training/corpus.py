"""Read a corpus as blocks of text: plain text or JSON Lines, as it is or compressed, never much of it in memory."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import RawIOBase
from typing import IO, Any, BinaryIO, Literal, cast

import zstandard

Format = Literal["text", "jsonl"]
Compression = Literal["", "gzip", "zstd"]

CHUNK = 1 << 20  # bytes after decompression
LONGEST_LINE = 8 << 20  # bytes of a line of JSON
LARGEST_WINDOW = 1 << 27  # bytes of memory for zstd, enough for every level without --long

Opened = Callable[[str], BinaryIO]
"""Opens a path for reading bytes."""


class CorpusError(ValueError):
    """A corpus that cannot be read.

    `code` is one of: `empty`; `not_utf8` (file, offset: the byte after decompression); `bad_json` (file, line);
    `no_field` (file, line, field); `long_line` (file, line, limit); `damaged` (file: a compressed file that ends early
    or is none); `too_large` (limit: bytes after decompression); `unreadable` (file).
    """

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(f"{code}: {details}" if details else code)
        self.code = code
        self.details = details


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus: its path, and its name as its owner knows it; `field` is where JSON Lines have the text."""

    path: str
    name: str
    format: Format = "text"
    field: str = "text"
    compression: Compression = ""

    def as_json(self) -> dict[str, str]:
        """The file as JSON, for a table."""
        return {
            "path": self.path,
            "name": self.name,
            "format": self.format,
            "field": self.field,
            "compression": self.compression,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> CorpusFile:
        """The file that `as_json` wrote."""
        return cls(**document)


@dataclass(frozen=True)
class Block:
    """A part of a corpus: its text, the file it is from, and how many stored bytes of the corpus are read so far."""

    text: str
    file: CorpusFile
    bytes_read: int


def open_local(path: str) -> BinaryIO:
    """Open a file of this machine."""
    return open(path, "rb")


def blocks(files: Sequence[CorpusFile], opened: Opened = open_local, most_bytes: int | None = None) -> Iterator[Block]:
    """Yield the text of the files in order, in blocks of about a megabyte (at most two).

    The concatenation of the blocks of a file is its text, without a byte order mark; of JSON Lines, the texts with a
    line end after each. A block ends before a line end that follows a letter or a digit: there all split patterns of
    the plans split, so that the counts of the blocks add up to those of the text. Where there is none, it ends after a
    line end or anywhere. Raises CorpusError; `most_bytes` limits the size after decompression.
    """
    read_before = 0
    budget = _Budget(most_bytes)
    for file in files:
        try:
            stored = _Counted(opened(file.path))
        except OSError:
            raise CorpusError("unreadable", file=file.name) from None
        with stored.stream:
            texts = _lines_of_json(file, stored, budget) if file.format == "jsonl" else _text(file, stored, budget)
            for text in _cut(texts):
                yield Block(text, file, read_before + stored.bytes_read)
        read_before += stored.bytes_read


class _Budget:
    """What may still be read after decompression."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.taken = 0

    def take(self, number: int) -> None:
        self.taken += number
        if self.most is not None and self.taken > self.most:
            raise CorpusError("too_large", limit=self.most)


class _Counted(RawIOBase):
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self.stream = stream
        self.bytes_read = 0

    def read(self, size: int = -1) -> bytes:
        content = self.stream.read(size)
        self.bytes_read += len(content)
        return content

    def readinto(self, buffer: Any) -> int:
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def readable(self) -> bool:
        return True


def _chunks(file: CorpusFile, stored: _Counted, budget: _Budget) -> Iterator[bytes]:
    """Yield the decompressed bytes in chunks of exactly CHUNK bytes, but for the last one."""
    parts = _decompressed(file, stored)
    waiting = bytearray()
    try:
        for part in parts:
            budget.take(len(part))
            waiting += part
            while len(waiting) >= CHUNK:
                yield bytes(waiting[:CHUNK])
                del waiting[:CHUNK]
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError):
        raise CorpusError("damaged", file=file.name) from None
    except OSError:
        raise CorpusError("unreadable", file=file.name) from None
    if waiting:
        yield bytes(waiting)


def _decompressed(file: CorpusFile, stored: _Counted) -> Iterator[bytes]:
    if file.compression == "gzip":
        with gzip.GzipFile(fileobj=cast(IO[bytes], stored), mode="rb") as members:
            while part := members.read(CHUNK):
                yield part
    elif file.compression == "zstd":
        yield from _zstd(stored)
    else:
        while part := stored.read(CHUNK):
            yield part


def _zstd(stored: _Counted) -> Iterator[bytes]:
    reader = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(
        cast(IO[bytes], stored), read_across_frames=True, closefd=False
    )
    while part := reader.read(CHUNK):
        yield part


def _decoded(file: CorpusFile, chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield the chunks as text, without a byte order mark."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, first = 0, True
    for chunk, final in _with_last(chunks):
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise CorpusError("not_utf8", file=file.name, offset=offset - waiting + error.start) from None
        offset += len(chunk)
        if first:
            text = text.removeprefix("\ufeff")
            first = False
        yield text


def _with_last(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    before: bytes | None = None
    for chunk in chunks:
        if before is not None:
            yield before, False
        before = chunk
    if before is not None:
        yield before, True


def _text(file: CorpusFile, stored: _Counted, budget: _Budget) -> Iterator[str]:
    return _decoded(file, _chunks(file, stored, budget))


def _lines_of_json(file: CorpusFile, stored: _Counted, budget: _Budget) -> Iterator[str]:
    waiting = ""
    number = 0
    for text in _decoded(file, _chunks(file, stored, budget)):
        *lines, waiting = (waiting + text).split("\n")
        texts = []
        for line in lines:
            number += 1
            texts.append(_field_of(file, line, number))
        if len(waiting) > LONGEST_LINE:
            raise CorpusError("long_line", file=file.name, line=number + 1, limit=LONGEST_LINE)
        yield "".join(texts)
    if waiting:
        yield _field_of(file, waiting, number + 1)


def _field_of(file: CorpusFile, line: str, number: int) -> str:
    if not line.strip():
        return ""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        raise CorpusError("bad_json", file=file.name, line=number) from None
    text = document.get(file.field) if isinstance(document, dict) else None
    if not isinstance(text, str):
        raise CorpusError("no_field", file=file.name, line=number, field=file.field)
    # A lone surrogate, which JSON can express, is no character.
    text = text.encode("utf-8", "replace").decode() if not text.isascii() else text
    return text if text.endswith("\n") else text + "\n"


def _cut(texts: Iterator[str]) -> Iterator[str]:
    """Yield blocks of about CHUNK characters that end where a pre-token ends."""
    waiting = ""
    for text in texts:
        waiting += text
        while len(waiting) >= CHUNK // 2:
            end = boundary(waiting, CHUNK)
            yield waiting[:end]
            waiting = waiting[end:]
            if len(waiting) < CHUNK:
                break
    if waiting:
        yield waiting


def boundary(text: str, most: int) -> int:
    """Return where to end a block of at most `most` characters: before the last line end that follows a word.

    >>> boundary("one word\\nor two.\\nor three", 100)
    8
    >>> boundary("no line end", 5)
    5
    """
    at = most = min(most, len(text))
    while (at := text.rfind("\n", 1, at)) > 0:
        if text[at - 1].isalnum():
            return at
    at = text.rfind("\n", 0, most) + 1
    return at or most
