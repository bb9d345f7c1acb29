"""A text in cells, one for each stretch that a step tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from unicodedata import bidirectional

from webapp.rendering.markup import shown_piece
from webapp.tokenization.result import Result


@dataclass(frozen=True)
class StepCell:
    """A stretch of text: `kinds` are CSS classes, `id` the token's where it is one already.

    Kinds: `done` for a token, `unknown` for one out of vocabulary, `special` for a special one, `now` for what this
    step is about, `rest` for what is not looked at yet, `word` for what no line is broken in, `differs` for what
    somebody else does otherwise.
    """

    text: str
    kinds: str
    id: int | None = None


def cell(text: str, *kinds: str, id: int | None = None) -> StepCell:
    """A stretch of a text, with its spaces to be seen."""
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


def said(text: str) -> str:
    """A stretch of a text as a sentence quotes it, or as much of it as one can take in.

    What runs from right to left does not mix with the words around.

    >>> said("a b"), said("שלום") == "\u2068שלום\u2069"
    ('a·b', True)
    """
    shown = shown_piece(text if len(text) <= _LONGEST_SAID else f"{text[:_LONGEST_SAID]}…")
    return f"\u2068{shown}\u2069" if any(bidirectional(character) in _LEFTWARD for character in text) else shown


def direction(text: str) -> Literal["ltr", "rtl"]:
    """The direction in which the cells of a text stand: that of its first letter.

    >>> direction("1 שלום a"), direction("a שלום"), direction("")
    ('rtl', 'ltr', 'ltr')
    """
    for character in text:
        strong = bidirectional(character)
        if strong in ("L", "R", "AL"):
            return "ltr" if strong == "L" else "rtl"
    return "ltr"


_LONGEST_SAID = 48
_LEFTWARD = ("R", "AL", "AN")
