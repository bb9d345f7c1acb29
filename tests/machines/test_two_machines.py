"""Two machines behind one address: what a visitor does on one is there on the other, and outlives either.

Each machine is a server with its own processes, folders and worker; they share PostgreSQL, Redis and corpora.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import redis_server
from tests.jobs.running import tangled, varied
from tests.jobs.test_attempts import processes_in
from tests.postgres import Cluster
from tests.serving import ROOT, Site, constants, serving
from tests.visiting import Visitor, until

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(300)]

MOST_STORED = 30  # in an hour, by one address


class Machine:
    """One of the machines, at `site.address`."""

    def __init__(self, folder: Path, shared: dict[str, str]) -> None:
        own = {f"TOKENSCOPE_{name}": str(folder / name.lower()) for name in ("VOCABULARY_FOLDER", "DATABASE_FILE")}
        self.settings = {**shared, **own}
        self.site: Site
        self._running = ExitStack()

    def start(self) -> None:
        self.site = self._running.enter_context(serving(environment=self.settings, patience=180))

    def stop(self) -> None:
        self._running.close()

    def flask(self, *arguments: str) -> str:
        """What a command of the operator prints on the machine."""
        command = [sys.executable, "-m", "flask", "--app", "webapp", *arguments]
        environment = {**os.environ, **constants(self.settings)}
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout

    def has(self, process: int) -> bool:
        """Whether a process descends from the machine's first one."""
        while process > 1 and process != self.site.process.pid:
            process = int(re.findall(r"^PPid:\s*(\d+)", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)[0])
        return process > 1


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared") / "corpora"


@pytest.fixture(scope="module")
def machines(
    postgres: Cluster, corpora: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Machine, Machine]]:
    program = redis_server.find_program()
    if program is None:
        pytest.skip("no redis-server on this machine")
    redis_folder = tmp_path_factory.mktemp("redis")
    with redis_server.running(program, redis_folder) as redis, ExitStack() as stack:
        shared = {
            "DATABASE_URL": postgres.empty(),
            "REDIS_URL": redis.url,
            "TOKENSCOPE_CORPUS_FOLDER": str(corpora),
            "TOKENSCOPE_WORKER": "true",
            "TOKENSCOPE_TRAIN_GENTLY": "false",
            "TOKENSCOPE_MAX_SILENT_SECONDS": "4",
            "TOKENSCOPE_PROXIES": "1",
            "TOKENSCOPE_PRELOAD": "false",
            "TOKENSCOPE_MAX_REQUEST_SECONDS": "120",  # the machine may be busy
            "TOKENSCOPE_RATE_READING": "100000 per hour",
            "TOKENSCOPE_RATE_STORING": f"{MOST_STORED} per hour",
        }
        pair = [Machine(tmp_path_factory.mktemp("machine"), shared) for _ in range(2)]
        for machine in pair:
            machine.start()
            stack.callback(machine.stop)
        yield pair[0], pair[1]


@pytest.fixture
def visitors(machines: tuple[Machine, Machine], request: pytest.FixtureRequest) -> Iterator[tuple[Visitor, Visitor]]:
    """One visitor of each machine, both from the same address, another one in each test."""
    source = f"192.0.2.{1 + sum(map(ord, request.node.name)) % 250}"
    with (
        Visitor(machines[0].site.address, source=source) as one,
        Visitor(machines[1].site.address, source=source) as two,
    ):
        yield one, two


def test_links_and_uploads_of_one_are_on_the_other(visitors: tuple[Visitor, Visitor]) -> None:
    one, two = visitors
    uploaded = one.upload()
    links = [one.share(text="研究生命", algorithm="fmm", vocabulary=uploaded), one.share(text="low lower")]
    for path in (*links, f"/vocabularies/{uploaded}"):
        assert two.open(path) == one.open(path)
    assert "研究生命" in one.open(two.share(text="研究生命", algorithm="fmm", vocabulary=uploaded))


def test_deletions_and_reports_on_one_count_on_the_other(
    machines: tuple[Machine, Machine], visitors: tuple[Visitor, Visitor]
) -> None:
    one, two = visitors
    deleted, reported = one.share(text="delete me"), one.share(text="report me")
    two.open(deleted)  # cached there
    two.deletions = one.deletions
    two.delete(deleted)
    one.open(deleted, status=410)
    assert one.http.post(f"{reported}/report", data={"reason": "It is mine."}).status_code == 200
    id = reported.rsplit("/", 1)[-1]
    assert id in machines[1].flask("snapshots", "reports")
    one.open(reported)
    machines[1].flask("snapshots", "remove", id)
    for visitor in visitors:
        visitor.open(reported, status=410)


def test_limits_count_the_requests_to_both(visitors: tuple[Visitor, Visitor]) -> None:
    statuses = [
        visitor.http.post("/share", data={"text": f"{number}"}).status_code
        for number in range(MOST_STORED // 2 + 2)
        for visitor in visitors
    ]
    assert statuses == [201] * MOST_STORED + [429] * 4


def test_a_corpus_of_one_is_trained_from_the_other_and_the_result_is_on_both(
    visitors: tuple[Visitor, Visitor],
) -> None:
    one, two = visitors
    sent = one.http.post("/train/corpus", files={"files": ("corpus.txt", varied(300).encode())})
    corpus = re.findall(r"corpus=([\w-]+)", sent.headers["Location"])[0]
    started = two.http.post("/train", data={"corpus": corpus, "size": "300", "minimum_count": "1"})
    assert started.status_code == 303, started.text
    training = re.findall(r"/train/[\w-]{22}", started.headers["Location"])[0]
    vocabulary = one.wait(training)
    assert two.trained(training) == vocabulary
    for visitor in visitors:
        assert vocabulary in visitor.open(f"/?text=low&algorithm=bpe&vocabulary={vocabulary}")


def test_a_machine_takes_over_the_training_of_one_that_died(
    machines: tuple[Machine, Machine], visitors: tuple[Visitor, Visitor], corpora: Path
) -> None:
    training = visitors[0].train(tangled(1_200_000), size="2000")
    until(lambda: bool(processes_in(corpora)), 60, lambda: "the training did not start")
    process = int(processes_in(corpora)[0])
    dead = next(machine for machine in machines if machine.has(process))
    survivor = visitors[1 - machines.index(dead)]
    dead.site.kill()
    assert not survivor.has_finished(training)
    link = survivor.share(text="the other one serves")
    assert survivor.wait(training, seconds=200)
    dead.stop()
    dead.start()
    with Visitor(dead.site.address) as back:
        assert back.trained(training) == survivor.trained(training)
        back.open(link)
