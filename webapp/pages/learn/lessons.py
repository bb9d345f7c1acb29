"""The lessons of the course, in order, and their diagrams, which do not change.

A lesson is a file `lessons/SLUG.toml`, with its titles, examples, captions and questions in each language, and a text
in each language, `templates/learn/en/SLUG.html` and so on: it is written for each, not translated sentence by sentence.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import accumulate, pairwise
from typing import Any, Literal

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.homework.exercises import EXERCISES, Exercise
from webapp.core.models.hmm import jieba_hmm
from webapp.core.reference import bpe, hmm, matching, maximum_probability, ngram, tagger, unigram, wordpiece
from webapp.core.reference.matching import backward, forward
from webapp.core.traces.word_graph import hmm_traces
from webapp.pages.steps.maximum_probability import draw_table
from webapp.pages.walkthrough.cells import StepCell, segmentations_figure
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.state import State
from webapp.web.localization import LANGUAGES, current_key

SLUGS = {
    "start": (_l("Start here"), ("why",)),
    "words": (
        _l("Words: segmenting Chinese"),
        ("dictionary", "ambiguity", "max-probability", "hmm", "ngram", "smoothing", "tagger", "evaluation"),
    ),
    "subwords": (_l("Subwords: how models read text"), ("units", "bpe", "bytes", "ties", "wordpiece", "unigram")),
    "model": (_l("Around the model"), ("pipeline", "special", "vocabulary")),
}
"""The parts of the course: the title of each, and its lessons."""
ORDERS = {"words": ("start", "words", "subwords", "model"), "subwords": ("start", "subwords", "model", "words")}
REFERENCE: Mapping[str, Sequence[Callable[..., object]]] = {
    "dictionary": (matching.bidirectional,),
    "max-probability": (maximum_probability.best_path,),
    "hmm": (hmm.words,),
    "ngram": (ngram.train, ngram.segment),
    "smoothing": (ngram.jelinek_mercer, ngram.absolute_discounting, ngram.kneser_ney),
    "tagger": (tagger.features, tagger.viterbi, tagger.correct, tagger.train),
    "bpe": (bpe.characters, bpe.train, bpe.encode, bpe.decode),
    "bytes": (bpe.utf8, bpe.train, bpe.encode, bpe.decode_bytes),
    "ties": (bpe.train, bpe.first_seen, bpe.greater, bpe.lower_ids),
    "wordpiece": (wordpiece.split, wordpiece.train, wordpiece.encode),
    "unigram": (unigram.seed, unigram.train, unigram.encode),
}
"""The functions that the page of a lesson lists as "the whole algorithm"."""
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

    A title, a sentence on what it is about, and a `goal`, which says what a reader can do afterwards. `practice` are
    exercises of homework.
    """

    slug: str
    minutes: int  # that it takes
    title: LazyString
    about: LazyString
    goal: LazyString
    by_key: Mapping[str, LessonExample]
    figures: Mapping[str, LessonExample]
    captions: Mapping[str, Texts]
    questions: Mapping[str, Mapping[str, Question]]
    practice: Sequence[Exercise] = ()

    @property
    def texts(self) -> dict[str, str]:
        """The initial text of each example in the reader's language, by its key."""
        return {key: example.text for key, example in self.by_key.items()}

    @property
    def exercises(self) -> list[tuple[str, str, str]]:
        """The ids of its exercises, with their titles and what they are about, in the reader's language."""
        key = current_key()
        return [(one.id, one.title[key], f"{one.about[key]} · {one.course.title[key]}") for one in self.practice]

    @property
    def reference(self) -> Sequence[Callable[..., object]]:
        """The functions of the reference to list."""
        return REFERENCE.get(self.slug, ())


def _lesson(slug: str) -> Lesson:
    table = tomllib.loads(files(__package__).joinpath(f"lessons/{slug}.toml").read_text(encoding="utf-8"))
    questions = {
        language: {key: Question(right=one["right"], **one[language]) for key, one in table["questions"].items()}
        for language in LANGUAGES
    }
    examples, figures = (
        {key: _example(key, dict(one)) for key, one in table.get(name, {}).items()} for name in ("examples", "figures")
    )
    captions = {key: _texts(one["caption"]) for key, one in table.get("diagrams", {}).items()}
    title, about, goal = (
        LazyString(lambda texts: texts[current_key()], _texts(table[name])) for name in ("title", "about", "goal")
    )
    practice = [EXERCISES[id] for id in table.get("practice", ())]
    return Lesson(slug, table["minutes"], title, about, goal, examples, figures, captions, questions, practice)


def _example(key: str, table: dict[str, Any]) -> LessonExample:
    """An example of a file: what is no field of it is a field of `State`."""
    texts = _texts(table.pop("text"))
    own = {name: table.pop(name) for name in ("kind", "gold", "known", "first") if name in table}
    return LessonExample(key, texts, **{"known": own.get("gold", ()), **own}, choices=table)


def _texts(value: str | Texts) -> Texts:
    """A text that is the same in each language, or one for each."""
    return dict.fromkeys(LANGUAGES, value) if isinstance(value, str) else value


LESSONS = tuple(_lesson(slug) for part in ORDERS["words"] for slug in SLUGS[part][1])
LESSON_BY_SLUG = {lesson.slug: lesson for lesson in LESSONS}


