"""Decoders, which turn pieces of a vocabulary back into text."""

import re
from collections import abc
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Protocol, cast

from webapp.core.text.growth import check_length
from webapp.core.text.pattern_matching import TimeBudget
from webapp.core.text.split_patterns import SplitPattern, limited
from webapp.core.text.utf8 import bytes_to_characters, characters_to_bytes, decoded, text_of


class Decoder(Protocol):
    """Turns pieces into text."""

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """Return the text of the pieces. Special tokens are passed as `str`."""


class DecoderStep(Protocol):
    """A decoder that passes pieces on to the next one."""

    def change(self, pieces: list[str]) -> list[str]:
        """Return the pieces for the next decoder."""


class _Changing(DecoderStep, Protocol):
    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The changed pieces as one text."""
        return "".join(self.change(list(map(text_of, pieces))))


@dataclass(frozen=True)
class Join(_Changing):
    """Concatenates the pieces, optionally with a separator.

    >>> Join().decode(["研究", "生命"])
    '研究生命'
    """

    separator: str = ""

    def change(self, pieces: list[str]) -> list[str]:
        """The joined pieces as a single piece."""
        return [self.separator.join(pieces)]


@dataclass(frozen=True)
class ByteLevelDecoder:
    """Decodes bytes as UTF-8; invalid bytes become U+FFFD.

    >>> ByteLevelDecoder().decode([b"na", b"\\xc3", b"\\xaf", b"ve", b"\\xc3"])
    'naïve\ufffd'

    With `byte_characters`, a `str` piece whose characters all belong to GPT-2's byte alphabet also represents bytes, as
    added tokens do in `tokenizers`.
    """

    byte_characters: bool = False

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """The joined bytes as text."""
        try:
            joined = b"".join(cast("abc.Sequence[bytes]", pieces))
        except TypeError:  # some pieces are strings
            joined = b"".join(piece if isinstance(piece, bytes) else self.bytes_of(piece) for piece in pieces)
        return joined.decode("utf-8", errors="replace")

    def change(self, pieces: list[str]) -> list[str]:
        """The joined pieces as a single piece."""
        return [self.decode(pieces)]

    def bytes_of(self, piece: str | bytes) -> bytes:
        """Return the bytes that a piece adds to the text."""
        if isinstance(piece, bytes):
            return piece
        if not self.byte_characters:
            return piece.encode()
        try:
            return characters_to_bytes(piece)
        except ValueError:
            return piece.encode()


@dataclass(frozen=True)
class BPEDecoder(_Changing):
    """Replaces the end-of-word suffix with a space, and removes it at the end of the text.

    >>> BPEDecoder().decode(["low", "er</w>", "low</w>"])
    'lower low'
    """

    suffix: str = "</w>"

    def change(self, pieces: list[str]) -> list[str]:
        """Return the pieces with a space after each word."""
        last = len(pieces) - 1
        return [piece.replace(self.suffix, "" if at == last else " ") for at, piece in enumerate(pieces)]


@dataclass(frozen=True)
class WordPieceDecoder(_Changing):
    """Puts a space before every piece without the prefix of continuing pieces.

    With `cleanup`, spaces before English punctuation and contractions are removed, as in `tokenizers`.

    >>> WordPieceDecoder().decode(["un", "##aff", "##able", ",", "Mr", ".", "X"])
    'unaffable, Mr. X'
    """

    prefix: str = "##"
    cleanup: bool = True

    def change(self, pieces: list[str]) -> list[str]:
        """Return the pieces with a space before each word."""
        return [self._with_space(piece, at) for at, piece in enumerate(pieces)]

    def _with_space(self, piece: str, at: int) -> str:
        if at:
            piece = piece.removeprefix(self.prefix) if piece.startswith(self.prefix) else " " + piece
        return cleaned(piece) if self.cleanup else piece


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
class MetaspaceDecoder(_Changing):
    """Replaces `▁` with a space; with `prepend`, removes it from the first piece, where encoding inserted it.

    >>> MetaspaceDecoder().decode(["▁Hello", ",", "▁wor", "ld"])
    'Hello, world'
    """

    replacement: str = "▁"
    prepend: bool = True

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces, with `▁` replaced by spaces."""
        return [
            piece.replace(self.replacement, "" if self.prepend and at == 0 else " ") for at, piece in enumerate(pieces)
        ]


