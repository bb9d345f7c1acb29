"""The variables of the templates of `/evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.core.evaluation.errors import Kind
from webapp.core.evaluation.gold import GoldText
from webapp.core.evaluation.report import Report
from webapp.pages.evaluate.forms import ErrorsShown
from webapp.pages.evaluate.views import ErrorPage, FigureColumn, MethodRow
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization.comparison.choices import TokenizerOption
from webapp.tokenization.evaluation.state import Evaluation
from webapp.tokenization.forms import InputProblem
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class ErrorsContext(Context):
    """The errors of one method, a page of them, and its confusions; for htmx."""

    template = "evaluate/_errors.html"

    report: Report | None
    shown: ErrorsShown
    errors: ErrorPage | None
    kind_names: Mapping[Kind, str]
    kind_hints: Mapping[Kind, str]
    address: Callable[..., str] | None  # of other errors of this evaluation; None if it has no address
    no_such_page: int | None  # the last page, if a later one was requested


@dataclass(frozen=True, kw_only=True)
class EvaluatePage(Page):
    """The form, the figures and the errors."""

    template = "evaluate/page.html"
    chosen_templates = ("evaluate/guideline_en.html", "evaluate/guideline_zh.html")

    form_id: str = "evaluate"
    evaluation: Evaluation
    problems: Sequence[InputProblem]
    invalid: Mapping[str, Sequence[InputProblem]]  # by field
    groups: Sequence[tuple[str, Sequence[TokenizerOption]]]
    chosen: Sequence[str]  # titles of the chosen methods
    most_methods: int
    gold_limit: int  # bytes
    gold_shown: str  # in the form
    training_shown: str
    is_hidden: bool  # whether a file is too long to be shown in the form
    gold: GoldText | None  # None for a stored evaluation, and if it could not be read
    gold_problems: Sequence[tuple[int, str]]  # line and sentence
    rows: Sequence[MethodRow]
    columns: Sequence[FigureColumn]
    ticks: Sequence[tuple[str, float]]  # of the chart: label, position in percent
    marks: Sequence[str]  # an SVG path for each mark
    known_note: str
    errors_shown: ErrorsContext
    files: Sequence[tuple[str, str]]  # downloads: title and address
    link: str | None  # the address of this evaluation
    stored: StoredSnapshot | None
    until: datetime | None  # the end of the stored evaluation
    receipt: ShareReceipt | None  # just after storing
    unstored: str  # why the link is missing
    keep: str  # the chosen one of them
    kept: Sequence[tuple[str, str]]  # how long to store: value and title
