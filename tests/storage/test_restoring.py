"""A drill: the site is backed up while visitors share and train, and lost; a new one has everything that mattered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest

from tests.jobs.running import tangled, varied
from tests.postgres import Cluster, find_programs
from tests.serving import ROOT, Site, serving
from tests.visiting import Visitor, share_everything, until

Settings = dict[str, str]


class SqliteBackup:
    """As OPERATING says for the embedded database: `flask backup` and `flask restore`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "tokenscope.backup"

    def settings(self, place: str) -> Settings:
        """Return the settings of a site with its own database."""
        return {"DATABASE_URL": "", "TOKENSCOPE_DATABASE_FILE": str(self._folder / place / "tokenscope.sqlite")}

    def back_up(self) -> None:
        flask("backup", str(self._file), settings=self.settings("first"))

    def restore(self) -> None:
        flask("restore", str(self._file), settings=self.settings("second"))


class PostgresBackup:
    """As OPERATING says for PostgreSQL: `pg_dump`, and `pg_restore` into an empty database."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self._file = folder / "tokenscope.dump"
        self._first = cluster.empty()
        self._second = self._first.replace("/postgres?", "/restored?")
        self._programs = find_programs() or Path()

    def settings(self, place: str) -> Settings:
        """Return the settings of a site with its own database."""
        return {"DATABASE_URL": self._first if place == "first" else self._second}

    def back_up(self) -> None:
        self._run("pg_dump", "--format=custom", f"--file={self._file}", self._first)

    def restore(self) -> None:
        with psycopg.connect(self._first, autocommit=True) as connection:
            connection.execute("CREATE DATABASE restored")
        self._run("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={self._second}", str(self._file))

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run([self._programs / program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


Backup = SqliteBackup | PostgresBackup


@pytest.fixture(params=["sqlite", "postgresql"])
def backup(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backup]:
    """Return the way to back up each kind of database."""
    if request.param == "sqlite":
        yield SqliteBackup(tmp_path)
        return
    cluster: Cluster = request.getfixturevalue("postgres")
    yield PostgresBackup(tmp_path, cluster)
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS restored WITH (FORCE)")


def flask(*arguments: str, settings: Settings) -> str:
    """Run a command of the site and return what it prints; it must succeed."""
    command = [sys.executable, "-m", "flask", "--app", "webapp", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def site_in(folder: Path, settings: Settings) -> Iterator[Site]:
    """Serve the site with a worker that runs one training at a time, and everything but the database in a folder."""
    own = {
        **settings,
        "TOKENSCOPE_CORPUS_FOLDER": str(folder / "corpora"),
        "TOKENSCOPE_VOCABULARY_FOLDER": str(folder / "vocabularies"),
        "TOKENSCOPE_WORKER": "true",
        "TOKENSCOPE_MAX_TRAININGS": "1",
        "TOKENSCOPE_MAX_SILENT_SECONDS": "4",
        "TOKENSCOPE_TRAIN_GENTLY": "false",
        "TOKENSCOPE_PROXIES": "1",
        "TOKENSCOPE_PRELOAD": "false",
        "TOKENSCOPE_MAX_REQUEST_SECONDS": "120",  # the machine may be busy
        "REDIS_URL": "",
    }
    with serving(environment=own, patience=180) as site:
        yield site


def contents(site: Site, paths: list[str]) -> dict[str, str]:
    """Return the pages as a first-time visitor sees them, without vocabularies of their own."""
    found = {}
    with Visitor(site.address) as reader:
        for path in paths:
            reader.http.cookies.clear()
            found[path] = reader.open(path)
    return found


def copy_corpora(source: Path, copy: Path) -> None:
    """Copy what is new, as `cp --recursive --update` does; a training may delete its corpus meanwhile."""

    def copy_file(file: str, to: str) -> None:
        if Path(file).exists():
            shutil.copy2(file, to)

    shutil.copytree(source, copy, dirs_exist_ok=True, copy_function=copy_file)


@contextmanager
def sharing(visitor: Visitor) -> Iterator[Callable[[], list[str]]]:
    """Share one text after another within the block; yields a function that returns the links so far."""
    links: list[str] = []
    over = Event()

    def share() -> None:
        while not over.is_set():
            links.append(visitor.share(text=f"{len(links)} 研究生命"))

    author = Thread(target=share)
    author.start()
    try:
        yield lambda: list(links)
    finally:
        over.set()
        author.join()


@pytest.mark.exhaustive
@pytest.mark.timeout(400)
def test_a_new_site_has_everything_of_the_one_that_was_lost(backup: Backup, tmp_path: Path) -> None:
    first, second, kept = (tmp_path / name for name in ("first", "second", "kept"))
    with site_in(first, backup.settings("first")) as site, ExitStack() as stack:
        sources = [f"192.0.2.{number}" for number in (1, 2, 3)]
        visitor, other, third = (stack.enter_context(Visitor(site.address, source=source)) for source in sources)
        uploaded, finished = visitor.upload(), visitor.train(varied(300))
        trained = visitor.wait(finished)
        links = share_everything(visitor, {"fmm": uploaded, "bpe": trained})
        withdrawn = links.pop(0)
        visitor.delete(withdrawn)
        assert visitor.http.post(f"{links[0]}/report", data={"reason": "It is mine."}).status_code == 200
        pages = [*links, f"/vocabularies/{uploaded}", f"/vocabularies/{trained}", finished, f"{finished}/record.json"]
        before = contents(site, pages)
        running, waiting = other.train(tangled(3_000_000), size="2000"), third.train(varied(2_000))
        with sharing(visitor) as shared:
            copy_corpora(first / "corpora", kept)
            until(lambda: len(shared()) > 1, 120, lambda: "nothing was shared")
            acknowledged = shared()
            backup.back_up()
            copy_corpora(first / "corpora", kept)
        assert not third.has_finished(waiting), "the backup came too late to contain a training that waits"
        site.kill()
        deletions = visitor.deletions
    shutil.rmtree(first)

    backup.restore()
    shutil.copytree(kept, second / "corpora")
    with site_in(second, backup.settings("second")) as site, Visitor(site.address) as visitor:
        after = contents(site, pages)
        assert [path for path in pages if after[path] != before[path]] == []
        for path in acknowledged:
            assert "研究生命" in visitor.open(path)
        visitor.open(withdrawn, status=410)
        own = visitor.share(text="after", algorithm="bpe", vocabulary=trained)
        assert "after" in visitor.open(own)
        assert "It is mine." in flask("snapshots", "reports", settings=backup.settings("second"))
        for training in (running, waiting):
            assert visitor.wait(training, seconds=150)
        visitor.deletions |= deletions
        for path in (own, acknowledged[0], links[-2]):
            visitor.delete(path)
