"""Compare the decoded ids with the input: where the first difference is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.core.encoding import Encoding
from webapp.core.text.equal_beginning import equal_beginning
from webapp.core.tokenizer import Tokenizer

Reason = Literal["unknown", "case", "normalization", "whitespace"]

WHOLE = slice(None)
CONTEXT = 24  # characters shown on either side of the first difference


@dataclass(frozen=True)
class RoundTrip:
    """The decoded text compared with the input.

    `offset` is the first character that differs, None if the texts are equal; `expected` and `got` are the text around
    that offset in the input and in the decoded text.
    """

    decoded: str
    offset: int | None = None
    expected: str = ""
    got: str = ""
    reasons: tuple[Reason, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether the decoded text equals the input."""
        return self.offset is None


def round_trip_of(
    encoding: Encoding, tokenizer: Tokenizer, decoded: str | None = None, inside: slice = WHOLE
) -> RoundTrip:
    """Decode `encoding`, unless the `decoded` text is given, and compare the result with its text.

    `inside` are the tokens of the text itself, without those that the visitor put around it.
    """
    text = encoding.text
    if decoded is None:
        decoded = tokenizer.decode(encoding.ids[inside])
    if decoded == text:
        return RoundTrip(decoded)
    offset = equal_beginning(text, decoded)
    around = slice(max(0, offset - CONTEXT), offset + CONTEXT)
    found = reasons(encoding, tokenizer, decoded)
    return RoundTrip(decoded, offset, text[around], decoded[around], found)


def reasons(encoding: Encoding, tokenizer: Tokenizer, decoded: str) -> tuple[Reason, ...]:
    """The reasons why the decoded text differs from the input."""
    found: list[Reason] = ["unknown"] if encoding.unknown else []
    found += changes(encoding.text, tokenizer.normalizer.normalize(encoding.text)) if tokenizer.normalizer else []
    same_letters = "".join(encoding.text.split()) == "".join(decoded.split())
    if has_gaps(encoding) or (not encoding.unknown and same_letters):
        found.append("whitespace")
    return tuple(found)


def changes(text: str, normalized: str) -> list[Reason]:
    """The changes that a normalizer made to a text, apart from spaces and the marks that represent them.

    >>> changes("A b", "▁a▁b")
    ['case']
    >>> changes("É", "e")
    ['case', 'normalization']
    """
    one, other = ("".join(side.replace("▁", " ").split()) for side in (text, normalized))
    found: list[Reason] = []
    if other == other.lower() and one != one.lower():
        found.append("case")
    if one.lower() != other.lower():
        found.append("normalization")
    return found


def has_gaps(encoding: Encoding) -> bool:
    """Whether some text belongs to no token, such as the spaces between BERT's words."""
    return any(start > end for start, end in zip(encoding.starts, (0, *encoding.ends), strict=False))
