"""The list of algorithms on the overview page of the steps."""

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
    """One or two related algorithms: their names with links, what their steps show, and example texts."""

    ways: list[tuple[str, StepsRequest]]
    about: str
    examples: list[StepsRequest]


def overview_lines() -> list[OverviewLine]:
    """A line for each algorithm that has steps, or for two related ones."""
    names = algorithm_names()
    return [
        OverviewLine(
            [(names[each], _request_for(each)) for each in (algorithm, *sharing_vocabularies(algorithm))],
            str(TEXTS[algorithm].steps),
            [*_with_dictionaries(algorithm), *(_request_for(algorithm, text) for text in TEXTS[algorithm].examples)],
        )
        for algorithm in leading_algorithms([name for name, each in ALGORITHMS.items() if each.tracer is not None])
    ]


def _with_dictionaries(algorithm: str) -> list[StepsRequest]:
    """Examples of matching with a dictionary of a few words."""
    if family_of(algorithm) != "dictionary":
        return []
    return [
        StepsRequest(State(algorithm, "own-dictionary", text, dictionary="\n".join(words)))
        for text, words in DICTIONARIES
    ]


def _request_for(algorithm: str, text: str | None = None) -> StepsRequest:
    """The request for the steps of a text, by default of the first example."""
    return StepsRequest(State(algorithm, default_for(algorithm), text or TEXTS[algorithm].examples[0]))
