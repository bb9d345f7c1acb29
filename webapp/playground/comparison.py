"""Does decoding the ids give the text back? If not: where, and why."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from webapp.core.encoding import Encoding
from webapp.core.tokenizer import Tokenizer

Reason = Literal["unknown", "case", "normalization", "whitespace"]

CONTEXT = 24  # characters shown on either side of the first difference


@dataclass(frozen=True)
class Comparison:
    """The decoded text beside the input.

    `offset` is the first character that differs, None where nothing does; `expected` and `got` are the
    surroundings of that place in the input and in the decoded text.
    """

    decoded: str
    offset: int | None = None
    expected: str = ""
    got: str = ""
    reasons: tuple[Reason, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether nothing was lost."""
        return self.offset is None


def compare(encoding: Encoding, tokenizer: Tokenizer) -> Comparison:
    """Decode `encoding` and hold it against its text."""
    text = encoding.text
    decoded = tokenizer.decode(encoding.ids)
    if decoded == text:
        return Comparison(decoded)
    offset = first_difference(text, decoded)
    around = slice(max(0, offset - CONTEXT), offset + CONTEXT)
    return Comparison(
        decoded, offset, text[around], decoded[around], reasons(text, decoded, bool(encoding.unknown))
    )


def first_difference(one: str, other: str) -> int:
    """The first offset at which two different texts differ, by halving: `abcd, abxd → 2`."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def reasons(text: str, decoded: str, unknown: bool) -> tuple[Reason, ...]:
    """Why they differ, each found by undoing it and seeing whether the difference shrinks.

    >>> reasons("A b", "a b", unknown=False)
    ('case',)
    >>> reasons("a  b", "a b", unknown=False)
    ('whitespace',)
    """
    found: list[Reason] = ["unknown"] if unknown else []
    one, other = text, decoded
    if text.lower() != text and decoded == decoded.lower():
        found.append("case")
        one, other = one.lower(), other.lower()
    if unicodedata.normalize("NFC", one) != one or unicodedata.normalize("NFC", other) != other:
        found.append("normalization")
        one, other = unicodedata.normalize("NFC", one), unicodedata.normalize("NFC", other)
    if one != other and (not unknown or one.split() != other.split()) and _spacing(one) != _spacing(other):
        found.append("whitespace")
    return tuple(found)


def _spacing(text: str) -> list[int]:
    """The lengths of the runs of white space, in order."""
    return [len(run) for run in "".join(" " if c.isspace() else "x" for c in text).split("x") if run]
