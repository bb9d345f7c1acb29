"""`/evaluate`: segmentations scored against a gold text: precision, recall, F1, and their errors in context.

A short evaluation has an address of its own, to which its form is redirected. A longer one is shown once; if the
visitor chooses how long to keep it, its report is stored at `/evaluate/ID`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from http import HTTPStatus

from flask import Blueprint, Response, abort, current_app, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.evaluation.gold import GoldText
from webapp.core.evaluation.report import ScoreReport
from webapp.rendering.delimited import as_csv
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import refused, upload_limit
from webapp.tokenization.sharing.snapshots import end_of, find_evaluation, share_evaluation
from webapp.tools.evaluate import api
from webapp.tools.evaluate.api import confusion_rows, error_rows, evaluation_json, figure_rows, official_summary
from webapp.tools.evaluate.errors import ErrorsPage, best_figures, error_page
from webapp.tools.evaluate.inputs import FIRST_ERRORS, EvaluationInput
from webapp.tools.evaluate.scoring import evaluate
from webapp.tools.kernel import ApiEntry, Tool, page_of
from webapp.web.htmx import private
from webapp.web.json_responses import json_response, well_formed
from webapp.web.problems import problem
from webapp.web.rates import stores
from webapp.web.security import is_foreign

KEPT_DAYS = {"30": 30, "365": 365, "forever": None}
"""How long a stored evaluation is kept. Without a choice, nothing is stored."""


@dataclass(frozen=True)
class Evaluated:
    """A report, and which of its errors are shown; of a stored evaluation without the gold text."""

    given: EvaluationInput
    report: ScoreReport
    gold: GoldText | None = None
    stored: StoredSnapshot | None = None
    receipt: ShareReceipt | None = None  # just after storing
    unstored: str = ""  # why the link is missing

    @property
    def link(self) -> str | None:
        """The address of this evaluation, if it has one, without which errors are shown."""
        if self.stored is not None:
            return url_for("evaluations.stored", id=self.stored.id)
        query = self.given.query(**FIRST_ERRORS)
        return f"{url_for('evaluate.page')}?{query}".removesuffix("?") if self.given.fits_address else None

    def address(self, **changes: object) -> str:
        """The evaluation with other errors shown; a change of anything but the page begins at page 1."""
        shown = {name: getattr(self.given, name) for name in FIRST_ERRORS} | {"page": 1, **changes}
        query = EvaluationInput.model_construct(**shown).query()
        return f"{self.link}{'&' if '?' in str(self.link) else '?'}{query}" if query else str(self.link)

    @property
    def best(self) -> dict[str, str]:
        """The best value of each figure, as printed."""
        return best_figures(self.report)

    @cached_property
    def errors(self) -> ErrorsPage | None:
        """The page of errors; None if there is no method with figures."""
        return error_page(self.report, self.given, paged=self.link is not None)

    @property
    def status(self) -> int:
        """The status of the page."""
        return 404 if self.errors and self.errors.page > self.errors.last else 200

    @property
    def until(self) -> datetime | None:
        """The end of a stored evaluation, None for never: its own, or that of what the site keeps."""
        days = current_app.config["KEEP_SNAPSHOTS_DAYS"]
        if self.stored is None or not days:
            return self.stored.expires if self.stored else None
        latest = self.stored.created + timedelta(days=days)
        return min(latest, self.stored.expires or latest)


def evaluation(given: EvaluationInput) -> Evaluated:
    """Score methods and segmentations against a gold text."""
    return Evaluated(given, *evaluate(given))


TOOL = Tool(
    name="evaluate",
    address="/evaluate",
    input=EvaluationInput,
    run=evaluation,
    template="tools/evaluate.html",
    answer=lambda found: evaluation_json(found.report),
    file_name="report",
    form_id="evaluate",
    methods=("GET",),
    leafed=("page", "method", "kind"),
    api=ApiEntry("/evaluate", api.EvaluateBody, api.EvaluateAnswer, api.EXAMPLE, run=api.evaluate),
)
evaluations = Blueprint("evaluations", __name__, url_prefix=TOOL.address)
FILES: Mapping[str, tuple[str, Callable[[ScoreReport], str]]] = {
    "figures.csv": ("text/csv", lambda report: as_csv(figure_rows(report))),
    "errors.csv": ("text/csv", lambda report: as_csv(error_rows(report))),
    "confusions.csv": ("text/csv", lambda report: as_csv(confusion_rows(report))),
    "report.json": ("application/json", lambda report: json.dumps(evaluation_json(report), ensure_ascii=False)),
    "score.txt": ("text/plain", official_summary),
}


@evaluations.post("")
@stores
def submit() -> BaseResponse:
    """Redirect the form to its address if it is short enough, else show the result, stored if that was chosen."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    # Before anything reads the body: it may be as long as all texts of an evaluation.
    request.max_content_length = upload_limit()
    config = current_app.config
    request.max_form_memory_size = max(5 * config["MAX_GOLD_BYTES"], config["MAX_CONTENT_LENGTH"])
    given, problems = EvaluationInput.read(request)
    if problems or given.fits_address:
        return page_of(TOOL, given, None, problems)
    try:
        found = evaluation(given)
    except InputProblem as wrong:
        return page_of(TOOL, given, None, [wrong])
    try:
        if (keep := request.form.get("keep")) in KEPT_DAYS:
            days = KEPT_DAYS[keep]
            until = None if days is None else end_of(datetime.now(UTC).date() + timedelta(days=days))
            receipt = share_evaluation(found.report, until)
            found = replace(found, stored=find_evaluation(receipt.id)[0], receipt=receipt)
    except StorageFullError:
        message = _("The result could not be stored: this site has no storage left. Download it instead.")
        found = replace(found, unstored=message)
    except UnavailableStorageError:
        message = _("The result could not be stored: the site’s storage cannot be reached. Try again in a minute.")
        found = replace(found, unstored=message)
    except RemovedSnapshotError:
        message = _("The site's operator has removed this result, so it cannot be shared again.")
        found = replace(found, unstored=message)
    response = page_of(TOOL, given, found, [])
    if found.link:
        response.status_code = 201
        response.headers["Location"] = found.link
    response.headers["Cache-Control"] = "no-store"
    return response


