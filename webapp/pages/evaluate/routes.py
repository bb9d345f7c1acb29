"""Routes of `/evaluate`: the form and its result, results that are stored, and their files.

A short evaluation has an address of its own, to which its form is redirected. A longer one is shown once; if the
visitor chooses how long to keep it, its report is stored at `/evaluate/ID`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.evaluation.errors import Kind
from webapp.core.evaluation.gold import GoldText
from webapp.core.evaluation.report import Report
from webapp.pages.evaluate import forms, messages, views
from webapp.pages.evaluate.forms import ErrorsShown
from webapp.pages.evaluate.messages import groups_of
from webapp.pages.evaluate.views import ErrorPage, FigureColumn, MethodRow
from webapp.rendering.charts import SHAPES
from webapp.rendering.delimited import as_csv
from webapp.serializers.evaluation import (
    confusion_rows,
    error_rows,
    evaluation_json,
    figure_rows,
    official_summary,
)
from webapp.serializers.json import json_response, well_formed
from webapp.sharing.evaluations import find_evaluation, share_evaluation
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, UnavailableStorageError
from webapp.tokenization.comparison.choices import TokenizerOption
from webapp.tokenization.evaluation.run import evaluate
from webapp.tokenization.evaluation.state import MOST_METHODS, Evaluation, default_choices
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import translated
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.problems import problem
from webapp.web.rates import stores
from webapp.web.same_origin import is_foreign
from webapp.web.templates import Context, Page, render


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


blueprint = Blueprint("evaluate", __name__)

FILES = {
    "figures.csv": figure_rows,
    "errors.csv": error_rows,
    "confusions.csv": confusion_rows,
}


@blueprint.get("/evaluate")
def page() -> BaseResponse:
    """Show the figures and errors of an evaluation that fits into its address; by default, of the site's sample."""
    evaluation, problems = forms.read(request)
    report, gold, problems = _evaluated(evaluation, problems)
    if request.args.get("format") == "json":
        return _json(report, problems)
    link = _link(evaluation)
    return _respond(evaluation, report, gold, problems, link=link)


