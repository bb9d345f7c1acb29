"""A text as a row of cells, one for each span that a step distinguishes; how walkthroughs write texts and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10
from typing import Literal
from unicodedata import bidirectional

from flask_babel import gettext as _

from webapp.rendering.markup import shown_piece
from webapp.web.localization import number, percent


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


def cell(text: str | bytes, *kinds: str, id: int | None = None) -> StepCell:
    """A cell for a span of text, with visible spaces."""
    return StepCell(shown_piece(text), " ".join(kind for kind in kinds if kind), id)


def quotable(text: str) -> str:
    """A span of text as a sentence quotes it: spaces visible, long text shortened, right-to-left text isolated.

    >>> quotable("a b"), quotable("שלום") == "\u2068שלום\u2069"
    ('a·b', True)
    """
    shown = shown_piece(text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…")
    return f"\u2068{shown}\u2069" if any(bidirectional(character) in _LEFTWARD for character in text) else shown


def quoted(piece: str | bytes) -> str:
    """A piece in quotation marks, with visible spaces; part of a character as its bytes."""
    try:
        text = quotable(piece.decode() if isinstance(piece, bytes) else piece)
    except UnicodeDecodeError:
        text = shown_piece(piece)
    return _("“%(text)s”", text=text)


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


def format_log_probability(value: float, digits: int = 2) -> str:
    """A log-probability or a sum of them, with a true minus sign (U+2212)."""
    written = f"{value:.4g}" if abs(value) >= 1e7 else number(value, digits)
    return written.replace("-", "−") if written.strip("-0.,") else written.replace("-", "")


def digits_between(totals: Iterable[float], least: int) -> int:
    """How many decimals, at least `least` and at most 9, show that the highest of some sums is above the next.

    >>> digits_between([-2.0, -1.99996], 2), digits_between([-1.0], 2)
    (5, 2)
    """
    best, rival, *_lower = [*sorted(set(totals), reverse=True), None, None]
    if best is None or rival is None:
        return least
    return next((digits for digits in range(least, 9) if round(rival, digits) != round(best, digits)), 9)


def power(logarithm: float) -> str:
    """A number in scientific notation, from its decimal logarithm.

    >>> power(-4.5), power(61)
    ('3.2 × 10⁻⁵', '1.0 × 10⁶¹')
    """
    exponent = floor(logarithm)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{10 ** (logarithm - exponent):.1f} × 10{raised}"


def percentage(probability: float) -> str:
    """A probability as a percentage, or as a power of ten if it is too small for one."""
    if probability >= 0.0005 or not probability:
        return percent(probability)
    return power(log10(probability))


_MAX_QUOTED = 48
_LEFTWARD = ("R", "AL", "AN")
