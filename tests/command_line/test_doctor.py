"""`tokenscope doctor`: every finding that an operator may get, and what it must never do."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import Cluster
from tests.serving import ROOT, free_port, serve
from webapp.command_line.doctor import (
    capacity,
    clock,
    database,
    folders,
    fonts,
    queue,
    running_site,
    settings,
    versions,
)
from webapp.command_line.doctor.finding import Finding, Installation
from webapp.command_line.doctor.report import examine
from webapp.rendering.pictures.fonts import Fonts
from webapp.rendering.pictures.fonts import fonts as real_fonts
from webapp.storage.engine import Database, url_of
from webapp.storage.schema import HEAD

SECTIONS = ["settings", "database", "queue", "folders", "fonts", "clock", "versions", "capacity", "site"]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("TOKENSCOPE_") or name in settings.PLAIN:
            monkeypatch.delenv(name)
    monkeypatch.setenv("TOKENSCOPE_DATABASE_FILE", str(tmp_path / "site.sqlite"))
    monkeypatch.setenv("TOKENSCOPE_VOCABULARY_FOLDER", str(tmp_path / "vocabularies"))
    monkeypatch.setenv("TOKENSCOPE_CORPUS_FOLDER", str(tmp_path / "corpora"))
    monkeypatch.setenv("PORT", str(free_port()))


def installation(**config: Any) -> Installation:
    found = settings.check()[1]
    plain = {name: config.pop(name) for name in ("redis", "port", "workers") if name in config}
    fields = {"instance": found.instance, "redis": found.redis, "port": found.port, "workers": found.workers} | plain
    return Installation(config={**found.config, **config}, **fields)


def levels(findings: Any) -> list[str]:
    return [finding.level for finding in findings]


def the(findings: Any, level: str) -> Finding:
    """Return the only finding of a level."""
    (found,) = [finding for finding in findings if finding.level == level]
    assert found.level == "ok" or found.advice
    return found


def doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "webapp.command_line", "doctor", *arguments]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=100)


# The report


def test_a_sound_installation_has_no_failure_and_nothing_is_created(tmp_path: Path) -> None:
    done = doctor("--json")
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(told["sections"]) == SECTIONS
    assert all(each["advice"] for found in told["sections"].values() for each in found if each["level"] != "ok")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_installation_is_reported_to_the_end_and_no_secret_is_printed() -> None:
    wrong = {
        "TOKENSCOPE_PROXIES": "two",
        "TOKENSCOPE_MAX_TEXT_BYTES": "-1",
        "DATABASE_URL": "postgresql://me:pass%20word@127.0.0.1:9/name",
        "REDIS_URL": "redis://:other-secret@127.0.0.1:9/0",
        "HF_TOKEN": "hf_secret",
    }
    done = doctor(**wrong)
    assert (done.returncode, done.stderr) == (1, "")
    for line in (
        "  fail  TOKENSCOPE_PROXIES: must be a whole number, not 'two'\n",
        "  fail  TOKENSCOPE_MAX_TEXT_BYTES: must be a whole number above 0, not -1\n",
        "  fail  The database cannot be reached: ",
        "  fail  Redis cannot be reached: ",
        "\nsite\n",
        " failed, ",
    ):
        assert line in done.stdout
    for secret in ("pass%20word", "pass word", "other-secret", "hf_secret"):
        assert secret not in done.stdout


def test_a_check_that_fails_itself_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[Finding]:
        raise OSError("no fonts at all")

    monkeypatch.setattr(fonts, "check", broken)
    found = examine("127.0.0.1")["fonts"]
    assert the(found, "fail").message == "The check could not be completed: OSError: no fonts at all"


# Settings


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("TOKENSCOPE_PROXIE", "Did you mean TOKENSCOPE_PROXIES?"),
        ("TOKENSCOPE_MAX_TEXT_BYTE", "Did you mean TOKENSCOPE_MAX_TEXT_BYTES?"),
        ("TOKENSCOPE_PORT", "Did you mean PORT, without TOKENSCOPE_?"),
        ("TOKENSCOPE_XYZZY", "Remove it; OPERATING.md lists all settings."),
    ],
)
def test_an_unknown_setting_is_named_with_the_one_that_was_meant(
    name: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    found = the(settings.check()[0], "warn")
    assert name in found.message
    assert found.advice == advice


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("TOKENSCOPE_MAX_TEXT_BYTES", "much", "TOKENSCOPE_MAX_TEXT_BYTES: must be a whole number above 0, not 'much'"),
        ("TOKENSCOPE_MIN_DISK_BYTES", "-5", "TOKENSCOPE_MIN_DISK_BYTES: must be a whole number, not -5"),
        ("TOKENSCOPE_TRAIN_GENTLY", "maybe", "TOKENSCOPE_TRAIN_GENTLY: must be true or false, not 'maybe'"),
        ("TOKENSCOPE_RATE_READING", "often", "TOKENSCOPE_RATE_READING: must be a rate such as"),
        ("TOKENSCOPE_MODELS_FILE", "/nowhere", "TOKENSCOPE_MODELS_FILE: /nowhere: No such file or directory"),
        ("TOKENSCOPE_HUB", "http://mirror.example", "TOKENSCOPE_HUB: "),
        ("TOKENSCOPE_FETCH", "gpt2 gpt22", "TOKENSCOPE_FETCH names vocabularies that are not known: gpt22."),
        ("PORT", "http", "PORT is 'http'."),
        ("WEB_CONCURRENCY", "many", "WEB_CONCURRENCY is 'many'."),
        ("REDIS_URL", "host:6379", "REDIS_URL is not understood."),
        ("DATABASE_URL", "mysql://me:secret@host/name", "DATABASE_URL is not understood: it should look like"),
    ],
)
def test_an_invalid_setting_is_a_failure(name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    found, installed = settings.check()
    assert the(found, "fail").message.startswith(message)
    assert "secret" not in the(found, "fail").message
    assert installed.config["MAX_TEXT_BYTES"] == 1_048_576  # an invalid value leaves the default for other checks
    assert os.environ[name] == value


def test_settings_that_do_not_fit_together_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENSCOPE_MAX_DATABASE_SECONDS", "40")
    assert "TOKENSCOPE_MAX_REQUEST_SECONDS" in the(settings.check()[0], "warn").message


def test_valid_settings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENSCOPE_PROXIES", "1")
    assert the(settings.check()[0], "ok").message == "5 settings are in the environment, all known and valid."


# Database


def made(file: Path) -> Path:
    stored = Database(url_of("", file), seconds=2)
    stored.prepare()
    stored.close()
    return file


def sqlite(file: Path, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.setattr(database, "is_safe", lambda release: True)
    return list(database.check(installation(DATABASE_FILE=str(file))))


def test_a_database_file_is_checked_without_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = made(tmp_path / "made.sqlite")
    before = file.read_bytes()
    found = sqlite(file, monkeypatch)
    assert levels(found) == ["ok", "ok"]
    assert found[0].message == f"The tables in {file} are at revision {HEAD}, which this release needs."
    assert file.read_bytes() == before


def test_an_unsafe_release_of_sqlite_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "is_safe", lambda release: False)
    assert "WAL-reset bug" in the(database.check(installation()), "warn").message


@pytest.mark.parametrize(("revision", "level"), [("0001", "warn"), ("9999", "fail")])
def test_another_revision_is_reported_and_not_migrated(
    revision: str, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = made(tmp_path / "made.sqlite")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
    connection.close()
    assert revision in the(sqlite(file, monkeypatch), level).message
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (revision,)
    connection.close()


def test_a_damaged_file_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "made.sqlite"
    file.write_bytes(b"no database at all" * 100)
    assert "is damaged" in the(sqlite(file, monkeypatch), "fail").message


def test_a_locked_file_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = made(tmp_path / "made.sqlite")
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        assert "locked" in the(sqlite(file, monkeypatch), "warn").message
    finally:
        connection.close()


def test_a_network_file_system_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(database, "file_system", lambda path: "nfs4")
    assert "network file system (nfs4)" in the(sqlite(tmp_path / "x.sqlite", monkeypatch), "fail").message


def test_the_file_system_of_a_path_is_found() -> None:
    assert database.file_system(Path("/proc/self")) == "proc"


def test_postgresql_is_checked_with_its_clock_and_not_changed(postgres: Cluster) -> None:
    installed = installation(DATABASE_URL=postgres.empty())
    found = list(database.check(installed))
    assert levels(found) == ["ok", "ok"]
    assert "There are no tables" in found[0].message
    stored = Database(url_of(postgres.url, Path()), seconds=2)
    stored.prepare()
    stored.close()
    assert f"at revision {HEAD}" in next(iter(database.check(installed))).message
    assert "The clock of the database agrees" in list(clock.check(installed))[1].message
    read_only = f"{postgres.url}&options=-c%20default_transaction_read_only%3Don"
    assert the(database.check(installation(DATABASE_URL=read_only)), "fail").message == "The database can only be read."


def test_a_postgresql_that_never_answers_is_given_up() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        url = f"postgresql://me@127.0.0.1:{listening.getsockname()[1]}/name"
        begun = time.monotonic()
        found = list(database.check(installation(DATABASE_URL=url, MAX_DATABASE_SECONDS=1)))
        assert "cannot be reached" in the(found, "fail").message
        assert time.monotonic() - begun < 5


# Queue and clock


@pytest.fixture
def redis() -> Iterator[str]:
    """Run a Redis for the test, and return its address."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--maxmemory-policy", "allkeys-lru"]
    try:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    except FileNotFoundError:
        pytest.skip("no Redis on this machine")
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait()


