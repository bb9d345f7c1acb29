"""The scores of a segmentation that a reader edits, against a gold standard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.evaluation.score import Score, score_lines
from webapp.pages.learn.diagrams.segments import spans_of
from webapp.pages.learn.lesson import ScoreExample
from webapp.rendering.markup import visible


@dataclass(frozen=True)
class ScoredWords:
    """A segmentation as tiles, wrong words marked, and its figures with their labels."""

    tiles: Markup
    count: int
    facts: Sequence[tuple[str, str]]


def same_text(example: ScoreExample, text: str) -> bool:
    """Whether a segmentation has the characters of the gold standard, so that only its spaces differ."""
    return "".join(text.split()) == "".join(example.gold)


def scored(example: ScoreExample, text: str) -> ScoredWords:
    """The scores of a segmentation whose words are separated by white space."""
    words = text.split()
    score = score_lines([example.gold], [words], example.known)
    gold = set(spans_of(example.gold))
    cells = [
        Markup("<i{}>{}</i>").format(Markup("") if span in gold else Markup(' class="u"'), visible(word))
        for word, span in zip(words, spans_of(words), strict=True)
    ]
    tiles = Markup('<div class="chunk c0">{}</div>').format(Markup("").join(cells))
    return ScoredWords(tiles, len(words), _facts(score))


def _facts(score: Score) -> list[tuple[str, str]]:
    correct = score.output_words - score.wrong
    shares = (
        (_("Precision:"), correct, score.output_words),
        (_("Recall:"), correct, score.gold_words),
        (_("F1:"), 2 * correct, score.gold_words + score.output_words),
        (_("OOV recall:"), score.unknown - score.unknown_missed, score.unknown),
        (_("IV recall:"), score.known - score.known_missed, score.known),
    )
    return [(label, share(part, whole)) for label, part, whole in shares]


def share(part: int, whole: int) -> str:
    """A share as a fraction and a decimal number.

    >>> share(3, 5), share(0, 0)
    ('3/5 = 0.600', '–')
    """
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "–"
