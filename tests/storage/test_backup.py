"""`flask --app webapp backup FILE` and `restore FILE`, as an operator runs them."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import Result

from tests.postgres import Cluster
from tests.storage.conftest import snapshot
from tests.visiting import until
from webapp import create_app
from webapp.storage import Storage, VocabularyFile, backup, storage_of
from webapp.storage.backup import BackupError

Run = Callable[..., Result]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of the site's database."""
    return tmp_path / "site" / "tokenscope.sqlite"


@pytest.fixture
def site(file: Path) -> Storage:
    """Return the storage of a running site with one snapshot."""
    storage = storage_of(create_app({"DATABASE_URL": "", "DATABASE_FILE": str(file)}))
    storage.vocabularies.put(VocabularyFile("a" * 64, "dictionary", ("fmm",), 1, b"low\n"))
    storage.snapshots.share(snapshot("before"), expires=None)
    return storage


@pytest.fixture
def run(file: Path) -> Run:
    """`run("backup", "x")` returns the output and exit code of the command."""

    def run(*arguments: object, **settings: object) -> Result:
        app = create_app({"DATABASE_URL": "", "DATABASE_FILE": str(file), "MAX_DATABASE_SECONDS": 1, **settings})
        return app.test_cli_runner().invoke(args=list(map(str, arguments)))

    return run


def texts(storage: Storage) -> set[str]:
    """Return the texts of all snapshots."""
    with storage.database.read() as connection:
        ids = connection.exec_driver_sql("SELECT id FROM snapshots").scalars().all()
    return {stored.snapshot.text for id in ids if (stored := storage.snapshots.get(id))}


def test_a_database_that_does_not_exist_is_not_backed_up(run: Run, file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    app = create_app({"DATABASE_URL": "", "DATABASE_FILE": str(file)})
    file.unlink()
    done = app.test_cli_runner().invoke(args=["backup", str(tmp_path / "copy")])
    assert (done.exit_code, f"There is no database {file}" in done.stderr) == (1, True)
    assert not (tmp_path / "copy").exists()


def test_backup_and_restore_while_the_site_runs(site: Storage, run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy.backup"
    done = run("backup", copy)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"Backed up the database to {copy}: {copy.stat().st_size:,} bytes.\n"
    site.snapshots.share(snapshot("after"), expires=None)
    assert texts(site) == {"before", "after"}
    done = run("restore", copy)
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"Restored the database from {copy}.\n", "")
    assert texts(site) == {"before"}  # the running site sees it, without a restart
    assert site.vocabularies.content("a" * 64) == (b"low\n", None)
    site.snapshots.share(snapshot("later"), expires=None)
    assert texts(site) == {"before", "later"}
    elsewhere = {"DATABASE_FILE": str(tmp_path / "elsewhere" / "new.sqlite")}  # as on another machine
    assert run("restore", copy, **elsewhere).exit_code == 0
    assert texts(storage_of(create_app(elsewhere))) == {"before"}
    with site.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    assert {path.name.partition("-")[0] for path in (tmp_path / "site").iterdir()} == {"tokenscope.sqlite"}


def test_a_backup_during_writes_is_a_consistent_snapshot(site: Storage, run: Run, tmp_path: Path) -> None:
    over, shared = Event(), 0

    def author() -> None:
        nonlocal shared
        while not over.is_set():
            site.snapshots.share(snapshot(f"{shared}"), expires=None)
            shared += 1

    writer = Thread(target=author)
    writer.start()
    try:
        until(lambda: shared > 5, 30)
        for turn in range(3):
            acknowledged = shared
            done = run("backup", tmp_path / f"copy{turn}")
            assert (done.exit_code, done.stderr) == (0, "")
            kept = texts(storage_of(create_app({"DATABASE_FILE": str(tmp_path / f"copy{turn}")}))) - {"before"}
            assert kept == {f"{number}" for number in range(len(kept))}
            assert len(kept) >= acknowledged
    finally:
        over.set()
        writer.join()


def test_an_older_backup_is_overwritten_but_no_other_file(site: Storage, run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    run("backup", copy)
    site.snapshots.share(snapshot("more"), expires=None)
    assert run("backup", copy).exit_code == 0
    assert texts(storage_of(create_app({"DATABASE_FILE": str(copy)}))) == {"before", "more"}
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader,")
    done = run("backup", letter)
    assert done.exit_code == 1
    assert done.stderr == f"{letter} already exists and is not a backup, so it was not changed. Choose another name.\n"
    assert letter.read_text() == "Dear reader,"
    assert "could not be written" in run("backup", tmp_path / "no folder" / "copy").stderr


DAMAGED = "{copy} is not a backup of Tokenscope, or it is damaged. Nothing was changed."
INVALID: dict[str, tuple[str, Callable[[bytes], bytes] | str]] = {
    "missing": ("There is no file {copy}.", ""),
    "empty": (DAMAGED, lambda _content: b""),
    "cut off": (DAMAGED, lambda content: content[: len(content) // 2]),
    "overwritten": (DAMAGED, lambda content: content[:4096] + b"\xff" * 4096 + content[8192:]),
    "another database": (DAMAGED, "DROP TABLE snapshots"),
    "orphans": (DAMAGED, "INSERT INTO claims VALUES (99, 'nobody', 'x', '2026-01-01', NULL)"),
    "newer": (
        "{copy} was not restored, and nothing was changed. The database was written by a newer",
        "UPDATE alembic_version SET version_num = '9999'",
    ),
}


@pytest.mark.parametrize("kind", INVALID)
def test_an_invalid_backup_changes_nothing(site: Storage, run: Run, tmp_path: Path, kind: str) -> None:
    copy, (message, change) = tmp_path / "copy", INVALID[kind]
    run("backup", copy)
    site.snapshots.share(snapshot("after"), expires=None)
    if not change:
        copy.unlink()
    elif isinstance(change, str):
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute(change)
            connection.commit()
    else:
        copy.write_bytes(change(copy.read_bytes()))
    done = run("restore", copy)
    assert done.exit_code == 1
    assert done.stderr.startswith(message.format(copy=copy))
    assert done.stderr.count("\n") == 1
    assert texts(site) == {"before", "after"}


def test_a_failed_restore_changes_nothing(
    site: Storage, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    run("backup", copy)
    site.snapshots.share(snapshot("after"), expires=None)
    with closing(sqlite3.connect(site.database.url.database or "", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(backup, "PATIENCE", 0.2)
        with pytest.raises(BackupError, match="The database is busy"):
            backup.restore(site.database, copy)
        other.execute("ROLLBACK")
    assert texts(site) == {"before", "after"}
    assert list((tmp_path / "site").glob(".restore*")) == []


def test_a_damaged_database_is_moved_aside(site: Storage, run: Run, file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    run("backup", copy)
    site.database.close()
    file.write_bytes(b"noise" * 10_000)
    done = run("restore", copy)
    assert (done.exit_code, done.stderr) == (0, "")
    assert texts(site) == {"before"}
    assert file.with_name("tokenscope.sqlite.damaged").read_bytes() == b"noise" * 10_000


def test_postgresql_is_referred_to_its_own_commands(run: Run, tmp_path: Path, postgres: Cluster) -> None:
    for command in ("backup", "restore"):
        done = run(command, tmp_path / "copy", DATABASE_URL=postgres.empty())
        assert done.exit_code == 1
        assert "pg_dump" in done.stderr
    assert not (tmp_path / "copy").exists()
