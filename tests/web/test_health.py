"""What a monitor sees of the site: `/healthz`, `/readyz` and the health check of a container."""

import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.serving import ROOT, serve
from webapp import create_app
from webapp.core import __version__
from webapp.storage import storage_of
from webapp.vocabularies import shipped_vocabularies
from webapp.web import readiness
from webapp.web.readiness import commit

NOWHERE = "postgresql://user:secret-password@127.0.0.1:9/name"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Flask]]:
    """``site(MAX_DATABASE_SECONDS=1)`` returns a site with everything in one folder."""
    made: list[Flask] = []

    def site(**settings: Any) -> Flask:
        folders = {"VOCABULARY_FOLDER": str(tmp_path / "vocabularies"), "CORPUS_FOLDER": str(tmp_path / "corpora")}
        made.append(create_app({"DATABASE_FILE": str(tmp_path / "site.sqlite"), **folders, **settings}))
        return made[-1]

    yield site
    for app in made:
        storage_of(app).database.close()


@contextmanager
def silent_server() -> Iterator[int]:
    """Yield the port of a server that accepts connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def ask(app: Flask, status: int) -> Any:
    answer = app.test_client().get("/readyz")
    assert (answer.status_code, answer.mimetype, answer.headers["Cache-Control"]) == (
        status,
        "application/json",
        "no-store",
    )
    return answer.json


def test_a_site_that_can_do_its_work_says_so_with_its_release(site: Callable[..., Flask]) -> None:
    report = ask(site(COMMIT="0123456"), 200)
    assert (report["status"], report["version"], report["commit"]) == ("ready", __version__, "0123456")
    disks = {f"disk: {name}" for name in ("database", "vocabularies", "corpora", "temporary files")}
    assert set(report["checks"]) == {"database", "vocabularies"} | disks
    assert all(check["ok"] for check in report["checks"].values())
    assert report["warnings"] == []


@pytest.mark.parametrize("given", ["1234567", "12e4567", "0012345"])
def test_a_commit_that_looks_like_a_number_stays_as_it_is(
    given: str, site: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENSCOPE_COMMIT", given)
    assert ask(site(), 200)["commit"] == given


def test_a_checkout_knows_its_commit_and_another_folder_does_not(tmp_path: Path) -> None:
    assert commit("", tmp_path) == "unknown"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path)]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True)
    commit.cache_clear()
    told = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    assert commit("", tmp_path) == told


def test_a_database_that_is_away_makes_the_site_unready_and_nothing_is_given_away(site: Callable[..., Flask]) -> None:
    app = site(DATABASE_URL=NOWHERE, MAX_DATABASE_SECONDS=2)
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["checks"]["database"]["problem"] == "The database cannot be reached."
    for secret in ("secret-password", "user", "127.0.0.1", "postgresql", tempfile.gettempdir()):
        assert secret not in answer.text
    assert app.test_client().get("/healthz").text == "ok"


def test_a_server_that_never_answers_does_not_hold_up_the_report(site: Callable[..., Flask]) -> None:
    with silent_server() as port:
        app = site(DATABASE_URL=f"postgresql://user@127.0.0.1:{port}/none", MAX_DATABASE_SECONDS=1)
        client, threads = app.test_client(), threading.active_count()
        begun = time.monotonic()
        for _ in range(3):
            answer = client.get("/readyz")
            assert answer.json is not None
            problem = answer.json["checks"]["database"]["problem"]
            assert problem in ("There was no answer in time.", "The database cannot be reached.")
            assert threading.active_count() <= threads + 1
        # One report takes a second and is remembered for another.
        assert time.monotonic() - begun < 2.5


@pytest.mark.parametrize("revision", ["0001", "9999"])
def test_a_database_at_another_revision_makes_the_site_unready(
    revision: str, site: Callable[..., Flask], tmp_path: Path
) -> None:
    app = site()
    with sqlite3.connect(tmp_path / "site.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
    connection.close()
    problem = ask(app, 503)["checks"]["database"]["problem"]
    assert problem == f"The database is at revision {revision}; this release needs {readiness.HEAD}."


def test_disks_without_space_make_the_site_unready(site: Callable[..., Flask]) -> None:
    checks = ask(site(MIN_DISK_BYTES=10**18), 503)["checks"]
    full = [name for name, check in checks.items() if not check["ok"]]
    assert full == [f"disk: {name}" for name in ("database", "vocabularies", "corpora", "temporary files")]
    problem = "The disk is nearly full: less than 1,000,000,000,000,000,000 bytes are free."
    assert checks["disk: corpora"]["problem"] == problem


def test_a_missing_folder_of_temporary_files_makes_the_site_unready(
    site: Callable[..., Flask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = site()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert ask(app, 503)["checks"]["disk: temporary files"]["problem"] == "The folder cannot be written."


def test_missing_vocabularies_make_the_site_unready(
    site: Callable[..., Flask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = site()
    monkeypatch.setattr(shipped_vocabularies, "FOLDER", tmp_path)
    problem = ask(app, 503)["checks"]["vocabularies"]["problem"]
    names = {"bpe-bytes", "unigram", "ngram", "o200k_base", "bert-base-cased", "qwen3", "t5"}
    assert names <= set(re.findall(r"[\w-]+", problem.removeprefix("Files of the built-in vocabularies are missing: ")))


def test_a_monitor_is_not_limited_and_a_report_is_remembered(
    site: Callable[..., Flask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = site(RATE_READING="1 per hour")
    monkeypatch.setattr(readiness, "REMEMBERED", 60)
    assert ask(app, 200)["status"] == "ready"
    (tmp_path / "site.sqlite").rename(tmp_path / "elsewhere")
    for _ in range(5):
        assert ask(app, 200)["status"] == "ready"
    monkeypatch.setattr(readiness, "REMEMBERED", 0)
    assert ask(app, 503)["status"] == "unready"


def check(port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the health check of a container."""
    command = [sys.executable, "-m", "webapp.server.healthcheck", *arguments]
    environment = {**os.environ, "PORT": str(port)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30)


@pytest.mark.exhaustive
def test_the_health_check_of_a_container_and_an_uncounted_proxy(tmp_path: Path) -> None:
    file = tmp_path / "site.sqlite"
    settings = {"TOKENSCOPE_DATABASE_FILE": str(file), "TOKENSCOPE_MAX_DATABASE_SECONDS": "1"}
    settings["TOKENSCOPE_PRELOAD"] = "false"
    with serve(environment=settings, patience=110) as address:
        port = int(address.rpartition(":")[2])
        for arguments in ([], ["--ready"]):
            found = check(port, *arguments)
            assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
        forwarded = urllib.request.Request(address + "/healthz?a", headers={"X-Forwarded-For": "203.0.113.9"})
        urllib.request.urlopen(forwarded, timeout=10).close()
        asked = urllib.request.Request(address + "/models", headers={"X-Forwarded-For": "203.0.113.9"})
        urllib.request.urlopen(asked, timeout=10).close()
        for _ in range(4):  # whichever worker answers
            with urllib.request.urlopen(address + "/readyz", timeout=10) as answer:
                assert b"TOKENSCOPE_PROXIES is 0" in answer.read()
        file.rename(tmp_path / "elsewhere")
        time.sleep(readiness.REMEMBERED)
        found = check(port, "--ready")
        assert found.returncode == 1
        assert found.stderr.startswith("/readyz: status 503\n")
        assert "The database cannot be reached." in found.stderr
        assert check(port).returncode == 0
    found = check(port)
    assert found.returncode == 1
    assert found.stderr.startswith("/healthz: no answer: ")
