"""The errors of an evaluation in context, page by page, each with the address of the method's steps on its sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from webapp.core.evaluation.report import MethodReport, ScoreReport
from webapp.core.evaluation.score import Kind, SegmentationError
from webapp.core.text.sentences import sentence_spans
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.links import steps_of
from webapp.tokenization.state import State
from webapp.tools.evaluate.inputs import PASTED, EvaluationInput
from webapp.tools.evaluate.scoring import state_of

PER_PAGE = 20
CONTEXT_WORDS = 12
CONFUSIONS_SHOWN = 30
# The characters of one side of an error that a page draws: a line without any boundary in common is one error.
DRAWN_CHARACTERS = 400


@dataclass(frozen=True)
class ScoredBlock:
    """Gold words and the words in their place, which are the same unless the block is an error."""

    gold: Sequence[str]
    output: Sequence[str]
    state: Literal["same", "here", "other"]


@dataclass(frozen=True)
class ErrorItem:
    """An error with its line around it; `before` and `after` say whether words are left out there."""

    kind: Kind
    line: int
    here: ScoredBlock
    blocks: Sequence[ScoredBlock]
    before: bool
    after: bool
    steps: str | None = None  # the address of the method's steps on its sentence


@dataclass(frozen=True)
class ErrorsPage:
    """A page of the errors of a method; without items if there is no such page."""

    method: MethodReport
    items: Sequence[ErrorItem]
    page: int
    last: int
    confusions: Sequence[tuple[str, str, Kind, int]]


def error_page(report: ScoreReport, method: MethodReport, shown: EvaluationInput) -> ErrorsPage:
    """The requested page of a method's errors."""
    found = [error for error in method.errors if shown.kind in (None, error.kind)]
    on_page = found[(shown.page - 1) * PER_PAGE : shown.page * PER_PAGE]
    by_line: dict[int, list[SegmentationError]] = {error.line: [] for error in on_page}
    for error in method.errors:
        if error.line in by_line:
            by_line[error.line].append(error)
    of_kind = [each for each in method.confusions if shown.kind in (None, each[2])][:CONFUSIONS_SHOWN]
    confusions = [
        (" ".join(_split(gold)), " ".join(_split(output)), kind, count) for gold, output, kind, count in of_kind
    ]
    state = _state(method, shown.runs)
    items = [
        replace(_item(report, error, by_line[error.line]), steps=_steps(report, error, state)) for error in on_page
    ]
    return ErrorsPage(method, items, shown.page, max(1, -(-len(found) // PER_PAGE)), confusions)


def _state(method: MethodReport, runs: bool) -> State:
    """How the method segments; without a vocabulary where steps cannot show it."""
    choice = TokenizerChoice.parse(method.choice)
    return state_of(replace(choice, vocabulary="") if choice.vocabulary == PASTED else choice, "", runs)


def _steps(report: ScoreReport, error: SegmentationError, state: State) -> str | None:
    """The address of the method's steps on the sentence in which an error begins; a tagger's has one per character."""
    words = report.lines[error.line]
    text, at = "".join(words), len("".join(words[: error.start]))
    start, end = next(span for span in sentence_spans(text) if at < span[1])
    step = at - start + 1 if state.algorithm == "tagger" else None
    return steps_of(replace(state, text=text[start:end]), step=step)


def _item(report: ScoreReport, error: SegmentationError, in_line: Sequence[SegmentationError]) -> ErrorItem:
    words = report.lines[error.line]
    first, last = max(0, error.start - CONTEXT_WORDS), min(len(words), error.end + CONTEXT_WORDS)
    near = [other for other in in_line if other.end > first and other.start < last]
    first = min(first, near[0].start)  # no error is cut in two
    last = max(last, near[-1].end)
    here = ScoredBlock(_cut(words[error.start : error.end]), _split(error.output), "here")
    blocks: list[ScoredBlock] = []
    at = first
    for other in near:
        blocks += _same(words[at : other.start])
        is_here = other == error
        blocks.append(
            here if is_here else ScoredBlock(_cut(words[other.start : other.end]), _split(other.output), "other")
        )
        at = other.end
    blocks += _same(words[at:last])
    return ErrorItem(error.kind, report.numbers[error.line], here, blocks, first > 0, last < len(words))


def _same(words: Sequence[str]) -> list[ScoredBlock]:
    return [ScoredBlock(cut, cut, "same") for cut in (_cut([word]) for word in words if word)]


def _split(words: str) -> list[str]:
    """The words that spaces separate, as many as a page draws."""
    return _cut(words.split(" ", DRAWN_CHARACTERS))


def _cut(words: Sequence[str]) -> list[str]:
    """The words, or as many characters of them as a page draws, and an ellipsis."""
    shown: list[str] = []
    left = DRAWN_CHARACTERS
    for word in words:
        if len(word) > left:
            return [*shown, f"{word[: max(left, 0)]}…"]
        shown.append(word)
        left -= len(word) + 1
    return shown
