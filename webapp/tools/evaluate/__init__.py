"""`/evaluate`: segmentations scored against a gold text: precision, recall, F1, and their errors in context.

A short evaluation has an address of its own, to which its form is redirected. A longer one is shown once; if the
visitor chooses how long to keep it, its report is stored at `/evaluate/ID`. One that takes more than a few seconds is a
run, whose page at `/evaluate/runs/ID` asks for it until all is scored (`webapp.tools.evaluate.runs`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

from flask import Blueprint, Response, abort, current_app, redirect, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.evaluation.gold import GoldText
from webapp.core.evaluation.report import ScoreReport
from webapp.rendering.delimited import as_csv
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import refused, upload_limit
from webapp.tokenization.snapshots import end_of, find_evaluation, share_evaluation
from webapp.tools.evaluate import api, runs
from webapp.tools.evaluate.api import confusion_rows, error_rows, evaluation_json, figure_rows, official_summary
from webapp.tools.evaluate.errors import ErrorsPage, error_page
from webapp.tools.evaluate.inputs import FIRST_ERRORS, EvaluationInput
from webapp.tools.evaluate.scoring import compared_methods, evaluate
from webapp.tools.kernel import ApiEntry, Tool, page_of
from webapp.vocabularies.shipped_vocabularies import SIMPLIFIED
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import attachment, private, unstored
from webapp.web.json_responses import json_response, well_formed
from webapp.web.problems import problem
from webapp.web.rates import stores

evaluations = Blueprint("evaluate_pages", __name__, url_prefix="/evaluate")
evaluations.add_app_template_global(compared_methods)
PRINTED = ("precision", "recall", "f1", "oov_recall", "iv_recall")
KEPT_DAYS = {"30": 30, "365": 365, "forever": None}
"""How long a stored evaluation is kept. Without a choice, nothing is stored."""
UNSTORED: Mapping[type[Exception], LazyString] = {
    StorageFullError: _l("The result could not be stored: this site has no storage left. Download it instead."),
    UnavailableStorageError: _l(
        "The result could not be stored: the site’s storage cannot be reached. Try again in a minute."
    ),
    RemovedSnapshotError: _l("The site's operator has removed this result, so it cannot be shared again."),
}


@dataclass(frozen=True)
class Evaluated:
    """A report, and which of its errors are shown; of a stored evaluation without the gold text."""

    given: EvaluationInput
    report: ScoreReport
    gold: GoldText | None = None
    run: runs.Run | None = None
    stored: StoredSnapshot | None = None
    receipt: ShareReceipt | None = None  # just after storing
    unstored: str = ""  # why the link is missing

    @property
    def link(self) -> str | None:
        """The address of this evaluation, if it has one, without which errors are shown."""
        if self.stored is not None:
            return url_for("evaluate_pages.stored", id=self.stored.id)
        if self.run is not None:
            return url_for("evaluate_pages.run", id=self.run.id)
        query = self.given.query(**FIRST_ERRORS)
        return f"{url_for('evaluate.page')}?{query}".removesuffix("?") if self.given.fits_address else None

    def address(self, **changes: object) -> str:
        """The evaluation with other errors shown; a change of anything but the page begins at page 1."""
        shown = {name: getattr(self.given, name) for name in FIRST_ERRORS} | {"page": 1, **changes}
        query = EvaluationInput.model_construct(**shown).query()
        return f"{self.link}{'&' if '?' in str(self.link) else '?'}{query}" if query else str(self.link)

    @cached_property
    def errors(self) -> Sequence[ErrorsPage]:
        """The page of errors; without an address, which has only one page, the first errors of each method."""
        scored = [method for method in self.report.methods if not method.problem]
        if self.link is not None:
            chosen = self.report.methods[self.given.method - 1 : self.given.method]
            scored = chosen if chosen and not chosen[0].problem else scored[:1]
        return [error_page(self.report, method, self.given) for method in scored]

    @property
    def simplified(self) -> list[str]:
        """The names of the scored methods whose words are in simplified characters."""
        methods = (method for method in self.report.methods if not method.problem)
        return [method.name for method in methods if method.choice.partition(":")[2] in SIMPLIFIED]

    @property
    def status(self) -> int:
        """The status of the page."""
        return 404 if any(errors.page > errors.last for errors in self.errors) else 200

    @property
    def until(self) -> datetime | None:
        """The end of a stored evaluation, None for never: its own, or that of what the site keeps."""
        days = current_app.config["KEEP_SNAPSHOTS_DAYS"]
        if self.stored is None or not days:
            return self.stored.expires if self.stored else None
        latest = self.stored.created + timedelta(days=days)
        return min(latest, self.stored.expires or latest)


@evaluations.app_template_global()
def best_figures(report: ScoreReport) -> dict[str, str]:
    """The highest value of each figure in which the methods differ, as printed."""
    printed = {
        name: {
            f"{value:.3f}"
            for method in report.methods
            if not method.problem and (value := getattr(method.score, name)) is not None
        }
        for name in PRINTED
    }
    return {name: max(values) for name, values in printed.items() if len(values) > 1}


def evaluation(given: EvaluationInput) -> Evaluated:
    """Score methods and segmentations against a gold text."""
    return Evaluated(given, *evaluate(given))


TOOL = Tool(
    name="evaluate",
    address="/evaluate",
    input=EvaluationInput,
    run=evaluation,
    answer=lambda found: evaluation_json(found.report),
    file_name="report",
    form_id="evaluate",
    methods=("GET",),
    leafed=("page", "method", "kind"),
    api=ApiEntry("/evaluate", api.EvaluateBody, api.EvaluateAnswer, api.EXAMPLE, run=api.evaluate),
)
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
    forbid_foreign()
    # Before anything reads the body: it may be as long as all texts of an evaluation.
    request.max_content_length = upload_limit()
    config = current_app.config
    request.max_form_memory_size = max(5 * config["MAX_GOLD_BYTES"], config["MAX_CONTENT_LENGTH"])
    given, problems = EvaluationInput.read(request)
    if problems or given.fits_address:
        return page_of(TOOL, given, None, problems)
    keep = request.form.get("keep", "")
    try:
        if given.is_long:
            return redirect(url_for("evaluate_pages.run", id=runs.begin(given, keep), _anchor="figures"), 303)
        found = _kept(evaluation(given), keep)
    except InputProblem as wrong:
        return page_of(TOOL, given, None, [wrong])
    response = page_of(TOOL, given, found, [])
    if found.link:
        response.status_code = 201
        response.headers["Location"] = found.link
    return unstored(response)


def _kept(found: Evaluated, keep: str) -> Evaluated:
    """The result, stored as long as the visitor chose, or with the reason why it is not."""
    try:
        if keep in KEPT_DAYS:
            days = KEPT_DAYS[keep]
            until = None if days is None else end_of(datetime.now(UTC).date() + timedelta(days=days))
            receipt = share_evaluation(found.report, until)
            found = replace(found, stored=find_evaluation(receipt.id)[0], receipt=receipt)
    except tuple(UNSTORED) as error:
        found = replace(found, unstored=str(UNSTORED[type(error)]))
    return found


@evaluations.get("/runs/<id>")
def run(id: str) -> BaseResponse:
    """Show a run as far as it is, with `work` after a slice of work; when it has ended, htmx loads the page again.

    So it does when the run is gone, and then says so.
    """
    if "HX-Request" in request.headers and runs.find(id) is None:
        return Response(status=204, headers={"HX-Refresh": "true"})
    found, now = _run(id)
    if "work" in request.args and not now.finished:
        now = runs.advance(now)
        found = replace(found, run=now, report=now.report)
    if now.finished and "work" in request.args and "HX-Request" in request.headers:
        return Response(status=204, headers={"HX-Refresh": "true"})
    if now.receipt is not None:
        found = replace(found, stored=find_evaluation(now.receipt.id)[0], receipt=now.receipt)
    elif now.finished:
        found = _kept(found, now.keep)
        if found.receipt is not None:
            runs.stored(now, found.receipt)
    return _page(found, url_for("evaluate_pages.run", id=id))


def _page(found: Evaluated, address: str) -> BaseResponse:
    if request.args.get("format") == "json":
        return private(json_response(evaluation_json(found.report)))
    response = page_of(TOOL, found.given, found, [], address)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@evaluations.post("/runs/<id>/delete")
def delete_run(id: str) -> BaseResponse:
    """Delete a run with its texts, whether it has ended or not."""
    forbid_foreign()
    runs.delete(_run(id)[1])
    return redirect(TOOL.address, 303)


@evaluations.get("/runs/<id>/<kind>")
def run_files(id: str, kind: str) -> BaseResponse:
    """Download a file of a run, as far as it is."""
    return _file(_run(id)[1].report, kind)


def _run(id: str) -> tuple[Evaluated, runs.Run]:
    """A run as a result; ends with a page that says that there is none."""
    found = runs.find(id)
    if found is None:
        message = _(
            "There is no evaluation at this address. One without a link is deleted a day after its last visit, or when "
            "later ones need its place."
        )
        return abort(page_of(TOOL, EvaluationInput(), None, [InputProblem(message, 404)]))
    given, _problems = EvaluationInput.read(request)
    shown = {name: getattr(given, name) for name in FIRST_ERRORS}
    return Evaluated(EvaluationInput(chosen=found.chosen, **shown), found.report, run=found), found


@evaluations.get("/<id>")
def stored(id: str) -> BaseResponse:
    """Show a stored evaluation."""
    found = _found(id)
    return _page(found, url_for("evaluate_pages.stored", id=id))


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
    return attachment(Response(well_formed(content(report)), mimetype=mimetype), kind)
