"""The pages of `/train` and their contexts, from requests, corpora and jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import stored_bytes
from webapp.core.training.survey import CorpusFacts
from webapp.jobs import Job
from webapp.pages.train.choices import CHOICES, TRAINER_TITLES, PlanChoice
from webapp.pages.train.corpora import ExampleCorpus, StoredCorpus
from webapp.pages.train.finished import FinishedTraining, finished_of
from webapp.pages.train.forms import DEFAULTS, PlanRequest
from webapp.pages.train.growth_chart import GrowthChart, growth_chart
from webapp.pages.train.job_view import JobView, view_of
from webapp.pages.train.messages import short_name, size_in_words
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.rendering.markup import visible
from webapp.tokenization.algorithms import Text
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies.token_kinds import script_title
from webapp.web.localization import join_list
from webapp.web.templates import Context, Page

SCRIPTS_SHOWN = 6


@dataclass(frozen=True)
class FileLine:
    """A file of a corpus: its name, its size in words, and what it is, such as `JSON Lines, gzip`."""

    name: str
    size: str
    kind: str


@dataclass(frozen=True)
class ScriptBar:
    """A script with its share of the characters, and the length of its bar in percent of the longest."""

    title: str
    share: float
    percent: float


@dataclass(frozen=True, kw_only=True)
class UploadPage(Page):
    """The form for a corpus."""

    template = "train/page.html"

    form_id: str = "corpus"
    text: str  # what was pasted
    field: str  # of JSON Lines
    problems: Mapping[str, InputProblem]  # by field
    gone: bool  # whether the corpus of the address is no longer there
    examples: Sequence[ExampleCorpus]
    most_bytes: int
    plan_fields: Sequence[tuple[str, str]]  # the choices to keep, as hidden fields


@dataclass(frozen=True, kw_only=True)
class PlanChoicesContext(Context):
    """The choices of one algorithm, for htmx."""

    template = "train/_choices.html"

    typed: Mapping[str, str]  # the fields as they were typed
    invalid: Mapping[str, InputProblem]  # the problem of each rejected field
    basic: Sequence[PlanChoice]
    advanced: Sequence[PlanChoice]
    advanced_open: bool
    facts: CorpusFacts
    smoothings: Mapping[str, Text]  # their titles


@dataclass(frozen=True, kw_only=True)
class PlanPage(Page):
    """A corpus with its facts, and the choices of a training."""

    template = "train/plan.html"

    form_id: str = "plan"
    choices: PlanChoicesContext
    corpus: str  # its id
    files: Sequence[FileLine]
    scripts: Sequence[ScriptBar]
    trainers: Mapping[str, Text]  # their titles
    refusal: str  # why no training can be started now


@dataclass(frozen=True, kw_only=True)
class JobContext(Context):
    """The state of a training, for htmx, which asks for it every second until the training ends."""

    template = "train/_job.html"

    job: Job
    view: JobView
    corpus_bytes: str
    chart: GrowthChart | None
    finished: FinishedTraining | None
    visible: Callable[..., str]


@dataclass(frozen=True, kw_only=True)
class JobPage(Page):
    """The page of a training."""

    template = "train/job.html"

    shown: JobContext


@dataclass(frozen=True, kw_only=True)
class GoneTrainingPage(Page):
    """The page of an unknown training."""

    template = "train/unknown.html"


def choices_context(asked: PlanRequest, corpus: StoredCorpus) -> PlanChoicesContext:
    """The choices of the chosen algorithm."""
    shown = [choice for choice in CHOICES if asked.typed["trainer"] in choice.trainers]
    advanced = [choice for choice in shown if choice.advanced]
    changed = any(asked.typed[choice.name] != DEFAULTS[choice.name] for choice in advanced)
    return PlanChoicesContext(
        typed=asked.typed,
        invalid=asked.problems,
        basic=[choice for choice in shown if not choice.advanced],
        advanced=advanced,
        advanced_open=changed or any(choice.name in asked.problems for choice in advanced),
        facts=corpus.facts,
        smoothings=SMOOTHING_NAMES,
    )


def plan_page(choices: PlanChoicesContext, corpus: StoredCorpus, refusal: str) -> PlanPage:
    """The page with a corpus and the choices; `refusal` says why no training can be started now."""
    shares = corpus.facts.scripts[:SCRIPTS_SHOWN]
    most = max((share for _script, share in shares), default=0) or 1
    return PlanPage(
        choices=choices,
        corpus=corpus.id,
        files=[
            FileLine(short_name(file.name), size_in_words(stored_bytes(file)), _kind(file)) for file in corpus.files
        ],
        scripts=[ScriptBar(script_title(name), share, round(100 * share / most, 1)) for name, share in shares],
        trainers=TRAINER_TITLES,
        refusal=refusal,
    )


def job_context(job: Job) -> JobContext:
    """The state of a job."""
    finished = finished_of(job) if job.state == "finished" else None
    curve = job.progress.curve if job.progress else ()
    if not curve and job.record:
        curve = tuple((int(pieces), float(value)) for pieces, value in job.record.get("curve", ()))
    return JobContext(
        job=job,
        view=view_of(job),
        corpus_bytes=size_in_words(job.facts.bytes),
        chart=None
        if job.plan.trainer == "ngram"
        else growth_chart(curve, job.plan.size, prunes=job.plan.trainer == "unigram", runs=job.state != "finished"),
        finished=finished,
        visible=visible,
    )


def _kind(file: CorpusFile) -> str:
    kinds = [_("JSON Lines, field “%(field)s”", field=file.field[:40])] if file.format == "jsonl" else []
    return join_list([*kinds, *([file.compression] if file.compression else [])])
