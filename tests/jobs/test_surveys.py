"""Surveys are computed once, in a process with limits, and kept in a folder that processes share."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.jobs.test_attempts import processes_in
from tests.site import NOWHERE
from tests.visiting import until
from webapp import create_app
from webapp.core.analysis.reachability import Reach, Survey
from webapp.jobs import surveys
from webapp.jobs.surveys import Running, StoredSurvey, SurveyFolder, survey_folder, survey_key, survey_of
from webapp.vocabularies import library

FOUND = Survey(
    {"alone": 3, "unreachable": 2},
    (
        Reach(1, "unreachable", "a", (0, 2), "split", part_of=3),
        Reach(4, "unreachable", "\ud800", (), "byte", certain=True),
    ),
)


WORDS = "".join(f"{number:x}词 {number}\n" for number in range(300_000)).encode()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app = create_app(NOWHERE | {"VOCABULARY_FOLDER": str(tmp_path / "vocabularies")})
    with app.app_context():
        yield app


def uploaded(content: bytes) -> str:
    return library().store(content).name


def finished(name: str) -> StoredSurvey | Running | str:
    """The survey of a vocabulary after its process has ended."""
    until(lambda: not isinstance(survey_of(name), Running), 100)
    return survey_of(name)


def test_a_survey_is_stored_and_read(tmp_path: Path) -> None:
    folder = SurveyFolder(tmp_path)
    assert folder.get("key") is None
    folder.put("key", FOUND, 1.5)
    stored = SurveyFolder(tmp_path).get("key")
    assert isinstance(stored, StoredSurvey)
    assert stored.unreachable == list(FOUND.unreachable)
    assert (stored.counted, stored.total, stored.parts, stored.reasons) == (5, 2, 1, {"split": 1, "byte": 1})
    assert [reach.id for reach in stored.chosen("split")] == [1]
    assert [reach.id for reach in stored.chosen("parts")] == [1]
    assert len(stored.chosen("no such reason")) == 2


def test_damaged_files_count_as_missing(tmp_path: Path) -> None:
    folder = SurveyFolder(tmp_path)
    for content in (b"", b"{", b"\x1f\x8b\x00"):
        (tmp_path / "key.json.gz").write_bytes(content)
        assert folder.get("key") is None
    (tmp_path / "key.progress").write_text("[1")
    assert folder.progress("key") is None


@pytest.mark.exhaustive
def test_the_servers_of_a_site_compute_two_surveys_at_once(tmp_path: Path) -> None:
    """Two processes that start two each, before any of these has come far."""
    code = (
        "import sys; from webapp import create_app; from webapp.jobs.surveys import survey_of\n"
        f"with create_app({NOWHERE | {'VOCABULARY_FOLDER': str(tmp_path)}!r}).app_context():\n"
        "    print('ready', flush=True); sys.stdin.readline()\n"
        "    print(*(survey_of(name).waits for name in sys.argv[1:]), flush=True); sys.stdin.read()"
    )
    names = (["wordpiece", "unigram"], ["bpe-bytes", "bpe-characters"])
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    servers = [subprocess.Popen([sys.executable, "-c", code, *each], **pipes) for each in names]
    for server in servers:
        assert server.stdout.readline() == "ready\n"
    for server in servers:
        server.stdin.write("\n")
        server.stdin.flush()
    waits = [wait for server in servers for wait in server.stdout.readline().split()]
    for server in servers:
        server.communicate(timeout=60)
    assert sorted(waits) == ["False", "False", "True", "True"]


def test_one_process_at_a_time_computes_a_survey(tmp_path: Path) -> None:
    """The process holds the lock until it ends, in whatever way, also after the one that started it has closed it."""
    folder = SurveyFolder(tmp_path)
    lock = folder.lock("key")
    assert lock is not None
    held = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(held, stdin=subprocess.PIPE, pass_fds=[lock]) as process:
        os.close(lock)
        assert folder.lock("key") is None
        assert folder.lock("other") is not None
        process.kill()
    assert folder.lock("key") is not None


def ended(folder: Path, content: bytes = WORDS, **limits: int) -> object:
    """What there is of a survey after its process has ended."""
    surveys.run_survey(SurveyFolder(folder), "key", "upload", [content], **limits)  # type: ignore[arg-type]
    return SurveyFolder(folder).get("key")


@pytest.mark.parametrize(("ending", "why"), [(9, "memory"), (24, "time"), (11, "error"), (15, None)])
def test_a_process_that_ends_without_a_word_is_not_tried_again(tmp_path: Path, ending: int, why: str | None) -> None:
    """The system ends it for want of memory or time; SIGTERM ends everything, so the survey is no failure then."""

    def end() -> None:
        while not (started := processes_in(tmp_path)):
            time.sleep(0.01)
        os.kill(int(started[0]), ending)

    threading.Thread(target=end).start()
    assert ended(tmp_path) == why


def test_an_upload_is_surveyed_in_a_process(app: Flask) -> None:
    name = uploaded(b"[UNK]\na\n##b\nx-y\n")
    assert isinstance(survey_of(name), Running)
    found = finished(name)
    assert isinstance(found, StoredSurvey)
    assert [(reach.id, reach.reason) for reach in found.unreachable] == [(3, "split")]
    assert found.states == {"special": 1, "alone": 1, "beside": 1, "unreachable": 1}
    assert isinstance(survey_of(name), StoredSurvey)  # kept
    until(lambda: [path.suffix for path in survey_folder().folder.glob(f"{name}*")] == [".gz"], 10)


def test_shipped_vocabularies_have_surveys(app: Flask) -> None:
    found = finished("wordpiece")
    assert isinstance(found, StoredSurvey)
    assert found.counted == 31_995
    assert found.total == 0


def test_the_key_depends_on_the_content(app: Flask) -> None:
    assert survey_key("wordpiece").removeprefix("wordpiece") != survey_key("unigram").removeprefix("unigram")


@pytest.mark.parametrize(("limit", "why"), [({"seconds": 1}, "time"), ({"memory": 150_000_000}, "memory")])
def test_limits_hold(tmp_path: Path, limit: dict[str, int], why: str) -> None:
    assert ended(tmp_path, **limit) == why


def test_a_file_that_cannot_be_read_fails(tmp_path: Path) -> None:
    assert ended(tmp_path, b"\xff\xfe\xfd") == "error"


def test_a_folder_that_cannot_be_written(app: Flask) -> None:
    folder = survey_folder().folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file in its place")
    assert survey_of("wordpiece") == "storage"


def test_the_process_ends_with_the_one_that_wants_it(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from webapp.jobs.surveys import SurveyFolder, run_survey\n"
        f"run_survey(SurveyFolder(Path({str(tmp_path)!r})), 'key', 'upload', [b'a\\n' * 2_000_000])"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        until(lambda: bool(processes_in(tmp_path)), 30)
        process.kill()
    until(lambda: not processes_in(tmp_path), 10)
    assert SurveyFolder(tmp_path).get("key") is None
