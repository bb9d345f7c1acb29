"""Nothing acknowledged is lost, whichever process of the site is killed: links, uploads and trainings.

The server, its front, workers, the worker of trainings and their processes are killed one after another while clients
share, upload and train; `TOKENSCOPE_CRASH_SECONDS` lets it last longer.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest
from sqlalchemy import func, select

from tests.jobs.running import varied
from tests.serving import Site, serving
from tests.storage.conftest import database_of
from tests.storage.killing import FORKER, FRONT, JOB_WORKER, SERVER, TRAINING, WORKER, kill, members, processes_of
from tests.visiting import UnexpectedStatusError, Visitor, until
from webapp.storage.engine import Database
from webapp.storage.jobs import MOST_ATTEMPTS
from webapp.storage.tables import ClaimRow, JobRow, SnapshotRow

SECONDS = float(os.environ.get("TOKENSCOPE_CRASH_SECONDS") or 10)
PATIENCE = 60.0
LONGEST_SILENCE = 240.0  # a new front loads everything, on a machine that may be busy
# How often each kind of process is chosen. The test starts the site again after its first process was killed.
VICTIMS = {WORKER: 50, JOB_WORKER: 5, TRAINING: 8, FRONT: 0.4, FORKER: 0.4, SERVER: 0.2}
# The pause between two kills, unless something is acknowledged before, in seconds. After so long a silence nothing is
# killed: it would kill what just starts, for ever.
PAUSE, SILENCE = 0.3, 4.0
# A front may finish what it began, for 40 seconds, and notices only once it has loaded the site that it is alone.
ORPHANS_SECONDS = 240.0
# The status of a request that stores something and whose worker was killed; Granian's own for one that reaches a front
# that is ending.
EXCUSED = {503, 500}


class Clients:
    """Clients that go on asking while the site at `address` is replaced, and what it said it has."""

    def __init__(self) -> None:
        self.links: dict[str, str] = {}  # the text of each
        self.uploads: list[str] = []
        self.trainings: dict[str, str] = {}  # the clients that train, by what they train
        self.wrong: list[str] = []  # responses that no killed process explains
        self.heard, self.over = Event(), Event()
        self.address = ""
        asking = [self.share] * 4 + [self.upload] + [self.train] * 2
        self.threads = [Thread(target=self._ask, args=(f"192.0.2.{at}", ask)) for at, ask in enumerate(asking, 1)]

    def _ask(self, source: str, ask: Callable[[Visitor, str], None]) -> None:
        """Let a client ask until it is over; what is not acknowledged is not asked again."""
        number = 0
        while not self.over.is_set():
            with Visitor(self.address, source=source, patience=PATIENCE) as visitor:
                try:
                    while not self.over.is_set():
                        number += 1
                        ask(visitor, f"{source} {number}")
                        self.heard.set()
                except httpx2.HTTPError:  # killed before it responded
                    self.over.wait(0.2)
                except UnexpectedStatusError as error:
                    if error.status not in EXCUSED:
                        self.wrong.append(str(error))
                    self.over.wait(0.05)

    def share(self, visitor: Visitor, unique: str) -> None:
        text = f"{unique} 研究生命\n" + "x" * random.choice((10, 1_000, 30_000))
        self.links[visitor.share(text=text)] = text

    def upload(self, visitor: Visitor, unique: str) -> None:
        self.uploads.append(visitor.upload(f"low{unique.replace(' ', '')}\nlower\n".encode()))
        self.over.wait(0.3)

    def train(self, visitor: Visitor, unique: str) -> None:
        """Train, once the training before is done."""
        source = visitor.http.headers["X-Forwarded-For"]
        before = next((id for id, client in reversed(self.trainings.items()) if client == source), None)
        if before is None or visitor.has_finished(before):
            self.trainings[visitor.train(f"{varied(2_000)} {unique}\n" * 3)] = source
        self.over.wait(0.3)


def kill_processes(site: Site, clients: Clients, database: Database, deadline: float, kills: Counter[str]) -> None:
    """Kill one process after another until the first one of the site has ended, or it is time; `kills` counts them."""
    heard, starting = time.monotonic(), False
    while time.monotonic() < deadline and site.process.poll() is None:
        if clients.heard.wait(PAUSE):
            heard, starting = time.monotonic(), False
        clients.heard.clear()
        silence = time.monotonic() - heard
        assert silence < LONGEST_SILENCE, "the site no longer responds"
        if starting or silence > SILENCE:
            continue
        time.sleep(random.uniform(0, 0.1))
        roles = processes_of(site.process.pid)
        with database.read() as connection:
            attempts = connection.execute(select(JobRow.attempts).where(JobRow.state == "running")).scalars().all()
        if any(each >= MOST_ATTEMPTS for each in attempts):
            # A further lost attempt would end a training, as a limit says: that is no crash of ours.
            roles = {pid: role for pid, role in roles.items() if role == WORKER}
        present = [role for role in VICTIMS if role in roles.values()]
        if not present:
            continue
        role = random.choices(present, [VICTIMS[role] for role in present])[0]
        if not kill(random.choice([pid for pid, its in roles.items() if its == role])):
            continue
        kills[role] += 1
        # The server ends when its front ends twice within seconds, as no front does that has answered.
        starting = role in (FRONT, FORKER)
        if starting:
            time.sleep(1)  # for clients that have a response already
        clients.heard.clear()
        if role == SERVER:
            site.process.wait()
            until(lambda: not members(site.process.pid), ORPHANS_SECONDS, lambda: "processes without a server")


@pytest.mark.exhaustive
@pytest.mark.timeout(400 + 3 * SECONDS)
def test_nothing_acknowledged_is_lost(database_settings: dict[str, str], tmp_path: Path) -> None:
    environment = {
        "DATABASE_URL": database_settings["DATABASE_URL"],
        "TOKENSCOPE_DATABASE_FILE": database_settings["DATABASE_FILE"],
        "TOKENSCOPE_CORPUS_FOLDER": str(tmp_path / "corpora"),
        "TOKENSCOPE_PRELOAD": "true" if SECONDS >= 30 else "false",
        "TOKENSCOPE_WORKER": "true",
        "TOKENSCOPE_TRAIN_GENTLY": "false",
        "TOKENSCOPE_MAX_SILENT_SECONDS": "4",
        "TOKENSCOPE_PROXIES": "1",
        "WEB_CONCURRENCY": "4",
        "TOKENSCOPE_MAX_REQUEST_SECONDS": "120",  # the machine may be busy
        "REDIS_URL": "",
    }
    clients, kills, database = Clients(), Counter[str](), database_of(database_settings)
    left = SECONDS  # not counted: the time that a new site takes to start
    try:
        while left > 0 or not clients.links:  # on a busy machine, a new site may need all the time
            with serving(environment=environment, patience=180) as site:
                clients.address = site.address
                for client in clients.threads if left == SECONDS else ():
                    client.start()
                began = time.monotonic()
                kill_processes(site, clients, database, began + max(left, 5), kills)
                left -= time.monotonic() - began
    finally:
        clients.over.set()
        for client in clients.threads:
            client.join()
    assert clients.wrong == []
    assert kills.total() > 0
    assert clients.links
    with serving(environment=environment, patience=180) as site, Visitor(site.address, patience=PATIENCE) as visitor:
        for path, text in clients.links.items():
            assert visitor.http.get(f"{path}.json").json()["text"] == text
        for name in clients.uploads:
            visitor.open(f"/vocabularies/{name}")
        for training in clients.trainings:
            visitor.wait(training, seconds=120)
    with database.read() as connection:
        snapshots = connection.scalar(select(func.count()).select_from(SnapshotRow))
        assert connection.scalar(select(func.count()).select_from(ClaimRow)) == snapshots
        if database.file is not None:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    database.close()
