"""A page of the errors of a segmentation in context, and the best figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.core.evaluation.report import MethodReport, ScoreReport
from webapp.core.evaluation.score import Kind, SegmentationError
from webapp.tools.evaluate.inputs import EvaluationInput

FIGURES = ("precision", "recall", "f1", "oov_recall", "iv_recall")
PER_PAGE = 20
UNPAGED = 100  # the errors of a result without an address, which has only one page
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


@dataclass(frozen=True)
class ErrorsPage:
    """A page of the errors of a method; without items if there is no such page."""

    method: MethodReport
    items: Sequence[ErrorItem]
    page: int
    last: int
    confusions: Sequence[tuple[str, str, Kind, int]]


def best_figures(report: ScoreReport) -> dict[str, str]:
    """The highest value of each figure in which the methods differ, as printed."""
    printed = {
        name: {
            f"{value:.3f}"
            for method in report.methods
            if not method.problem and (value := getattr(method.score, name)) is not None
        }
        for name in FIGURES
    }
    return {name: max(values) for name, values in printed.items() if len(values) > 1}


def error_page(report: ScoreReport, shown: EvaluationInput, *, paged: bool = True) -> ErrorsPage | None:
    """The page of errors that is asked for, or None if there is no method with figures.

    If it is not `paged`, the first errors are all there are.
    """
    usable = [method for method in report.methods if not method.problem]
    if not usable:
        return None
    chosen = report.methods[shown.method - 1 : shown.method]
    method = chosen[0] if chosen and not chosen[0].problem else usable[0]
    found = [error for error in method.errors if shown.kind in (None, error.kind)]
    per_page = PER_PAGE if paged else UNPAGED
    on_page = found[(shown.page - 1) * per_page : shown.page * per_page]
    by_line: dict[int, list[SegmentationError]] = {error.line: [] for error in on_page}
    for error in method.errors:
        if error.line in by_line:
            by_line[error.line].append(error)
    of_kind = [each for each in method.confusions if shown.kind in (None, each[2])][:CONFUSIONS_SHOWN]
    confusions = [
        (" ".join(_split(gold)), " ".join(_split(output)), kind, count) for gold, output, kind, count in of_kind
    ]
    items = [_item(report, error, by_line[error.line]) for error in on_page]
    last = max(1, -(-len(found) // per_page)) if paged else 1
    return ErrorsPage(method, items, shown.page, last, confusions)


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
