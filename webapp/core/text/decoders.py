"""Decoders: pieces of a vocabulary become text again."""

from __future__ import annotations

import re
from collections import abc
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Protocol

from webapp.core.text.byte_characters import spelt, unspelt
from webapp.core.text.normalizers import check_length
from webapp.core.text.split_patterns import SplitPattern


class Decoder(Protocol):
    """Joins pieces to a text."""

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The text that the pieces spell. Special tokens come among them as `str`."""


class DecoderStep(Protocol):
    """A decoder that gives pieces to the next one."""

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces as the next decoder gets them."""


@dataclass(frozen=True)
class Join:
    """The pieces one after the other, with nothing or a separator in between.

    >>> Join().decode(["研究", "生命"])
    '研究生命'
    """

    separator: str = ""

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The joined pieces."""
        return self.separator.join(map(_text, pieces))

    def change(self, pieces: list[str]) -> list[str]:
        """The one piece that they are together."""
        return [self.separator.join(pieces)]


@dataclass(frozen=True)
class ByteLevelDecoder:
    """Bytes, read as UTF-8; whatever is no UTF-8 becomes U+FFFD.

    >>> ByteLevelDecoder().decode([b"na", b"\\xc3", b"\\xaf", b"ve", b"\\xc3"])
    'naïve\ufffd'

    With `spelt`, a piece of text too stands for bytes if all its characters do: so do added tokens in `tokenizers`.
    """

    spelt: bool = False

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The joined bytes as text."""
        joined = b"".join(piece if isinstance(piece, bytes) else self._bytes(piece) for piece in pieces)
        return joined.decode("utf-8", errors="replace")

    def change(self, pieces: list[str]) -> list[str]:
        """The one piece that they are together."""
        return [self.decode(pieces)]

    def _bytes(self, piece: str) -> bytes:
        if not self.spelt:
            return piece.encode()
        try:
            return unspelt(piece)
        except ValueError:
            return piece.encode()


@dataclass(frozen=True)
class BPEDecoder:
    """Words that end in a suffix: it becomes a space, at the end of the text nothing.

    >>> BPEDecoder().decode(["low", "er</w>", "low</w>"])
    'lower low'
    """

    suffix: str = "</w>"

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The words with a space between them."""
        return "".join(self.change(list(map(_text, pieces))))

    def change(self, pieces: list[str]) -> list[str]:
        """The words, spaces behind them."""
        last = len(pieces) - 1
        return [piece.replace(self.suffix, "" if at == last else " ") for at, piece in enumerate(pieces)]


@dataclass(frozen=True)
class WordPieceDecoder:
    """A space before every piece that does not carry the prefix of a continuing one.

    With `cleanup` the spaces that English does without are taken out again, as in `tokenizers`.

    >>> WordPieceDecoder().decode(["un", "##aff", "##able", ",", "Mr", ".", "X"])
    'unaffable, Mr. X'
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The words with spaces between them."""
        return "".join(self.change(list(map(_text, pieces))))

    def change(self, pieces: list[str]) -> list[str]:
        """The words, spaces in front of them."""
        return [self._with_space(piece, at) for at, piece in enumerate(pieces)]

    def _with_space(self, piece: str, at: int) -> str:
        if at:
            piece = piece.removeprefix(self.prefix) if piece.startswith(self.prefix) else " " + piece
        return _cleaned(piece) if self.cleanup else piece


_CLEANUP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


@dataclass(frozen=True)
class MetaspaceDecoder:
    """`▁` becomes a space; with `prepend` the ones of the first piece, which the encoder put there, go.

    >>> MetaspaceDecoder().decode(["▁Hello", ",", "▁wor", "ld"])
    'Hello, world'
    """

    replacement: str = "▁"
    prepend: bool = True

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The pieces joined, with spaces again."""
        return "".join(self.change(list(map(_text, pieces))))

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, with spaces again."""
        return [
            piece.replace(self.replacement, "" if self.prepend and at == 0 else " ") for at, piece in enumerate(pieces)
        ]


@dataclass(frozen=True)
class ReplaceDecoder:
    """In every piece, each `pattern` becomes `content`: plain text, or with `regular` a pattern of `regex`.

    A pattern that comes to no end on a piece raises PatternTimeoutError, a text that grows too long GrowthError.
    """

    pattern: str
    content: str
    regular: bool = False

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, replaced."""
        if self.regular:
            return self._replaced(pieces)
        more = len(self.content) - len(self.pattern)
        if more > 0:
            check_length(sum(len(piece) + more * piece.count(self.pattern) for piece in pieces))
        return [piece.replace(self.pattern, self.content) for piece in pieces]

    def _replaced(self, pieces: list[str]) -> list[str]:
        length = sum(map(len, pieces))
        changed = []
        for piece in pieces:
            kept = []
            position = 0
            for start, end in self._pattern.spans(piece):
                kept.append(piece[position:start])
                position = end
            length += len(self.content) * len(kept)
            check_length(length)
            changed.append(self.content.join((*kept, piece[position:])))
        return changed

    @cached_property
    def _pattern(self) -> SplitPattern:
        return SplitPattern(self.pattern)


