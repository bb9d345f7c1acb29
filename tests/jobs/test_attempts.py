"""One attempt at a job, in a process of its own: it ends with a vocabulary, or with a reason."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from flask import Flask

from tests.jobs.conftest import Make
from tests.jobs.running import PLAN, SMALL, attend, found, run, submit, tangled, wait
from webapp.core.training.plan import TrainingPlan, TrainingRecord
from webapp.jobs import Failure, jobs_of, training
from webapp.jobs.worker import begin
from webapp.vocabularies import library, shipped_tokenizer

HAN = "low\n" * 100 + "".join(map(chr, range(0x4E00, 0x5000)))
SLOW = TrainingPlan(size=60_000)


@pytest.fixture(scope="module")
def long() -> str:
    """A text whose training takes much longer than a test."""
    return tangled(5_000_000)


def start(app: Flask, id: str, stopping: threading.Event | None = None) -> threading.Thread:
    thread = threading.Thread(target=attend, args=(app, id, stopping))
    thread.start()
    return thread


def corpora_of(app: Flask) -> list[str]:
    """What trainings have left in the folder of corpora."""
    return [str(path) for path in jobs_of(app).corpora.folder.glob("*/work/*")]


def processes_in(folder: Path) -> list[str]:
    """The processes whose files for a training are in a folder."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if str(folder).encode() in Path("/proc", name, "environ").read_bytes():
                found.append(name)
        except OSError:
            continue
    return found


def test_a_training_in_its_own_process_becomes_a_vocabulary_of_the_site(site_of_jobs: Flask) -> None:
    job, again = submit(site_of_jobs), submit(site_of_jobs, visitor="another visitor")
    job = attend(site_of_jobs, job.id)
    assert run(site_of_jobs, again.id).vocabulary == job.vocabulary, "it trains the same as any other process"
    assert (job.state, job.failure) == ("finished", None)
    record = TrainingRecord.from_json(job.record)
    assert (record.plan, record.files, record.bytes, record.pieces) == (PLAN, ("corpus.txt",), len(SMALL), 300)
    assert record.sha256
    assert set(record.seconds) == {"read", "count", "train", "write"}
    assert set(record.held_out["others"]) >= {"bpe-bytes"}
    assert set(record.held_out["measures"]) == set(record.held_out["others"])
    assert record.held_out["own_measures"]["fertility"] >= 1
    assert 0 < record.held_out["own_measures"]["vocabulary-used"] <= 1
    with site_of_jobs.app_context():
        assert job.vocabulary is not None
        tokenizer = library().tokenizer(job.vocabulary)
        assert tokenizer.decode(tokenizer.ids(" lowest")) == " lowest"
        assert len(tokenizer.ids(" lowest")) == 1
    assert corpora_of(site_of_jobs) == []


def test_cancelling_ends_the_process_within_two_seconds(make: Make, long: str, tmp_path: Path) -> None:
    app = make()
    job = submit(app, long, SLOW)
    thread = start(app, job.id)
    wait(app, job.id, lambda job: job.progress is not None)
    assert processes_in(tmp_path / "corpora")
    began = time.monotonic()
    jobs_of(app).cancel(job.id)
    thread.join(10)
    assert time.monotonic() - began < 2
    assert found(app, job.id).state == "cancelled"
    assert processes_in(tmp_path / "corpora") == []
    assert corpora_of(app) == []


def outcome_of(app: Flask, text: str, plan: TrainingPlan = SLOW) -> Failure:
    """How a training fails."""
    job = submit(app, text, plan)
    job = attend(app, job.id)
    assert job.state == "failed"
    assert job.failure is not None
    assert corpora_of(app) == []
    return job.failure


@pytest.mark.exhaustive
def test_the_time_limit_holds(make: Make, long: str) -> None:
    app = make(MAX_TRAINING_SECONDS=1)
    began = time.monotonic()
    assert outcome_of(app, long) == Failure("time", {"limit": 1})
    assert time.monotonic() - began < 8


