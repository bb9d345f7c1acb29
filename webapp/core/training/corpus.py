"""Read a corpus as blocks of text: plain text or JSON Lines, as it is or compressed, never much of it in memory."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import RawIOBase
from typing import IO, Any, BinaryIO, Literal, cast

import regex
import zstandard

from webapp.core.text.split_patterns import UNSPACED

Format = Literal["text", "jsonl"]
Compression = Literal["", "gzip", "zstd"]

CHUNK = 1 << 20  # bytes after decompression
MOST_AHEAD = 2 << 20  # stored bytes that may be read before they decompress to half as many
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
        return asdict(self)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> CorpusFile:
        """The file that `as_json` wrote."""
        return cls(**document)


@dataclass(frozen=True)
class Block:
    """A part of a file: its text, where it is, and how many stored bytes of the corpus are read so far.

    `file_number` counts the files of the corpus, `number` the blocks of the file, both from 0.
    """

    text: str
    file: CorpusFile
    file_number: int
    number: int
    bytes_read: int


def open_local(path: str) -> BinaryIO:
    """Open a file of this machine."""
    return open(path, "rb")


def blocks(files: Sequence[CorpusFile], opened: Opened = open_local, most_bytes: int | None = None) -> Iterator[Block]:
    """Yield the text of the files in order, in blocks of about a megabyte (of JSON Lines at most nine).

    The concatenation of the blocks of a file is its text, without a byte order mark; of JSON Lines, the texts with a
    line end after each. Blocks depend on nothing but the file: block k begins in the k-th megabyte after decompression,
    at its first line end where every split pattern of the plans splits (see `first_boundary`), so that the counts of
    blocks add up to those of the text. Raises CorpusError; `most_bytes` limits the size of all files after
    decompression.
    """
    read_before = 0
    budget = _Budget(most_bytes)
    for file_number, file in enumerate(files):
        with _opened(file, opened) as stored:
            chunks = _chunks(file, stored, budget)
            for number, text in _BLOCKS[file.format](file, chunks, 0):
                yield Block(text, file, file_number, number, read_before + stored.bytes_read)
        read_before += stored.bytes_read


def check_size(files: Sequence[CorpusFile], most_bytes: int) -> None:
    """Raise CorpusError if files cannot be decompressed, or have more than `most_bytes` together then.

    200 MB take 0.3 s (zstd) to 1 s (gzip), and a few megabytes of memory.
    """
    budget = _Budget(most_bytes)
    for file in files:
        with _opened(file, open_local) as stored:
            for _ in _chunks(file, stored, budget) if file.compression else ():
                pass


def blocks_of_part(
    file: CorpusFile, first: int, last: int, *, file_number: int = 0, opened: Opened = open_local
) -> Iterator[Block]:
    """Yield the blocks of a file with the numbers from `first` up to but not including `last`, without reading others.

    They are those of `blocks`, so that several machines can read one file. The file must not be compressed, and the
    stream must have `seek`. In errors, `line` counts from the first line of the part.
    """
    if file.compression:
        raise ValueError("a part of a compressed file cannot be read without what is before it")
    with _opened(file, opened) as stored:
        stored.stream.seek(first * CHUNK)
        chunks = _chunks(file, stored, _Budget(None))
        for number, text in _BLOCKS[file.format](file, chunks, first):
            if number < last:
                yield Block(text, file, file_number, number, stored.bytes_read)
            if number >= last - 1:
                return


def first_boundary(text: str) -> int:
    """Return where the first line ends at a place where every split pattern of the plans splits, or 0.

    That is before a line end that follows a letter or a digit, or after one between a visible character and a letter or
    digit: a pattern may keep line ends together with punctuation before them, or with white space around them, and
    `MARKED_CLAUSES` a single one with the Chinese before it.

    >>> first_boundary("! \\nnot here. \\n\\nbut here\\n"), first_boundary("or here.\\n1")
    (23, 9)
    """
    return next(_boundaries(text), text.find("\n") + 1)


def _boundaries(text: str) -> Iterator[int]:
    for found in _BOUNDARY.finditer(text):
        at = found.start()
        if text[at] != "\n" or text[at + 1 : at + 2] == "\n" or not _UNSPACED.match(text, at - 1):
            yield at


_UNSPACED = regex.compile(f"[{UNSPACED}]")
_BOUNDARY = re.compile(r"(?<=[^\W_])\n|(?<=\S\n)(?=[^\W_])")


@contextmanager
def _opened(file: CorpusFile, opened: Opened) -> Iterator[_Counted]:
    try:
        stream = opened(file.path)
    except OSError:
        raise CorpusError("unreadable", file=file.name) from None
    with stream:
        yield _Counted(stream)


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
    """A stream that counts the bytes read from it, and those after decompression.

    Raises EOFError where more than half of what it reads decompresses to nothing: a gzip member takes 3 µs, and an
    empty one has 20 bytes.
    """

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self.stream = stream
        self.bytes_read = self.bytes_made = 0

    def read(self, size: int = -1) -> bytes:
        content = self.stream.read(size)
        self.bytes_read += len(content)
        if self.bytes_read > 2 * self.bytes_made + MOST_AHEAD:
            raise EOFError
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
            stored.bytes_made += len(part)
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


class _WithEnd(RawIOBase):
    """A stream with some bytes after its end."""

    def __init__(self, stored: _Counted, end: bytes) -> None:
        super().__init__()
        self._stored = stored
        self._end = end

    def read(self, size: int = -1) -> bytes:
        content = self._stored.read(size)
        if not content:
            content, self._end = self._end, b""
        return content

    def readable(self) -> bool:
        return True


def _zstd(stored: _Counted) -> Iterator[bytes]:
    """Yield the decompressed bytes of all frames.

    The library does not tell an input that ends within a frame from a complete one. So a frame of known content
    follows the input; if that is not the last to come out, it was taken for the rest of a frame.
    """
    source = _WithEnd(stored, zstandard.compress(_LAST))
    reader = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(
        cast(IO[bytes], source), read_across_frames=True, closefd=False
    )
    waiting = b""
    while part := reader.read(CHUNK):
        waiting += part
        yield waiting[: -len(_LAST)]
        waiting = waiting[-len(_LAST) :]
    if waiting != _LAST:
        raise EOFError


_LAST = b"the end of the input of zstandard"


def _blocks_of_text(file: CorpusFile, chunks: Iterator[bytes], first: int) -> Iterator[tuple[int, str]]:
    """Yield the blocks of a text with their numbers; `first` is the number of the first chunk."""
    waiting = ""
    number = first
    for number, (head, text) in enumerate(_decoded(file, chunks, first * CHUNK), first):
        end = first_boundary(text) if number else 0
        waiting += head + text[:end]
        if number > first:
            yield number - 1, waiting
        waiting = text[end:]
    if waiting:
        yield number, waiting


def _decoded(file: CorpusFile, chunks: Iterator[bytes], offset: int) -> Iterator[tuple[str, str]]:
    """Yield the text of each chunk in two parts: the character that began in the chunk before, if any, and the rest.

    The part does not begin with that character, nor the file with a byte order mark.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    for index, (chunk, final) in enumerate(_with_last(chunks)):
        begin = start_of_character(chunk)
        before_part = offset and not index
        head = "" if before_part else _decode(file, decoder, chunk[:begin], False, offset)
        text = _decode(file, decoder, chunk[begin:], final, offset + begin)
        yield head, text if offset else text.removeprefix("\ufeff")
        offset += len(chunk)


