"""`tokenscope doctor`: what an operator is told, and what it must never do."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.postgres import Cluster
from tests.serving import ROOT
from webapp.command_line.doctor import Finding, examine
from webapp.storage.engine import Database, url_of
from webapp.vocabularies import language_models

PLAIN = ("PORT", "WEB_CONCURRENCY", "DATABASE_URL", "REDIS_URL", "HF_TOKEN")


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("TOKENSCOPE_") or name in PLAIN:
            monkeypatch.delenv(name)
    for name in ("DATABASE_FILE", "VOCABULARY_FOLDER", "CORPUS_FOLDER"):
        monkeypatch.setenv(f"TOKENSCOPE_{name}", str(tmp_path / name))


def run(*, before: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'{before} exec "$@"', "-", sys.executable, "-m", "webapp.command_line", "doctor"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=100)


def wrong(section: str) -> list[Finding]:
    """What is not sound in a section; each of it says what to do."""
    found = [each for each in examine()[section] if each[0] != "ok"]
    assert all(advice for _, _, advice in found)
    return found


def test_a_sound_installation_has_no_failure_and_nothing_is_created(tmp_path: Path) -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^\w+$", done.stdout, re.MULTILINE) == ["settings", "database", "folders", "fonts", "models"]
    assert done.stdout.startswith("settings\n  ok    Nothing is wrong.\ndatabase\n  ok    Nothing is wrong.\n")
    assert list(tmp_path.iterdir()) == []


def test_old_figures_of_models_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_models, "OLD", timedelta(days=-1_000_000))
    ((level, message, _advice),) = wrong("models")
    assert (level, "language models are" in message) == ("warn", True)


def test_a_broken_installation_is_reported_to_the_end_and_no_secret_is_printed() -> None:
    settings = {"TOKENSCOPE_PROXIES": "two", "TOKENSCOPE_MAX_TEXT_BYTES": "-1", "HF_TOKEN": "hf_secret"}
    done = run(**settings, DATABASE_URL="postgresql://me:pass%20word@127.0.0.1:9/name")
    assert (done.returncode, done.stderr) == (1, "")
    for line in (
        "  fail  TOKENSCOPE_PROXIES must be a whole number, not 'two'\n",
        "  fail  TOKENSCOPE_MAX_TEXT_BYTES must be a whole number above 0, not -1\n",
        "database\n  fail  OperationalError: ",
        "\nfonts\n",
    ):
        assert line in done.stdout
    assert not [secret for secret in ("pass%20word", "pass word", "hf_secret") if secret in done.stdout]


def test_few_open_files_are_reported_on_a_terminal_without_utf_8() -> None:
    done = run(before="ulimit -n 64;", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (1, "")
    assert "  fail  A process may open 64 files, so the server does not start.\n" in done.stdout


@pytest.mark.parametrize(
    ("name", "value", "level", "message"),
    [
        ("TOKENSCOPE_PROXIE", "1", "warn", "TOKENSCOPE_PROXIE is no setting, so it has no effect."),
        ("TOKENSCOPE_MAX_GOLD_BYTES", "1", "warn", "TOKENSCOPE_MAX_GOLD_BYTES is no setting"),
        ("TOKENSCOPE_RATE_READING", "often", "fail", "TOKENSCOPE_RATE_READING: couldn't parse rate limit string"),
        ("TOKENSCOPE_HUB", "http://mirror.example", "fail", "TOKENSCOPE_HUB cannot be used: "),
        ("TOKENSCOPE_FETCH", "gpt2 gpt22", "fail", "TOKENSCOPE_FETCH names vocabularies that are not known: gpt22."),
        ("PORT", "http", "fail", "PORT is 'http'."),
        ("PORT", "99999", "fail", "PORT is '99999'."),
        ("WEB_CONCURRENCY", "many", "fail", "WEB_CONCURRENCY is no number of workers."),
    ],
)
def test_an_unknown_or_invalid_setting_is_named(
    name: str, value: str, level: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    ((found, told, advice),) = wrong("settings")
    assert (found, told.startswith(message)) == (level, True)
    assert (advice == "Did you mean TOKENSCOPE_PROXIES?") == (name == "TOKENSCOPE_PROXIE")


@pytest.mark.parametrize(("revision", "level"), [("0001", "warn"), ("9999", "fail"), ("", "ok")])
def test_a_database_file_is_checked_and_not_migrated(revision: str, level: str, tmp_path: Path) -> None:
    file = tmp_path / "DATABASE_FILE"
    stored = Database(url_of("", file), seconds=2)
    stored.prepare()
    stored.close()
    if revision:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
            connection.commit()
    before = file.read_bytes()
    (found,) = examine()["database"]
    assert found[0] == level
    assert revision in found[1]
    assert file.read_bytes() == before


def test_postgresql_is_checked_and_not_changed(postgres: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", address := postgres.empty())
    assert not wrong("database")
    assert not wrong("database"), "the first check has created no tables"
    database = Database(url_of(address, Path()), seconds=5)
    database.prepare()
    database.close()
    assert not wrong("database")


def test_folders_that_cannot_be_written_or_have_no_space_are_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not wrong("folders")
    monkeypatch.setenv("TOKENSCOPE_CONSTANTS", json.dumps({"MIN_DISK_BYTES": 10**18}))
    assert [message.partition(":")[0] for _, message, _ in wrong("folders")] == [
        "database", "vocabularies", "corpora", "temporary files",
    ]  # fmt: skip
    monkeypatch.delenv("TOKENSCOPE_CONSTANTS")
    monkeypatch.setenv("TOKENSCOPE_CORPUS_FOLDER", "/sys/corpora")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    corpora, temporary = wrong("folders")
    assert corpora[1].startswith("corpora: /sys/corpora: ")
    assert "TOKENSCOPE_CORPUS_FOLDER" in corpora[2]
    assert temporary[1].endswith("The folder cannot be written.")