@pytest.fixture
def crowded_processor() -> Iterator[None]:
    """One processor for this thread and what it starts, where five other processes compute without end."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(5)]
    yield
    os.sched_setaffinity(0, allowed)
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.exhaustive
@pytest.mark.usefixtures("crowded_processor")
def test_a_training_gets_its_share_of_a_busy_machine_and_waiting_does_not_count(
    make: Make,
) -> None:
    """It needs two seconds of a processor, which take 20 with a tenth of it; allowed are four, by the clock 40."""
    app = make(MAX_TRAINING_SECONDS=4, TRAIN_GENTLY=True)
    job = submit(app)
    began = time.monotonic()
    attend(app, job.id)
    seconds = time.monotonic() - began
    job = found(app, job.id)
    assert (job.state, job.failure) == ("finished", None)
    assert seconds > 4


def test_the_memory_limit_holds(make: Make, long: str) -> None:
    """The kernel refuses memory, or the worker sees it: the first of both."""
    app = make(MAX_TRAINING_MEMORY_BYTES=100_000_000)
    assert outcome_of(app, long) == Failure("memory", {"limit": 100_000_000})


@pytest.mark.exhaustive
def test_the_worker_enforces_the_memory_limit_by_itself(make: Make, long: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make(MAX_TRAINING_MEMORY_BYTES=4_000_000_000)
    monkeypatch.setattr("webapp.processes.resident_bytes", lambda process: 5_000_000_000)
    assert outcome_of(app, long) == Failure("memory", {"limit": 4_000_000_000})


@pytest.mark.exhaustive
def test_the_disk_limit_holds(make: Make, long: str) -> None:
    app = make(MAX_TRAINING_DISK_BYTES=500_000)
    assert outcome_of(app, long).code == "disk"


@pytest.mark.parametrize(
    ("text", "plan", "failure"),
    [
        ("low lower\n", PLAN, "too_small"),
        (HAN, TrainingPlan(trainer="wordpiece", size=300), "alphabet"),
        (SMALL, TrainingPlan(size=1), "plan"),
    ],
)
def test_a_failure_says_why(site_of_jobs: Flask, text: str, plan: TrainingPlan, failure: str) -> None:
    job = run(site_of_jobs, submit(site_of_jobs, text, plan).id)
    assert (job.state, job.failure and job.failure.code) == ("failed", failure)
    assert corpora_of(site_of_jobs) == []


def test_a_corpus_that_is_not_utf8_says_where(site_of_jobs: Flask) -> None:
    job = submit(site_of_jobs)
    Path(jobs_of(site_of_jobs).corpora.files(job.corpus)[0].path).write_bytes(b"low\n" * 9 + b"\xff")
    assert run(site_of_jobs, job.id).failure == Failure("not_utf8", {"file": "corpus.txt", "offset": 36})


def test_a_full_database_is_a_reason(make: Make) -> None:
    app = make(MAX_UPLOADS_BYTES=1)
    assert run(app, submit(app).id).failure == Failure("full")


def test_a_corpus_stays_for_further_trainings_and_goes_when_none_needs_it(site_of_jobs: Flask) -> None:
    first = submit(site_of_jobs)
    jobs = jobs_of(site_of_jobs)
    second = jobs.submit(PLAN, first.corpus, first.facts, "another visitor")
    run(site_of_jobs, first.id)
    assert not jobs.delete_corpus(first.corpus)
    jobs.cancel(second.id)
    assert jobs.corpora.files(first.corpus)
    assert jobs.delete_corpus(first.corpus)
    assert not jobs.corpora.files(first.corpus)


def test_a_job_whose_corpus_is_on_another_machine_is_left_to_that(site_of_jobs: Flask) -> None:
    job = submit(site_of_jobs)
    jobs_of(site_of_jobs).corpora.delete(job.corpus)
    assert begin(site_of_jobs, job.id) is None
    assert found(site_of_jobs, job.id).state == "waiting"


def test_a_mistake_of_the_site_is_reported_without_the_text(
    site_of_jobs: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Callable[[], None]:
        raise ValueError("a line of the corpus")

    monkeypatch.setattr("webapp.jobs.training.train", broken)
    # Not caplog: libraries that other tests load configure logging for the whole process.
    logged: list[str] = []
    monkeypatch.setattr("webapp.jobs.worker.log.error", lambda form, *values: logged.append(form % values))
    job = run(site_of_jobs, submit(site_of_jobs).id)
    assert job.failure is not None
    assert job.failure.code == "error"
    assert "ValueError" in "".join(logged)
    assert "a line of the corpus" not in "".join(logged) + str(job)


@pytest.mark.exhaustive  # tests/pages/train/test_ngrams.py does so on pages
def test_ngrams_become_a_vocabulary(site_of_jobs: Flask) -> None:
    text = "他 来到 了 北京 大学 。\n人生 如 梦境 ， 人生 如 戏 。\n" * 300
    job = run(site_of_jobs, submit(site_of_jobs, text, TrainingPlan(trainer="ngram", order="3")).id)
    assert (job.state, job.failure) == ("finished", None)
    assert job.record["held_out"]["ngrams"]["sizes"][0] == 13  # with both edges of a sentence
    with site_of_jobs.app_context():
        assert job.vocabulary is not None
        tokenizer = library().tokenizer(job.vocabulary)
        assert [token.piece for token in tokenizer.encode("他来到了北京大学。")] == [
            "他",
            "来到",
            "了",
            "北京",
            "大学",
            "。",
        ]


@pytest.mark.parametrize("patient", [pytest.param(False, marks=pytest.mark.exhaustive), True])
def test_the_others_are_those_measured_during_the_training_and_at_least_the_first(
    patient: bool, tmp_path: Path
) -> None:
    own, text = shipped_tokenizer("wordpiece"), "The tokenizer splits the text. " * 20
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        others = training.Others(process, text, tmp_path)
        if patient:
            process.submit(int).result()  # after all of them
        found = others.compared(own)
        process.shutdown(cancel_futures=True)
    assert set(found["others"]) >= {"bpe-bytes", *(["unigram", "cl100k_base"] if patient else [])}
    assert set(found["measures"]) == set(found["others"])
    assert patient or "unigram" not in found["others"]
    assert found["own_measures"]["fertility"] >= 1
