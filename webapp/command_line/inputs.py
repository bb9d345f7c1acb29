"""Reads texts from files and standard input, which must be UTF-8; and the two kinds of errors of all commands."""

import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import BinaryIO

STANDARD_INPUT = "-"


class InputError(Exception):
    """An invalid input, with exit code 1; the message names the file and the error."""


class ArgumentError(Exception):
    """An argument that cannot be used, with exit code 2; the message says what to change."""


@dataclass(frozen=True, slots=True)
class InputText:
    """One text: a whole file, or with `line` (from 1) one line of it, without the line end."""

    file: str
    text: str
    line: int | None = None

    @property
    def place(self) -> str:
        """The file and the line for an error message: `notes.txt, line 3`."""
        return _shown(self.file) if self.line is None else f"{_shown(self.file)}, line {self.line}"


def read_texts(file: str, *, by_line: bool) -> Iterator[InputText]:
    """Yield the texts of a file (`-` is standard input): the whole file, or each line as soon as it is read.

    Lines end with LF or CR LF. Raises InputError if the file cannot be read, or at the first byte that is not valid
    UTF-8, after yielding the lines before it.
    """
    try:
        with _opened(file) as stream:
            if by_line:
                yield from _lines(file, stream)
            else:
                yield InputText(file, _decoded(file, stream.read(), 0))
    except OSError as error:
        raise InputError(f"{_shown(file)}: {error.strerror or error}") from None


def _opened(file: str) -> BinaryIO | nullcontext[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else open(file, "rb")


def _lines(file: str, stream: BinaryIO) -> Iterator[InputText]:
    offset = 0
    for number, content in enumerate(stream, start=1):
        text = _decoded(file, content, offset)
        offset += len(content)
        yield InputText(file, text.removesuffix("\n").removesuffix("\r"), number)


def _decoded(file: str, content: bytes, offset: int) -> str:
    """Decode `content`, which begins at byte `offset` of the file."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        place = f"{_shown(file)}: not valid UTF-8 at byte {offset + error.start}"
        other = "UTF-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "GB18030"
        raise InputError(f"{place}; convert it to UTF-8, for example from {other}: iconv -f {other} -t UTF-8") from None


def _shown(file: str) -> str:
    return "standard input" if file == STANDARD_INPUT else file