def test_redis_is_checked_with_its_memory_policy_and_its_clock(redis: str) -> None:
    found = list(queue.check(installation(redis=redis)))
    assert levels(found) == ["ok", "warn"]
    assert "maxmemory-policy" in found[1].message
    assert "The clock of Redis agrees" in list(clock.check(installation(redis=redis)))[1].message


def test_a_clock_that_differs_is_a_warning(redis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_redis_time", lambda installed: time.time() + 90)
    assert "differs by +90.0 s" in the(clock.check(installation(redis=redis)), "warn").message


def test_a_clock_before_the_installation_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_000_000_000.0)
    assert "before the installation" in the(clock.check(installation()), "fail").message


def test_a_queue_that_is_away_is_a_failure_and_its_clock_is_unknown() -> None:
    installed = installation(redis="redis://127.0.0.1:9")
    assert "Redis cannot be reached" in the(queue.check(installed), "fail").message
    assert "cannot be compared" in the(clock.check(installed), "warn").message


# Folders, fonts, versions, capacity


def test_folders_are_created_by_the_site_and_not_by_doctor(tmp_path: Path) -> None:
    found = [finding for finding in folders.check(installation()) if "runs as root" not in finding.message]
    assert set(levels(found)) <= {"ok", "warn"}
    assert [finding.message.partition(":")[0] for finding in found] == [
        "database",
        "vocabularies",
        "corpora",
        "temporary files",
    ]
    assert list(tmp_path.iterdir()) == []


