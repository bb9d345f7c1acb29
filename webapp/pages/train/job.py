"""What the page of a training shows: how far it is, its curve, and its result with files and code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlencode

from flask import url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.algorithms import UNREADABLE
from webapp.core.analysis.measures import MeasureId
from webapp.core.training.plan import (
    STAGES,
    WORD_TRAINERS,
    Progress,
    Stage,
    TrainingPlan,
    TrainingRecord,
    command_line,
    python_code,
)
from webapp.jobs import Job, jobs
from webapp.pages.train.messages import failure_sentence, short_name, size_in_words
from webapp.pages.train.plan import TRAINER_TITLES, request_of
from webapp.rendering.charts import LineChart, Series, linear, logarithmic
from webapp.rendering.markup import visible
from webapp.storage import MOST_ATTEMPTS
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.measures.measured import shown
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import is_here
from webapp.web.localization import join_list, number
from webapp.web.templates import Context

# The share of each stage in the whole time, in percent, as measured on 20 MB of English and Chinese.
SHARES: dict[Stage, int] = {"read": 3, "count": 33, "train": 62, "write": 2}
LEAST_PERCENT, LEAST_SECONDS = 5, 3  # before that, an estimate of the remaining time would be a guess
FILES_NAMED = 3
ROUND = [factor * 10**power for power in range(2, 8) for factor in (1, 2, 5)]  # marks of the logarithmic axis
LONGEST_SHOWN = 12
LONGEST_PIECE = 40  # characters
GPT_4 = "cl100k_base"
MEASURED: tuple[MeasureId, ...] = ("fertility", "whole-words", "renyi-efficiency", "vocabulary-used")
"""The measures next to characters per token."""
COMPARED_WITH = (GPT_4, "bpe-bytes")  # as far as they are here

StageLine = tuple[Stage, Literal["done", "now", "later"], str]
"""A stage of the training: whether it is done, now or to come, and its time or share."""


class JobContext(Context):
    """The state of a training, for htmx, which asks for it every second until the training ends."""

    template = "train/_job.html"

    job: Job
    trainer: str
    corpus: str
    corpus_bytes: str
    size: str  # of the vocabulary, or the order of n-grams, or the rounds of a tagger
    percent: int
    elapsed: str
    remaining: str  # empty without an estimate
    characters_per_token: float | None
    stages: Sequence[StageLine]
    ahead: int  # jobs, while it waits
    most_attempts: int = MOST_ATTEMPTS
    failure: str  # why it failed
    again: str  # the address of the form with the same plan, and the corpus if the visitor has it
    chart: GrowthChart | None
    finished: FinishedTraining | None
    visible: Callable[..., str] = visible

    @property
    def label(self) -> str:
        """What the vocabulary is called in the visitor's lists."""
        return join_list([f"{self.trainer} {self.size}", self.corpus])


def job_context(job: Job, *, has_corpus: bool) -> JobContext:
    """The state of a job; `has_corpus`: whether the visitor has its corpus and may train on it again."""
    plan, progress = job.plan, job.progress
    percent = 100 if job.state == "finished" else whole_percent(progress) if progress else 0
    elapsed = ((job.ended or datetime.now(UTC)) - job.started).total_seconds() if job.started else 0
    names = join_list(map(short_name, job.file_names[:FILES_NAMED]))
    prunes = plan.trainer == "unigram"
    curve = progress.curve if progress else ()
    newest = (min if prunes else max)(curve, default=None)
    if not curve and job.record:
        curve = tuple((int(pieces), float(value)) for pieces, value in job.record.get("curve", ()))
    return JobContext(
        job=job,
        trainer=str(TRAINER_TITLES.get(plan.trainer, _("WordPiece, top-down"))),  # of earlier versions
        corpus=names if len(job.file_names) <= FILES_NAMED else f"{names} …",
        corpus_bytes=size_in_words(job.facts.bytes),
        size=_size(plan),
        percent=percent,
        elapsed=clock(elapsed),
        remaining=clock(elapsed * (100 - percent) / percent)
        if percent >= LEAST_PERCENT and elapsed >= LEAST_SECONDS
        else "",
        characters_per_token=newest[1] if newest else None,
        stages=_stages(job),
        ahead=jobs().store.place(job.id),
        failure=failure_sentence(job.failure.code, job.failure.details) if job.failure else failure_sentence("", {}),
        again=_again(job, [("corpus", job.corpus)] if has_corpus else []),
        chart=None if plan.of_words else growth_chart(curve, plan.size, prunes=prunes, runs=job.state != "finished"),
        finished=finished_of(job) if job.state == "finished" else None,
    )


