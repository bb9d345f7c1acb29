"""Nothing acknowledged is lost, whichever process of the site is killed: links, uploads and trainings.

The server, its front, workers, the worker of trainings and their processes are killed one after another while clients
share, upload and train. This runs longer, and prints the counts:

    TOKENSCOPE_CRASH_SECONDS=300 python -m pytest -m exhaustive tests/storage/test_crash.py -s
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread

import httpx2
import pytest
from sqlalchemy import func, select

from tests.jobs.running import varied
from tests.serving import Site, serving
from tests.storage.conftest import database_of
from tests.storage.killing import FORKER, FRONT, JOB_WORKER, SERVER, TRAINING, WORKER, kill, members, processes_of
from tests.visiting import UnexpectedStatusError, Visitor, until
from webapp.storage.jobs import MOST_ATTEMPTS
from webapp.storage.tables import ClaimRow, JobRow, SnapshotRow

SECONDS = float(os.environ.get("TOKENSCOPE_CRASH_SECONDS") or 10)
LONG = SECONDS >= 30
PATIENCE = 60.0
LONGEST_SILENCE = 240.0  # a new front loads everything, on a machine that may be busy
# How often each kind of process is chosen. The test starts the site again after its first process was killed.
VICTIMS = {WORKER: 50, JOB_WORKER: 5, TRAINING: 8, FRONT: 0.4, FORKER: 0.4, SERVER: 0.2}
# The pause between two kills, unless something is acknowledged before, in seconds. After so long a silence the killer
# waits: it would kill what just starts, for ever.
PAUSE, SILENCE = 0.3, 4.0
# A front may finish what it began, for 40 seconds, and notices only once it has loaded the site that it is alone.
ORPHANS_SECONDS = 240.0
# The status of a request that stores something and whose worker was killed; Granian's own for one that reaches a front
# that is ending.
EXCUSED = {503, 500}


class Acknowledged:
    """What the site said it has, and the clients that go on asking while `site` is replaced."""

    def __init__(self) -> None:
        self.links: dict[str, str] = {}  # the text of each
        self.uploads: list[str] = []
        self.trainings: list[str] = []
        self.wrong: list[str] = []  # responses that no killed process explains
        self.sent = 0
        self.heard = Event()
        self.over = Event()
        self.address = ""
        self._last: dict[str, str] = {}  # the last training of each client
        self._lock = Lock()

    def number(self) -> int:
        """Return the next number of what is sent."""
        with self._lock:
            self.sent += 1
            return self.sent

    def ask_as(self, source: str, ask: Callable[[Visitor, int], None]) -> None:
        """Let a client ask until it is over; what is not acknowledged is not asked again."""
        while not self.over.is_set():
            with Visitor(self.address, source=source, patience=PATIENCE) as visitor:
                try:
                    while not self.over.is_set():
                        ask(visitor, self.number())
                        self.heard.set()
                except httpx2.HTTPError:  # killed before it responded
                    self.over.wait(0.2)
                except UnexpectedStatusError as error:
                    if error.status not in EXCUSED:
                        self.wrong.append(str(error))
                    self.over.wait(0.05)

    def share(self, visitor: Visitor, number: int) -> None:
        """Share a text of its own."""
        text = f"{number} 研究生命\n" + "x" * random.choice((10, 1_000, 30_000))
        self.links[visitor.share(text=text)] = text

    def upload(self, visitor: Visitor, number: int) -> None:
        """Upload a dictionary of its own."""
        self.uploads.append(visitor.upload(f"low{number}\nlower{number}\n".encode()))
        self.over.wait(0.3)

    def train(self, visitor: Visitor, number: int) -> None:
        """Train, once the training before is done."""
        source = visitor.http.headers["X-Forwarded-For"]
        before = self._last.get(source)
        if before is not None and not visitor.has_finished(before):
            self.over.wait(0.3)
            return
        self._last[source] = visitor.train(f"{varied(2_000)} {number}\n" * 3)
        self.trainings.append(self._last[source])


class Killer:
    """Kills processes of the site; `kills` counts them by what they did."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.kills: Counter[str] = Counter()
        self._database = database_of(settings)

    def close(self) -> None:
        self._database.close()

    def live(self, site: Site, acknowledged: Acknowledged, deadline: float) -> None:
        """Kill one process after another until the first one of the site has ended, or it is time."""
        heard, starting = time.monotonic(), False
        while time.monotonic() < deadline and site.process.poll() is None:
            if acknowledged.heard.wait(PAUSE):
                heard, starting = time.monotonic(), False
            acknowledged.heard.clear()
            silence = time.monotonic() - heard
            assert silence < LONGEST_SILENCE, "the site no longer responds"
            if starting or silence > SILENCE:
                continue
            time.sleep(random.uniform(0, 0.1))
            roles = processes_of(site.process.pid)
            if self._is_last_attempt():
                # A further lost attempt would end a training, as a limit says: that is no crash of ours.
                roles = {pid: role for pid, role in roles.items() if role == WORKER}
            present = [role for role in VICTIMS if role in roles.values()]
            if not present:
                continue
            role = random.choices(present, [VICTIMS[role] for role in present])[0]
            if kill(random.choice([pid for pid, its in roles.items() if its == role])):
                self.kills[role] += 1
                # The server ends when its front ends twice within seconds, as no front does that has answered.
                starting = role in (FRONT, FORKER)
                if starting:
                    time.sleep(1)  # for clients that have a response already
                acknowledged.heard.clear()
                if role == SERVER:
                    site.process.wait()
                    until(lambda: not members(site.process.pid), ORPHANS_SECONDS, lambda: "processes without a server")
                    return

    def _is_last_attempt(self) -> bool:
        with self._database.read() as connection:
            running = connection.execute(select(JobRow.attempts).where(JobRow.state == "running")).scalars().all()
        return any(attempts >= MOST_ATTEMPTS for attempts in running)


