"""Routes: `/train` takes a corpus and starts trainings, `/train/ID` shows one while it runs and when it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import FormatError
from webapp.core.training.plan import PlanError, TrainingPlan
from webapp.core.training.train import TrainingError, check
from webapp.jobs import Job, TooManyJobsError, jobs
from webapp.pages.train.corpora import EXAMPLES, UPLOAD_ADDRESS, StoredCorpus, find_corpus, store_corpus, upload_limit
from webapp.pages.train.forms import PlanRequest, read_plan, with_problem
from webapp.pages.train.messages import failure_sentence, size_in_words, too_many_sentence, training_bytes
from webapp.pages.train.views import GoneTrainingPage, JobPage, UploadPage, choices_context, job_context, plan_page
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.messages import wrong_file
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.web.client_addresses import rate_limit_key
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.json_responses import json_response
from webapp.web.localization import number
from webapp.web.rates import stores
from webapp.web.security import is_foreign
from webapp.web.templates import render

blueprint = Blueprint("train", __name__)


@blueprint.get("/train")
def page() -> Response:
    """The form for a corpus, or with the id of one in `corpus` the choices of a training."""
    asked = read_plan(request)
    id = request.args.get("corpus", "")
    if not id:
        return _upload_page(asked)
    asked, corpus = _found(id, _checked(asked))
    return _upload_page(asked, gone=True) if corpus is None else _plan_page(asked, corpus)


@blueprint.post(UPLOAD_ADDRESS)
@stores
def upload() -> BaseResponse:
    """Store a corpus on disk, and go on to the choices; a script gets their address in `Location` instead."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    request.max_content_length = upload_limit()
    request.max_form_memory_size = current_app.config["MAX_CONTENT_LENGTH"]
    try:
        asked = read_plan(request)
        if _only_redraws():
            return _upload_page(asked)
        stored = store_corpus(request)
    except RequestEntityTooLarge:
        return _too_large()
    if isinstance(stored, InputProblem):
        return _upload_page(asked, {stored.field: stored})
    address = _address(stored, asked)
    if wants_partial():
        return private(Response(status=201, headers={"Location": address}))
    return redirect(address, 303)


@blueprint.post("/train")
@stores
def start() -> BaseResponse:
    """Start a training, and go on to its page."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    asked, corpus = _found(request.form.get("corpus", ""), _checked(read_plan(request)))
    if corpus is None:
        return _upload_page(asked, gone=True)
    asked = _within_reach(asked, corpus)
    if asked.problems or _only_redraws():
        return _plan_page(asked, corpus)
    try:
        job = jobs().submit(asked.plan, corpus.id, corpus.facts, rate_limit_key(request.remote_addr or ""))
    except TooManyJobsError as error:
        response = _plan_page(asked, corpus, too_many_sentence(error.running, error.waiting))
        response.status_code = 429
        response.headers["Retry-After"] = "60"
        return response
    return redirect(url_for("train.job", id=job.id), 303)


@blueprint.get("/train/<id>")
def job(id: str) -> Response:
    """The page of a training."""
    found = jobs().find(id)
    return _unknown() if found is None else _job_page(found)


@blueprint.post("/train/<id>/cancel")
def cancel(id: str) -> BaseResponse:
    """Cancel a training, and show its page."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    if jobs().find(id) is None:
        return _unknown()
    jobs().cancel(id)
    if not wants_partial():
        return redirect(url_for("train.job", id=id), 303)
    found = jobs().find(id)
    return _unknown() if found is None else _job_page(found)


@blueprint.get("/train/<id>/record.json")
def record(id: str) -> Response:
    """The record of a finished training, as a file."""
    found = jobs().find(id)
    if found is None or not found.record:
        return _unknown()
    response = json_response(found.record)
    response.headers["Content-Disposition"] = "attachment; filename=training-record.json"
    return _noindex(response)


def _only_redraws() -> bool:
    """Whether the form was sent by a switch of language or theme, which shows the same page again."""
    return "lang" in request.form or "theme" in request.form