@evaluations.get("/<id>")
def stored(id: str) -> BaseResponse:
    """Show a stored evaluation."""
    found = _found(id)
    if request.args.get("format") == "json":
        return private(json_response(evaluation_json(found.report)))
    response = page_of(TOOL, found.given, found, [], url_for("evaluations.stored", id=id))
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@evaluations.get("/files/<kind>")
def files(kind: str) -> BaseResponse:
    """Download the figures, errors, confusions, JSON or the official summary of an evaluation in the address."""
    given, problems = EvaluationInput.read(request)
    try:
        return refused(problems) if problems else _file(evaluate(given)[0], kind)
    except InputProblem as wrong:
        return refused([wrong])


@evaluations.get("/<id>/<kind>")
def stored_files(id: str, kind: str) -> BaseResponse:
    """Download a file of a stored evaluation."""
    return _file(_found(id).report, kind)


def _found(id: str) -> Evaluated:
    """A stored evaluation; ends with the page that says that there never was one, or that it has ended."""
    snapshot, report = find_evaluation(id)
    if snapshot is not None and report is not None:
        given, _problems = EvaluationInput.read(request)
        shown = {name: getattr(given, name) for name in FIRST_ERRORS}
        return Evaluated(EvaluationInput(**shown), report, stored=snapshot)
    if snapshot is None or snapshot.condition == "kept":
        missing = InputProblem(_("There is no evaluation at this address."), 404)
    else:
        missing = InputProblem(_("This evaluation is no longer stored: it has expired or was deleted."), 410)
    if request.args.get("format") == "json":
        return abort(problem(missing.status, missing.message))
    return abort(page_of(TOOL, EvaluationInput(), None, [missing]))


def _file(report: ScoreReport, kind: str) -> Response:
    if kind not in FILES:
        abort(404)
    mimetype, content = FILES[kind]
    response = Response(well_formed(content(report)), mimetype=mimetype)
    response.headers["Content-Disposition"] = f"attachment; filename={kind}"
    return private(response)
