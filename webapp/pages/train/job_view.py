"""What the page of a training shows, from the job as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlencode

from flask import url_for
from flask_babel import gettext as _

from webapp.core.training.plan import STAGES, Progress, Stage
from webapp.jobs import Job, jobs
from webapp.pages.train.choices import TRAINER_TITLES
from webapp.pages.train.forms import plan_of
from webapp.pages.train.messages import clock, failure_sentence, short_name
from webapp.web.localization import join_list, number

# The share of each stage in the whole time, in percent, as measured on 20 MB of English and Chinese.
SHARES: dict[Stage, int] = {"read": 3, "count": 32, "train": 60, "write": 5}
LEAST_PERCENT, LEAST_SECONDS = 5, 3  # before that, an estimate of the remaining time would be a guess
FILES_NAMED = 3


@dataclass(frozen=True)
class StageLine:
    """A stage of the training: whether it is done, now or to come, and its time or share."""

    stage: Stage
    state: Literal["done", "now", "later"]
    figure: str = ""


@dataclass(frozen=True)
class JobView:
    """What the page of a training shows that is not in the job itself; texts are in the reader's language."""

    trainer: str
    corpus: str
    size: str  # of the vocabulary, or the order of n-grams
    percent: int
    elapsed: str
    remaining: str  # empty without an estimate
    characters_per_token: float | None
    stages: Sequence[StageLine]
    ahead: int  # jobs, while it waits
    failure: str  # why it failed
    again: str  # the address of the form with the same plan, and the corpus if it is still there

    @property
    def label(self) -> str:
        """What the vocabulary is called in the visitor's lists."""
        return f"{self.trainer} {self.size}, {self.corpus}"


def view_of(job: Job) -> JobView:
    """The view of a job."""
    plan, progress = job.plan, job.progress
    percent = percent_of(job)
    elapsed = seconds_of(job)
    newest = (min if plan.trainer == "unigram" else max)(progress.curve, default=None) if progress else None
    return JobView(
        trainer=str(TRAINER_TITLES.get(plan.trainer, _("WordPiece, top-down"))),  # of earlier versions
        corpus=corpus_name(job.file_names),
        size=_("order %(order)s", order=plan.order) if plan.trainer == "ngram" else number(plan.size),
        percent=percent,
        elapsed=clock(elapsed),
        remaining=_remaining(percent, elapsed),
        characters_per_token=newest[1] if newest else None,
        stages=_stages(job),
        ahead=jobs().store.place(job.id),
        failure=failure_sentence(job.failure.code, job.failure.details) if job.failure else failure_sentence("", {}),
        again=again_address(job),
    )


def percent_of(job: Job) -> int:
    """How far a training is, 0 to 100."""
    if job.state == "finished":
        return 100
    if job.progress is None:
        return 0
    return whole_percent(job.progress)


def whole_percent(progress: Progress) -> int:
    """How far a training is, 0 to 99, from the share of each stage in the time.

    >>> whole_percent(Progress("count", 5, 10)), whole_percent(Progress("train", 400, 400))
    (19, 95)
    """
    before = sum(SHARES[stage] for stage in STAGES[: STAGES.index(progress.stage)])
    within = min(progress.done / progress.total, 1) if progress.total else 0
    return min(99, int(before + within * SHARES[progress.stage]))


def seconds_of(job: Job) -> float:
    """The seconds since a training began, or that it took."""
    if job.started is None:
        return 0
    end = job.ended or datetime.now(UTC)
    return max(0.0, (_aware(end) - _aware(job.started)).total_seconds())


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def corpus_name(names: Sequence[str]) -> str:
    """The names of the files of a corpus, the first of them if there are many."""
    shown = join_list(map(short_name, names[:FILES_NAMED]))
    return shown if len(names) <= FILES_NAMED else f"{shown} …"


def again_address(job: Job) -> str:
    """The address of the form with the same plan, and with the corpus if it is still there."""
    fields = plan_of(job.plan.as_json()).changed()
    corpus = job.corpus if job.corpus and jobs().corpora.files(job.corpus) else ""
    query = urlencode([*([("corpus", corpus)] if corpus else []), *fields])
    return f"{url_for('train.page')}?{query}" if query else url_for("train.page")


def _stages(job: Job) -> list[StageLine]:
    now = STAGES.index(job.progress.stage) if job.progress else -1
    lines = []
    for place, stage in enumerate(STAGES):
        seconds = job.stage_seconds.get(stage)
        if stage == "read" and seconds is None and place != now:
            continue  # short corpora are read while they are counted
        figure = _("%(seconds)s s", seconds=number(seconds, 1)) if seconds is not None else ""
        if job.state == "finished" or place < now:
            lines.append(StageLine(stage, "done", figure))
        elif place == now:
            lines.append(StageLine(stage, "now", _share(job)))
        else:
            lines.append(StageLine(stage, "later"))
    return lines


def _share(job: Job) -> str:
    progress = job.progress
    if progress is None or not progress.total or job.state != "running":
        return ""
    return f"{min(100, 100 * progress.done // progress.total)}%"


def _remaining(percent: int, elapsed: float) -> str:
    if percent < LEAST_PERCENT or elapsed < LEAST_SECONDS:
        return ""
    return clock(elapsed * (100 - percent) / percent)