@dataclass(frozen=True)
class Fuse:
    """All pieces become one."""

    def change(self, pieces: list[str]) -> list[str]:
        """The one piece."""
        return ["".join(pieces)]


@dataclass(frozen=True)
class StripDecoder:
    """Up to `start` times `content` goes from the beginning of every piece, up to `stop` times from its end."""

    content: str
    start: int = 0
    stop: int = 0

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, stripped."""
        return [self._stripped(piece) for piece in pieces]

    def _stripped(self, piece: str) -> str:
        leading = len(piece) - len(piece.lstrip(self.content))
        piece = piece[min(leading, self.start) :]
        trailing = len(piece) - len(piece.rstrip(self.content))
        return piece[: len(piece) - min(trailing, self.stop)]


@dataclass(frozen=True)
class ByteFallback:
    """Pieces like `<0x61>` become the characters that the bytes make, or each U+FFFD if they make none.

    >>> ByteFallback().change(["a", "<0xC3>", "<0xA9>", "b", "<0xC3>", "<0xC3>"])
    ['a', 'é', 'b', '\ufffd', '\ufffd']
    """

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, runs of bytes become one."""
        changed: list[str] = []
        for are_bytes, run in groupby(pieces, lambda piece: _BYTE.fullmatch(piece) is not None):
            if not are_bytes:
                changed += run
                continue
            found = bytes(int(piece[3:5].lstrip("+"), 16) for piece in run)
            try:
                changed.append(found.decode())
            except UnicodeDecodeError:
                changed += ["\ufffd"] * len(found)
        return changed


@dataclass(frozen=True)
class CTC:
    """What a network for speech says: each piece as often as it is heard, with padding in between.

    >>> CTC().change("h h <pad> e l <pad> l o o | <pad>".split())
    ['h', 'e', 'l', 'l', 'o', ' ']
    """

    pad: str = "<pad>"
    word_delimiter: str = "|"
    cleanup: bool = True

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, each once."""
        changed = []
        for piece, _ in groupby(pieces):
            piece = piece.replace(self.pad, "")
            if self.cleanup:
                piece = _cleaned(piece).replace(self.word_delimiter, " ")
            if piece:
                changed.append(piece)
        return changed


@dataclass(frozen=True)
class DecoderSequence:
    """Several steps, one after the other; what the last one leaves is joined.

    >>> DecoderSequence((ReplaceDecoder("▁", " "), Fuse(), StripDecoder(" ", 1))).decode(["▁▁Hello", ",", "▁wor", "ld"])
    ' Hello, world'
    """

    steps: tuple[DecoderStep, ...]

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The text."""
        return "".join(self.change([piece if isinstance(piece, str) else spelt(piece) for piece in pieces]))

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces as the last one leaves them."""
        for step in self.steps:
            pieces = step.change(pieces)
        return pieces


def _cleaned(piece: str) -> str:
    for spaced, tight in _CLEANUP:
        piece = piece.replace(spaced, tight)
    return piece


# As Rust reads a number of two digits: a plus sign may be the first.
_BYTE = re.compile("<0x[0-9A-Fa-f+][0-9A-Fa-f]>")


def _text(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else piece.decode("utf-8", errors="replace")
