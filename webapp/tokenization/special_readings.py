"""A text with a special token in it, read in both ways: with the token recognized, and as plain text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from webapp.core.encoding import Encoding
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import shown_piece
from webapp.tokenization.result import COMPARED_CHARACTERS
from webapp.tokenization.state import State

CONTEXT = 16  # characters shown on either side of the special token
MOST_TOKENS = 60  # shown in one reading


@dataclass(frozen=True)
class ReadToken:
    """A token of a reading; `piece` is safe to put on a page."""

    piece: str
    id: int
    special: bool


@dataclass(frozen=True)
class SpecialReading:
    """One reading of the text: its tokens around the special token, and the number of all tokens."""

    kind: Literal["plain", "special"]
    chosen: bool  # whether the page shows this reading
    tokens: Sequence[ReadToken]
    total: int

    @property
    def is_cut(self) -> bool:
        """Whether there are more tokens than those shown."""
        return len(self.tokens) < self.total


@dataclass(frozen=True)
class SpecialReadings:
    """The first special token of a text, and both readings."""

    token: str
    plain: SpecialReading
    special: SpecialReading


def special_readings(state: State, encoding: Encoding, tokenizer: Tokenizer) -> SpecialReadings | None:
    """Both readings of a text; None if it has no special token of the vocabulary, and for a long text."""
    text = encoding.text
    names = tokenizer.special_tokens
    if not names or len(text) > COMPARED_CHARACTERS or not replace(state, special=True).relevant().special:
        return None
    if not state.special and not any(name in text for name in names):
        return None
    other = tokenizer.encode(text, special=not state.special, template=state.puts_around)
    plain, special = (other, encoding) if state.special else (encoding, other)
    found = [index for index in special.special if special.starts[index] < special.ends[index]]
    if not found:
        return None
    span = special.starts[min(found)], special.ends[min(found)]
    return SpecialReadings(
        text[span[0] : span[1]].strip(),
        _reading("plain", plain, span, chosen=not state.special),
        _reading("special", special, span, chosen=state.special),
    )


def _reading(
    kind: Literal["plain", "special"], encoding: Encoding, span: tuple[int, int], *, chosen: bool
) -> SpecialReading:
    first = bisect_right(encoding.ends, max(0, span[0] - CONTEXT))
    last = bisect_left(encoding.starts, span[1] + CONTEXT)
    if span[0] <= CONTEXT:
        first = 0  # with the special tokens of the template
    last = min(max(last, first), first + MOST_TOKENS)
    tokens = [
        ReadToken(shown_piece(encoding.piece(index)), encoding.ids[index], index in encoding.special)
        for index in range(first, last)
    ]
    return SpecialReading(kind, chosen, tokens, len(encoding))
