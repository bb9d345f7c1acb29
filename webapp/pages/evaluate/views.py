"""What the page shows of a report: the table and the chart, and a page of errors in their context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flask_babel import gettext as _

from webapp.core.evaluation.errors import Kind, SegmentationError
from webapp.core.evaluation.report import MethodReport, Report
from webapp.pages.evaluate.forms import ErrorsShown
from webapp.rendering.charts import Scale

PER_PAGE = 20
UNPAGED = 100  # the errors of a result without an address, which has only one page
CONTEXT_WORDS = 12
CONFUSIONS_SHOWN = 30
# The characters of one side of an error that a page draws: a line without any boundary in common is one error.
DRAWN_CHARACTERS = 400

State = Literal["same", "here", "other"]


@dataclass(frozen=True)
class FigureColumn:
    """A figure of the table: its key in `Score`, its short and its full title, and the index of its mark, if any."""

    key: str
    title: str
    full: str
    mark: int | None = None


@dataclass(frozen=True)
class Cell:
    """A figure of a method: its value as a fraction, as printed, and whether it is the best."""

    value: float | None
    text: str
    best: bool


@dataclass(frozen=True)
class MethodRow:
    """A method with its figures in the order of the columns; `marks` are (index, percent of the width)."""

    number: int
    method: MethodReport
    cells: Sequence[Cell]
    marks: Sequence[tuple[int, float]]


@dataclass(frozen=True)
class Block:
    """Gold words and the words in their place, which are the same unless the block is an error."""

    gold: Sequence[str]
    output: Sequence[str]
    state: State


@dataclass(frozen=True)
class ErrorItem:
    """An error with its line around it; `before` and `after` say whether words are left out there."""

    error: SegmentationError
    line: int
    gold: Sequence[str]
    output: Sequence[str]
    blocks: Sequence[Block]
    before: bool
    after: bool


@dataclass(frozen=True)
class ErrorPage:
    """A page of the errors of a method."""

    method: MethodReport
    items: Sequence[ErrorItem]
    listed: int  # errors of the kind that the report lists
    page: int
    last: int
    confusions: Sequence[tuple[str, str, Kind, int]]


class NoSuchPageError(LookupError):
    """There is no such page of errors; `last` is the last one."""

    def __init__(self, last: int) -> None:
        super().__init__(last)
        self.last = last


def columns() -> list[FigureColumn]:
    """The figures of the table. Those with a mark are in the chart too."""
    return [
        FigureColumn("precision", "P", _("Precision: the share of the method’s words that the gold text has"), 1),
        FigureColumn("recall", "R", _("Recall: the share of the gold words that the method has"), 2),
        FigureColumn("f1", "F1", _("F1: the harmonic mean of precision and recall"), 0),
        FigureColumn("oov_recall", _("OOV recall"), _("The share of the unknown words that the method has"), 3),
        FigureColumn("iv_recall", _("IV recall"), _("The share of the known words that the method has"), 5),
    ]


def ticks_of(scale: Scale) -> list[tuple[str, float]]:
    """The label and the position of each line of the scale: a tenth apart, or two tenths on a long scale.

    >>> [label for label, _place in ticks_of(Scale(0.7, 1, False))]
    ['0.7', '0.8', '0.9', '1']
    """
    first = round(scale.minimum * 10)
    step = 1 if first >= 5 else 2
    return [(f"{tenth / 10:g}", scale.place(tenth / 10)) for tenth in range(10, first - 1, -step)][::-1]


def scale_of(report: Report) -> Scale:
    """The scale that covers the figures of all methods, from a tenth at or below the lowest to 1."""
    values = [
        value
        for method in report.methods
        if not method.problem
        for column in columns()
        if (value := _figure(method, column.key)) is not None
    ]
    return Scale(min([0.9, *(int(value * 10) / 10 for value in values)]), 1, False)


def rows(report: Report) -> list[MethodRow]:
    """A row for each method; the best figure of each column is marked if the methods differ in it."""
    shown, scale = columns(), scale_of(report)
    best: dict[str, str] = {}
    for column in shown:
        printed = {_printed(_figure(method, column.key)) for method in report.methods if not method.problem}
        printed.discard("–")
        if len(printed) > 1:
            best[column.key] = max(printed)
    found = []
    for number, method in enumerate(report.methods, 1):
        cells = []
        for column in shown:
            value = None if method.problem else _figure(method, column.key)
            text = _printed(value)
            cells.append(Cell(value, text, text == best.get(column.key)))
        marks = [
            (column.mark, scale.place(cell.value))
            for column, cell in zip(shown, cells, strict=True)
            if column.mark is not None and cell.value is not None
        ]
        found.append(MethodRow(number, method, cells, sorted(marks, reverse=True)))  # F1 on top
    return found


def _figure(method: MethodReport, key: str) -> float | None:
    value: float | None = getattr(method.score, key)
    return value


def _printed(value: float | None) -> str:
    """A figure as the official script prints it, with three decimals in every language."""
    return "–" if value is None else f"{value:.3f}"


def error_page(report: Report, shown: ErrorsShown, *, paged: bool = True) -> ErrorPage | None:
    """The page of errors that is asked for, or None if there is no method with figures.

    If it is not `paged`, the first errors are all there are. Raises NoSuchPageError.
    """
    usable = [method for method in report.methods if not method.problem]
    if not usable:
        return None
    method = report.methods[shown.method - 1] if shown.method <= len(report.methods) else usable[0]
    if method.problem:
        method = usable[0]
    found = [error for error in method.errors if shown.kind in (None, error.kind)]
    per_page = PER_PAGE if paged else UNPAGED
    last = max(1, -(-len(found) // per_page)) if paged else 1
    if shown.page > last:
        raise NoSuchPageError(last)
    on_page = found[(shown.page - 1) * per_page : shown.page * per_page]
    wanted = {error.line for error in on_page}
    by_line: dict[int, list[SegmentationError]] = {}
    for error in method.errors:
        if error.line in wanted:
            by_line.setdefault(error.line, []).append(error)
    of_kind = [each for each in method.confusions if shown.kind in (None, each[2])][:CONFUSIONS_SHOWN]
    confusions = [
        (" ".join(_split(gold)), " ".join(_split(output)), kind, count) for gold, output, kind, count in of_kind
    ]
    items = [_item(report, error, by_line[error.line]) for error in on_page]
    return ErrorPage(method, items, len(found), shown.page, last, confusions)


def _item(report: Report, error: SegmentationError, in_line: Sequence[SegmentationError]) -> ErrorItem:
    words = report.lines[error.line]
    first, last = max(0, error.start - CONTEXT_WORDS), min(len(words), error.end + CONTEXT_WORDS)
    for other in in_line:  # no error is cut in two
        if other.start < first < other.end:
            first = other.start
        if other.start < last < other.end:
            last = other.end
    blocks: list[Block] = []
    at = first
    for other in in_line:
        if other.end <= first or other.start >= last:
            continue
        blocks += _same(words[at : other.start])
        state: State = "here" if other == error else "other"
        blocks.append(Block(_cut(words[other.start : other.end]), _split(other.output), state))
        at = other.end
    blocks += _same(words[at:last])
    return ErrorItem(
        error,
        report.numbers[error.line],
        _cut(words[error.start : error.end]),
        _split(error.output),
        blocks,
        before=first > 0,
        after=last < len(words),
    )


def _same(words: Sequence[str]) -> list[Block]:
    return [Block(cut, cut, "same") for cut in (_cut([word]) for word in words if word)]


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