def start_of_character(content: bytes) -> int:
    """Return where the first character begins that begins in these bytes: after at most three of another one."""
    return next((at for at, byte in enumerate(content[:3]) if byte & 0xC0 != 0x80), len(content[:3]))


def _decode(file: CorpusFile, decoder: codecs.IncrementalDecoder, content: bytes, final: bool, offset: int) -> str:
    waiting = len(decoder.getstate()[0])
    try:
        return decoder.decode(content, final)
    except UnicodeDecodeError as error:
        raise CorpusError("not_utf8", file=file.name, offset=offset - waiting + error.start) from None


def _with_last(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    before: bytes | None = None
    for chunk in chunks:
        if before is not None:
            yield before, False
        before = chunk
    if before is not None:
        yield before, True


def _blocks_of_json(file: CorpusFile, chunks: Iterator[bytes], first: int) -> Iterator[tuple[int, str]]:
    """Yield the texts of lines: block k begins after the first line end of chunk k; within a long line, none begins."""
    waiting = bytearray()
    current = offset = lines = 0  # the number of the block, where it begins, and the lines before it
    begun = not first
    for number, chunk in enumerate(chunks, first):
        end = chunk.find(b"\n") + 1 if number else 0
        if not end:
            if begun:
                waiting += chunk
            if len(waiting) > LONGEST_LINE:
                raise CorpusError(
                    "long_line", file=file.name, line=lines + waiting.count(b"\n") + 1, limit=LONGEST_LINE
                )
            continue
        if begun:
            waiting += chunk[:end]
            yield current, texts_of_lines(file, bytes(waiting), offset, lines)
            lines += waiting.count(b"\n")
        waiting[:] = chunk[end:]
        current, offset, begun = number, number * CHUNK + end, True
    if waiting:
        yield current, texts_of_lines(file, bytes(waiting), offset, lines)


def texts_of_lines(file: CorpusFile, content: bytes, offset: int, lines: int) -> str:
    """Return the texts of lines of JSON, which begin at an offset of the file and after so many lines."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise CorpusError("not_utf8", file=file.name, offset=offset + error.start) from None
    if not offset:
        text = text.removeprefix("\ufeff")
    return "".join(_text_of_line(file, line, number) for number, line in enumerate(text.split("\n"), lines + 1))


def _text_of_line(file: CorpusFile, line: str, number: int) -> str:
    if not line or line.isspace():
        return ""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        raise CorpusError("bad_json", file=file.name, line=number) from None
    text = document.get(file.field) if isinstance(document, dict) else None
    if not isinstance(text, str):
        raise CorpusError("no_field", file=file.name, line=number, field=file.field)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # JSON can express a lone surrogate, which is no character
    return text if text.endswith("\n") else text + "\n"


_BLOCKS = {"text": _blocks_of_text, "jsonl": _blocks_of_json}
