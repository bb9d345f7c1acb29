"""What can be followed, as the first page of the steps lists it."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.pages.steps.examples import DICTIONARIES, examples_for
from webapp.pages.steps.forms import StepsRequest
from webapp.tokenization.messages import algorithm_names
from webapp.tokenization.state import State
from webapp.vocabularies import default_for


@dataclass(frozen=True)
class OverviewLine:
    """One or two algorithms that are followed together: their names, what there is to see, texts to begin with."""

    ways: list[tuple[str, StepsRequest]]
    about: str
    examples: list[StepsRequest]


def overview_lines() -> list[OverviewLine]:
    """All that can be followed."""
    told = {
        ("fmm", "bmm"): _(
            "The window on the text, each length that is tried, and the word that is taken; both directions one above "
            "the other, where they differ, and which of them the bidirectional rule takes."
        ),
        ("bpe",): _(
            "The symbols in a row, all pairs of neighbours with their ranks or scores, the pair that is merged next, "
            "and the tree of merges that each word ends in."
        ),
        ("wordpiece",): _(
            "The longest piece from the left of each word, the mark for what continues one, and the word that becomes "
            "unknown because a piece is missing."
        ),
        ("unigram",): _(
            "Every piece that fits as an arc of a lattice, the table that is filled from left to right, the likeliest "
            "way through, and the ways behind it."
        ),
    }
    names = algorithm_names()
    return [
        OverviewLine(
            [(names[name], _asked(name, examples_for(name)[0])) for name in algorithms],
            about,
            [
                *_with_dictionaries(algorithms[0]),
                *(_asked(algorithms[0], text) for text in examples_for(algorithms[0])),
            ],
        )
        for algorithms, about in told.items()
    ]


def _with_dictionaries(algorithm: str) -> list[StepsRequest]:
    """Matching with a dictionary that can be taken in at a glance."""
    if algorithm != "fmm":
        return []
    return [
        StepsRequest(State("fmm", "own-dictionary", text, dictionary="\n".join(words))) for text, words in DICTIONARIES
    ]


def _asked(algorithm: str, text: str) -> StepsRequest:
    return StepsRequest(State(algorithm, default_for(algorithm), text))
