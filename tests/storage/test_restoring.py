"""A drill: the site is backed up while visitors share and train, and lost; a new one has everything that mattered."""

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest
from flask import Flask

from tests.jobs.running import run, varied, wait
from tests.postgres import Cluster, find_programs
from tests.site import NOWHERE
from tests.visiting import Visitor, share_everything, until
from webapp import create_app
from webapp.jobs.worker import Worker
from webapp.storage import storage_of


class Drill:
    """A site and the one that replaces it, each with a folder of its own; how to back up is as OPERATING says."""

    def __init__(self, folder: Path, cluster: Cluster | None) -> None:
        self.folder, self._backup = folder, folder / "tokenscope.backup"
        first = cluster.empty() if cluster else ""
        self._urls = {"first": first, "second": first.replace("/postgres?", "/restored?")}

    @contextmanager
    def site(self, place: str) -> Iterator[Flask]:
        """Yield a site with an empty or restored database."""
        folder = self.folder / place
        folders = {"CORPUS_FOLDER": f"{folder / 'corpora'}", "VOCABULARY_FOLDER": f"{folder / 'vocabularies'}"}
        database = {"DATABASE_URL": self._urls[place], "DATABASE_FILE": f"{folder / 'tokenscope.sqlite'}"}
        app = create_app({**NOWHERE, **folders, **database, "MAX_SILENT_SECONDS": 4, "TRAIN_GENTLY": False})
        yield app
        storage_of(app).database.close()

    def back_up(self, app: Flask) -> None:
        if self._urls["first"]:
            _program("pg_dump", "--format=custom", f"--file={self._backup}", self._urls["first"])
        else:
            assert app.test_cli_runner().invoke(args=["backup", str(self._backup)]).exit_code == 0

    def restore(self) -> None:
        if self._urls["first"]:
            with psycopg.connect(self._urls["first"], autocommit=True) as connection:
                connection.execute("CREATE DATABASE restored")
            _program(
                "pg_restore", "--no-owner", "--exit-on-error", f"--dbname={self._urls['second']}", str(self._backup)
            )
        else:
            with self.site("second") as app:
                assert app.test_cli_runner().invoke(args=["restore", str(self._backup)]).exit_code == 0


def _program(name: str, *arguments: str) -> None:
    done = subprocess.run([(find_programs() or Path()) / name, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(params=["sqlite", "postgresql"])
def drill(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Drill]:
    """Return a drill for each kind of database."""
    if request.param == "sqlite":
        yield Drill(tmp_path, None)
        return
    cluster: Cluster = request.getfixturevalue("postgres")
    yield Drill(tmp_path, cluster)
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS restored WITH (FORCE)")


@contextmanager
def visiting(app: Flask, source: str) -> Iterator[Visitor]:
    """Yield a visitor of a site in this process."""
    with Visitor("http://site.example") as visitor:
        visitor.http = httpx2.Client(
            transport=httpx2.WSGITransport(app=app, remote_addr=source), base_url="http://site.example"
        )
        yield visitor


def contents(app: Flask, paths: list[str]) -> dict[str, str]:
    """Return the pages as a first-time visitor sees them, without vocabularies of their own."""
    found = {}
    for path in paths:
        with visiting(app, "192.0.2.9") as reader:
            found[path] = reader.open(path)
    return found


@contextmanager
def sharing(visitor: Visitor) -> Iterator[Callable[[], list[str]]]:
    """Share one text after another within the block; yields a function that returns the links so far."""
    links: list[str] = []
    over = threading.Event()

    def share() -> None:
        while not over.is_set():
            links.append(visitor.share(text=f"{len(links)} 研究生命"))

    author = threading.Thread(target=share)
    author.start()
    try:
        yield lambda: list(links)
    finally:
        over.set()
        author.join()


@pytest.mark.exhaustive
@pytest.mark.timeout(120)
def test_a_new_site_has_everything_of_the_one_that_was_lost(drill: Drill) -> None:
    with drill.site("first") as app, ExitStack() as stack:
        sources = [f"192.0.2.{number}" for number in (1, 2, 3)]
        visitor, other, third = (stack.enter_context(visiting(app, source)) for source in sources)
        uploaded, finished = visitor.upload(), visitor.train(varied(300))
        run(app, finished.rpartition("/")[2])
        trained = visitor.trained(finished)
        links = share_everything(visitor, {"fmm": uploaded, "bpe": trained})
        withdrawn = links.pop(0)
        visitor.delete(withdrawn)
        assert visitor.http.post(f"{links[0]}/report", data={"reason": "It is mine."}).status_code == 200
        pages = [*links, f"/vocabularies/{uploaded}", f"/vocabularies/{trained}", finished, f"{finished}/record.json"]
        before = contents(app, pages)
        running, waiting = (each.train(varied(400)).rpartition("/")[2] for each in (other, third))
        assert storage_of(app).jobs.claim(running), "its worker is lost with the site"
        with sharing(visitor) as shared:
            until(lambda: len(shared()) > 1, 60, lambda: "nothing was shared")
            acknowledged = shared()
            drill.back_up(app)
        deletions = visitor.deletions
    kept = shutil.move(drill.folder / "first" / "corpora", drill.folder / "kept")
    shutil.rmtree(drill.folder / "first")

    drill.restore()
    shutil.copytree(kept, drill.folder / "second" / "corpora", dirs_exist_ok=True)
    with drill.site("second") as app, visiting(app, "192.0.2.1") as visitor:
        after = contents(app, pages)
        assert [path for path in pages if after[path] != before[path]] == []
        for path in acknowledged:
            assert "研究生命" in visitor.open(path)
        visitor.open(withdrawn, status=410)
        own = visitor.share(text="after", algorithm="bpe", vocabulary=trained)
        assert "after" in visitor.open(own)
        assert "It is mine." in app.test_cli_runner().invoke(args=["snapshots", "reports"]).output
        stopping = threading.Event()
        worker = threading.Thread(target=Worker(app).run, args=(stopping,))
        worker.start()
        states = [wait(app, training).state for training in (running, waiting)]
        stopping.set()
        worker.join()
        assert states == ["finished", "finished"]
        visitor.deletions |= deletions
        for path in (own, acknowledged[0], links[-2]):
            visitor.delete(path)
