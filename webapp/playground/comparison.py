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
    found = reasons(text, decoded, unknown=bool(encoding.unknown), gaps=has_gaps(encoding))
    return Comparison(decoded, offset, text[around], decoded[around], found)


def has_gaps(encoding: Encoding) -> bool:
    """Whether some of the text belongs to no token, as the spaces between BERT's words."""
    return any(start > end for start, end in zip(encoding.starts, (0, *encoding.ends), strict=False))


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


def reasons(text: str, decoded: str, *, unknown: bool, gaps: bool) -> tuple[Reason, ...]:
    """Why they differ. `unknown`: some token is unknown; `gaps`: some of the text belongs to no token.

    >>> reasons("A b", "a b", unknown=False, gaps=False)
    ('case',)
    >>> reasons("a  b", "a b", unknown=False, gaps=True)
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
    if one != other and (gaps or (not unknown and "".join(one.split()) == "".join(other.split()))):
        found.append("whitespace")
    return tuple(found)
