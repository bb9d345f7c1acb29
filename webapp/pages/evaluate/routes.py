"""Routes of `/evaluate`: the form and its result, results that are stored, and their files.

A short evaluation has an address of its own, to which its form is redirected. A longer one is shown once; if the
visitor chooses how long to keep it, its report is stored at `/evaluate/ID`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.evaluation.gold import GoldText
from webapp.core.evaluation.report import ScoreReport
from webapp.pages.evaluate.views import ErrorsPage, ErrorsShown, best_figures, error_page, groups_of
from webapp.rendering.delimited import as_csv
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, UnavailableStorageError
from webapp.tokenization.comparison.views import TokenizerOption
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import refused, upload_limit
from webapp.tokenization.sharing.evaluations import find_evaluation, share_evaluation
from webapp.tokenization.sharing.snapshots import end_of
from webapp.tools.evaluate import MOST_METHODS, Evaluation, evaluate
from webapp.tools.evaluate.answers import (
    confusion_rows,
    error_rows,
    evaluation_json,
    figure_rows,
    official_summary,
)
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.json_responses import json_response, well_formed
from webapp.web.problems import problem
from webapp.web.rates import stores
from webapp.web.security import is_foreign
from webapp.web.templates import Context, Page, render

KEPT_DAYS = {"30": 30, "365": 365, "forever": None}
"""How long a stored evaluation is kept. Without a choice, nothing is stored."""
SHOWN_AGAIN = 100_000
"""The most characters of a file that the form shows; what was typed or pasted it always shows."""


@dataclass(frozen=True, kw_only=True)
class ErrorsContext(Context):
    """The errors of one method, a page of them, and its confusions; for htmx."""

    template = "evaluate/_errors.html"

    report: ScoreReport | None
    shown: ErrorsShown
    errors: ErrorsPage | None
    address: Callable[..., str] | None  # of other errors of this evaluation; None if it has no address


@dataclass(frozen=True, kw_only=True)
class EvaluatePage(Page):
    """The form, the figures and the errors."""

    template = "evaluate/page.html"
    chosen_templates = ("evaluate/guideline_en.html", "evaluate/guideline_zh.html")

    form_id: str = "evaluate"
    evaluation: Evaluation
    problems: Sequence[InputProblem]
    groups: Sequence[tuple[str, Sequence[TokenizerOption]]]
    most_methods: int
    hidden: Collection[str]  # the fields whose file is too long to be shown in the form
    gold: GoldText | None  # None for a stored evaluation, and if it could not be read
    best: Mapping[str, str]  # the best value of a figure, as printed
    errors_shown: ErrorsContext
    link: str | None  # the address of this evaluation
    stored: StoredSnapshot | None
    until: datetime | None  # the end of the stored evaluation
    receipt: ShareReceipt | None  # just after storing
    unstored: str  # why the link is missing
    days_kept: int  # the longest time, 0 for no limit


blueprint = Blueprint("evaluate", __name__)

FILES: Mapping[str, tuple[str, Callable[[ScoreReport], str]]] = {
    "figures.csv": ("text/csv", lambda report: as_csv(figure_rows(report))),
    "errors.csv": ("text/csv", lambda report: as_csv(error_rows(report))),
    "confusions.csv": ("text/csv", lambda report: as_csv(confusion_rows(report))),
    "report.json": ("application/json", lambda report: json.dumps(evaluation_json(report), ensure_ascii=False)),
    "score.txt": ("text/plain", official_summary),
}


@blueprint.get("/evaluate")
def page() -> BaseResponse:
    """Show the figures and errors of an evaluation that fits into its address; by default, of the site's sample."""
    evaluation, problems = Evaluation.read(request)
    report, gold, problems = _evaluated(evaluation, problems)
    if request.args.get("format") == "json":
        return refused(problems) if report is None else private(json_response(evaluation_json(report)))
    return _respond(evaluation, report, gold, problems, link=_link(evaluation))