@dataclass(frozen=True)
class ReplaceDecoder:
    """Replaces `pattern` with `content` in every piece; with `regular` the pattern is a regular expression.

    Raises PatternTimeoutError for a pattern that times out on a piece, GrowthError for a text that grows too long.
    """

    pattern: str
    content: str
    regular: bool = False
    budget: TimeBudget | None = field(default=None, repr=False, compare=False)
    """The time that the pattern may take together with others of its pipeline; None: by itself."""

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
            between = []
            position = 0
            for start, end in self.spans(piece):
                between.append(piece[position:start])
                position = end
            length += len(self.content) * len(between)
            check_length(length)
            changed.append(self.content.join((*between, piece[position:])))
        return changed

    def spans(self, piece: str) -> list[tuple[int, int]]:
        """`(start, end)` of each match of a regular expression in a piece."""
        return self._pattern.spans(piece)

    @cached_property
    def _pattern(self) -> SplitPattern:
        return limited(self.pattern, self.budget)


@dataclass(frozen=True)
class Fuse:
    """Joins all pieces to one."""

    def change(self, pieces: list[str]) -> list[str]:
        """The joined piece."""
        return ["".join(pieces)]


@dataclass(frozen=True)
class StripDecoder:
    """Removes `content` up to `start` times from the beginning of every piece, and up to `stop` times from its end."""

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
    """Decodes runs of byte pieces like `<0x61>` as UTF-8; each byte of an invalid run becomes U+FFFD.

    >>> ByteFallback().change(["a", "<0xC3>", "<0xA9>", "b", "<0xC3>", "<0xC3>"])
    ['a', 'é', 'b', '\ufffd', '\ufffd']
    """

    def change(self, pieces: list[str]) -> list[str]:
        """Return the pieces with each run of byte pieces decoded."""
        changed: list[str] = []
        for are_bytes, run in groupby(pieces, lambda piece: _BYTE.fullmatch(piece) is not None):
            if not are_bytes:
                changed += run
                continue
            found = bytes(int(piece[3:5].lstrip("+"), 16) for piece in run)
            text = decoded(found)
            changed += ["\ufffd"] * len(found) if text is None else [text]
        return changed


@dataclass(frozen=True)
class CTC:
    """Decodes the output of a speech network (CTC): removes repetitions and padding.

    >>> CTC().change("h h <pad> e l <pad> l o o | <pad>".split())
    ['h', 'e', 'l', 'l', 'o', ' ']
    """

    pad: str = "<pad>"
    word_delimiter: str = "|"
    cleanup: bool = True

    def change(self, pieces: list[str]) -> list[str]:
        """The pieces without repetitions and padding."""
        changed = []
        for piece, _ in groupby(pieces):
            piece = piece.replace(self.pad, "")
            if self.cleanup:
                piece = cleaned(piece).replace(self.word_delimiter, " ")
            if piece:
                changed.append(piece)
        return changed


@dataclass(frozen=True)
class DecoderSequence:
    """Applies several steps in order and joins the pieces of the last one.

    >>> DecoderSequence((ReplaceDecoder("▁", " "), Fuse(), StripDecoder(" ", 1))).decode(["▁▁Hello", ",", "▁wor", "ld"])
    ' Hello, world'
    """

    steps: tuple[DecoderStep, ...]

    def decode(self, pieces: abc.Sequence[str | bytes]) -> str:
        """Return the text of the pieces after the last step."""
        return "".join(
            self.change([piece if isinstance(piece, str) else bytes_to_characters(piece) for piece in pieces])
        )

    def change(self, pieces: list[str]) -> list[str]:
        """Return the pieces after the last step."""
        for step in self.steps:
            pieces = step.change(pieces)
        return pieces


def cleaned(piece: str) -> str:
    """A piece without the spaces before English punctuation and contractions: ` !` becomes `!`."""
    for spaced, tight in _CLEANUP:
        piece = piece.replace(spaced, tight)
    return piece


# Rust's number parser accepts a plus sign as the first of the two digits.
_BYTE = re.compile("<0x[0-9A-Fa-f+][0-9A-Fa-f]>")