@blueprint.post("/evaluate")
@stores
def submit() -> BaseResponse:
    """Redirect the form to its address if it is short enough, else show the result, stored if that was chosen."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    forms.allow_long_texts(request)
    evaluation, problems = forms.read(request)
    link = _link(evaluation)
    if link and not problems:
        return redirect(link, 303)
    report, gold, problems = _evaluated(evaluation, problems)
    if report is None or problems:
        return _respond(evaluation, report, gold, problems)
    receipt, unstored = _store(report, forms.expiry(request)) if forms.wants_link(request) else (None, "")
    stored = find_evaluation(receipt.id)[0] if receipt else None
    response = _respond(
        evaluation,
        report,
        gold,
        [],
        link=url_for("evaluate.stored", id=receipt.id) if receipt else None,
        receipt=receipt,
        snapshot=stored,
        unstored=unstored,
    )
    if receipt:
        response.status_code = 201
        response.headers["Location"] = url_for("evaluate.stored", id=receipt.id)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/evaluate/<id>")
def stored(id: str) -> BaseResponse:
    """Show a stored evaluation."""
    snapshot, report = find_evaluation(id)
    as_json = request.args.get("format") == "json"
    if snapshot is None or report is None:
        return _gone(snapshot, as_json)
    if as_json:
        return _json(report, [])
    response = _respond(
        Evaluation(default_choices()),
        report,
        None,
        [],
        link=url_for("evaluate.stored", id=id),
        snapshot=snapshot,
    )
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@blueprint.get("/evaluate/files/<kind>")
def files(kind: str) -> BaseResponse:
    """Download the figures, errors, confusions, JSON or the official summary of an evaluation in the address."""
    evaluation, problems = forms.read(request)
    report, _gold, problems = _evaluated(evaluation, problems)
    if report is None or problems:
        return _json(None, problems)
    return _file(report, kind)


@blueprint.get("/evaluate/<id>/<kind>")
def stored_files(id: str, kind: str) -> BaseResponse:
    """Download a file of a stored evaluation."""
    snapshot, report = find_evaluation(id)
    if snapshot is None or report is None:
        return _gone(snapshot, as_json=False)
    return _file(report, kind)


def _evaluated(
    evaluation: Evaluation, problems: list[InputProblem]
) -> tuple[Report | None, GoldText | None, list[InputProblem]]:
    return (None, None, problems) if problems else evaluate(evaluation)


def _store(report: Report, expires: datetime | None) -> tuple[ShareReceipt | None, str]:
    """The receipt of a stored report, or why it could not be stored."""
    try:
        return share_evaluation(report, expires), ""
    except StorageFullError:
        return None, _("The result could not be stored: this site has no storage left. Download it instead.")
    except UnavailableStorageError:
        return None, _("The result could not be stored: the site’s storage cannot be reached. Try again in a minute.")
    except RemovedSnapshotError:
        return None, _("The site's operator has removed this result, so it cannot be shared again.")


def _respond(
    evaluation: Evaluation,
    report: Report | None,
    gold: GoldText | None,
    problems: Sequence[InputProblem],
    *,
    link: str | None = None,
    snapshot: StoredSnapshot | None = None,
    receipt: ShareReceipt | None = None,
    unstored: str = "",
) -> Response:
    shown = forms.read_shown(request)
    days_kept = current_app.config["KEEP_SNAPSHOTS_DAYS"]
    last = None
    try:
        found = None if report is None else views.error_page(report, shown, paged=link is not None)
    except views.NoSuchPageError as error:
        found, last = None, error.last
    errors = ErrorsContext(
        report=report,
        shown=shown,
        errors=found,
        kind_names=messages.kind_names(),
        kind_hints=messages.kind_hints(),
        address=None if link is None else lambda **changes: _address(link, shown, **changes),
        no_such_page=last,
    )
    status = max((one.status for one in problems), default=404 if last else 200)
    if wants_partial() and link is not None:
        response = make_response(render(errors), status)
        response.headers["HX-Push-Url"] = _address(link, shown, page=shown.page)
        return swappable(response)
    context = EvaluatePage(
        evaluation=evaluation,
        problems=[one for one in problems if not one.field],
        invalid={one.field: [each for each in problems if each.field == one.field] for one in problems if one.field},
        groups=(groups := groups_of(uploads_of(request), evaluation.choices)),
        chosen=[
            option.title for _title, options in groups for option in options if option.choice in evaluation.choices
        ],
        most_methods=MOST_METHODS,
        gold_limit=current_app.config["MAX_GOLD_BYTES"],
        gold_shown=(gold_shown := forms.shown_again(request, "gold", evaluation.gold)),
        training_shown=(training_shown := forms.shown_again(request, "training", evaluation.training)),
        is_hidden=(gold_shown, training_shown) != (evaluation.gold, evaluation.training),
        gold=gold,
        gold_problems=[(each.number, translated(each.message)) for each in gold.problems] if gold else [],
        rows=[] if report is None else views.rows(report),
        columns=views.columns(),
        ticks=[] if report is None else views.ticks_of(views.scale_of(report)),
        marks=SHAPES,
        known_note="" if report is None else messages.known_note(report),
        errors_shown=errors,
        files=[] if link is None or report is None else _files(link),
        link=link,
        stored=snapshot,
        until=None if snapshot is None else forms.end_of_stored(snapshot, days_kept),
        receipt=receipt,
        unstored=unstored,
        keep=request.form.get("keep", ""),
        kept=messages.kept_titles(days_kept),
    )
    return swappable(make_response(render(context), status))


def _link(evaluation: Evaluation) -> str | None:
    """The address that holds the whole evaluation, or None where it would be too long."""
    query = evaluation.link(current_app.config["MAX_LINK_CHARACTERS"])
    if query is None:
        return None
    return f"{url_for('evaluate.page')}?{query}" if query else url_for("evaluate.page")


def _address(link: str, shown: ErrorsShown, **changes: object) -> str:
    """The address of the evaluation with other errors shown; a change of anything but the page begins at page 1."""
    now = {"method": shown.method, "kind": shown.kind, "page": 1, **changes}
    query = ErrorsShown(**now).query()  # type: ignore[arg-type]
    return link if not query else f"{link}{'&' if '?' in link else '?'}{query}"


def _files(link: str) -> list[tuple[str, str]]:
    """The files to download, with the addresses that belong to `link`."""
    path, _mark, query = link.partition("?")
    base = url_for("evaluate.files", kind="") if path == url_for("evaluate.page") else f"{path}/"
    titles = {
        "figures.csv": _("Figures (CSV)"),
        "errors.csv": _("Errors (CSV)"),
        "confusions.csv": _("Confusions (CSV)"),
        "report.json": _("Everything (JSON)"),
        "score.txt": _("Summary (text)"),
    }
    return [(title, f"{base}{kind}{'?' if query else ''}{query}") for kind, title in titles.items()]


def _file(report: Report, kind: str) -> Response:
    if kind in FILES:
        content, mimetype = as_csv(FILES[kind](report)), "text/csv"
    elif kind == "report.json":
        content, mimetype = json.dumps(evaluation_json(report), ensure_ascii=False), "application/json"
    elif kind == "score.txt":
        content, mimetype = official_summary(report), "text/plain"
    else:
        abort(404)
    response = Response(well_formed(content), mimetype=mimetype)
    response.headers["Content-Disposition"] = f"attachment; filename={kind}"
    return private(response)


def _json(report: Report | None, problems: Sequence[InputProblem]) -> Response:
    if report is None or problems:
        return problem(
            max((one.status for one in problems), default=422),
            " ".join(one.message for one in problems),
            errors=[(one.field, one.message) for one in problems if one.field],
        )
    return private(json_response(evaluation_json(report)))


def _gone(snapshot: StoredSnapshot | None, as_json: bool) -> Response:
    """The answer for an evaluation that never was, or that has ended."""
    status = 404 if snapshot is None or snapshot.condition == "kept" else 410
    message = (
        _("There is no evaluation at this address.")
        if status == 404
        else _("This evaluation is no longer stored: it has expired or was deleted.")
    )
    if as_json:
        return problem(status, message)
    response = _respond(Evaluation(default_choices()), None, None, [InputProblem(message, status)])
    return private(response)
