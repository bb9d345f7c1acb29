"""A locked, full or unreachable database: an error page that keeps the text, and no restart afterwards."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from flask import request
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from werkzeug.test import TestResponse

from tests.postgres import Cluster
from tests.site import HTMX
from tests.storage.conftest import database_of, snapshot
from webapp import create_app
from webapp.storage import UnavailableStorageError, storage, storage_of
from webapp.storage.engine import Database

TEXT = "\nkeep “this” <b>研究</b>\n"


@contextmanager
def opened(settings: dict[str, str]) -> Iterator[FlaskClient]:
    """Yield a client of a site with an address that stores a text."""
    app = create_app({**settings, "MAX_DATABASE_SECONDS": 1})

    @app.post("/keep")
    def keep() -> str:
        return storage().snapshots.share(snapshot(request.form["text"]), expires=None).id

    @app.get("/kept/<id>")
    def kept(id: str) -> str:
        found = storage().snapshots.get(id)
        return "none" if found is None else found.snapshot.text

    with app.test_client() as client:
        yield client
    storage_of(app).database.close()


@pytest.fixture
def client(database_settings: dict[str, str]) -> Iterator[FlaskClient]:
    """Return a client of such a site."""
    with opened(database_settings) as client:
        yield client


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a database file that does not exist yet."""
    return tmp_path / "tokenscope.sqlite"


def refused(client: FlaskClient, text: str = TEXT) -> TestResponse:
    """Return the response to storing a text, which must be 503 within little more than a second."""
    began = time.monotonic()
    answer = client.post("/keep?lang=en", data={"text": text, "title": 'a "title"'})
    assert answer.status_code == 503
    assert time.monotonic() - began < 10
    assert answer.headers["Retry-After"] == "10"
    return answer


def assert_works(client: FlaskClient) -> None:
    """Check that storing and finding works."""
    answer = client.post("/keep", data={"text": TEXT})
    assert answer.status_code == 200, answer.text
    assert client.get(f"/kept/{answer.text}").text == TEXT


def test_a_locked_database_gives_a_page_that_can_be_sent_again(
    client: FlaskClient, database_settings: dict[str, str]
) -> None:
    assert_works(client)
    with locked(database_settings):
        page = refused(client).text
        assert '<form class="grid" method="post" action="/keep">' in page
        assert '<textarea name="title" hidden>\na &#34;title&#34;</textarea>' in page
        assert "\n\nkeep “this” &lt;b&gt;研究&lt;/b&gt;\n</textarea>" in page
        assert "Traceback" not in page
        assert "sql" not in page.lower()
        partial = client.post("/keep?lang=en", data={"text": TEXT}, headers=HTMX)
        assert (partial.status_code, partial.headers["Retry-After"]) == (503, "10")
        assert partial.text.startswith('<div class="notice bad"')
        assert client.get("/?text=low").status_code == 200  # pages without storage work
    assert_works(client)


@contextmanager
def locked(settings: dict[str, str]) -> Iterator[None]:
    """Lock the whole database in another transaction."""
    if settings["DATABASE_URL"]:
        with psycopg.connect(settings["DATABASE_URL"]) as connection:
            connection.execute("LOCK TABLE snapshots IN ACCESS EXCLUSIVE MODE")
            yield
            connection.rollback()
    else:
        with closing(sqlite3.connect(settings["DATABASE_FILE"], isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
            other.execute("ROLLBACK")


def test_a_full_database_is_503_until_there_is_space(client: FlaskClient) -> None:
    assert_works(client)
    database = storage_of(client.application).database
    fill(database)
    long = os.urandom(50_000).hex()
    page = refused(client, long).text
    assert "disk of the site’s storage is full" in page
    assert long in page
    with database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM claims")) == 1
        assert connection.scalar(text("SELECT count(*) FROM snapshots")) == 1
    make_room(database)
    assert client.post("/keep", data={"text": long}).status_code == 200


def fill(database: Database) -> None:
    """Leave space for only a few bytes."""
    with database.write() as connection:
        if database.file is None:
            connection.execute(text(FULL))
            connection.execute(text("CREATE TRIGGER no_room BEFORE INSERT ON claims EXECUTE FUNCTION full_disk()"))
        else:
            connection.execute(text("PRAGMA max_page_count=1"))  # no more than it has


FULL = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$
"""


def make_room(database: Database) -> None:
    """Undo `fill`."""
    with database.write() as connection:
        if database.file is None:
            connection.execute(text("DROP TRIGGER no_room ON claims"))
        else:
            connection.execute(text("PRAGMA max_page_count=1000000"))


def test_postgresql_that_starts_after_the_site_and_stops_and_starts_again(
    postgres: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres.empty()
    with ExitStack() as stack:
        postgres.stop()
        try:
            client = stack.enter_context(opened({"DATABASE_URL": url}))
            assert "The site starts without its database" in caplog.text
            refused(client)
        finally:
            postgres.start()
        assert_works(client)
        postgres.stop()
        try:
            answer = client.get("/kept/2345?lang=en&x=1")
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
            assert 'href="/kept/2345?lang=en&amp;x=1"' in answer.text
            assert client.get("/?text=low").status_code == 200
        finally:
            postgres.start()
        assert_works(client)


def test_a_file_that_is_damaged_or_moved_away_is_missed_until_it_is_back(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"no database at all " * 1_000)
    with opened({"DATABASE_URL": "", "DATABASE_FILE": str(file)}) as client:
        refused(client)
        file.unlink()
        kept = client.post("/keep", data={"text": TEXT}).text
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for part in tmp_path.glob("tokenscope.sqlite*"):
            part.rename(elsewhere / part.name)
        refused(client)
        assert client.get(f"/kept/{kept}").status_code == 503
        assert not file.exists()
        for part in elsewhere.iterdir():
            part.rename(tmp_path / part.name)
        assert client.get(f"/kept/{kept}").text == TEXT
        assert_works(client)


def test_another_file_in_its_place_is_used(file: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with opened({"DATABASE_URL": "", "DATABASE_FILE": str(file)}) as client:
        first = client.post("/keep", data={"text": "first"}).text
        assert client.application.test_cli_runner().invoke(args=["backup", str(backup)]).exit_code == 0
        second = client.post("/keep", data={"text": "second"}).text
        for part in tmp_path.glob("tokenscope.sqlite*"):
            part.unlink()
        backup.rename(file)
        assert (client.get(f"/kept/{first}").text, client.get(f"/kept/{second}").text) == ("first", "none")
        assert_works(client)


def test_exhausted_connections_are_reported(database_settings: dict[str, str]) -> None:
    database = database_of(database_settings, seconds=1)
    with ExitStack() as held:
        for _ in range(15):
            held.enter_context(database.read())
        with pytest.raises(UnavailableStorageError, match="all connections are in use"), database.read():
            pass
    with database.read() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    database.close()


def test_a_programming_error_is_not_reported_as_an_unreachable_database(database: Database) -> None:
    with pytest.raises(DBAPIError), database.read() as connection:
        connection.execute(text("SELECT nonsense FROM nowhere"))
