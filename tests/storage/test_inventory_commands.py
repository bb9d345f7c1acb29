"""The operator's commands: what is stored, how large and how old, and deleting what is too old."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from flask import Flask
from sqlalchemy import insert, update

from tests.site import Page
from tests.storage.conftest import totals
from webapp import create_app
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.jobs import jobs_of
from webapp.jobs.surveys import SurveyFolder
from webapp.jobs.worker import Worker
from webapp.storage import storage_of
from webapp.storage.tables import Base, ClaimRow, JobRow, ReportRow, SnapshotRow, VocabularyRow
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN

LONG_AGO = datetime.now(UTC) - timedelta(days=100)
MINE = {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n"}

Run = Callable[..., Result]


@pytest.fixture
def app(database_settings: dict[str, str], tmp_path: Path) -> Any:
    """Return a site on SQLite or PostgreSQL, without a network."""
    folders = {"VOCABULARY_FOLDER": str(tmp_path / "fetched"), "CORPUS_FOLDER": str(tmp_path / "corpora")}
    app = create_app({**database_settings, **folders, "HUB": "http://127.0.0.1:9"})
    yield app
    storage_of(app).database.close()


@pytest.fixture
def run(app: Flask) -> Run:
    """`run("snapshots", "list")` returns the output and exit code of a command."""
    return lambda *arguments: app.test_cli_runner().invoke(args=arguments)


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


def test_snapshots_are_listed_and_expire(app: Flask, run: Run) -> None:
    old = share(app)
    age(app, SnapshotRow, ClaimRow)
    new = share(app, "lowest")
    listed = json.loads(run("snapshots", "list", "--json").output)
    assert [each["id"] for each in listed] == [old, new]
    assert sum(each["bytes"] for each in listed) == totals(storage_of(app))["snapshots"][1]
    shown = run("snapshots", "list")
    first, second = (line.split() for line in shown.stdout.splitlines())
    assert first == [old, str(listed[0]["bytes"]), f"{LONG_AGO:%Y-%m-%d}", "-", "1", "0"]
    assert second[0] == new
    heading, total = shown.stderr.splitlines()
    assert heading.split() == ["id", "bytes", "created", "expires", "claims", "reports"]
    assert total.startswith("2 snapshots, ")

    told = json.loads(run("snapshots", "expire", "--older-than", "90d", "--dry-run", "--json").output)
    size = listed[0]["bytes"]
    assert told == {"kind": "snapshots", "dry_run": True, "count": 1, "bytes": size, "kept_for_snapshots": 0}
    assert app.test_client().get(f"/s/{old}").status_code == 200
    assert "Deleted 1 snapshots" in run("snapshots", "expire", "--older-than", "90d").output
    gone = app.test_client().get(f"/s/{old}", headers={"Accept-Language": "en"})
    assert gone.status_code == 410
    assert "This site keeps shared results for a limited time" in gone.text
    assert app.test_client().get(f"/s/{old}.json").status_code == 410
    assert app.test_client().get(f"/s/{new}").status_code == 200
    assert share(app) == old  # the same link works again
    age(app, SnapshotRow)  # it was shared again, so it does not expire
    assert json.loads(run("snapshots", "expire", "--older-than", "90d", "--json").output)["count"] == 0


def test_more_snapshots_than_one_transaction_deletes_expire(
    app: Flask, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.storage.inventory.AT_ONCE", 2)
    for text in "abcde":
        share(app, text)
    age(app, SnapshotRow, ClaimRow)
    assert json.loads(run("snapshots", "expire", "--older-than", "1d", "--json").output)["count"] == 5
    assert totals(storage_of(app))["snapshots"] == (0, 0)


def test_reports_are_listed_and_dismissed(app: Flask, run: Run) -> None:
    id = share(app)
    storage_of(app).snapshots.report(id, "not\nnice \x1b[31m")
    assert run("snapshots", "reports").output.endswith(f"  {id}  not nice \ufffd[31m\n")
    assert run("snapshots", "dismiss", id).output == f"{id} stays; reports dismissed: 1.\n"
    assert run("snapshots", "dismiss", id).exit_code == 1
    assert run("snapshots", "remove", id).output == f"{id} is removed.\n"
    assert run("snapshots", "remove", "never23ab").exit_code == 1


@pytest.mark.parametrize("wrong", ["90", "d", "-1d", "90 days", ""])
def test_an_age_that_is_not_understood_deletes_nothing(run: Run, wrong: str) -> None:
    result = run("snapshots", "expire", "--older-than", wrong)
    assert result.exit_code == 2
    assert "such as 90d" in result.output


def test_uploads_are_listed_and_removed(app: Flask, run: Run) -> None:
    name = upload(app)
    (listed,) = json.loads(run("uploads", "list", "--json").output)
    assert (listed["name"], listed["uploaded"], listed["snapshots"]) == (name, True, 0)
    assert listed["bytes"] == totals(storage_of(app))["vocabularies"][1]
    assert name in run("uploads", "list").output
    assert run("uploads", "remove", "upload-0123456789abcdef").exit_code == 1
    assert f"{name} is deleted" in run("uploads", "remove", name).output
    assert totals(storage_of(app))["vocabularies"] == (0, 0)


def test_a_vocabulary_that_a_snapshot_needs_is_removed_by_force_only(app: Flask, run: Run) -> None:
    id = share(app, "研究", **MINE)
    (listed,) = json.loads(run("uploads", "list", "--json").output)
    assert (listed["uploaded"], listed["snapshots"]) == (False, 1)
    refused = run("uploads", "remove", listed["hash"])
    assert refused.exit_code == 1
    assert "needed (snapshots: 1, trainings: 0). With --force" in refused.output
    before = app.test_client().get(f"/s/{id}?lang=en").text
    assert "no longer stored here" not in before
    assert run("uploads", "remove", listed["hash"], "--force").exit_code == 0
    after = app.test_client().get(f"/s/{id}?lang=en&token=0").text
    assert "The vocabulary of this result is no longer stored here." in after
    assert Page(after).pieces == Page(before).pieces


def test_old_uploads_expire_unless_something_needs_them(app: Flask, run: Run) -> None:
    _free, needed = upload(app), upload(app, "研究\n研究生\n".encode())
    id = share(app, "研究", algorithm="fmm", vocabulary=needed)
    age(app, VocabularyRow)
    new = upload(app, b"new\n")
    told = json.loads(run("uploads", "expire", "--older-than", "90d", "--dry-run", "--json").output)
    assert (told["count"], told["kept_for_snapshots"]) == (1, 1)
    assert "\n1 stay for snapshots only." in run("uploads", "expire", "--older-than", "90d").output
    uploads = {each["name"]: each["uploaded"] for each in storage_of(app).inventory.uploads()}
    assert uploads == {needed: False, new: True}
    assert app.test_client().get(f"/s/{id}").status_code == 200
    storage_of(app).snapshots.remove(id)
    assert [each["name"] for each in storage_of(app).inventory.uploads()] == [new]


def training(app: Flask, state: str = "finished", vocabulary: str | None = None) -> str:
    """Store a training that has ended a hundred days ago; return its id."""
    id = f"training-{state}".ljust(22, "-")
    row = {"id": id, "state": state, "created": LONG_AGO, "ended": LONG_AGO, "corpus": "c" * 22, "attempts": 1}
    row |= {"beat": 0, "vocabulary": vocabulary, "files": ["private.txt"], "seconds": {}}
    row |= {"plan": TrainingPlan().as_json(), "facts": CorpusFacts(1, 1, 1, 1, (), 1, True).as_json()}
    with storage_of(app).database.write() as connection:
        connection.execute(insert(JobRow).values(row))
    return id


def test_trainings_are_listed_removed_and_expire(app: Flask, run: Run) -> None:
    finished, failed = training(app, vocabulary=upload(app)), training(app, "failed")
    age(app, VocabularyRow)
    listed = json.loads(run("trainings", "list", "--json").output)
    assert {each["id"]: each["state"] for each in listed} == {finished: "finished", failed: "failed"}
    assert "private" not in run("trainings", "list").output  # names of files are the visitor's
    assert json.loads(run("uploads", "expire", "--older-than", "90d", "--json").output)["count"] == 0  # it is needed
    assert run("trainings", "remove", failed).exit_code == 0
    assert run("trainings", "remove", failed).exit_code == 1
    assert "Would delete 1 trainings" in run("trainings", "expire", "--older-than", "90d", "--dry-run").output
    assert json.loads(run("trainings", "expire", "--older-than", "90d", "--json").output)["count"] == 1
    assert jobs_of(app).find(finished) is None
    assert json.loads(run("uploads", "expire", "--older-than", "90d", "--json").output)["count"] == 1


def fetched(app: Flask) -> str:
    """Put a well-known vocabulary into the folder, as if it had been fetched long ago."""
    cache, known = fetcher_of(app).disk_cache, next(each for each in WELL_KNOWN.values() if not each.source.sha256)
    cache.put(known, [b"content"] * len(known.source.files))
    record = cache.folder / f"{known.name}.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "fetched": LONG_AGO.isoformat()}))
    return known.name


def test_downloaded_vocabularies_are_listed_and_expire(app: Flask, run: Run) -> None:
    name = fetched(app)
    listed = {each["name"]: each for each in json.loads(run("vocabularies", "list", "--json").output)}
    assert listed[name]["bytes"] > 0
    assert sum(each["bytes"] is not None for each in listed.values()) == 1
    assert json.loads(run("vocabularies", "expire", "--older-than", "90d", "--json").output)["count"] == 1
    assert os.listdir(fetcher_of(app).disk_cache.folder) == []


def fill(app: Flask) -> str:
    """Store one old thing of each kind; return the id of the snapshot."""
    id = share(app)
    storage_of(app).snapshots.report(id, "a reason")
    upload(app)
    training(app)
    fetched(app)
    surveys = SurveyFolder(fetcher_of(app).disk_cache.folder / "surveys")
    surveys.folder.mkdir()
    surveys.fail("key", "time")
    os.utime(surveys.folder / "key.json.gz", (0, LONG_AGO.timestamp()))
    age(app, SnapshotRow, ClaimRow, VocabularyRow, ReportRow)
    return id


KEEP = {f"KEEP_{kind}_DAYS": 90 for kind in ("SNAPSHOTS", "UPLOADS", "TRAININGS", "REPORTS", "FETCHED", "SURVEYS")}


def test_nothing_expires_by_default(app: Flask, run: Run) -> None:
    id = fill(app)
    assert run("expire").output.count("kept for good") == len(KEEP)
    assert app.test_client().get(f"/s/{id}").status_code == 200


def test_a_worker_deletes_what_is_older_than_the_settings(app: Flask, run: Run) -> None:
    id = fill(app)
    app.config.update(KEEP)
    told = json.loads(run("expire", "--dry-run", "--json").output)
    assert {each["kind"]: each["count"] for each in told["expired"]} == {
        **dict.fromkeys(("snapshots", "trainings", "reports", "downloaded vocabularies", "surveys"), 1),
        "uploads": 1,
    }
    app.config["MAX_TRAININGS"] = 0
    Worker(app).look(threading.Event())
    assert app.test_client().get(f"/s/{id}").status_code == 410
    assert storage_of(app).inventory.uploads() == []
    assert storage_of(app).inventory.trainings() == []
    assert {each["count"] for each in json.loads(run("expire", "--json").output)["expired"]} == {0}
    assert [path.name for path in fetcher_of(app).disk_cache.folder.rglob("*.gz")] == []


@pytest.mark.parametrize("command", [("snapshots", "list"), ("snapshots", "reports"), ("trainings", "expire")])
def test_a_command_says_in_one_line_that_the_database_is_away(command: tuple[str, ...], tmp_path: Path) -> None:
    app = create_app({"DATABASE_URL": "postgresql://me:secret@127.0.0.1:9/name", "VOCABULARY_FOLDER": str(tmp_path)})
    arguments = [*command, "--older-than", "5d"] if command[1] == "expire" else [*command]
    told = app.test_cli_runner().invoke(args=arguments)
    assert (told.exit_code, told.stdout) == (1, "")
    assert isinstance(told.exception, SystemExit)
    assert told.stderr.startswith("the database is away: ")
    assert told.stderr.count("\n") == 1
    assert "secret" not in told.stderr
