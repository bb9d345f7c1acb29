"""Contexts of the templates of `/train`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.training.survey import CorpusFacts
from webapp.pages.train.choices import Choice, TrainerChoice
from webapp.pages.train.examples import ExampleCorpus
from webapp.pages.train.finished import FinishedTraining
from webapp.pages.train.growth_chart import GrowthChart
from webapp.pages.train.job_view import JobView
from webapp.tokenization.forms import InputProblem
from webapp.web.templates import Context, Page


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
class ChoicesContext(Context):
    """The choices of one algorithm, for htmx."""

    template = "train/_choices.html"

    typed: Mapping[str, str]  # the fields as they were typed
    invalid: Mapping[str, InputProblem]  # the problem of each rejected field
    basic: Sequence[Choice]
    advanced: Sequence[Choice]
    advanced_open: bool
    facts: CorpusFacts


@dataclass(frozen=True, kw_only=True)
class PlanPage(Page):
    """A corpus with its facts, and the choices of a training."""

    template = "train/plan.html"

    form_id: str = "plan"
    choices: ChoicesContext
    corpus: str  # its id
    files: Sequence[FileLine]
    scripts: Sequence[ScriptBar]
    trainers: Sequence[TrainerChoice]
    refusal: str  # why no training can be started now


@dataclass(frozen=True, kw_only=True)
class JobContext(Context):
    """The state of a training, for htmx, which asks for it every second until the training ends."""

    template = "train/_job.html"

    job: JobView
    chart: GrowthChart | None
    finished: FinishedTraining | None
    visible: Callable[..., str]


@dataclass(frozen=True, kw_only=True)
class JobPage(Page):
    """The page of a training."""

    template = "train/job.html"

    shown: JobContext


@dataclass(frozen=True, kw_only=True)
class GonePage(Page):
    """The page of an unknown training."""

    template = "train/unknown.html"
