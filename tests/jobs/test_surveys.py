"""Surveys are computed once, in a process with limits, and kept in a folder that processes share."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.jobs.test_attempts import processes_in
from tests.site import NOWHERE
from webapp import create_app
from webapp.core.analysis.reachability import Reach, Survey
from webapp.jobs import surveys
from webapp.jobs.surveys import (
    FailedSurvey,
    Running,
    StoredSurvey,
    SurveyFolder,
    SurveyTask,
    key_of,
    survey_folder,
    survey_key,
    survey_of,
)
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


def finished(name: str) -> StoredSurvey | Running | FailedSurvey:
    """The survey of a vocabulary after its process has ended."""
    state = survey_of(name)
    thread = surveys.running(survey_key(name))
    if thread is not None:
        thread.join(100)
        assert not thread.is_alive()
        state = survey_of(name)
    return state


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


def test_one_process_at_a_time_computes_a_survey(tmp_path: Path) -> None:
    folder = SurveyFolder(tmp_path)
    with folder.computing("key") as mine, folder.computing("key") as second:
        assert (mine, second) == (True, False)
        assert folder.is_running("key")
        with folder.computing("other") as other:
            assert other
    assert not folder.is_running("key")


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


def test_another_process_holds_the_lock(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from webapp.jobs.surveys import SurveyFolder\n"
        f"with SurveyFolder(Path({str(tmp_path)!r})).computing('key') as mine:\n"
        "    print(mine, flush=True); sys.stdin.read()"
    )
    folder = SurveyFolder(tmp_path)
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"True\n"
        assert folder.is_running("key")
        process.kill()
    assert not folder.is_running("key")


@pytest.mark.parametrize(("ending", "why"), [(9, "memory"), (24, "time"), (11, "error"), (15, None)])
def test_a_process_that_ends_without_a_word_is_not_tried_again(tmp_path: Path, ending: int, why: str | None) -> None:
    """The system ends it for want of memory or time; SIGTERM ends everything, so the survey is no failure then."""

    def end() -> None:
        while not (started := processes_in(tmp_path)):
            time.sleep(0.01)
        os.kill(int(started[0]), ending)

    threading.Thread(target=end).start()
    surveys.run_survey(SurveyTask("upload", "key", str(tmp_path)), [WORDS])
    assert SurveyFolder(tmp_path).get("key") == why


def test_an_upload_is_surveyed_in_a_process(app: Flask) -> None:
    name = uploaded(b"[UNK]\na\n##b\nx-y\n")
    assert isinstance(survey_of(name), Running)
    found = finished(name)
    assert isinstance(found, StoredSurvey)
    assert [(reach.id, reach.reason) for reach in found.unreachable] == [(3, "split")]
    assert found.states == {"special": 1, "alone": 1, "beside": 1, "unreachable": 1}
    assert isinstance(survey_of(name), StoredSurvey)  # kept
    assert [path.suffix for path in survey_folder().folder.glob(f"{name}*")] == [".gz"]


def test_shipped_vocabularies_have_surveys(app: Flask) -> None:
    found = finished("wordpiece")
    assert isinstance(found, StoredSurvey)
    assert found.counted == 31_995
    assert found.total == 0


def test_the_key_depends_on_content_and_version(app: Flask) -> None:
    assert survey_key("wordpiece") != survey_key("unigram")
    assert key_of("name").startswith("name-")


@pytest.mark.parametrize(("limit", "why"), [({"seconds": 1}, "time"), ({"memory": 150_000_000}, "memory")])
def test_limits_hold(tmp_path: Path, limit: dict[str, int], why: str) -> None:
    task = SurveyTask("upload", "key", str(tmp_path))
    surveys.run_survey(replace(task, **limit), [WORDS])  # type: ignore[arg-type]
    assert SurveyFolder(tmp_path).get("key") == why


def test_a_file_that_cannot_be_read_fails(tmp_path: Path) -> None:
    task = SurveyTask("upload", "key", str(tmp_path))
    surveys.run_survey(task, [b"\xff\xfe\xfd"])
    assert SurveyFolder(tmp_path).get("key") == "error"


def test_a_folder_that_cannot_be_written(app: Flask) -> None:
    folder = survey_folder().folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file in its place")
    assert survey_of("wordpiece") == FailedSurvey("storage")


def test_the_process_ends_with_the_one_that_wants_it(tmp_path: Path) -> None:
    task = SurveyTask("upload", "key", str(tmp_path))
    child = surveys.start_process(task, [WORDS])
    reading = threading.Thread(target=lambda: list(child.messages()))
    reading.start()
    time.sleep(2)
    stdin = child._process.stdin
    assert stdin is not None
    stdin.close()
    assert child.wait() != 0
    reading.join(10)
    child.close()
    assert SurveyFolder(tmp_path).get("key") is None