def test_disks_without_space_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    found = folders.check(installation(MIN_DISK_BYTES=10**18))
    assert sum("has only" in finding.message for finding in found if finding.level == "fail") == 4
    found = folders.check(installation(MAX_CORPORA_BYTES=10**18))
    assert any("the site may use 1000000.0 TB" in each.message for each in found if each.level == "warn")
    told = {each.message.partition(":")[0]: each for each in folders.check(installation(MAX_SNAPSHOTS_BYTES=10**18))}
    assert told["database"].level == "warn"
    limits = "TOKENSCOPE_DATABASE_FILE or TOKENSCOPE_MAX_UPLOADS_BYTES or TOKENSCOPE_MAX_SNAPSHOTS_BYTES"
    assert told["database"].advice == f"Make room, or change {limits}."


def test_a_folder_that_cannot_be_written_is_a_failure() -> None:
    found = list(folders.check(installation(CORPUS_FOLDER="/proc/corpora")))
    assert the(found, "fail").message.startswith("corpora: /proc cannot be written: ")
    assert "TOKENSCOPE_CORPUS_FOLDER" in the(found, "fail").advice


def test_a_missing_temporary_folder_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = installation()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert the(folders.check(installed), "fail").advice == "Create it, or change TMPDIR."


def test_scripts_without_a_font_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    latin = [face for face in real_fonts().faces if face.covers("a") and not face.covers("词")][:1]
    monkeypatch.setattr(fonts, "fonts", lambda: Fonts(latin))
    missing = next(finding for finding in fonts.check() if "pictures leave them blank" in finding.message)
    assert "Chinese, Japanese, Korean, emoji" in missing.message
    assert missing.advice.endswith("fonts-noto-cjk fonts-noto-color-emoji")
    monkeypatch.setattr(fonts, "fonts", lambda: Fonts([]))
    assert the(fonts.check(), "fail").message == "There are no fonts: pictures have no letters."


