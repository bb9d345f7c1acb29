"""The lessons of the course, in order.

A lesson is a file `lessons/SLUG.toml`, with its titles, examples, captions and questions in each language, and a text
in each language, `templates/learn/en/SLUG.html` and so on: it is written for each, not translated sentence by sentence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

from flask_babel import lazy_gettext as _l

from webapp.core.reference import bpe, hmm, matching, maximum_probability, ngram, unigram, wordpiece
from webapp.pages.learn import diagrams
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.state import State
from webapp.web.localization import LANGUAGES, current_key

PARTS = {
    "why": _l("Words: segmenting Chinese"),
    "units": _l("Subwords: how models read text"),
    "pipeline": _l("Around the model"),
}
"""The title of each part of the course, by its first lesson."""
SLUGS = (
    *("why", "dictionary", "ambiguity", "max-probability", "hmm", "ngram", "smoothing", "evaluation"),
    *("units", "bpe", "bytes", "wordpiece", "unigram"),
    *("pipeline", "special", "vocabulary"),
)
REFERENCE: Mapping[str, Sequence[Callable[..., object]]] = {
    "dictionary": (matching.bidirectional,),
    "max-probability": (maximum_probability.best_path,),
    "hmm": (hmm.words,),
    "ngram": (ngram.train, ngram.segment),
    "smoothing": (ngram.jelinek_mercer, ngram.absolute_discounting, ngram.kneser_ney),
    "bpe": (bpe.characters, bpe.train, bpe.encode, bpe.decode),
    "bytes": (bpe.utf8, bpe.train, bpe.encode, bpe.decode_bytes),
    "wordpiece": (wordpiece.split, wordpiece.train, wordpiece.encode),
    "unigram": (unigram.seed, unigram.train, unigram.encode),
}
"""The functions that the page of a lesson lists as "the whole algorithm"."""
DIAGRAMS: Mapping[str, Callable[[], Figure]] = {
    "monk": diagrams.monk,
    "chain": diagrams.chain,
    "bats": diagrams.bats,
    "spans": diagrams.spans,
    "trellis": diagrams.trellis,
}
"""What draws each diagram, by its key; that of the tags of the HMM is `templates/learn/_states.html`."""

Texts = Mapping[str, str]
"""A text for each language of the site, by the language's key."""


@dataclass(frozen=True)
class LessonExample:
    """A text to edit, with its tokens; or as a figure, with the steps of its algorithm one at a time.

    `kind` is what is done with the text: `tokens` encodes it with the fields of `State` in `choices`; `score`
    compares it, words with spaces between them, with the words `gold`, where `known` are the words of the training
    text. `first` is the step that a figure shows
    at first; a negative one counts from the end, as in lists.
    """

    key: str
    texts: Texts
    kind: Literal["tokens", "score"] = "tokens"
    gold: Sequence[str] = ()
    known: Sequence[str] = ()
    first: int = -1
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The initial text, in the reader's language."""
        return self.texts[current_key()]

    def state(self, text: str) -> State:
        """The state of the playground that shows this example with `text`."""
        return State(text=text, **self.choices)


@dataclass(frozen=True)
class Question:
    """`right` is the index of the right choice; `why` explains it. Text between backticks is code."""

    prompt: str
    choices: Sequence[str]
    right: int
    why: str

    @property
    def answer(self) -> str:
        """The right choice."""
        return self.choices[self.right]


@dataclass(frozen=True)
class Lesson:
    """One page of the course. Examples, figures, captions of diagrams, and questions by language, by their keys.

    A title, a sentence on what it is about, and a `goal`, which says what a reader can do afterwards.
    """

    slug: str
    minutes: int  # that it takes
    titles: Texts
    abouts: Texts
    goals: Texts
    by_key: Mapping[str, LessonExample]
    figures: Mapping[str, LessonExample]
    captions: Mapping[str, Texts]
    questions: Mapping[str, Mapping[str, Question]]

    @property
    def title(self) -> str:
        """The title, in the reader's language."""
        return self.titles[current_key()]

    @property
    def about(self) -> str:
        """What it is about, in the reader's language."""
        return self.abouts[current_key()]

    @property
    def goal(self) -> str:
        """What a reader can do afterwards, in the reader's language."""
        return self.goals[current_key()]

    @property
    def reference(self) -> Sequence[Callable[..., object]]:
        """The functions of the reference to list."""
        return REFERENCE.get(self.slug, ())


def _lesson(slug: str) -> Lesson:
    table = tomllib.loads(files(__package__).joinpath(f"lessons/{slug}.toml").read_text(encoding="utf-8"))
    questions = {
        language: {
            key: Question(one[language]["prompt"], one[language]["choices"], one["right"], one[language]["why"])
            for key, one in table["questions"].items()
        }
        for language in LANGUAGES
    }
    examples, figures = (
        {key: _example(key, dict(one)) for key, one in table.get(name, {}).items()} for name in ("examples", "figures")
    )
    captions = {key: _texts(one["caption"]) for key, one in table.get("diagrams", {}).items()}
    title, about, goal = (_texts(table[name]) for name in ("title", "about", "goal"))
    return Lesson(slug, table["minutes"], title, about, goal, examples, figures, captions, questions)


def _example(key: str, table: dict[str, Any]) -> LessonExample:
    """An example of a file: what is no field of it is a field of `State`."""
    texts = _texts(table.pop("text"))
    own = {name: table.pop(name) for name in ("kind", "gold", "known", "first") if name in table}
    return LessonExample(key, texts, **{"known": own.get("gold", ()), **own}, choices=table)


def _texts(value: str | Texts) -> Texts:
    """A text that is the same in each language, or one for each."""
    return dict.fromkeys(LANGUAGES, value) if isinstance(value, str) else value


LESSONS = tuple(map(_lesson, SLUGS))
LESSON_BY_SLUG = {lesson.slug: lesson for lesson in LESSONS}
