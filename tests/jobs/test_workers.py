"""Workers as deployed: they stop, are killed, and lose their database, and every job ends once."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from flask import Flask

from tests.jobs.conftest import Make, settings_in
from tests.jobs.running import PLAN, SMALL, found, run, submit, tangled, varied, wait, worker
from tests.jobs.test_attempts import SLOW, corpora_of, processes_in
from tests.postgres import Cluster
from tests.serving import ROOT
from tests.visiting import until
from webapp.core.training.plan import TrainingPlan
from webapp.jobs import jobs_of
from webapp.jobs.worker import Worker
from webapp.storage import Job, UnavailableStorageError

# A worker is given up after a short silence, so that tests need not wait.
SILENCE = 4
STEADY = TrainingPlan(size=4_000)


def settings(folder: Path, **more: object) -> dict[str, object]:
    return {**settings_in(folder), "MAX_SILENT_SECONDS": SILENCE, **more}


def is_counted(job: Job) -> bool:
    return job.progress is not None and job.progress.stage == "train"


def test_a_worker_runs_what_waits_and_puts_back_what_runs_when_it_stops(make: Make, tmp_path: Path) -> None:
    app = make()
    slow = submit(app, tangled(5_000_000), SLOW, "192.0.2.1")
    with worker(settings(tmp_path, MAX_TRAININGS=2)) as process:
        quick = submit(app, SMALL, PLAN, "192.0.2.2")
        assert wait(app, quick.id).state == "finished"
        wait(app, slow.id, lambda job: job.state == "running")
        process.send_signal(signal.SIGTERM)
        assert process.wait(12) == 0
    job = found(app, slow.id)
    assert (job.state, job.attempts) == ("waiting", 0)
    assert processes_in(tmp_path / "corpora") == []


@pytest.mark.exhaustive
def test_a_worker_that_is_killed_loses_an_attempt_but_not_the_job(make: Make, tmp_path: Path) -> None:
    app = make()
    text, plan = tangled(500_000), TrainingPlan(size=12_000)
    undisturbed = run(app, submit(app, text, plan).id)
    assert undisturbed.state == "finished"
    job = submit(app, text, plan)
    with worker(settings(tmp_path)) as process:
        wait(app, job.id, is_counted)
        process.kill()
        process.wait()
    until(lambda: not processes_in(tmp_path / "corpora"), 5, lambda: "the training survives its worker")
    assert (tmp_path / "corpora" / job.corpus / "work" / job.id / "counts").stat().st_size > 0
    with worker(settings(tmp_path)):
        again = wait(app, job.id)
    assert (again.state, again.attempts) == ("finished", 2)
    assert again.vocabulary == undisturbed.vocabulary
    assert corpora_of(app) == []


@pytest.mark.exhaustive
def test_a_job_survives_that_postgresql_is_killed(make: Make, tmp_path: Path, postgres: Cluster) -> None:
    url = postgres.empty()
    app = make(DATABASE_URL=url)
    job = submit(app, varied(120_000), STEADY)
    with worker(settings(tmp_path, DATABASE_URL=url)):
        wait(app, job.id, lambda job: job.state == "running")
        postgres.stop()
        time.sleep(2 * SILENCE)
        postgres.start()
        ended = wait(app, job.id, seconds=100)
    assert ended.state == "finished"
    assert ended.attempts <= 3


@pytest.mark.exhaustive
def test_a_worker_says_what_is_wrong_with_a_setting(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "webapp.jobs"]
    environment = {"TOKENSCOPE_MAX_TRAININGS": "-1", "PATH": ""}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr == (
        "The worker cannot start: TOKENSCOPE_MAX_TRAININGS must be a whole number above 0, not -1\n"
    )


def test_a_job_without_signs_of_life_is_given_up(site_of_jobs: Flask) -> None:
    store = jobs_of(site_of_jobs).store
    job, idle = submit(site_of_jobs), threading.Event()
    assert store.claim(job.id) is not None
    site_of_jobs.config.update(MAX_SILENT_SECONDS=0.2, MAX_TRAININGS=0)
    worker = Worker(site_of_jobs)
    worker.look(idle)
    worker.look(idle)
    assert found(site_of_jobs, job.id).state == "running", "it had no time yet to give a sign of life"
    time.sleep(0.3)
    worker.look(idle)
    assert found(site_of_jobs, job.id).state == "waiting"


@pytest.mark.exhaustive
def test_a_worker_goes_on_after_a_look_that_failed(site_of_jobs: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    job, stopping = submit(site_of_jobs), threading.Event()
    store = jobs_of(site_of_jobs).store
    monkeypatch.setattr("webapp.jobs.worker.FAILED_SECONDS", 0.1)
    looks = iter([UnavailableStorageError("away", "away"), ValueError("a mistake")])
    following = store.next

    def next_jobs() -> list[str]:
        for failure in looks:
            raise failure
        return following()

    monkeypatch.setattr(store, "next", next_jobs)
    thread = threading.Thread(target=Worker(site_of_jobs).run, args=(stopping,))
    thread.start()
    try:
        assert wait(site_of_jobs, job.id).state == "finished"
    finally:
        stopping.set()
        thread.join(10)
    assert not thread.is_alive()