def test_packages_that_do_not_fit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda name: ["Flask>=99", "no-such-package", "nothing; extra == 'test'"])
    message = the(versions.check(""), "fail").message
    assert "no-such-package is missing" in message
    assert "Flask is " in message
    assert "nothing" not in message


def test_packages_that_differ_from_the_lock_file_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("flask==0.1\n    # via x\nnot-installed==1\nflask==0.2 ; sys_platform == 'nowhere'\n")
    monkeypatch.setattr(versions, "lock_file", lambda: lock)
    monkeypatch.setattr(metadata, "requires", lambda name: [])
    found = the(versions.check(""), "warn").message
    assert found == f"Other releases than the tests passed with: flask {metadata.version('flask')} (0.1)."


def test_workers_are_compared_with_processors_and_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    (tmp_path / "memory.max").write_text("1000000000\n")
    monkeypatch.setattr(capacity, "CONTROL_GROUP", tmp_path)
    found = list(capacity.check(installation(workers=16)))
    assert found[0].message == "16 workers share 0.5 processors."
    # 450 MB + 32 · (220 MB + 512 MiB) + 2 · 4 GiB
    assert found[1].message.startswith("16 workers, under load 32, and 2 trainings may use 33.3 GB of memory at most;")
    assert found[1].message.endswith("; there are 1.0 GB.")
    assert "2 workers, under load 6, " in str(list(capacity.check(installation(workers=2))))
    monkeypatch.setenv("WEB_CONCURRENCY", "1")
    assert settings.check()[1].workers == 2  # the server never has fewer


# The running site


def test_a_port_of_another_program_is_a_failure() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = running_site.check(installation(port=server.server_port), "127.0.0.1")
        assert "does not answer as this site does" in the(found, "fail").message
        server.shutdown()


def test_the_running_site_tells_what_it_finds() -> None:
    settings = {"TOKENSCOPE_MIN_DISK_BYTES": str(10**18), "WEB_CONCURRENCY": "1"}
    with serve(environment=settings, patience=110) as address:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            request = b"GET /models HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n"
            connection.sendall(request)
            while connection.recv(1 << 16):
                pass
        found = list(running_site.check(installation(port=port), "127.0.0.1"))
    assert levels(found) == ["fail"] * 4 + ["warn"]
    assert "disk: corpora: The disk is nearly full" in found[2].message
    assert "all visitors share the limits of one address" in found[4].message
    assert found[4].advice == "Set TOKENSCOPE_PROXIES to the number of proxies."
