"""What can be followed, as the first page of the steps lists it."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.algorithms import ALGORITHMS, family_of, sharing_vocabularies
from webapp.pages.steps.examples import DICTIONARIES
from webapp.pages.steps.forms import StepsRequest
from webapp.tokenization.algorithms import TEXTS, algorithm_names, leading_algorithms
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
    names = algorithm_names()
    return [
        OverviewLine(
            [(names[each], _asked(each)) for each in (algorithm, *sharing_vocabularies(algorithm))],
            str(TEXTS[algorithm].steps),
            [*_with_dictionaries(algorithm), *(_asked(algorithm, text) for text in TEXTS[algorithm].examples)],
        )
        for algorithm in leading_algorithms([name for name, each in ALGORITHMS.items() if each.tracer is not None])
    ]


def _with_dictionaries(algorithm: str) -> list[StepsRequest]:
    """Matching with a dictionary that can be taken in at a glance."""
    if family_of(algorithm) != "dictionary":
        return []
    return [
        StepsRequest(State(algorithm, "own-dictionary", text, dictionary="\n".join(words)))
        for text, words in DICTIONARIES
    ]


def _asked(algorithm: str, text: str | None = None) -> StepsRequest:
    """The steps of a text, or of the first example."""
    return StepsRequest(State(algorithm, default_for(algorithm), text or TEXTS[algorithm].examples[0]))
