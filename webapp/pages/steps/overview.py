"""The list of algorithms on the overview page of the steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from webapp.core.algorithms import ALGORITHMS, family_of, sharing_vocabularies
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.algorithms import TEXTS, algorithm_names, leading_algorithms
from webapp.tokenization.result import tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import default_for
from webapp.vocabularies.trained import EXAMPLE_SENTENCES
from webapp.web.localization import current_key

DICTIONARIES = (
    ("研究生命科学", ("研究", "研究生", "生命", "科学")),
    ("结婚的和尚未结婚的", ("结婚", "的", "和", "和尚", "尚未")),
)
"""Texts with a small dictionary each, which FMM and BMM segment differently."""
COUNTED_SENTENCES = State(
    "ngram", "learned-ngram", "人生如梦境", corpus=EXAMPLE_SENTENCES, order="2", smoothing="add-one"
)

LESSONS = {
    "fmm": "dictionary",
    "bmm": "dictionary",
    "bidirectional": "dictionary",
    "max-probability": "max-probability",
    "ngram": "ngram",
    "bpe": "bpe",
    "wordpiece": "wordpiece",
    "unigram": "unigram",
}
"""The lesson about each algorithm."""


_PICTURED = {
    "fmm": ("研究生命科学", -1),
    "ngram": ("如梦境", -1),
    "bpe": ("lower", -1),
    "wordpiece": ("unbelievably", 2),
    "unigram": ("hugs", -1),
}
"""The text and the step of each picture; -1 is the last step."""


@dataclass(frozen=True)
class OverviewLine:
    """One or two related algorithms: their names with links, what their steps show, and example texts."""

    ways: list[tuple[str, StepsRequest]]
    about: str
    examples: list[StepsRequest]
    figure: Figure | None = None  # a small picture of a step


def overview_lines() -> list[OverviewLine]:
    """A line for each algorithm that has steps, or for two related ones."""
    names = algorithm_names()
    return [
        OverviewLine(
            [(names[each], _request_for(each)) for each in (algorithm, *sharing_vocabularies(algorithm))],
            str(TEXTS[algorithm].steps),
            [*_own(algorithm), *(_request_for(algorithm, text) for text in TEXTS[algorithm].examples)],
            _figure(algorithm, current_key()),
        )
        for algorithm in leading_algorithms([name for name, each in ALGORITHMS.items() if each.has_steps])
    ]


@cache
def _figure(algorithm: str, language: str) -> Figure | None:
    """A small picture of an algorithm; its labels are in the language of the request, which is `language`."""
    if algorithm not in _PICTURED:
        return None
    text, step = _PICTURED[algorithm]
    state = State(algorithm, default_for(algorithm), text)
    if algorithm == "ngram":
        state = replace(COUNTED_SENTENCES, text=text)
    elif family_of(algorithm) == "dictionary":
        dictionary = next(words for known, words in DICTIONARIES if known == text)
        state = State(algorithm, "own-dictionary", text, dictionary="\n".join(dictionary))
    walkthrough = walkthrough_of(tokenize(state, corpus_limit=0))
    return walkthrough.at(step % len(walkthrough)).picture()


def _own(algorithm: str) -> list[StepsRequest]:
    """Examples with a dictionary of a few words, or with the sentences whose words are counted."""
    if algorithm == "ngram":
        return [StepsRequest(COUNTED_SENTENCES)]
    if family_of(algorithm) != "dictionary":
        return []
    return [
        StepsRequest(State(algorithm, "own-dictionary", text, dictionary="\n".join(words)))
        for text, words in DICTIONARIES
    ]


def _request_for(algorithm: str, text: str | None = None) -> StepsRequest:
    """The request for the steps of a text, by default of the first example."""
    return StepsRequest(State(algorithm, default_for(algorithm), text or TEXTS[algorithm].examples[0]))
