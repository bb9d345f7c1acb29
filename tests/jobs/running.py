"""Corpora, jobs and workers for tests; `run` needs neither a worker nor another process."""

import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from flask import Flask

from tests.serving import ROOT, constants
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import survey
from webapp.jobs import Job, jobs_of
from webapp.jobs.training import outcome
from webapp.jobs.worker import begin

PLAN = TrainingPlan(size=300, minimum_count=1)


def tangled(characters: int) -> str:
    """Random letters in long words, of which many pairs are merged: 5 million train for half a minute or more."""
    letters = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=characters))
    return "\n".join(letters[start : start + 500] for start in range(0, characters, 500))


def varied(words: int) -> str:
    """A text with so many different words, for trainings that take a while."""
    names = [f"w{number * 7919 % 1_000_003:x}" for number in range(words)]
    return "\n".join(" ".join(names[start : start + 20]) for start in range(0, words, 20))


SMALL = varied(1_000) + "\n" + "low lower lowest\n" * 500


def submit(app: Flask, text: str = SMALL, plan: TrainingPlan = PLAN, visitor: str = "192.0.2.1") -> Job:
    """Submit a training of a text."""
    jobs = jobs_of(app)
    corpus = jobs.corpora.create()
    jobs.corpora.add(corpus, "corpus.txt", io.BytesIO(text.encode()))
    return jobs.submit(plan, corpus, survey(jobs.corpora.files(corpus), plan), visitor)


def run(app: Flask, id: str) -> Job:
    """Run a waiting job in this process, without its limits, and return it as it is afterwards."""
    attempt = begin(app, id)
    assert attempt is not None
    attempt.conclude(outcome(attempt.task(), attempt.note), 0)
    return found(app, id)


def attend(app: Flask, id: str, stopping: threading.Event | None = None) -> Job:
    """Run a job that waits in a process of its own, until it ends or `stopping` is set."""
    attempt = begin(app, id)
    assert attempt is not None
    attempt.run(stopping or threading.Event())
    return found(app, id)


def found(app: Flask, id: str) -> Job:
    """The job with this id, which must exist."""
    job = jobs_of(app).find(id)
    assert job is not None
    return job


def wait(
    app: Flask, id: str, until: Callable[[Job], bool] = lambda job: job.ended is not None, seconds: float = 60
) -> Job:
    """Wait until a job is in a state, and return it."""
    deadline = time.monotonic() + seconds
    while not until(job := found(app, id)):
        assert time.monotonic() < deadline, f"still {job.state} after {seconds} s: {job.progress}"
        time.sleep(0.05)
    return job


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def worker(settings: Mapping[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    """Run `python -m webapp.jobs` with some settings."""
    names = {name: name if name in ("DATABASE_URL", "REDIS_URL") else f"TOKENSCOPE_{name}" for name in settings}
    environment = {**os.environ, **constants({names[name]: _written(value) for name, value in settings.items()})}
    command = [sys.executable, "-m", "webapp.jobs", "--beside"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
