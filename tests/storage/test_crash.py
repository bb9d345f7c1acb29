"""An acknowledged share is never lost: servers are killed repeatedly while many clients share, and every link works.

`TOKENSCOPE_CRASH_SECONDS=120 python -m pytest tests/storage/test_crash.py -s` runs longer and prints the counts.
"""

from __future__ import annotations

import http.client
import os
import random
import signal
import sys
import time
from threading import Event, Lock, Thread
from urllib.parse import urlencode, urlsplit

import pytest
from sqlalchemy import func, select

from tests.serving import Site, serving
from tests.storage.conftest import database_of
from webapp.storage.packing import unpack
from webapp.storage.tables import ClaimRow, SnapshotRow

APPLICATION = "tests.storage.sharing_site:create_app"
CLIENTS = 6
SECONDS = float(os.environ.get("TOKENSCOPE_CRASH_SECONDS") or 10)
# Lifetime of a server; in a long trial it preloads everything, so that its new processes respond at once.
LIFE = max(2.0, SECONDS / 6)
LONG = SECONDS >= 30
PATIENCE = 60


class Authors:
    """Clients that share one text after another, whatever happens to the server.

    `acknowledged` has the text of every address that was returned, `sent` counts all texts.
    """

    def __init__(self) -> None:
        self.acknowledged: dict[str, str] = {}
        self.sent = 0
        self.processes: set[int] = set()  # those that responded and may be alive
        self._lock = Lock()
        self._heard = Event()

    def share_with(self, site: Site, seconds: float) -> int:
        """Share for `seconds`, while processes of the site are killed one by one and in the end all at once.

        Returns the number of kills.
        """
        over, kills = Event(), 1
        threads = [Thread(target=self._share, args=(site, over)) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._heard.clear()
            assert self._heard.wait(PATIENCE), "the site no longer responds"
            over.wait(random.uniform(0, 0.1))  # never set: a random pause
            if self._kill_one(site):
                kills += 1
        site.kill()
        over.set()
        for thread in threads:
            thread.join()
        self.processes.clear()
        return kills

    def _kill_one(self, site: Site) -> bool:
        with self._lock:
            if not self.processes:
                return False
            process = self.processes.pop()
        try:
            if os.getpgid(process) != site.process.pid:
                return False
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:  # already dead
            return False
        return True

    def _share(self, site: Site, over: Event) -> None:
        connection = connected(site)
        while not over.is_set():
            with self._lock:
                self.sent += 1
                text = f"{self.sent} 研究生命\n" + "x" * random.choice((10, 1_000, 30_000))
            try:
                path, process = share(connection, text)
            except (OSError, http.client.HTTPException):  # killed before it responded
                connection.close()
                connection = connected(site)
                continue
            with self._lock:
                self.processes.add(process)
                if path:
                    self.acknowledged[path] = text
            self._heard.set()
        connection.close()


def share(connection: http.client.HTTPConnection, text: str) -> tuple[str | None, int]:
    """Return the address of a stored text, or None if the site could not store it; and the process that responded."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/share", urlencode({"text": text}), headers)
    answer = connection.getresponse()
    said = answer.read().decode()
    # 500: the worker was killed, as another one reports; it is unknown whether the text was stored.
    assert answer.status in (201, 500, 503), said
    if "X-Process" not in answer.headers:  # the other one was killed as well, as the server itself reports
        raise http.client.HTTPException(said)
    return answer.headers["Location"], int(answer.headers["X-Process"])


def opens(connection: http.client.HTTPConnection, path: str) -> bool:
    """Tell whether a link opens a page."""
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status == 200


def connected(site: Site) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=PATIENCE)


@pytest.mark.exhaustive
@pytest.mark.timeout(180 + 3 * SECONDS)
def test_every_acknowledged_link_works(database_settings: dict[str, str]) -> None:
    environment = {
        "DATABASE_URL": database_settings["DATABASE_URL"],
        "TOKENSCOPE_DATABASE_FILE": database_settings["DATABASE_FILE"],
        "TOKENSCOPE_PRELOAD": "true" if LONG else "false",
        "WEB_CONCURRENCY": "2",
    }
    authors, kills = Authors(), 0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with serving(APPLICATION, environment=environment) as site:
            kills += authors.share_with(site, seconds=LIFE)
    with serving(APPLICATION, environment=environment) as site:
        connection = connected(site)
        assert [path for path in authors.acknowledged if not opens(connection, path)] == []
        connection.close()
    kept = whole(database_settings)
    assert {path: text for path, text in authors.acknowledged.items() if kept.get(path) != text} == {}
    more = len(kept) - len(authors.acknowledged)
    sys.stderr.write(
        f"killed {kills} times; of {authors.sent} texts sent, {len(authors.acknowledged)} were acknowledged, and "
        f"every one of them found; {more} more were kept whose answer nobody got\n"
    )


def whole(settings: dict[str, str]) -> dict[str, str]:
    """Return the text of every snapshot by its address, after checking that each is complete and has its claim."""
    database = database_of(settings)
    with database.read() as connection:
        rows = connection.execute(select(SnapshotRow.id, SnapshotRow.content)).all()
        claims = connection.scalar(select(func.count()).select_from(ClaimRow))
        if database.file is not None:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    database.close()
    assert len(rows) == claims
    return {f"/s/{row.id}": unpack(row.content).text for row in rows}
