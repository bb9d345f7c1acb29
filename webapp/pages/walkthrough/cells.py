"""A text as a row of cells, one for each span that a step distinguishes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from unicodedata import bidirectional

from webapp.rendering.markup import shown_piece
from webapp.tokenization.result import Result


@dataclass(frozen=True)
class StepCell:
    """A span of text: `kinds` are CSS classes, `id` is the token's id if the span is a token already.

    Kinds: `done` for a token, `unknown` for one out of vocabulary, `special` for a special one, `now` for the subject
    of this step, `rest` for text not reached yet, `word` for text without line breaks, `differs` for a token that the
    other method does not have.
    """

    text: str
    kinds: str
    id: int | None = None


def cell(text: str, *kinds: str, id: int | None = None) -> StepCell:
    """A cell for a span of text, with visible spaces."""
    return StepCell(shown_piece(text), " ".join(kind for kind in kinds if kind), id)


def final_cells(result: Result) -> list[StepCell]:
    """All tokens of a result, with their ids."""
    encoding = result.encoding
    cells = []
    for index, id in enumerate(encoding.ids):
        kind = "unknown" if index in encoding.unknown else "special" if index in encoding.special else ""
        kinds = f"done {kind}".rstrip()
        cells.append(StepCell(shown_piece(encoding.piece(index)), kinds, id))
    return cells


def quotable(text: str) -> str:
    """A span of text as a sentence quotes it: spaces visible, long text shortened, right-to-left text isolated.

    >>> quotable("a b"), quotable("שלום") == "\u2068שלום\u2069"
    ('a·b', True)
    """
    shown = shown_piece(text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…")
    return f"\u2068{shown}\u2069" if any(bidirectional(character) in _LEFTWARD for character in text) else shown


def direction(text: str) -> Literal["ltr", "rtl"]:
    """The direction of a text and its cells: that of its first strong character, `ltr` if it has none.

    >>> direction("1 שלום a"), direction("a שלום"), direction("")
    ('rtl', 'ltr', 'ltr')
    """
    for character in text:
        strong = bidirectional(character)
        if strong in ("L", "R", "AL"):
            return "ltr" if strong == "L" else "rtl"
    return "ltr"


_MAX_QUOTED = 48
_LEFTWARD = ("R", "AL", "AN")