def _size(plan: TrainingPlan) -> str:
    if plan.trainer == "tagger":
        return ngettext("%(num)s round", "%(num)s rounds", plan.rounds)
    return _("order %(order)s", order=plan.order) if plan.trainer == "ngram" else number(plan.size)


def whole_percent(progress: Progress) -> int:
    """How far a training is, 0 to 99, from the share of each stage in the time.

    >>> whole_percent(Progress("count", 5, 10)), whole_percent(Progress("train", 400, 400))
    (19, 98)
    """
    before = sum(SHARES[stage] for stage in STAGES[: STAGES.index(progress.stage)])
    within = min(progress.done / progress.total, 1) if progress.total else 0
    return min(99, int(before + within * SHARES[progress.stage]))


def clock(seconds: float) -> str:
    """A time as on a clock.

    >>> clock(48.2), clock(69), clock(3723)
    ('0:48', '1:09', '1:02:03')
    """
    minutes, second = divmod(max(0, int(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def _again(job: Job, corpus: Sequence[tuple[str, str]]) -> str:
    """The address of the form with the same plan and the corpus."""
    query = urlencode([*corpus, *request_of(job.plan).changed()])
    return f"{url_for('train.page')}?{query}".removesuffix("?")


def _stages(job: Job) -> list[StageLine]:
    now = STAGES.index(job.progress.stage) if job.progress else 0 if job.state == "running" else -1
    lines: list[StageLine] = []
    for place, stage in enumerate(STAGES):
        seconds = job.stage_seconds.get(stage)
        if stage == "read" and seconds is None and place != now:
            continue  # short corpora are read while they are counted
        if job.state == "finished" or place < now:
            lines.append((stage, "done", _("%(seconds)s s", seconds=number(seconds, 1)) if seconds is not None else ""))
        else:
            lines.append((stage, "now", _share(job)) if place == now else (stage, "later", ""))
    return lines


def _share(job: Job) -> str:
    progress = job.progress
    if progress is None or not progress.total or job.state != "running":
        return ""
    return f"{min(100, 100 * progress.done // progress.total)}%"


@dataclass(frozen=True)
class GrowthChart(LineChart):
    """A line chart as wide as the stage; `label` is at the newest point, the first of one that `prunes`."""

    label: str = ""
    prunes: bool = False

    width, height = 720, 320
    left, right, top, bottom = 44, 700, 34, 270

    @property
    def newest(self) -> tuple[float, float]:
        """The position of the newest point."""
        places = self.lines()[0].places
        return places[0] if self.prunes else places[-1]


def growth_chart(curve: Sequence[tuple[int, float]], size: int, *, prunes: bool, runs: bool) -> GrowthChart | None:
    """The chart of the points so far, with room up to `size` pieces; None without two points.

    Unigram `prunes`: its curve begins with many pieces, at the right of a logarithmic axis. The label says the newest
    value while the training `runs`.
    """
    points = sorted(dict(curve).items())
    if len(points) < 2:
        return None
    newest = points[0] if prunes else points[-1]
    described = _(
        "%(first)s characters per token with %(least)s pieces, %(last)s with %(most)s.",
        first=number(points[0][1], 2),
        least=number(points[0][0]),
        last=number(points[-1][1], 2),
        most=number(points[-1][0]),
    )
    title = _("pieces in the vocabulary")
    highest = max(size, points[-1][0])
    if prunes:
        marks = [mark for mark in ROUND if points[0][0] <= mark <= highest]
        x = logarithmic(title, min(size, points[0][0]), highest, marks, number)
    else:
        x = linear(title, [highest], number)
    return GrowthChart(
        key="growth",
        title=_("Characters per token on held-out text, by size of the vocabulary"),
        description=described,
        x=x,
        y=linear(_("characters per token"), [value for _pieces, value in points], number),
        series=(Series("", tuple(points), strong=True),),
        label=_("%(value)s characters per token", value=number(newest[1], 2)) if runs else "",
        prunes=prunes,
    )


@dataclass(frozen=True)
class ComparedVocabulary:
    """A vocabulary on the held-out text: characters per token, and `MEASURED` as text; `own` is named like the job.

    Trainings before they were measured have no measures.
    """

    title: str
    name: str
    size: int | None
    value: float
    own: bool = False
    measures: Sequence[str] = ()


@dataclass(frozen=True)
class FinishedTraining:
    """The vocabulary, where to use it, and how it compares."""

    entry: CatalogueEntry
    record: TrainingRecord
    file: str  # to download
    use: Mapping[str, str]  # the choices of the playground with which it was measured
    is_usable: bool  # not with PickyBPE, of which only the stored file is left
    others: Sequence[CatalogueEntry]  # those of `COMPARED_WITH` that are here
    gpt_4: Sequence[CatalogueEntry]
    api: str
    longest: Sequence[str]
    compared: Sequence[ComparedVocabulary]
    measured: Sequence[tuple[MeasureId, str]]  # the measures that `compared` has, with their titles
    command: str
    python: str

    def chosen_with(self, others: Sequence[CatalogueEntry]) -> list[str]:
        """The vocabulary and others as the page of comparisons names them, each with its first algorithm."""
        return [f"{entry.algorithms[0]}:{entry.name}" for entry in (self.entry, *others)]


def finished_of(job: Job) -> FinishedTraining | None:
    """The result of a finished job; None if its vocabulary was deleted."""
    entry = find(job.vocabulary) if job.vocabulary else None
    if entry is None:
        return None
    record = TrainingRecord.from_json(job.record)
    plan = record.plan
    file = {"ngram": "ngrams.json", "tagger": "tagger.json"}.get(plan.trainer, "tokenizer.json")
    use: dict[str, str] = {"order": plan.order, "smoothing": plan.smoothing} if plan.trainer == "ngram" else {}
    is_measured = bool(record.held_out.get("own_measures"))
    return FinishedTraining(
        entry=entry,
        record=record,
        file=file,
        use=use,
        is_usable=UNREADABLE not in entry.algorithms,
        others=[other for name in COMPARED_WITH if (other := find(name)) and is_here(other)],
        gpt_4=[gpt_4] if (gpt_4 := find(GPT_4)) else [],
        api=_api_call(entry.algorithms[0], entry.name, use),
        longest=_longest(entry.name),
        compared=_compared(record, entry),
        measured=[(measure, str(DEFINITIONS[measure].title)) for measure in MEASURED] if is_measured else [],
        command=command_line(record),
        python=python_code(record, file),
    )


def _api_call(algorithm: str, name: str, choices: Mapping[str, str]) -> str:
    """A call of the API that tokenizes a text with the vocabulary."""
    text = "人生如梦境" if algorithm in WORD_TRAINERS else "Hello world"
    body = json.dumps({"text": text, "algorithm": algorithm, "vocabulary": name, **choices}, ensure_ascii=False)
    address = url_for("playground.page", _external=True).rstrip("/")
    return f"curl -s {address}/api/v1/tokenize -H 'Content-Type: application/json' \\\n  -d '{body}'"


def _longest(name: str) -> list[str]:
    try:
        found = description_of(tokenizer_of(name))
    except (StillFetchingError, UnavailableVocabularyError, KeyError):
        return []
    places = (found.tokens.place_of(id) for id in found.portrait.longest_words or found.portrait.longest)
    pieces = (found.tokens.pieces[at] for at in places if at is not None)
    texts = (visible(each if isinstance(each, str) else each.decode(errors="replace")) for each in pieces)
    return [text for text in texts if len(text) <= LONGEST_PIECE][:LONGEST_SHOWN]


def _measures(found: Mapping[str, float | None] | None) -> list[str]:
    """The values of `MEASURED` as text; none for a record without them."""
    return [shown(measure, found.get(measure)) for measure in MEASURED] if found else []


def _compared(record: TrainingRecord, entry: CatalogueEntry) -> list[ComparedVocabulary]:
    """The trained vocabulary among the others, the most characters per token first."""
    own, held_out = record.characters_per_token, record.held_out
    if not own:
        return []
    measures = held_out.get("measures", {})
    own_measures = _measures(held_out.get("own_measures"))
    mine = ComparedVocabulary("", entry.name, entry.size, own, own=True, measures=own_measures)
    rows = [
        ComparedVocabulary(title_of(other), name, other.size, float(value), measures=_measures(measures.get(name)))
        for name, value in held_out.get("others", {}).items()
        if (other := find(name))
    ]
    return sorted([mine, *rows], key=lambda row: -row.value)
