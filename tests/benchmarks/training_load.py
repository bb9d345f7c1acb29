"""The playground's latency while two vocabularies are trained: ``python -m tests.benchmarks.training_load [SECONDS]``.

The site runs as deployed, with a worker beside it. A steady stream of requests for the playground with a text of about
a kilobyte, each another one, is measured idle, while two trainings run on the source code of Python's library, and idle
again. A training that ends is followed by the next; what is measured between two of them does not count. The goal: the
95th percentile is at most 1.3 times that of both idle spans together.
"""

from __future__ import annotations

import http.client
import io
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from flask import Flask

from tests.attacks.findings import percentile
from tests.benchmarks.timing import BELOW
from tests.serving import serving
from webapp import create_app
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import survey
from webapp.jobs import Job, jobs_of

GOAL = 1.3
RATE = 20  # requests a second
CLIENTS = 8
SECONDS = 40.0
WARM_UP = 5.0
CORPUS_BYTES = 30_000_000
PLANS = (TrainingPlan(size=30_000), TrainingPlan(trainer="unigram", size=8_000))


class Sample(NamedTuple):
    """When a request was sent, and how long its response took, in seconds."""

    at: float
    seconds: float


def source_code(most: int = CORPUS_BYTES) -> bytes:
    """The Python files of the library, joined."""
    content = bytearray()
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        try:
            content += path.read_text("utf-8").encode()
        except (OSError, ValueError):
            continue
        if len(content) >= most:
            break
    return bytes(content[:most])


def texts(source: str) -> Iterator[str]:
    """Kilobytes of the source, each another one."""
    for number in count():
        start = number * 1_009 % (len(source) - 2_000)
        yield source[start : start + 1_000]


def measure(address: str, source: Iterator[str], seconds: float) -> list[Sample]:
    """Ask for the playground at a steady rate, whatever the responses take."""
    parts = urlsplit(address)
    local = threading.local()

    def ask(text: str, due: float) -> Sample:
        time.sleep(max(0.0, due - time.perf_counter()))
        connection = getattr(local, "connection", None)
        if connection is None:
            connection = local.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        started = time.perf_counter()
        connection.request("GET", "/?text=" + quote(text))
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"the playground answered {answer.status}")
        return Sample(started, time.perf_counter() - started)

    begin = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        asked = [clients.submit(ask, next(source), begin + number / RATE) for number in range(round(seconds * RATE))]
        return [each.result() for each in asked]


class Trainings:
    """Keeps two trainings running, and notes when both do."""

    def __init__(self, app: Flask, corpus: bytes) -> None:
        self._app = app
        self._corpus = corpus
        self._ids = [self._submit(number) for number in range(len(PLANS))]
        self._numbers = count(len(PLANS))
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self.both: list[tuple[float, bool]] = []
        self.stages: set[str] = set()
        self.ended = 0
        self._thread.start()

    def _submit(self, number: int) -> str:
        jobs = jobs_of(self._app)
        plan = PLANS[number % len(PLANS)]
        corpus = jobs.corpora.create()
        jobs.corpora.add(corpus, "library.py", io.BytesIO(self._corpus))
        return jobs.submit(plan, corpus, survey(jobs.corpora.files(corpus), plan), f"visitor {number}").id

    def _keep(self) -> None:
        while not self._ending.wait(0.5):
            found = [self._found(id) for id in self._ids]
            self.both.append((time.perf_counter(), all(job.state == "running" and job.progress for job in found)))
            self.stages |= {job.progress.stage for job in found if job.progress}
            for index, job in enumerate(found):
                if job.ended:
                    if job.state != "finished":
                        print(f"a training {job.state}: {job.failure}")
                    self.ended += 1
                    self._ids[index] = self._submit(next(self._numbers))

    def _found(self, id: str) -> Job:
        job = jobs_of(self._app).find(id)
        assert job is not None
        return job

    def wait(self) -> None:
        """Wait until both run."""
        deadline = time.monotonic() + 120
        while not (self.both and self.both[-1][1]):
            if time.monotonic() > deadline:
                raise SystemExit("the trainings did not start")
            time.sleep(0.2)

    def during(self, samples: list[Sample]) -> list[Sample]:
        """The samples while both ran."""
        marks = iter([*self.both, (float("inf"), False)])
        before, after = (0.0, False), next(marks)
        kept = []
        for sample in sorted(samples):
            while sample.at > after[0]:
                before, after = after, next(marks)
            if before[1] and (after[1] or after[0] == float("inf")):
                kept.append(sample)
        return kept

    def end(self) -> None:
        """Cancel them."""
        self._ending.set()
        self._thread.join()
        for id in self._ids:
            jobs_of(self._app).cancel(id)


def shown(name: str, samples: list[Sample]) -> float:
    """Print the percentiles of some samples, and return the 95th."""
    seconds = [sample.seconds for sample in samples]
    figures = [1000 * percentile(seconds, share) for share in (0.5, 0.95, 0.99)]
    print(f"{name:24} {len(samples):6,} {figures[0]:9.1f} {figures[1]:9.1f} {figures[2]:9.1f}")
    return figures[1]


def main(seconds: float = SECONDS) -> int:
    """Measure, print and compare; return 1 if the goal is missed."""
    corpus = source_code()
    stream = texts(corpus.decode("utf-8", "ignore"))
    with tempfile.TemporaryDirectory() as folder:
        kept = {"DATABASE_FILE": f"{folder}/tokenscope.sqlite", "CORPUS_FOLDER": f"{folder}/corpora"}
        environment = {f"TOKENSCOPE_{name}": value for name, value in kept.items()}
        own = {"TOKENSCOPE_WORKER": "true", "DATABASE_URL": "", "REDIS_URL": "", "WEB_CONCURRENCY": ""}
        with serving(environment={**environment, **own}) as site:
            app = create_app({"DATABASE_URL": "", **kept})
            measure(site.address, stream, WARM_UP)
            before = measure(site.address, stream, seconds / 2)
            trainings = Trainings(app, corpus)
            trainings.wait()
            busy = measure(site.address, stream, seconds)
            trainings.end()
            loaded = trainings.during(busy)
            time.sleep(3)
            after = measure(site.address, stream, seconds / 2)
    print(f"{len(corpus) / 1e6:.0f} MB of source code, {RATE} requests a second; milliseconds")
    print(f"{'':24} {'number':>6} {'p50':>9} {'p95':>9} {'p99':>9}")
    shown("idle, before", before)
    shown("idle, after", after)
    idle = shown("idle", [*before, *after])
    if len(loaded) < RATE:
        print(f"{BELOW}two trainings hardly ran at once")
        return 1
    ratio = shown("two trainings", loaded) / idle
    print(f"p95 while training / idle: {ratio:.2f}; stages: {', '.join(sorted(trainings.stages))}")
    if round(ratio, 2) > GOAL:
        print(f"{BELOW}{ratio:.2f} instead of at most {GOAL}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*map(float, sys.argv[1:2])))
