"""Nothing acknowledged is lost, whichever process of the site is killed: links, uploads and trainings.

Workers, the worker of trainings and their processes are killed one after another while clients share, upload and train,
and then the whole site; `TOKENSCOPE_CRASH_SECONDS` lets it last longer.
"""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest
from sqlalchemy import func, select

from tests.jobs.running import varied
from tests.serving import Site, serving
from tests.storage.conftest import database_of
from tests.storage.killing import JOB_WORKER, TRAINING, WORKER, kill, processes_of
from tests.visiting import UnexpectedStatusError, Visitor
from webapp.storage.engine import Database
from webapp.storage.jobs import MOST_ATTEMPTS
from webapp.storage.tables import ClaimRow, JobRow, SnapshotRow

SECONDS = float(os.environ.get("TOKENSCOPE_CRASH_SECONDS") or 10)
PATIENCE, LONGEST_SILENCE = 60.0, 240.0  # on a machine that may be busy
VICTIMS = {WORKER: 50, JOB_WORKER: 5, TRAINING: 8}  # how often each kind of process is chosen


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
                    if error.status not in (500, 503):
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


def kill_processes(site: Site, clients: Clients, database: Database, seconds: float) -> int:
    """Kill a process after each acknowledgement, and the site in the end; return the number of killed processes."""
    deadline, killed = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        assert clients.heard.wait(LONGEST_SILENCE), "the site no longer responds"
        time.sleep(random.uniform(0, 0.1))
        roles = processes_of(site.process.pid)
        with database.read() as connection:
            attempts = connection.execute(select(JobRow.attempts).where(JobRow.state == "running")).scalars().all()
        # A further lost attempt would end a training, as a limit says.
        left = [WORKER] if any(each >= MOST_ATTEMPTS for each in attempts) else list(VICTIMS)
        present = [role for role in left if role in roles.values()]
        if present:
            role = random.choices(present, [VICTIMS[role] for role in present])[0]
            killed += kill(random.choice([pid for pid, its in roles.items() if its == role]))
        clients.heard.clear()
    site.kill()
    return killed


@pytest.mark.exhaustive
@pytest.mark.timeout(400 + 3 * SECONDS)
def test_nothing_acknowledged_is_lost(database_settings: dict[str, str], tmp_path: Path) -> None:
    environment = {
        "DATABASE_URL": database_settings["DATABASE_URL"],
        "TOKENSCOPE_DATABASE_FILE": database_settings["DATABASE_FILE"],
        "TOKENSCOPE_CORPUS_FOLDER": str(tmp_path / "corpora"),
        "TOKENSCOPE_PRELOAD": "false",
        "TOKENSCOPE_WORKER": "true",
        "TOKENSCOPE_TRAIN_GENTLY": "false",
        "TOKENSCOPE_MAX_SILENT_SECONDS": "4",
        "TOKENSCOPE_PROXIES": "1",
        "WEB_CONCURRENCY": "4",
        "TOKENSCOPE_MAX_REQUEST_SECONDS": "120",  # the machine may be busy
        "REDIS_URL": "",
    }
    clients, database = Clients(), database_of(database_settings)
    try:
        for round in range(2):
            with serving(environment=environment, patience=180) as site:
                clients.address = site.address
                for client in clients.threads if round == 0 else ():
                    client.start()
                assert kill_processes(site, clients, database, SECONDS / 2)
    finally:
        clients.over.set()
        for client in clients.threads:
            client.join()
    assert clients.wrong == []
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