def course(order: str) -> Mapping[LazyString, Sequence[Lesson]]:
    """The lessons of each part, by its title, in one of `ORDERS`."""
    return {SLUGS[part][0]: [LESSON_BY_SLUG[slug] for slug in SLUGS[part][1]] for part in ORDERS[order]}


WEDDING = "结婚\n的\n和\n和尚\n尚未"
MOLECULES = "结合\n合成\n成分\n分子\n子时"
BATS = "乒乓球\n乒乓球拍\n拍卖\n卖完\n完\n了"
ADMITTED = ("方成功", "考上", "了", "北大")
ADMITTED_CUT = ("方", "成功", "考上", "了", "北大")
RUN = "李小福是"

NamedRow = tuple[str, Sequence[StepCell]]


def monk() -> Figure:
    """和尚 and 尚未 in the sentence about marriage, and what both directions take."""
    return _directions("结婚的和尚未结婚的", WEDDING, ("结婚", "的", "和", "尚未", "结婚", "的"))


def chain() -> Figure:
    """A chain of length 4, which both directions segment in the same way."""
    return _directions("结合成分子时", MOLECULES, ("结合", "成", "分子", "时"))


def bats() -> Figure:
    """Two readings of a sentence, both of them right."""
    text = "乒乓球拍卖完了"
    rows = [
        *lanes(_("in the dictionary"), text, occurrences(text, BATS.split())),
        segmentation(_("sold out"), ("乒乓球拍", "卖完", "了")),
        segmentation(_("auctioned off"), ("乒乓球", "拍卖", "完", "了")),
    ]
    return _figure(text, rows)


def spans() -> Figure:
    """A segmentation, the gold standard above it, and the positions between the characters."""
    rows = [segmentation(_("gold standard"), ADMITTED), segmentation(_("program"), ADMITTED_CUT, ADMITTED)]
    return _figure("".join(ADMITTED), rows, positions=True)


def trellis() -> Figure:
    """The Viterbi table of a run: for each character and tag the best sum, and where it comes from."""
    (table,) = hmm_traces(jieba_hmm(), RUN)
    return draw_table(table, len(RUN), traced=True)


def _directions(text: str, dictionary: str, right: tuple[str, ...]) -> Figure:
    words = dictionary.split()
    rows = [
        *lanes(_("in the dictionary"), text, occurrences(text, words)),
        segmentation("FMM", forward(words, text), right),
        segmentation("BMM", backward(words, text), right),
        segmentation(_("correct"), right),
    ]
    return _figure(text, rows)


def _figure(text: str, rows: list[NamedRow], *, positions: bool = False) -> Figure:
    """The characters of a text, and rows of words below them."""
    characters = [StepCell(character, "rest") for character in text]
    title = _("Words of “%(text)s”", text=text)
    return segmentations_figure([("", characters), *rows], title=title, positions=positions)


def segmentation(label: str, words: Iterable[str], right: Sequence[str] = ()) -> NamedRow:
    """A row with a segmentation; words that `right` does not have at the same place are wrong.

    >>> [one.kinds for one in segmentation("FMM", ["研究生", "命", "科学"], ["研究", "生命", "科学"])[1]]
    ['unknown', 'unknown', '']
    """
    words, correct = list(words), set(spans_of(right))
    kinds = ["" if not right or span in correct else "unknown" for span in spans_of(words)]
    return label, [StepCell(word, kind) for word, kind in zip(words, kinds, strict=True)]


def spans_of(words: Iterable[str]) -> list[tuple[int, int]]:
    """The start and end of each word of a segmentation.

    >>> spans_of(["研究", "生命"])
    [(0, 2), (2, 4)]
    """
    return list(pairwise(accumulate(map(len, words), initial=0)))


def occurrences(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """The spans of a text that are words, in order of their starts; a single character does not count.

    >>> occurrences("和尚未", ["和", "和尚", "尚未"])
    [(0, 2), (1, 3)]
    """
    known = set(words)
    return [
        (start, end)
        for start in range(len(text))
        for end in range(start + 2, len(text) + 1)
        if text[start:end] in known
    ]


def lanes(label: str, text: str, spans: Sequence[tuple[int, int]]) -> list[NamedRow]:
    """Rows in which no words overlap; a word that shares a character with another one is marked.

    >>> [[cell.kinds for cell in cells] for _label, cells in lanes("words", "研究生命", [(0, 2), (1, 3), (2, 4)])]
    [['differs', 'differs'], ['gap', 'differs', 'gap']]
    """
    rows: list[list[tuple[int, int]]] = []
    for span in spans:
        row = next((row for row in rows if row[-1][1] <= span[0]), None)
        if row is None:
            rows.append(row := [])
        row.append(span)
    overlapping = {span for span in spans for start, end in spans if start < span[1] and span[0] < end != span[1]}
    found: list[NamedRow] = []
    for at, row in enumerate(rows):
        edges = sorted({0, len(text), *(edge for span in row for edge in span)})
        kinds = ["gap" if span not in row else "differs" if span in overlapping else "" for span in pairwise(edges)]
        cells = [StepCell(text[start:end], kind) for (start, end), kind in zip(pairwise(edges), kinds, strict=True)]
        found.append(("" if at else label, cells))
    return found


DIAGRAMS: Mapping[str, Callable[[], Figure]] = {draw.__name__: draw for draw in (monk, chain, bats, spans, trellis)}
"""What draws each diagram, by its key; that of the tags of the HMM is `templates/learn/_states.html`."""
