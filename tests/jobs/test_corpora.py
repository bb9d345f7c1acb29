"""Corpora on disk: bounded, numbered, and gone after a day."""

import gzip
import io
import os
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard
from flask import Flask

from tests.jobs.running import submit
from webapp.core.training.corpus import blocks
from webapp.jobs import MOST_IDLE_CORPORA, jobs_of
from webapp.jobs.corpora import Corpora, CorpusTooLargeError, NoRoomError

ELSEWHERE = ["../../key", "..", "", "a" * 21, "a" * 23, "a/" * 11, "\0" * 22]


@pytest.fixture
def corpora(tmp_path: Path) -> Corpora:
    return Corpora(tmp_path / "corpora", 1_000)


def test_files_are_found_again_as_they_came(corpora: Corpora) -> None:
    id = corpora.create()
    name = "../../etc/passwd\0\n名.txt"
    added = [
        corpora.add(id, name, io.BytesIO(b"low\n")),
        corpora.add(id, name, io.BytesIO(gzip.compress(b'{"body": "lower"}\n')), "jsonl", "body"),
        corpora.add(id, "c", io.BytesIO(zstandard.compress(b"lowest\n"))),
    ]
    assert corpora.files(id) == tuple(added)
    assert [file.compression for file in added] == ["", "gzip", "zstd"]
    assert [file.name for file in added] == [name, name, "c"]
    assert {Path(file.path).parent for file in added} == {corpora.folder / id}
    assert "".join(block.text for block in blocks(added)) == "low\nlower\nlowest\n"


def test_a_corpus_has_at_most_so_many_bytes_together(corpora: Corpora) -> None:
    id = corpora.create()
    corpora.add(id, "a", io.BytesIO(b"a" * 600))
    with pytest.raises(CorpusTooLargeError) as caught:
        corpora.add(id, "b", io.BytesIO(b"a" * 401))
    assert caught.value.limit == 1_000
    assert [file.name for file in corpora.files(id)] == ["a"]
    found = sorted(path.name for path in (corpora.folder / id).iterdir())
    assert found == ["0", "files.json", "incomplete", "owner", "work"]
    corpora.add(id, "c", io.BytesIO(b"a" * 400))


@pytest.mark.parametrize("id", ELSEWHERE)
def test_an_id_is_never_a_path(corpora: Corpora, id: str) -> None:
    corpora.secret()
    assert corpora.files(id) == ()
    corpora.delete(id)
    with pytest.raises(KeyError):
        corpora.add(id, "a", io.BytesIO(b"low"))
    with pytest.raises(KeyError):
        corpora.scratch(id, "a")
    assert [path.name for path in corpora.folder.iterdir()] == ["key"]


def test_deleted_corpora_are_gone(corpora: Corpora) -> None:
    id = corpora.create()
    corpora.add(id, "a", io.BytesIO(b"low"))
    (corpora.scratch(id, "job") / "counts").write_bytes(b"low")
    corpora.delete(id)
    corpora.delete(id)
    assert corpora.files(id) == ()
    assert list(corpora.folder.iterdir()) == []


def test_a_corpus_is_deleted_after_a_day(corpora: Corpora) -> None:
    ids = [corpora.create() for _ in range(3)]
    corpora.secret()
    for id in ids[:2]:
        os.utime(corpora.folder / id, (time.time() - 90_000,) * 2)
    os.utime(corpora.folder / "key", (0, 0))
    corpora.keep(ids[1])
    assert corpora.delete_old(86_400) == 1
    assert {path.name for path in corpora.folder.iterdir()} == {*ids[1:], "key"}


def test_an_incomplete_corpus_is_deleted_after_minutes(corpora: Corpora) -> None:
    """A worker that was killed while it checked the files could not delete it."""
    ids = [corpora.create() for _ in range(3)]
    corpora.keep(ids[0])
    for id in ids[:2]:
        os.utime(corpora.folder / id, (time.time() - 400,) * 2)
    assert corpora.delete_old(86_400) == 1
    assert {path.name for path in corpora.folder.iterdir()} == {ids[0], ids[2]}


def test_the_disk_is_never_filled(corpora: Corpora, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        free: int

    id = corpora.create()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1_000_000))
    with pytest.raises(NoRoomError):
        corpora.add(id, "a", io.BytesIO(b"low"))
    small = Corpora(corpora.folder, 1_000, most_bytes_together=1)
    (corpora.folder / id / "0").write_bytes(b"low")
    with pytest.raises(NoRoomError):
        small.create()


def test_all_machines_have_the_same_secret(corpora: Corpora) -> None:
    first = corpora.secret()
    assert len(first) == 32
    assert Corpora(corpora.folder, 1).secret() == first
    assert (corpora.folder / "key").stat().st_mode & 0o777 == 0o600


def test_a_visitor_has_few_corpora_that_no_training_needs(site_of_jobs: Flask) -> None:
    jobs = jobs_of(site_of_jobs)

    def upload(visitor: str) -> str:
        id = jobs.new_corpus(visitor)
        jobs.corpora.add(id, "corpus.txt", io.BytesIO(b"low lower lowest"))
        return id

    needed, other = submit(site_of_jobs).corpus, upload("192.0.2.2")
    uploaded = [upload("192.0.2.1") for _ in range(MOST_IDLE_CORPORA + 2)]
    kept = [id for id in uploaded if jobs.corpora.files(id)]
    assert kept == uploaded[-MOST_IDLE_CORPORA:]
    assert jobs.corpora.files(needed)
    assert jobs.corpora.files(other)
