"""An acknowledged share is never lost: the server is killed over and over while many share, and every link is found.

`TOKENSCOPE_CRASH_SECONDS=120 python -m pytest tests/storage/test_crash.py -s` tries longer and tells how often.
"""

from __future__ import annotations

import http.client
import os
import random
import sys
import time
from threading import Event, Thread
from urllib.parse import urlsplit

from sqlalchemy import func, select

from tests.serving import Site, serving
from tests.storage.conftest import database_of
from webapp.storage.models import ClaimRow, SnapshotRow
from webapp.storage.packing import unpack

CLIENTS = 6
SECONDS = float(os.environ.get("TOKENSCOPE_CRASH_SECONDS") or 12)
PATIENCE = 30


def share(connection: http.client.HTTPConnection, text: str) -> str | None:
    """The address where a text is kept; None where it was not acknowledged."""
    connection.request("POST", "/kept", text.encode())
    answer = connection.getresponse()
    answer.read()
    return answer.headers["Location"] if answer.status == 201 else None


def shown(connection: http.client.HTTPConnection, path: str) -> str:
    """The text that is kept at an address."""
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    return text if answer.status == 200 else f"answered {answer.status}"


def connected(site: Site) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=PATIENCE)


def test_every_link_that_was_answered_is_found(database_settings: dict[str, str]) -> None:
    environment = {
        "DATABASE_URL": database_settings["DATABASE_URL"],
        "TOKENSCOPE_DATABASE_FILE": database_settings["DATABASE_FILE"],
        "TOKENSCOPE_PRELOAD": "false",
        "WEB_CONCURRENCY": "2",
    }
    application = "tests.storage.sharing_site:create_app()"
    chance = random.Random(7)
    acknowledged: dict[str, str] = {}
    asked = kills = 0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with serving(application, environment=environment) as site:
            found, tried = share_until_killed(site, kills, chance.uniform(0.1, 0.6))
        acknowledged |= found
        asked += tried
        kills += 1
    with serving(application, environment=environment) as site:
        connection = connected(site)
        lost = {path: text for path, text in acknowledged.items() if shown(connection, path) != text}
        connection.close()
    assert lost == {}
    assert len(acknowledged) > 10 * kills
    kept = whole(database_settings)
    assert kept >= len(acknowledged)
    sys.stderr.write(
        f"killed {kills} times; of {asked} texts sent, {len(acknowledged)} were acknowledged, and every one of them "
        f"found; {kept - len(acknowledged)} more were kept whose answer nobody got\n"
    )


def share_until_killed(site: Site, turn: int, seconds: float) -> tuple[dict[str, str], int]:
    """Share from several clients at once and kill the server; what was acknowledged, and how many were sent."""
    acknowledged: dict[str, str] = {}
    sent = [0] * CLIENTS
    busy, killed = Event(), Event()

    def client(number: int) -> None:
        connection = connected(site)
        chance = random.Random(f"{turn} {number}")
        try:
            while not killed.is_set():
                text = f"{turn} {number} {sent[number]} 研究生命\n" + "x" * chance.choice((10, 1_000, 30_000))
                sent[number] += 1
                if path := share(connection, text):
                    acknowledged[path] = text
                    busy.set()
        except (OSError, http.client.HTTPException):
            return  # the server is gone
        finally:
            connection.close()

    threads = [Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    assert busy.wait(PATIENCE)
    killed.wait(seconds)  # nobody sets it: a moment that is never the same
    site.kill()
    killed.set()
    for thread in threads:
        thread.join()
    return acknowledged, sum(sent)


def whole(settings: dict[str, str]) -> int:
    """How many snapshots there are, all of them whole and each with its claim."""
    database = database_of(settings)
    with database.read() as connection:
        contents = connection.execute(select(SnapshotRow.content)).scalars().all()
        claims = connection.scalar(select(func.count()).select_from(ClaimRow))
        if database.file is not None:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    database.close()
    texts = {unpack(content).text for content in contents if content is not None}
    assert len(texts) == len(contents) == claims
    return len(contents)
