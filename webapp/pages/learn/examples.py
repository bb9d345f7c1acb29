"""The live examples and the figures of a lesson, with what the reader changed in its address."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from urllib.parse import urlencode

from flask import url_for
from flask_babel import gettext as _
from flask_babel import pgettext
from markupsafe import Markup

from webapp.core.evaluation.score import Score, score_lines
from webapp.pages.learn.lessons import Lesson, LessonExample, spans_of
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.pages.walkthrough.engine import ShownStep
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.pages.walkthrough.ngrams import NGramRow
from webapp.rendering.markup import Painter, visible
from webapp.tokenization.algorithms import TIE_TITLES, algorithm_names
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.links import LONGEST_ADDRESS, steps_address
from webapp.tokenization.result import AnyMerge, tokenize_or_explain
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, find, title_of
from webapp.web.localization import number

MOST_STEPS = 10_000  # no lesson has more; a longer number is not read


@dataclass(frozen=True)
class LessonState:
    """The text of each example and the step of each figure, by their keys; `steps` has only those in the address."""

    lesson: Lesson
    texts: Mapping[str, str]
    steps: Mapping[str, int]

    @property
    def changed(self) -> list[tuple[str, str]]:
        """The names and values in the address: edited texts, and steps."""
        own = self.lesson.texts
        edited = [(key, text) for key, text in self.texts.items() if text != own[key]]
        return [*edited, *((key, str(step)) for key, step in self.steps.items())]

    @property
    def address(self) -> str | None:
        """The address of the lesson in this state, or None if it would be too long."""
        changed = self.changed
        if sum(len(value) for _key, value in changed) > LONGEST_ADDRESS:
            return None  # without writing it
        here = address(self.lesson)
        here += ("&" if "?" in here else "?") * bool(changed) + urlencode(changed)
        return here if len(here) <= LONGEST_ADDRESS else None


def state_of(lesson: Lesson, given: Mapping[str, str]) -> LessonState:
    """The state that an address or a form describes."""
    texts = {key: as_typed(given.get(key, text)) for key, text in lesson.texts.items()}
    steps = {key: given[key] for key in lesson.figures if key in given}
    return LessonState(lesson, texts, {key: int(value) for key, value in steps.items() if _is_step(value)})


def address(lesson: Lesson) -> str:
    """The address of a lesson."""
    return url_for("learn.lesson", slug=lesson.slug)


def _is_step(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= 5 and int(value) <= MOST_STEPS


@dataclass(frozen=True)
class LessonLinks:
    """Addresses for the text of a lesson; keys are those of its examples."""

    lesson: Lesson

    def steps(self, key: str, step: int = 1) -> str:
        """The steps of an example."""
        return StepsRequest(self._state(key)).address(step)

    def playground(self, key: str) -> str:
        """An example in the playground."""
        return f"{url_for('playground.page')}?{self._state(key).query()}"

    def edited(self, key: str, edits: str) -> str:
        """An example in the playground, with changes to its dictionary: `词 5` sets a frequency."""
        return f"{self.playground(key)}&{urlencode({'edits': edits})}"

    def compare(self, text: str, *tokenizers: str) -> str:
        """The comparison of several tokenizers, written `algorithm:vocabulary`, on a text."""
        return f"{url_for('compare.page')}?{urlencode([*(('with', each) for each in tokenizers), ('text', text)])}"

    def ambiguities(self, text: str) -> str:
        """The ambiguities of a text, with words of which a part is a single character, as 马上."""
        return url_for("ambiguity.page", text=text, singles=1)

    def evaluate(self, gold: str = "", *methods: str) -> str:
        """The scores of some methods, written `algorithm:vocabulary`, on a gold text; by default on the site's own."""
        chosen = [("gold", gold), *(("with", each) for each in methods)] if gold else []
        return url_for("evaluate.page") + (f"?{urlencode(chosen)}" if chosen else "")

    def training(self) -> str:
        """The training of word n-grams, round by round."""
        return url_for("training.page", algorithm="ngram")

    def _state(self, key: str) -> State:
        example = self.lesson.by_key[key]
        return example.state(example.text)


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
    words: bool = False  # whether the tokens are words
    problems: Sequence[InputProblem] = ()
    links: Sequence[tuple[str, str]] = ()
    most_typed: int = MOST_TYPED

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
        return list(self.state.lesson.by_key).index(self.key) + 1

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


def merges_of(lesson: Lesson, keys: Sequence[str]) -> list[tuple[AnyMerge, ...]]:
    """The merges of examples with trained vocabularies, round by round."""
    states = (lesson.by_key[key].state(lesson.by_key[key].text) for key in keys)
    return list(zip(*(tokenize_or_explain(state).merges for state in states), strict=True))


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
    if "ties" in choices:
        yield _("Equally frequent pairs:"), str(dict(TIE_TITLES)[choices["ties"]])
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
    result = tokenize_or_explain(example.state(shown.text))
    steps = steps_address(result)
    links = [*shown.links, (_("Step by step"), steps)] if steps else shown.links
    ids, words = result.encoding.ids, result.state.finds_words
    tokens = Painter(result.encoding, under=lambda index: "" if words else str(ids[index])).html()
    return replace(shown, tokens=tokens, count=len(ids), words=words, links=links)


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
    return replace(shown, tokens=tokens, count=len(words), words=True, facts=facts)


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


# The width in pixels of a picture that may shrink to that of a phone instead of scrolling; on a screen of 390 pixels it
# has 85 percent, so that the smallest text has 9 pixels.
FITTING = 420.0


@dataclass(frozen=True)
class ShownFigure:
    """A figure at one of its steps."""

    state: LessonState
    key: str  # its id on the page and its name in the address
    frame: ShownStep
    caption: str
    rows: Sequence[NGramRow] = ()  # of word n-grams: the candidates of the step
    fitting: float = FITTING

    def at(self, step: int) -> str:
        """The address of the lesson with another step of this figure."""
        state = replace(self.state, steps={**self.state.steps, self.key: step})
        return f"{state.address or address(state.lesson)}#{self.key}"


def shown_figure(state: LessonState, figure: LessonExample) -> ShownFigure:
    """A figure at the step of the address, or at its first one."""
    shown = figure.state(figure.text)
    steps = walkthrough_of(tokenize_or_explain(shown))
    wanted = state.steps.get(figure.key, figure.first % len(steps))
    frame = ShownStep(steps, min(max(steps.first, wanted), len(steps) - 1), StepsRequest(shown).address)
    rows = () if frame.part["ended"] else frame.part["rows"] or ()
    return ShownFigure(state, figure.key, frame, caption_of(figure), rows)