def _checked(asked: PlanRequest) -> PlanRequest:
    """The request with the problems that the core finds; a wrong pattern is not tried on a corpus."""
    try:
        if asked.plan.split == "own" and "pattern" not in asked.problems:
            checked_pattern(asked.plan.pattern)
        if not asked.problems:
            check(asked.plan)
    except FormatError as error:
        asked = with_problem(asked, "pattern", wrong_file(error))
    except PlanError as error:
        return _without_pattern(with_problem(asked, error.field, _(error.sentence, **error.values)))
    return _without_pattern(asked) if "pattern" in asked.problems else asked


def _found(id: str, asked: PlanRequest) -> tuple[PlanRequest, StoredCorpus | None]:
    """The corpus, if it is there, and the request, with a problem if its pattern is too slow or its words are lines."""
    try:
        return asked, find_corpus(id, asked.plan)
    except TrainingError as error:
        message = failure_sentence(error.code, error.details)
        if error.code == "unsegmented":
            asked = with_problem(asked, "segmentation", message)
            return asked, find_corpus(id, TrainingPlan())
        asked = _without_pattern(with_problem(asked, "pattern", message))
        return asked, find_corpus(id, asked.plan)


def _without_pattern(asked: PlanRequest) -> PlanRequest:
    return replace(asked, plan=replace(asked.plan, split="default", pattern=""))


def _within_reach(asked: PlanRequest, corpus: StoredCorpus) -> PlanRequest:
    """The request with a problem if the plan asks for too many pieces.

    How many are possible is known if the whole corpus was seen.
    """
    if asked.problems:
        return asked
    possible = corpus.facts.possible_pieces
    if asked.plan.trainer == "ngram" or corpus.facts.sampled or asked.plan.size <= possible:
        return asked
    message = _(
        "This corpus makes at most %(possible)s pieces possible. Choose a smaller vocabulary or more text.",
        possible=number(possible),
    )
    return with_problem(asked, "size", message)


def _address(corpus: str, asked: PlanRequest) -> str:
    return f"{url_for('train.page')}?{urlencode([('corpus', corpus), *asked.changed()])}"


def _upload_page(
    asked: PlanRequest | None, problems: Mapping[str, InputProblem] | None = None, *, gone: bool = False
) -> Response:
    """The form for a corpus; without a request, whose body was too large to be read, what was sent is lost."""
    problems = problems or {}
    sent = request.form if asked and request.method == "POST" else {}
    context = UploadPage(
        text=as_typed(sent.get("text")),
        field=sent.get("field", "text"),
        problems=problems,
        gone=gone,
        examples=EXAMPLES,
        most_bytes=training_bytes(),
        plan_fields=asked.changed() if asked else (),
    )
    status = 410 if gone else max((one.status for one in problems.values()), default=200)
    response = make_response(render(context), status)
    return swappable(response) if status == 200 else _noindex(response)


def _too_large() -> Response:
    message = _(
        "The corpus is too large: the limit is %(limit)s. Upload a part of it, or choose a text of this size as a "
        "file instead of pasting it.",
        limit=size_in_words(training_bytes()),
    )
    return _upload_page(None, {"files": InputProblem(message, 413, "files")})


def _plan_page(asked: PlanRequest, corpus: StoredCorpus, refusal: str = "") -> Response:
    choices = choices_context(asked, corpus)
    body = render(choices if wants_partial() else plan_page(choices, corpus, refusal))
    address = _address(corpus.id, asked)
    short = len(address) <= current_app.config["MAX_LINK_CHARACTERS"]
    response = make_response(body, 422 if asked.problems else 200)
    return _noindex(swappable(response, address if short else None))


def _job_page(job: Job) -> Response:
    context = job_context(job)
    response = make_response(render(context if wants_partial() else JobPage(shown=context)))
    if job.state == "finished" and context.finished is not None:
        _remember(response, context.finished.entry.name, context.view.label, job.id)
    return _noindex(swappable(response))


def _remember(response: Response, name: str, title: str, training: str) -> None:
    """Put a new vocabulary into the visitor's lists."""
    try:
        mine = uploads_of(request)
        if name not in (entry.name for entry in mine):
            remember_upload(response, name, title, mine, training)
    except UnavailableStorageError:
        return


def _unknown() -> Response:
    return _noindex(make_response(render(GoneTrainingPage(status=404)), 404))


def _noindex(response: Response) -> Response:
    """Keep a page out of search engines and shared caches."""
    response.headers["X-Robots-Tag"] = "noindex"
    return private(response)
