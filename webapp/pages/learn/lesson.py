"""What a lesson consists of: live examples, figures, diagrams and functions of the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flask_babel.speaklater import LazyString

from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.state import State


@dataclass(frozen=True)
class LessonExample:
    """A text with its tokens. `texts` has the initial text for each language, by the language's key.

    `choices` are further fields of `State`, such as `hmm`, `order` or `edits`.
    """

    key: str
    algorithm: str
    vocabulary: str
    texts: dict[str, str]
    dictionary: str = ""
    corpus: str = ""
    size: int | None = None
    runs: bool = True
    lowercase: bool = False
    special: bool = False
    choices: Mapping[str, Any] = field(default_factory=dict)

    def state(self, text: str) -> State:
        """The state of the playground that shows this example with `text`."""
        return State(
            algorithm=self.algorithm,
            vocabulary=self.vocabulary,
            text=text,
            dictionary=self.dictionary,
            corpus=self.corpus,
            size=self.size,
            runs=self.runs,
            lowercase=self.lowercase,
            special=self.special,
            **self.choices,
        )


@dataclass(frozen=True)
class LessonFigure(LessonExample):
    """A text with the steps of its algorithm, one at a time.

    `first` is the step that the page shows at first; a negative one counts from the end, as in lists. `options` are the
    further parameters of `/steps`.
    """

    first: int = -1
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BigramExample:
    """A text segmented with word bigrams, which are counted in `sentences`: words with spaces between them."""

    key: str
    sentences: tuple[str, ...]
    texts: dict[str, str]


@dataclass(frozen=True)
class BigramFigure:
    """The steps of word bigrams: the counts, each position of `text`, and the words. `first` as in LessonFigure."""

    key: str
    sentences: tuple[str, ...]
    text: str
    first: int = -1


@dataclass(frozen=True)
class ScoreExample:
    """A segmentation to edit, words with spaces between them, and its scores against `gold`.

    `known` are the words of the training text, which decide what is out of vocabulary.
    """

    key: str
    gold: tuple[str, ...]
    known: frozenset[str]
    texts: dict[str, str]


@dataclass(frozen=True)
class PerplexityExample:
    """A sentence of the words of the four sentences, and its perplexity by each method of smoothing."""

    key: str
    texts: dict[str, str]


Example = LessonExample | BigramExample | ScoreExample | PerplexityExample


@dataclass(frozen=True)
class LessonDiagram:
    """A picture that does not change; `draw` makes it in the reader's language."""

    key: str
    draw: Callable[[], Figure]
    caption: LazyString


@dataclass(frozen=True)
class Lesson:
    """One page of the course: its address, its title, a sentence on what it is about, and its live examples.

    `goal` says what a reader can do afterwards. `reference` are functions of `webapp.core.reference`, which the page
    lists as "the whole algorithm".
    """

    slug: str
    title: LazyString
    about: LazyString
    goal: LazyString
    examples: Sequence[Example]
    figures: Sequence[LessonFigure | BigramFigure] = ()
    diagrams: Sequence[LessonDiagram] = ()
    reference: Sequence[Callable[..., object]] = ()

    @cached_property
    def by_key(self) -> dict[str, Example]:
        """The examples by their keys."""
        return {example.key: example for example in self.examples}

    @cached_property
    def figure_by_key(self) -> dict[str, LessonFigure | BigramFigure]:
        """The figures by their keys."""
        return {figure.key: figure for figure in self.figures}

    @cached_property
    def diagram_by_key(self) -> dict[str, LessonDiagram]:
        """The diagrams by their keys."""
        return {diagram.key: diagram for diagram in self.diagrams}
