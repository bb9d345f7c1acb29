"""The live examples of a lesson: their texts, from the address, and their tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from flask import url_for
from flask_babel import gettext as _
from flask_babel import pgettext
from markupsafe import Markup

from webapp.core.evaluation.score import Score, score_lines
from webapp.pages.learn.diagrams import spans_of
from webapp.pages.learn.lessons import Lesson, LessonExample
from webapp.pages.learn.state import LessonState
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.rendering.markup import Painter, visible
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import LONGEST_ADDRESS, steps_address
from webapp.tokenization.messages import tokenize_or_explain
from webapp.vocabularies import StillFetchingError, find, title_of
from webapp.web.localization import number

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
    button: str
    facts: Sequence[tuple[str, str]]
    tokens: Markup | None = None
    count: int | None = None
    problems: Sequence[InputProblem] = ()
    links: Sequence[tuple[str, str]] = ()
    most_typed: int = MOST_TYPED

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
    example, text = state.lesson.by_key[key], state.texts[key]
    shown = ShownExample(
        state,
        key,
        caption_of(example),
        pgettext("button", "Score") if example.kind == "score" else _("Tokenize"),
        [*_given(example)],
        links=_links(example, text),
    )
    try:
        if len(text) > MOST_CHARACTERS:
            message = _(
                "This text has %(size)s characters; an example takes %(most)s. The playground takes longer ones.",
                size=number(len(text)),
                most=number(MOST_CHARACTERS),
            )
            raise InputProblem(message, 413)
        match example.kind:
            case "tokens":
                return _with_tokens(shown, example)
            case "score":
                return _with_scores(shown, example)
    except StillFetchingError:
        problem = InputProblem(_("The vocabulary is still being downloaded. Try again in a moment."), 503)
    except InputProblem as found:
        problem = found
    return replace(shown, problems=[problem])


def caption_of(example: LessonExample) -> str:
    """The algorithm and the vocabulary by name, or what else is computed."""
    if example.kind == "score":
        return _("Gold standard: %(words)s", words=" / ".join(example.gold))
    entry = find(example.choices["vocabulary"])
    assert entry is not None
    return f"{algorithm_names()[example.choices['algorithm']]} · {title_of(entry)}"


def _given(example: LessonExample) -> Iterable[tuple[str, str]]:
    """What an example is given besides its text: labels and values."""
    choices = example.choices
    if "dictionary" in choices:
        yield _("Dictionary:"), " · ".join(choices["dictionary"].splitlines())
    if "corpus" in choices:
        yield _("Trained on:"), short_corpus(choices["corpus"])
    if "smoothing" in choices:
        yield _("Smoothing:"), str(SMOOTHING_NAMES[choices["smoothing"]])
    if "hmm" in choices:
        yield _("HMM:"), _("on") if choices["hmm"] else _("off")


def short_corpus(corpus: str) -> str:
    """A corpus on one line, in which a word follows itself only once.

    >>> short_corpus("low low low lower"), short_corpus("I love dogs"), short_corpus("a b\\na c")
    ('low × 3 · lower', 'I love dogs', 'a b · a c')
    """
    runs = [(word, len(list(same))) for word, same in groupby(corpus.split())]
    if all(count == 1 for _word, count in runs):
        return " · ".join(corpus.splitlines())
    return " · ".join(f"{word} × {count}" if count > 1 else word for word, count in runs)


def _links(example: LessonExample, text: str) -> list[tuple[str, str]]:
    query = example.state(text).link(LONGEST_ADDRESS) if example.kind == "tokens" else None
    return [(_("Open in the playground"), f"{url_for('playground.page')}?{query}")] if query else []


def _with_tokens(shown: ShownExample, example: LessonExample) -> ShownExample:
    try:
        result = tokenize_or_explain(example.state(shown.text))
    except InputProblem as problem:
        return replace(shown, problems=[problem])
    steps = steps_address(result)
    links = [*shown.links, (_("Step by step"), steps)] if steps else shown.links
    ids = result.encoding.ids
    tokens = Painter(result.encoding, under=lambda index: str(ids[index])).html()
    return replace(shown, tokens=tokens, count=len(ids), links=links)


def _with_scores(shown: ShownExample, example: LessonExample) -> ShownExample:
    """The words as tiles, wrong ones marked, and the scores against the gold standard."""
    words = shown.text.split()
    gold = "".join(example.gold)
    if "".join(words) != gold:
        raise InputProblem(_("Only the spaces may change: without them, the text has to be “%(text)s”.", text=gold))
    right = set(spans_of(example.gold))
    cells = (
        Markup("<i{}>{}</i>").format(Markup("") if span in right else Markup(' class="u"'), visible(word))
        for word, span in zip(words, spans_of(words), strict=True)
    )
    tokens = Markup('<div class="chunk c0">{}</div>').format(Markup("").join(cells))
    facts = _scores(score_lines([example.gold], [words], frozenset(example.known)))
    return replace(shown, tokens=tokens, count=len(words), facts=facts)


def _scores(score: Score) -> list[tuple[str, str]]:
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
