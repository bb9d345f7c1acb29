"""Decoders: pieces of a vocabulary become text again."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass
from typing import Protocol


class Decoder(Protocol):
    """Joins pieces to a text."""

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The text that the pieces spell. Special tokens come among them as `str`."""


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


@dataclass(frozen=True)
class ByteLevel:
    """Bytes, read as UTF-8; whatever is no UTF-8 becomes U+FFFD.

    >>> ByteLevel().decode([b"na", b"\\xc3", b"\\xaf", b"ve", b"\\xc3"])
    'naïve\ufffd'
    """

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The joined bytes as text."""
        joined = b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)
        return joined.decode("utf-8", errors="replace")


@dataclass(frozen=True)
class BPEDecoder:
    """Words that end in a suffix: it becomes a space, at the end of the text nothing.

    >>> BPEDecoder().decode(["low", "er</w>", "low</w>"])
    'lower low'
    """

    suffix: str = "</w>"

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The words with a space between them."""
        if not pieces:
            return ""
        *before, last = map(_text, pieces)
        spaced = [piece.replace(self.suffix, " ") for piece in before]
        return "".join(spaced) + last.replace(self.suffix, "")


@dataclass(frozen=True)
class WordPiece:
    """A space before every piece that does not carry the prefix of a continuing one.

    With `cleanup` the spaces that English does without are taken out again, as in `tokenizers`.

    >>> WordPiece().decode(["un", "##aff", "##able", ",", "Mr", ".", "X"])
    'unaffable, Mr. X'
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The words with spaces between them."""
        return "".join(self._with_space(_text(piece), at) for at, piece in enumerate(pieces))

    def _with_space(self, piece: str, at: int) -> str:
        if at:
            piece = piece.removeprefix(self.prefix) if piece.startswith(self.prefix) else " " + piece
        if self.cleanup:
            for spaced, tight in _CLEANUP:
                piece = piece.replace(spaced, tight)
        return piece


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
class Metaspace:
    """`▁` becomes a space; with `prepend` the ones of the first piece, which the encoder put there, go.

    >>> Metaspace().decode(["▁Hello", ",", "▁wor", "ld"])
    'Hello, world'
    """

    replacement: str = "▁"
    prepend: bool = True

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The pieces joined, with spaces again."""
        if not pieces:
            return ""
        first, *rest = map(_text, pieces)
        first = first.replace(self.replacement, "" if self.prepend else " ")
        return first + "".join(rest).replace(self.replacement, " ")


class Step(Protocol):
    """A decoder that gives pieces to the next one."""

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces as the next decoder gets them."""


@dataclass(frozen=True)
class Replace:
    """In every piece, each `pattern` (plain text) becomes `content`."""

    pattern: str
    content: str

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, replaced."""
        return [piece.replace(self.pattern, self.content) for piece in pieces]


@dataclass(frozen=True)
class Fuse:
    """All pieces become one."""

    def change(self, pieces: list[str]) -> list[str]:
        """The one piece."""
        return ["".join(pieces)]


@dataclass(frozen=True)
class Strip:
    """Up to `start` times `content` goes from the beginning of every piece, up to `stop` times from its end."""

    content: str
    start: int = 0
    stop: int = 0

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, stripped."""
        return [self._stripped(piece) for piece in pieces]

    def _stripped(self, piece: str) -> str:
        for _ in range(self.start):
            piece = piece.removeprefix(self.content)
        for _ in range(self.stop):
            piece = piece.removesuffix(self.content)
        return piece


@dataclass(frozen=True)
class Sequence:
    """Several steps, one after the other; what the last one leaves is joined.

    >>> Sequence((Replace("▁", " "), Fuse(), Strip(" ", 1))).decode(["▁▁Hello", ",", "▁wor", "ld"])
    ' Hello, world'
    """

    steps: tuple[Step, ...]

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The text."""
        texts = [_text(piece) for piece in pieces]
        for step in self.steps:
            texts = step.change(texts)
        return "".join(texts)


def _text(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else piece.decode("utf-8", errors="replace")
