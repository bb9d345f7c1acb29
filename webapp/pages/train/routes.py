"""Routes: `/train` takes a corpus and starts trainings, `/train/ID` shows one while it runs and when it has ended."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import format_timedelta
from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import FormatError
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import stored_bytes
from webapp.core.training.forecast import forecast
from webapp.core.training.plan import PlanError, TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.core.training.train import TrainingError, check
from webapp.jobs import Job, TooManyJobsError, jobs
from webapp.jobs.training import BYTES_FOR_PROCESSES
from webapp.pages.train import corpora
from webapp.pages.train.job import JobContext, job_context
from webapp.pages.train.messages import failure_sentence, short_name, size_in_words
from webapp.pages.train.plan import CHOICES, DEFAULTS, TRAINER_TITLES, PlanChoice, PlanRequest, plan_from
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.processes import processors
from webapp.storage import UnavailableStorageError
from webapp.tokenization.algorithms import Text
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.messages import joined, translated
from webapp.vocabularies.token_kinds import script_title
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.web.client_addresses import rate_limit_key
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import attachment, private, swappable, wants_partial
from webapp.web.json_responses import json_response
from webapp.web.localization import join_list
from webapp.web.rates import stores
from webapp.web.server_variables import UPLOAD_ADDRESS
from webapp.web.templates import Context, Page, render

SCRIPTS_SHOWN = 6


class UploadPage(Page):
    """The form for a corpus."""

    template = "train/page.html"

    form_id: str = "corpus"
    text: str  # what was pasted, or one to start with
    field: str  # of JSON Lines
    problem: InputProblem | None
    gone: bool  # whether the corpus of the address is no longer there
    kept: Sequence[tuple[str, Sequence[str], str]]  # the visitor's corpora: address, names of files, size in words
    examples: Sequence[corpora.ExampleCorpus] = corpora.EXAMPLES
    most_bytes: int
    plan_fields: Sequence[tuple[str, str]]  # the choices to keep, as hidden fields


class PlanChoicesContext(Context):
    """The choices of one algorithm, for htmx."""

    template = "train/_choices.html"

    typed: Mapping[str, str]  # the fields as they were typed
    invalid: Mapping[str, str]  # what is wrong with each rejected field
    basic: Sequence[PlanChoice]
    advanced: Sequence[PlanChoice]
    advanced_open: bool
    facts: CorpusFacts
    smoothings: Mapping[str, Text]  # their titles
    time: str  # that the training will take, and its memory
    memory: str
    is_too_much: bool  # more than the site allows


class PlanPage(Page):
    """A corpus with its facts, and the choices of a training."""

    template = "train/plan.html"

    form_id: str = "plan"
    choices: PlanChoicesContext
    corpus: str  # its id
    files: Sequence[tuple[str, str, str]]  # name, size in words, and what it is, such as `JSON Lines, gzip`
    scripts: Sequence[tuple[str, float, float]]  # title, share of the characters, length of its bar in percent
    trainers: Mapping[str, Text]  # their titles
    refusal: str  # why no training can be started now
    is_mine: bool  # whether the visitor uploaded the corpus, and may delete it


class JobPage(Page):
    """The page of a training."""

    template = "train/job.html"

    shown: JobContext


class GoneTrainingPage(Page):
    """The page of an unknown training."""

    template = "train/unknown.html"


blueprint = Blueprint("train", __name__)


@blueprint.get("/train")
def page() -> Response:
    """The form for a corpus, or with the id of one in `corpus` the choices of a training."""
    plan = plan_from(request.args)
    id = request.args.get("corpus", "")
    if not id:
        return _upload_page(plan)
    plan, corpus = _found(id, _checked(plan))
    return _upload_page(plan, gone=True) if corpus is None else _plan_page(plan, corpus)


@blueprint.post(UPLOAD_ADDRESS)
@stores
def upload() -> BaseResponse:
    """Store a corpus on disk, and go on to the choices; a script gets their address in `Location` instead."""
    forbid_foreign()
    request.max_content_length = corpora.upload_limit()
    request.max_form_memory_size = current_app.config["MAX_CONTENT_LENGTH"]
    plan = None
    try:
        plan = plan_from(request.form)
        if _only_redraws():
            return _upload_page(plan)
        id = corpora.store_corpus(request)
        address = _address(id, plan)
    except RequestEntityTooLarge:
        message = _(
            "The corpus is too large: the limit is %(limit)s. Upload a part of it, or choose a text of this size as a "
            "file instead of pasting it.",
            limit=size_in_words(current_app.config["MAX_TRAINING_BYTES"]),
        )
        return _upload_page(None, InputProblem(message, 413, "files"))
    except InputProblem as problem:
        return _upload_page(plan, problem)
    response = Response(status=201, headers={"Location": address}) if wants_partial() else redirect(address, 303)
    corpora.remember_corpora(response, [id, *(other for other, _files in corpora.corpora_of(request))])
    return private(response)


@blueprint.post("/train/corpus/delete")
def delete() -> BaseResponse:
    """Delete a corpus of the visitor, and go on to the form for another."""
    forbid_foreign()
    id, mine = request.form.get("corpus", ""), [id for id, _files in corpora.corpora_of(request)]
    if id in mine and not jobs().delete_corpus(id):
        message = _("A training that waits or runs needs this corpus. Cancel the training, or wait until it has ended.")
        return _upload_page(plan_from(request.form), InputProblem(message, 409, "files"))
    response = redirect(url_for("train.page"), 303)
    corpora.remember_corpora(response, [other for other in mine if other != id])
    return private(response)


@blueprint.post("/train")
@stores
def start() -> BaseResponse:
    """Start a training, and go on to its page."""
    forbid_foreign()
    plan, corpus = _found(request.form.get("corpus", ""), _checked(plan_from(request.form)))
    if corpus is None:
        return _upload_page(plan, gone=True)
    least, possible = corpus.facts.least_pieces, corpus.facts.possible_pieces  # exactly if the whole corpus was seen
    if not plan.problems and not plan.plan.of_words and not corpus.facts.sampled:
        if plan.plan.size > possible:
            plan = plan.with_problem("size", failure_sentence("too_small", {"possible": possible}))
        elif plan.plan.size < least and not plan.plan.coverage:
            plan = plan.with_problem("size", failure_sentence("alphabet", {"needed": least}))
    if plan.problems or _only_redraws():
        return _plan_page(plan, corpus)
    try:
        job = jobs().submit(plan.plan, corpus.id, corpus.facts, rate_limit_key(request.remote_addr or ""))
    except TooManyJobsError as error:
        message = _(
            "You have reached the limit per visitor (running: %(running)s, waiting: %(waiting)s).",
            running=error.running,
            waiting=error.waiting,
        )
        response = _plan_page(plan, corpus, joined([message, _("Wait until one has finished, or cancel one.")]))
        response.status_code = 429
        response.headers["Retry-After"] = "60"
        return response
    return redirect(url_for("train.job", id=job.id), 303)


@blueprint.get("/train/<id>")
def job(id: str) -> Response:
    """The page of a training."""
    return _job_page(jobs().find(id))


@blueprint.post("/train/<id>/cancel")
def cancel(id: str) -> BaseResponse:
    """Cancel a training, and show its page."""
    forbid_foreign()
    if jobs().find(id) is not None:
        jobs().cancel(id)
        if not wants_partial():
            return redirect(url_for("train.job", id=id), 303)
    return _job_page(jobs().find(id))


@blueprint.get("/train/<id>/record.json")
def record(id: str) -> Response:
    """The record of a finished training, as a file."""
    found = jobs().find(id)
    if found is None or not found.record:
        return _job_page(None)
    return _noindex(attachment(json_response(found.record), "training-record.json"))


def _only_redraws() -> bool:
    """Whether the form was sent by a switch of language or theme, which shows the same page again."""
    return "lang" in request.form or "theme" in request.form


def _checked(plan: PlanRequest) -> PlanRequest:
    """The plan with the problems that the core finds; a wrong pattern is not tried on a corpus."""
    try:
        if plan.plan.split == "own" and "pattern" not in plan.problems:
            checked_pattern(plan.plan.pattern)
        if not plan.problems:
            check(plan.plan)
    except FormatError as error:
        plan = plan.with_problem("pattern", translated(error))
    except PlanError as error:
        return _without_pattern(plan.with_problem(error.field, _(error.sentence, **error.values)))
    return _without_pattern(plan) if "pattern" in plan.problems else plan


def _found(id: str, plan: PlanRequest) -> tuple[PlanRequest, corpora.StoredCorpus | None]:
    """The corpus, if it is there, and the plan, with a problem if its pattern is too slow or its words are lines."""
    try:
        return plan, corpora.find_corpus(id, plan.plan)
    except TrainingError as error:
        message = failure_sentence(error.code, error.details)
        if error.code in ("listed", "unsegmented"):
            return plan.with_problem("segmentation", message), corpora.find_corpus(id, TrainingPlan())
        plan = _without_pattern(plan.with_problem("pattern", message))
        return plan, corpora.find_corpus(id, plan.plan)


def _without_pattern(plan: PlanRequest) -> PlanRequest:
    return replace(plan, plan=replace(plan.plan, split="default", pattern=""))


def _address(corpus: str, plan: PlanRequest) -> str:
    return f"{url_for('train.page')}?{urlencode([('corpus', corpus), *plan.changed()])}"


def _upload_page(plan: PlanRequest | None, problem: InputProblem | None = None, *, gone: bool = False) -> Response:
    """The form for a corpus; without a plan, the body was too large to be read, and what was sent is lost."""
    sent = request.form if plan and request.method == "POST" else {}
    context = UploadPage(
        text=as_typed(sent.get("text")) if sent or problem else corpora.starting_text(),
        field=sent.get("field", "text"),
        problem=problem,
        gone=gone,
        kept=[
            (_address(id, plan or plan_from(MultiDict())), [short_name(file.name) for file in files], _total(files))
            for id, files in corpora.corpora_of(request)
        ],
        most_bytes=current_app.config["MAX_TRAINING_BYTES"],
        plan_fields=plan.changed() if plan else (),
    )
    status = 410 if gone else problem.status if problem else 200
    response = make_response(render(context), status)
    return swappable(response) if status == 200 else _noindex(response)


def _plan_page(plan: PlanRequest, corpus: corpora.StoredCorpus, refusal: str = "") -> Response:
    choices = [choice for choice in CHOICES if plan.typed["trainer"] in choice.trainers]
    advanced = [choice for choice in choices if choice.advanced]
    large = sum(map(stored_bytes, corpus.files)) >= BYTES_FOR_PROCESSES
    expected = forecast(corpus.facts, plan.plan, processors() if large else 1)
    limits = current_app.config["MAX_TRAINING_SECONDS"], current_app.config["MAX_TRAINING_MEMORY_BYTES"]
    context = PlanChoicesContext(
        typed=plan.typed,
        invalid=plan.problems,
        basic=[choice for choice in choices if not choice.advanced],
        advanced=advanced,
        advanced_open=any(
            plan.typed[choice.name] != DEFAULTS[choice.name] or choice.name in plan.problems for choice in advanced
        ),
        facts=corpus.facts,
        smoothings=SMOOTHING_NAMES,
        time=format_timedelta(expected.seconds, threshold=1.5),
        memory=size_in_words(expected.memory),
        is_too_much=expected.seconds > limits[0] or expected.memory > limits[1],
    )
    shares = corpus.facts.scripts[:SCRIPTS_SHOWN]
    most = max((share for _script, share in shares), default=0) or 1
    whole = PlanPage(
        choices=context,
        corpus=corpus.id,
        files=[(short_name(each.name), size_in_words(stored_bytes(each)), _kind(each)) for each in corpus.files],
        scripts=[(script_title(name), share, round(100 * share / most, 1)) for name, share in shares],
        trainers=TRAINER_TITLES,
        refusal=refusal,
        is_mine=corpus.id in (id for id, _files in corpora.corpora_of(request)),
    )
    address = _address(corpus.id, plan)
    short = len(address) <= current_app.config["MAX_LINK_CHARACTERS"]
    response = make_response(render(context if wants_partial() else whole), 422 if plan.problems else 200)
    return _noindex(swappable(response, address if short else None))


def _total(files: Sequence[CorpusFile]) -> str:
    return size_in_words(sum(map(stored_bytes, files)))


def _kind(file: CorpusFile) -> str:
    kinds = [_("JSON Lines, field “%(field)s”", field=file.field[:40])] if file.format == "jsonl" else []
    return join_list([*kinds, *([file.compression] if file.compression else [])])


def _job_page(job: Job | None) -> Response:
    """The page of a training, or that there is none; a new vocabulary goes into the visitor's lists."""
    if job is None:
        return _noindex(make_response(render(GoneTrainingPage(status=404)), 404))
    context = job_context(job, has_corpus=job.corpus in (id for id, _files in corpora.corpora_of(request)))
    response = make_response(render(context if wants_partial() else JobPage(shown=context)))
    if context.finished is not None:
        name = context.finished.entry.name
        try:
            mine = uploads_of(request)
            if name not in (entry.name for entry in mine):
                remember_upload(response, name, context.label, mine, job.id)
        except UnavailableStorageError:
            pass
    return _noindex(swappable(response))


def _noindex(response: Response) -> Response:
    """Keep a page out of search engines and shared caches."""
    response.headers["X-Robots-Tag"] = "noindex"
    return private(response)
