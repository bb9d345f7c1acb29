"""Diagrams of smoothing: how five methods share out the probability after a word, and what Kneser–Ney counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.models.ngram_counts import END
from webapp.pages.learn.smoothed import COUNTS, counted, methods
from webapp.pages.walkthrough.lattice_drawing import width_of
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

BAR, COLUMN, ROW, HEAD = 60, 80, 32, 36.0  # the longest bar, width of a column, heights of a row and of the headings


def after_life() -> Figure:
    """The probability of each word after 人生, by five methods, as bars."""
    columns = methods()
    words = sorted((*COUNTS.words, END), key=lambda word: -counted("人生", word))
    names = [_("(end)") if word is END else word for word in words]
    left = max(width_of(name, 16) for name in names) + 14
    shapes: list[Shape] = []
    for column, (title, share) in enumerate(columns):
        x = left + COLUMN * column
        for line, part in enumerate(_two_lines(title)):
            shapes.append(FigureLabel(x, 12 + 14 * line, part, "quiet", 11, "start"))
        for row, word in enumerate(words):
            shapes += _bar(x, HEAD + ROW * row, share("人生", word), seen=COUNTS.count("人生", word) > 0)
    for row, name in enumerate(names):
        shapes.append(FigureLabel(0, HEAD + ROW * row + 20, name, "", 16, "start"))
    height = HEAD + ROW * len(words) + 4
    title = _("Probability of each word after “%(word)s” by five methods", word="人生")
    return Figure("shares", left + COLUMN * len(columns), height, tuple(shapes), title)


def _two_lines(title: str) -> list[str]:
    """A name as one or two lines, the dash kept.

    >>> _two_lines("Kneser–Ney"), _two_lines("absolute discounting"), _two_lines("add-one")
    (['Kneser–', 'Ney'], ['absolute', 'discounting'], ['add-one'])
    """
    if len(title) < 9:
        return [title]
    return title.replace("–", "– ", 1).split(" ", 1)


def _bar(x: float, y: float, share: float, *, seen: bool) -> list[Shape]:
    width = share * BAR
    shapes: list[Shape] = [FigurePath(f"M{x:g} {y + 3:g}V{y + ROW - 3:g}", "grid")]
    if share:
        shapes.append(FigureBox(x, y + 5, max(width, 1.5), 8, "tally" if seen else "new", 1))
    shapes.append(FigureLabel(x + 3, y + 24, f"{share:.3f}" if share else "0", "score", 11, "start"))
    return shapes


@dataclass(frozen=True)
class Company:
    """How often a word occurs in a corpus, and after how many different characters."""

    word: str
    count: int
    before: int


COMPANY: Sequence[Company] = (Company("东西", 307, 44), Company("Q", 306, 6))
"""In the works of Lu Xun among the site's corpora, whose letters are in lower case."""


def company() -> Figure:
    """Two words that are equally frequent, one of them in few contexts, as bars."""
    groups = (
        (_("occurrences"), [one.count for one in COMPANY]),
        (_("different characters before"), [one.before for one in COMPANY]),
    )
    left, longest = 66.0, 280
    shapes: list[Shape] = []
    y = 0.0
    for title, values in groups:
        shapes.append(FigureLabel(0, y + 14, title, "quiet", 12, "start"))
        y += 22
        for row, (one, value) in enumerate(zip(COMPANY, values, strict=True)):
            width = longest * value / max(values)
            shapes.append(FigureLabel(0, y + 17, one.word, "", 17, "start"))
            shapes.append(FigureBox(left, y + 2, width, 20, "new" if row else "tally", 3))
            shapes.append(FigureLabel(left + width + 8, y + 17, number(value), "score", 13, "start"))
            y += 30
        y += 14
    return Figure("company", 400, y - 8, tuple(shapes), _("Frequency and contexts of two words"))