@pytest.mark.exhaustive
@pytest.mark.timeout(400 + 3 * SECONDS)
def test_nothing_acknowledged_is_lost(database_settings: dict[str, str], tmp_path: Path) -> None:
    environment = {
        "DATABASE_URL": database_settings["DATABASE_URL"],
        "TOKENSCOPE_DATABASE_FILE": database_settings["DATABASE_FILE"],
        "TOKENSCOPE_CORPUS_FOLDER": str(tmp_path / "corpora"),
        "TOKENSCOPE_PRELOAD": "true" if LONG else "false",
        "TOKENSCOPE_WORKER": "true",
        "TOKENSCOPE_TRAIN_GENTLY": "false",
        "TOKENSCOPE_MAX_SILENT_SECONDS": "4",
        "TOKENSCOPE_PROXIES": "1",
        "WEB_CONCURRENCY": "4",
        "TOKENSCOPE_MAX_REQUEST_SECONDS": "120",  # the machine may be busy
        "REDIS_URL": "",
    }
    acknowledged = Acknowledged()
    killer = Killer(database_settings)
    asking = [acknowledged.share] * 4 + [acknowledged.upload] + [acknowledged.train] * 2
    clients = [
        Thread(target=acknowledged.ask_as, args=(f"192.0.2.{number}", ask)) for number, ask in enumerate(asking, 1)
    ]
    left = SECONDS  # not counted: the time that a new site takes to start
    try:
        while left > 0:
            with serving(environment=environment, patience=180) as site:
                acknowledged.address = site.address
                if not clients[0].is_alive():
                    for client in clients:
                        client.start()
                began = time.monotonic()
                killer.live(site, acknowledged, began + left)
                left -= time.monotonic() - began
    finally:
        acknowledged.over.set()
        for client in clients:
            client.join()
        killer.close()
    assert acknowledged.wrong == []
    assert killer.kills.total() > 0
    assert acknowledged.links
    with serving(environment=environment, patience=180) as site, Visitor(site.address, patience=PATIENCE) as visitor:
        lost = [
            path for path, text in acknowledged.links.items() if visitor.http.get(f"{path}.json").json()["text"] != text
        ]
        assert lost == []
        for name in acknowledged.uploads:
            visitor.open(f"/vocabularies/{name}")
        for training in acknowledged.trainings:
            visitor.wait(training, seconds=120)
    assert_whole(database_settings)
    kills = ", ".join(f"{count} × {role}" for role, count in killer.kills.most_common())
    sys.stderr.write(
        f"killed {killer.kills.total()} times ({kills}); acknowledged and found: {len(acknowledged.links)} links, "
        f"{len(acknowledged.uploads)} uploads, {len(acknowledged.trainings)} trainings\n"
    )


def assert_whole(settings: dict[str, str]) -> None:
    """Check that each snapshot has its claim, and that the file is not damaged."""
    database = database_of(settings)
    with database.read() as connection:
        snapshots = connection.scalar(select(func.count()).select_from(SnapshotRow))
        assert connection.scalar(select(func.count()).select_from(ClaimRow)) == snapshots
        if database.file is not None:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    database.close()
