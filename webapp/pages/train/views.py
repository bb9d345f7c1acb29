"""The contexts of the pages, from requests, corpora and jobs."""

from __future__ import annotations

from flask_babel import get_locale
from flask_babel import gettext as _

from webapp.core.training.corpus import CorpusFile
from webapp.jobs import Job
from webapp.pages.train.choices import CHOICES, TRAINER_CHOICES
from webapp.pages.train.contexts import ChoicesContext, FileLine, JobContext, JobPage, PlanPage, ScriptBar
from webapp.pages.train.corpora import StoredCorpus, size_of
from webapp.pages.train.finished import finished_of
from webapp.pages.train.forms import DEFAULTS, PlanRequest
from webapp.pages.train.growth_chart import growth_chart
from webapp.pages.train.job_view import view_of
from webapp.pages.train.messages import short_name, size_in_words
from webapp.rendering.markup import visible
from webapp.web.localization import join_list

SCRIPTS_SHOWN = 6


def choices_context(asked: PlanRequest, corpus: StoredCorpus) -> ChoicesContext:
    """The choices of the chosen algorithm."""
    shown = [choice for choice in CHOICES if choice.is_for(asked.typed["trainer"])]
    advanced = [choice for choice in shown if choice.advanced]
    changed = any(asked.typed[choice.name] != DEFAULTS[choice.name] for choice in advanced)
    return ChoicesContext(
        typed=asked.typed,
        invalid=asked.problems,
        basic=[choice for choice in shown if not choice.advanced],
        advanced=advanced,
        advanced_open=changed or any(choice.name in asked.problems for choice in advanced),
        facts=corpus.facts,
    )


def plan_page(choices: ChoicesContext, corpus: StoredCorpus, refusal: str) -> PlanPage:
    """The page with a corpus and the choices; `refusal` says why no training can be started now."""
    shares = corpus.facts.scripts[:SCRIPTS_SHOWN]
    most = max((share for _script, share in shares), default=0) or 1
    return PlanPage(
        choices=choices,
        corpus=corpus.id,
        files=[FileLine(short_name(file.name), size_in_words(size_of(file)), _kind(file)) for file in corpus.files],
        scripts=[ScriptBar(script_title(name), share, round(100 * share / most, 1)) for name, share in shares],
        trainers=TRAINER_CHOICES,
        refusal=refusal,
    )


def job_context(job: Job) -> JobContext:
    """The state of a job."""
    view = view_of(job)
    finished = finished_of(job) if job.state == "finished" else None
    curve = job.progress.curve if job.progress else ()
    if not curve and job.record:
        curve = tuple((int(pieces), float(value)) for pieces, value in job.record.get("curve", ()))
    return JobContext(
        job=view,
        chart=None
        if view.counts_ngrams
        else growth_chart(curve, job.plan.size, prunes=view.prunes, runs=job.state != "finished"),
        finished=finished,
        visible=visible,
    )


def job_page(shown: JobContext) -> JobPage:
    """The page of a job."""
    return JobPage(shown=shown)


def _kind(file: CorpusFile) -> str:
    kinds = [_("JSON Lines, field “%(field)s”", field=file.field[:40])] if file.format == "jsonl" else []
    return join_list([*kinds, *([file.compression] if file.compression else [])])


def script_title(name: str) -> str:
    """The name of a script in the reader's language."""
    plain = name.replace("_", " ")
    locale = get_locale()
    if locale is None:
        return plain
    english = locale.parse("en").scripts
    code = {"Han": "Hani"}.get(name) or next((code for code, title in english.items() if title == plain), "")
    title: str = locale.scripts.get(code, plain)
    return title
