"""What the page of a training shows, from the job as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlencode

from flask import url_for
from flask_babel import gettext as _

from webapp.core.training.plan import STAGES, Progress, Stage, TrainingPlan
from webapp.jobs import Job, jobs
from webapp.pages.train.choices import title_of_trainer
from webapp.pages.train.forms import plan_of
from webapp.pages.train.messages import (
    clock,
    failure_sentence,
    reached_sentence,
    short_name,
    size_in_words,
    waiting_sentence,
)
from webapp.tokenization.messages import joined
from webapp.web.localization import join_list, number

# The share of each stage in the whole time, in percent, as measured on 20 MB of English and Chinese.
SHARES: dict[Stage, int] = {"read": 3, "count": 32, "train": 60, "write": 5}
LEAST_PERCENT, LEAST_SECONDS = 5, 3  # before that, an estimate of the remaining time would be a guess
STEP_LEAVES = 0.8  # of WordPiece's search for a threshold, which takes some ten steps
LATEST_SHOWN = 24
FILES_NAMED = 3
ANNOUNCED_PERCENT = 25  # a screen reader hears of every quarter


@dataclass(frozen=True)
class StageLine:
    """A stage of the training: whether it is done, now or to come, and its time or share."""

    title: str
    state: Literal["done", "now", "later"]
    figure: str


@dataclass(frozen=True)
class JobView:
    """A training as the page shows it; texts are in the reader's language."""

    id: str
    state: Literal["waiting", "running", "finished", "failed", "cancelled"]
    name: str  # `news.txt, BPE over bytes, 8,000`
    label: str  # what its vocabulary is called in the visitor's lists
    tab: str  # the title of the browser's tab
    announcement: str  # for screen readers, when it changes
    trainer: str
    kind: str  # the algorithm and the size or the order
    corpus: str
    size: int  # pieces
    pieces: int
    prunes: bool  # whether pieces become fewer
    counts_ngrams: bool  # whether `pieces` are n-grams, and there is no size
    percent: int
    elapsed: str
    remaining: str  # empty without an estimate
    characters_per_token: float | None
    stages: Sequence[StageLine]
    latest: Sequence[str]  # merges or pruned pieces, newest first
    sentence: str  # why it waits, was cancelled or failed
    again: str  # the address of the form with the same plan, and the corpus if it is still there
    polls: bool  # whether the page asks for news


def view_of(job: Job) -> JobView:
    """The view of a job."""
    plan, progress = job.plan, job.progress
    percent = percent_of(job)
    elapsed = seconds_of(job)
    newest = (min if plan.trainer == "unigram" else max)(progress.curve, default=None) if progress else None
    trainer = title_of_trainer(plan.trainer)
    corpus = corpus_name(job.file_names)
    polls = job.state in ("waiting", "running")
    counts_ngrams = plan.trainer == "ngram"
    size = _("order %(order)s", order=plan.order) if counts_ngrams else number(plan.size)
    return JobView(
        id=job.id,
        state=job.state,
        name=_("%(corpus)s, %(trainer)s, %(size)s", corpus=corpus, trainer=trainer, size=size),
        label=f"{trainer} {size}, {corpus}",
        tab=_tab(job, percent),
        announcement=_announcement(job, percent),
        trainer=trainer,
        corpus=f"{corpus}, {size_in_words(job.facts.bytes)}",
        size=plan.size,
        pieces=progress.pieces if progress else 0,
        prunes=plan.trainer == "unigram",
        counts_ngrams=counts_ngrams,
        kind=f"{trainer}, {size}",
        percent=percent,
        elapsed=clock(elapsed),
        remaining=_remaining(percent, elapsed),
        characters_per_token=newest[1] if newest else None,
        stages=_stages(job),
        latest=progress.latest[:LATEST_SHOWN] if progress else (),
        sentence=_sentence(job),
        again=again_address(job),
        polls=polls,
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

    Where the number of steps is not known, each goes a part of the way that is left.

    >>> whole_percent(Progress("count", 5, 10)), whole_percent(Progress("train", 400, 400))
    (19, 95)
    """
    before = sum(SHARES[stage] for stage in STAGES[: STAGES.index(progress.stage)])
    within = min(progress.done / progress.total, 1) if progress.total else 1 - STEP_LEAVES**progress.done
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


def stage_title(stage: Stage, plan: TrainingPlan) -> str:
    """What a stage is called."""
    if plan.trainer == "ngram" and stage in ("count", "train"):
        return _("Count n-grams") if stage == "count" else _("Remove rare ones and estimate")
    if stage == "train":
        if plan.trainer == "unigram":
            return _("Prune pieces")
        if plan.trainer == "wordpiece" and plan.wordpiece == "top-down":
            return _("Choose pieces")
        return _("Merge")
    return {
        "read": _("Read the corpus"),
        "count": _("Split and count pre-tokens"),
        "write": _("Measure and write"),
    }[stage]


def _stages(job: Job) -> list[StageLine]:
    now = STAGES.index(job.progress.stage) if job.progress else -1
    lines = []
    for place, stage in enumerate(STAGES):
        seconds = job.stage_seconds.get(stage)
        if stage == "read" and seconds is None and place != now:
            continue  # short corpora are read while they are counted
        figure = _("%(seconds)s s", seconds=number(seconds, 1)) if seconds is not None else ""
        if job.state == "finished" or place < now:
            lines.append(StageLine(stage_title(stage, job.plan), "done", figure))
        elif place == now:
            lines.append(StageLine(stage_title(stage, job.plan), "now", _share(job)))
        else:
            lines.append(StageLine(stage_title(stage, job.plan), "later", ""))
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


def _sentence(job: Job) -> str:
    if job.state == "waiting":
        return waiting_sentence(jobs().store.place(job.id), jobs().store.expected_wait(job.id))
    if job.state == "cancelled":
        return _("Its corpus is deleted, unless another training of yours uses it.")
    if job.state == "failed":
        return _failed(job)
    return ""


def _failed(job: Job) -> str:
    """Why a training failed; where it ran out of something, also how far it got."""
    if job.failure is None:
        return failure_sentence("", {})
    sentence = failure_sentence(job.failure.code, job.failure.details)
    if job.failure.code not in ("time", "memory", "disk", "lost") or job.progress is None:
        return sentence
    return joined([sentence, reached_sentence(stage_title(job.progress.stage, job.plan), percent_of(job))])


def _tab(job: Job, percent: int) -> str:
    title = {
        "waiting": _("Waiting"),
        "running": f"{percent}%",
        "finished": _("Finished"),
        "failed": _("Failed"),
        "cancelled": _("Cancelled"),
    }[job.state]
    return f"{title} · {corpus_name(job.file_names)} · Tokenscope"


def _announcement(job: Job, percent: int) -> str:
    match job.state:
        case "waiting":
            return _("The training is waiting.")
        case "running":
            step = percent - percent % ANNOUNCED_PERCENT
            return _("Training: %(percent)s percent.", percent=step) if step else _("The training is running.")
        case "finished":
            return _("The training has finished.")
    return ""  # an alert says it
