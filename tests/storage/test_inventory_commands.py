"""The operator's commands: what is stored, how large and how old, and deleting what is too old."""

import io
import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import insert, update

from tests.site import Page
from tests.storage.conftest import totals
from webapp import create_app
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.jobs import jobs_of
from webapp.jobs.worker import Worker
from webapp.storage import storage_of
from webapp.storage.tables import Base, ClaimRow, JobRow, ReportRow, SnapshotRow, VocabularyRow
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN

LONG_AGO = datetime.now(UTC) - timedelta(days=100)
MINE = {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n"}

OLD = ("--older-than", "90d")

Run = Callable[..., Any]


@pytest.fixture
def app(database_settings: dict[str, str], tmp_path: Path) -> Any:
    """Return a site on SQLite or PostgreSQL, without a network."""
    folders = {"VOCABULARY_FOLDER": str(tmp_path / "fetched"), "CORPUS_FOLDER": str(tmp_path / "corpora")}
    app = create_app({**database_settings, **folders, "HUB": "http://127.0.0.1:9"})
    yield app
    storage_of(app).database.close()


@pytest.fixture
def run(app: Flask) -> Run:
    """`run("snapshots", "list")` returns the output of a command, of which `--json` is parsed."""

    def run(*arguments: str, status: int = 0) -> Any:
        done = app.test_cli_runner().invoke(args=arguments)
        assert done.exit_code == status, done.output
        return json.loads(done.stdout) if "--json" in arguments else done.output

    return run


def share(app: Flask, text: str = "low lower", **form: str) -> str:
    """Share a result; return its id."""
    answer = app.test_client().post("/share", data={"text": text, **form})
    assert answer.status_code == 201, Page(answer.text).problems
    return str(answer.headers["Location"]).rsplit("/", 1)[-1]


def upload(app: Flask, content: bytes = b"word\nother\n") -> str:
    """Upload a vocabulary; return its name."""
    answer = app.test_client().post("/api/v1/vocabularies", data={"file": (io.BytesIO(content), "words")})
    assert answer.status_code == 201
    return str(answer.json["name"])


def age(app: Flask, *tables: type[Base]) -> None:
    """Let everything in some tables be a hundred days old."""
    with storage_of(app).database.write() as connection:
        for table in tables:
            connection.execute(update(table).values(created=LONG_AGO))


def training(app: Flask, state: str = "finished", vocabulary: str | None = None) -> str:
    """Store a training that has ended a hundred days ago; return its id."""
    id = f"training-{state}".ljust(22, "-")
    row = {"id": id, "state": state, "created": LONG_AGO, "ended": LONG_AGO, "corpus": "c" * 22, "attempts": 1}
    row |= {"beat": 0, "vocabulary": vocabulary, "files": ["private.txt"], "seconds": {}}
    row |= {"plan": TrainingPlan().as_json(), "facts": CorpusFacts(1, 1, 1, 1, (), 1, True).as_json()}
    with storage_of(app).database.write() as connection:
        connection.execute(insert(JobRow).values(row))
    return id


def test_snapshots_are_listed_and_expire(app: Flask, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.storage.inventory.AT_ONCE", 2)  # more are deleted than in one transaction
    old = share(app)
    for text in "abc":
        share(app, text)
    age(app, SnapshotRow, ClaimRow)
    new = share(app, "lowest")
    listed = {each["id"]: each for each in run("snapshots", "list", "--json")}
    assert sum(each["bytes"] for each in listed.values()) == totals(storage_of(app))["snapshots"][1]
    assert f"{old}  " in run("snapshots", "list")
    told = run("snapshots", "expire", *OLD, "--dry-run", "--json")
    assert (told["count"], told["bytes"]) == (4, sum(each["bytes"] for id, each in listed.items() if id != new))
    assert app.test_client().get(f"/s/{old}").status_code == 200
    assert "Deleted 4 snapshots" in run("snapshots", "expire", *OLD)
    gone = app.test_client().get(f"/s/{old}", headers={"Accept-Language": "en"})
    assert gone.status_code == 410
    assert "This site keeps shared results for a limited time" in gone.text
    assert app.test_client().get(f"/s/{new}").status_code == 200
    assert share(app) == old  # the same link works again
    age(app, SnapshotRow)  # it was shared again, so it does not expire
    assert run("snapshots", "expire", *OLD, "--json")["count"] == 0


def test_a_reason_may_have_any_character_and_cannot_write_on_the_terminal(app: Flask, run: Run) -> None:
    id = share(app)
    storage_of(app).snapshots.report(id, "not\nnice \x1b[31m\0\ud800")
    assert run("snapshots", "reports").endswith(f"  {id}  not nice \ufffd[31m\ufffd?\n")


@pytest.mark.parametrize("wrong", ["90", "-1d", ""])
def test_an_age_that_is_not_understood_deletes_nothing(run: Run, wrong: str) -> None:
    assert "such as 90d" in run("snapshots", "expire", "--older-than", wrong, status=2)


def test_uploads_are_removed_if_nothing_needs_them_or_by_force(app: Flask, run: Run) -> None:
    name = upload(app)
    (listed,) = run("uploads", "list", "--json")
    assert (listed["name"], listed["uploaded"], listed["snapshots"]) == (name, True, 0)
    assert listed["bytes"] == totals(storage_of(app))["vocabularies"][1]
    run("uploads", "remove", "upload-0123456789abcdef", status=1)
    run("uploads", "remove", name)
    assert totals(storage_of(app))["vocabularies"] == (0, 0)
    id = share(app, "研究", **MINE)
    (listed,) = run("uploads", "list", "--json")
    assert (listed["uploaded"], listed["snapshots"]) == (False, 1)
    assert "needed (snapshots: 1, trainings: 0). With --force" in run("uploads", "remove", listed["hash"], status=1)
    before = app.test_client().get(f"/s/{id}?lang=en").text
    run("uploads", "remove", listed["hash"], "--force")
    after = app.test_client().get(f"/s/{id}?lang=en&token=0").text
    assert "The vocabulary of this result is no longer stored here." in after
    assert Page(after).pieces == Page(before).pieces


def test_old_uploads_expire_unless_something_needs_them(app: Flask, run: Run) -> None:
    _free, needed = upload(app), upload(app, "研究\n研究生\n".encode())
    id = share(app, "研究", algorithm="fmm", vocabulary=needed)
    age(app, VocabularyRow)
    new = upload(app, b"new\n")
    told = run("uploads", "expire", *OLD, "--json")
    assert (told["count"], told["kept_for_snapshots"]) == (1, 1)
    uploads = {each["name"]: each["uploaded"] for each in storage_of(app).inventory.uploads()}
    assert uploads == {needed: False, new: True}
    assert app.test_client().get(f"/s/{id}").status_code == 200
    storage_of(app).snapshots.remove(id)
    assert [each["name"] for each in storage_of(app).inventory.uploads()] == [new]


def test_trainings_are_listed_removed_and_expire(app: Flask, run: Run) -> None:
    finished, failed = training(app, vocabulary=upload(app)), training(app, "failed")
    age(app, VocabularyRow)
    listed = run("trainings", "list", "--json")
    assert {each["id"]: each["state"] for each in listed} == {finished: "finished", failed: "failed"}
    assert "private" not in run("trainings", "list")  # names of files are the visitor's
    assert run("uploads", "expire", *OLD, "--json")["count"] == 0  # it is needed
    run("trainings", "remove", failed)
    run("trainings", "remove", failed, status=1)
    assert run("trainings", "expire", *OLD, "--json")["count"] == 1
    assert jobs_of(app).find(finished) is None
    assert run("uploads", "expire", *OLD, "--json")["count"] == 1


def fetched(app: Flask) -> str:
    """Put a well-known vocabulary into the folder, as if it had been fetched long ago."""
    cache, known = fetcher_of(app).disk_cache, next(each for each in WELL_KNOWN.values() if not each.source.sha256)
    cache.put(known, [b"content"] * len(known.source.files))
    record = cache.folder / f"{known.name}.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "fetched": LONG_AGO.isoformat()}))
    return known.name


def test_downloaded_vocabularies_are_listed_and_expire(app: Flask, run: Run) -> None:
    name = fetched(app)
    listed = run("vocabularies", "list", "--json")
    assert [each["name"] for each in listed if each["bytes"]] == [name]
    assert run("vocabularies", "expire", *OLD, "--json")["count"] == 1
    assert os.listdir(fetcher_of(app).disk_cache.folder) == []


def test_a_worker_deletes_what_is_older_than_the_settings_and_nothing_by_default(app: Flask, run: Run) -> None:
    id, folder = share(app), fetcher_of(app).disk_cache.folder
    storage_of(app).snapshots.report(id, "a reason")
    upload(app)
    training(app)
    fetched(app)
    (folder / "surveys").mkdir()
    (survey := folder / "surveys" / "key.json.gz").write_bytes(b"{}")
    os.utime(survey, (0, LONG_AGO.timestamp()))
    age(app, SnapshotRow, ClaimRow, VocabularyRow, ReportRow)
    kinds = ("snapshots", "uploads", "trainings", "reports", "downloaded vocabularies", "surveys")
    assert run("expire").count("kept for good") == len(kinds)
    assert app.test_client().get(f"/s/{id}").status_code == 200
    for kind in ("SNAPSHOTS", "UPLOADS", "TRAININGS", "REPORTS", "FETCHED", "SURVEYS"):
        app.config[f"KEEP_{kind}_DAYS"] = 90
    told = run("expire", "--dry-run", "--json")
    assert {each["kind"]: each["count"] for each in told["expired"]} == dict.fromkeys(kinds, 1)
    app.config["MAX_TRAININGS"] = 0
    Worker(app).look(threading.Event())
    assert app.test_client().get(f"/s/{id}").status_code == 410
    assert storage_of(app).inventory.uploads() == storage_of(app).inventory.trainings() == []
    assert {each["count"] for each in run("expire", "--json")["expired"]} == {0}
    assert [path.name for path in folder.rglob("*.gz")] == []


def test_a_command_says_in_one_line_that_the_database_is_away(tmp_path: Path) -> None:
    app = create_app({"DATABASE_URL": "postgresql://me:secret@127.0.0.1:9/name", "VOCABULARY_FOLDER": str(tmp_path)})
    told = app.test_cli_runner().invoke(args=["trainings", "expire", *OLD])
    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr.startswith("the database is away: ")
    assert told.stderr.count("\n") == 1
    assert "secret" not in told.stderr
