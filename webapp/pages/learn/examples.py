"""The live examples of a lesson: their texts, from the address, and their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isinf

from flask import url_for
from flask_babel import gettext as _
from flask_babel import pgettext
from markupsafe import Markup

from webapp.core.models.ngram import NGram
from webapp.core.trainers.ngram import train
from webapp.pages.learn.lesson import BigramExample, Lesson, LessonExample, PerplexityExample, ScoreExample
from webapp.pages.learn.scoring import same_text, scored
from webapp.pages.learn.smoothed import COUNTS, methods, perplexity
from webapp.pages.learn.state import LessonState
from webapp.pages.learn.tiles import WordTile, encoding_tiles, word_tiles
from webapp.pages.training.request import TrainingRequest
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import LONGEST_ADDRESS, steps_address
from webapp.tokenization.result import Result
from webapp.vocabularies import StillFetchingError, find, title_of
from webapp.web.localization import join_list, number

MOST_CHARACTERS = 1_000  # of an example; the playground takes more
MOST_TYPED = 150  # of one text box: four of them, of the longest characters in an address, stay below its limit
LARGE = 60  # characters that are shown in large type


@dataclass(frozen=True)
class ShownExample:
    """An example with its current text; there are no tokens if there are problems.

    `links` are the labels and addresses below it, `facts` labels and values such as its dictionary, `button` is the
    label of the button.
    """

    state: LessonState
    key: str
    caption: str
    tokens: Markup | None = None
    count: int | None = None
    problems: Sequence[InputProblem] = ()
    links: Sequence[tuple[str, str]] = ()
    facts: Sequence[tuple[str, str]] = ()
    button: str = field(default_factory=lambda: _("Tokenize"))
    most_typed: int = field(default=MOST_TYPED, init=False)

    @property
    def lesson(self) -> Lesson:
        """The lesson of the example."""
        return self.state.lesson

    @property
    def text(self) -> str:
        """The current text."""
        return self.state.texts[self.key]

    @property
    def others(self) -> list[tuple[str, str]]:
        """Names and values of what else the reader changed on the page."""
        return [(key, value) for key, value in self.state.changed if key != self.key]

    @property
    def status(self) -> int:
        """200, or the highest status of the problems."""
        return max((problem.status for problem in self.problems), default=200)

    @property
    def place(self) -> int:
        """The number of the example on its page, counted from 1."""
        return list(self.lesson.by_key).index(self.key) + 1

    @property
    def large(self) -> bool:
        """Whether the text is short enough for large type."""
        return len(self.text) <= LARGE


def shown_example(state: LessonState, key: str) -> ShownExample:
    """An example with its tokens, or with the problems that prevent them.

    Examples are a text that is too long and a vocabulary that is still being downloaded.
    """
    example = state.lesson.by_key[key]
    text = state.texts[key]
    problems: list[InputProblem] = []
    if len(text) > MOST_CHARACTERS:
        message = _(
            "This text has %(size)s characters; an example takes %(most)s. The playground takes longer ones.",
            size=number(len(text)),
            most=number(MOST_CHARACTERS),
        )
        problems = [InputProblem(message, 413)]
    if isinstance(example, BigramExample):
        return _with_bigrams(state, example, problems)
    if isinstance(example, ScoreExample):
        return _with_scores(state, example, problems)
    if isinstance(example, PerplexityExample):
        return _with_perplexities(state, example, problems)
    return _with_vocabulary(state, example, problems)


def _with_vocabulary(state: LessonState, example: LessonExample, problems: list[InputProblem]) -> ShownExample:
    text = state.texts[example.key]
    result: Result | None = None
    if not problems:
        try:
            result, problems = tokenize_or_explain(example.state(text), [])
        except StillFetchingError:
            problems = [InputProblem(_("The vocabulary is still being downloaded. Try again in a moment."), 503)]
    return ShownExample(
        state,
        example.key,
        caption_of(example),
        tokens=encoding_tiles(result.encoding) if result else None,
        count=len(result.encoding) if result else None,
        problems=problems,
        links=_links(example, text, result),
        facts=[
            (label, value)
            for label, value in (
                (_("Dictionary:"), " · ".join(example.dictionary.splitlines())),
                (_("Trained on:"), short_corpus(example.corpus)),
                (_("Smoothing:"), str(SMOOTHING_NAMES.get(example.choices.get("smoothing", ""), ""))),
                (_("HMM:"), "" if "hmm" not in example.choices else _("on") if example.choices["hmm"] else _("off")),
            )
            if value
        ],
    )


def short_corpus(corpus: str) -> str:
    """A corpus in which a word follows itself only once.

    >>> short_corpus("low low low lower"), short_corpus("I love dogs")
    ('low × 3 · lower', 'I love dogs')
    """
    runs = [(word, len(list(same))) for word, same in groupby(corpus.split())]
    if all(count == 1 for _word, count in runs):
        return corpus
    return " · ".join(f"{word} × {count}" if count > 1 else word for word, count in runs)


def _links(example: LessonExample, text: str, result: Result | None) -> list[tuple[str, str]]:
    query = example.state(text).link(LONGEST_ADDRESS)
    links = [(_("Open in the playground"), f"{url_for('playground.page')}?{query}")] if query else []
    steps = steps_address(result) if result else None
    return [*links, (_("Step by step"), steps)] if steps else links


def caption_of(example: LessonExample) -> str:
    """The algorithm and the vocabulary by name."""
    entry = find(example.vocabulary)
    assert entry is not None
    return f"{algorithm_names()[example.algorithm]} · {title_of(entry)}"


def _with_bigrams(state: LessonState, example: BigramExample, problems: list[InputProblem]) -> ShownExample:
    text = state.texts[example.key]
    model = NGram(train(sentence.split() for sentence in example.sentences), "add-one")
    words = model.words(text) if text and not problems else []
    tiles = [WordTile(word, model.counts.ids.get(word)) for word in words]
    training = TrainingRequest("ngram", corpus="\n".join(example.sentences), text=text)
    return ShownExample(
        state,
        example.key,
        _("Word bigrams with add-one smoothing"),
        tokens=None if problems else word_tiles(tiles),
        count=None if problems else len(words),
        problems=problems,
        links=[] if problems or len(text) > MOST_TYPED else [(_("Step by step"), training.address(0))],
        facts=[(_("Trained on:"), " · ".join(example.sentences))],
    )


def _with_scores(state: LessonState, example: ScoreExample, problems: list[InputProblem]) -> ShownExample:
    text = state.texts[example.key]
    if not problems and not same_text(example, text):
        gold = "".join(example.gold)
        message = _("Only the spaces may change: without them, the text has to be “%(text)s”.", text=gold)
        problems = [InputProblem(message)]
    found = None if problems else scored(example, text)
    return ShownExample(
        state,
        example.key,
        _("Gold standard: %(words)s", words=" / ".join(example.gold)),
        tokens=found.tiles if found else None,
        count=found.count if found else None,
        problems=problems,
        facts=found.facts if found else (),
        button=pgettext("button", "Score"),
    )


def _with_perplexities(state: LessonState, example: PerplexityExample, problems: list[InputProblem]) -> ShownExample:
    words = state.texts[example.key].split()
    unknown = [word for word in words if word not in COUNTS.ids]
    if unknown and not problems:
        message = _(
            "“%(word)s” is not in the four sentences. Use these words, with spaces between them: %(words)s.",
            word=unknown[0],
            words=join_list(COUNTS.words),
        )
        problems = [InputProblem(message)]
    return ShownExample(
        state,
        example.key,
        _("Perplexity of the sentence"),
        tokens=None if problems else word_tiles(WordTile(word, COUNTS.ids[word]) for word in words),
        count=None if problems else len(words),
        problems=problems,
        facts=[] if problems else [(f"{name}:", _decimal(perplexity(words, share))) for name, share in methods()],
        button=_("Compute"),
    )


def _decimal(value: float) -> str:
    return "∞" if isinf(value) else f"{value:.2f}"