@blueprint.post("/evaluate")
@stores
def submit() -> BaseResponse:
    """Redirect the form to its address if it is short enough, else show the result, stored if that was chosen."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    # Before anything reads the body: it may be as long as all texts of an evaluation.
    request.max_content_length = upload_limit()
    config = current_app.config
    request.max_form_memory_size = max(5 * config["MAX_GOLD_BYTES"], config["MAX_CONTENT_LENGTH"])
    evaluation, problems = Evaluation.read(request)
    link = _link(evaluation)
    if link and not problems:
        return redirect(link, 303)
    report, gold, problems = _evaluated(evaluation, problems)
    if report is None:
        return _respond(evaluation, None, None, problems)
    receipt, unstored, link = None, "", None
    try:
        if (keep := request.form.get("keep")) in KEPT_DAYS:
            days = KEPT_DAYS[keep]
            until = None if days is None else end_of(datetime.now(UTC).date() + timedelta(days=days))
            receipt = share_evaluation(report, until)
            link = url_for("evaluate.stored", id=receipt.id)
    except StorageFullError:
        unstored = _("The result could not be stored: this site has no storage left. Download it instead.")
    except UnavailableStorageError:
        unstored = _("The result could not be stored: the site’s storage cannot be reached. Try again in a minute.")
    except RemovedSnapshotError:
        unstored = _("The site's operator has removed this result, so it cannot be shared again.")
    snapshot = find_evaluation(receipt.id)[0] if receipt else None
    response = _respond(evaluation, report, gold, [], link=link, snapshot=snapshot, receipt=receipt, unstored=unstored)
    if link:
        response.status_code = 201
        response.headers["Location"] = link
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/evaluate/<id>")
def stored(id: str) -> BaseResponse:
    """Show a stored evaluation."""
    snapshot, report = _found(id)
    if request.args.get("format") == "json":
        return private(json_response(evaluation_json(report)))
    link = url_for("evaluate.stored", id=id)
    response = _respond(Evaluation(), report, None, [], link=link, snapshot=snapshot)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@blueprint.get("/evaluate/files/<kind>")
def files(kind: str) -> BaseResponse:
    """Download the figures, errors, confusions, JSON or the official summary of an evaluation in the address."""
    report, _gold, problems = _evaluated(*Evaluation.read(request))
    return refused(problems) if report is None else _file(report, kind)


@blueprint.get("/evaluate/<id>/<kind>")
def stored_files(id: str, kind: str) -> BaseResponse:
    """Download a file of a stored evaluation."""
    return _file(_found(id)[1], kind)


def _evaluated(
    evaluation: Evaluation, problems: list[InputProblem]
) -> tuple[ScoreReport | None, GoldText | None, list[InputProblem]]:
    """The report and the gold text, or what is wrong with the input."""
    try:
        if not problems:
            return *evaluate(evaluation), []
    except InputProblem as wrong:
        problems = [wrong]
    return None, None, problems


def _found(id: str) -> tuple[StoredSnapshot, ScoreReport]:
    """A stored evaluation; ends with the page that says that there never was one, or that it has ended."""
    snapshot, report = find_evaluation(id)
    if snapshot is not None and report is not None:
        return snapshot, report
    if snapshot is None or snapshot.condition == "kept":
        missing = InputProblem(_("There is no evaluation at this address."), 404)
    else:
        missing = InputProblem(_("This evaluation is no longer stored: it has expired or was deleted."), 410)
    if request.args.get("format") == "json":
        return abort(problem(missing.status, missing.message))
    return abort(private(_respond(Evaluation(), None, None, [missing])))


def _respond(
    evaluation: Evaluation,
    report: ScoreReport | None,
    gold: GoldText | None,
    problems: Sequence[InputProblem],
    *,
    link: str | None = None,
    snapshot: StoredSnapshot | None = None,
    receipt: ShareReceipt | None = None,
    unstored: str = "",
) -> Response:
    shown = ErrorsShown.read(request)[0]
    found = None if report is None else error_page(report, shown, paged=link is not None)

    def address(**changes: object) -> str:
        """The evaluation with other errors shown; a change of anything but the page begins at page 1."""
        query = shown.query(**{"page": 1, **changes})
        return f"{link}{'&' if '?' in str(link) else '?'}{query}" if query else str(link)

    errors = ErrorsContext(report=report, shown=shown, errors=found, address=address if link else None)
    status = max((one.status for one in problems), default=404 if found and found.page > found.last else 200)
    if wants_partial() and link is not None:
        response = make_response(render(errors), status)
        response.headers["HX-Push-Url"] = address(page=shown.page)
        return swappable(response)
    uploads = {field: request.files.get(f"{field}_file") for field in ("gold", "training")}
    days_kept = current_app.config["KEEP_SNAPSHOTS_DAYS"]
    context = EvaluatePage(
        evaluation=evaluation,
        problems=problems,
        groups=groups_of(uploads_of(request), evaluation.choices),
        most_methods=MOST_METHODS,
        hidden=[field for field, file in uploads.items() if file and len(getattr(evaluation, field)) > SHOWN_AGAIN],
        gold=gold,
        best={} if report is None else best_figures(report),
        errors_shown=errors,
        link=link,
        stored=snapshot,
        until=_end_of_stored(snapshot, days_kept),
        receipt=receipt,
        unstored=unstored,
        days_kept=days_kept,
    )
    return swappable(make_response(render(context), status))


def _end_of_stored(stored: StoredSnapshot | None, days_kept: int) -> datetime | None:
    """When a stored evaluation ends, None for never: at its own end, or `days_kept` days after it was stored."""
    if stored is None:
        return None
    if not days_kept:
        return stored.expires
    latest = stored.created + timedelta(days=days_kept)
    return min(latest, stored.expires or latest)


def _link(evaluation: Evaluation) -> str | None:
    """The address that holds the whole evaluation, or None where it would be too long."""
    query = evaluation.link(current_app.config["MAX_LINK_CHARACTERS"])
    return None if query is None else f"{url_for('evaluate.page')}?{query}".removesuffix("?")


def _file(report: ScoreReport, kind: str) -> Response:
    if kind not in FILES:
        abort(404)
    mimetype, content = FILES[kind]
    response = Response(well_formed(content(report)), mimetype=mimetype)
    response.headers["Content-Disposition"] = f"attachment; filename={kind}"
    return private(response)
