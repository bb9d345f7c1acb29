"""Checks the database and the queue: reachable, writable, at a revision that this release knows, on a safe release."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg

from webapp.command_line.doctor.finding import Finding, Installation, fail, ok, size, warn, within
from webapp.jobs.queue import connection_string
from webapp.storage.engine import url_of
from webapp.storage.schema import HEAD

# Two connections that write and reset the log at the same moment can damage a database in WAL mode, very rarely, before
# these releases: https://sqlite.org/wal.html#walresetbug
SAFE_SQLITE = (3, 51, 3)
SAFE_BRANCHES = {(3, 44): 6, (3, 50): 7}
OLDEST_POSTGRES = 13
# WAL needs memory that all processes share, which these file systems do not offer between machines.
REMOTE = ("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs", "fuse.glusterfs")


def check(installation: Installation) -> Iterator[Finding]:
    """The findings on the database."""
    if installation.config["DATABASE_URL"]:
        yield from within(3 * installation.seconds, lambda: list(_postgres(installation)))
    else:
        yield from within(3 * installation.seconds, lambda: list(_sqlite(sqlite_file(installation), installation)))


def sqlite_file(installation: Installation) -> Path:
    """The file of the embedded database."""
    return Path(str(installation.config["DATABASE_FILE"]) or Path(installation.instance) / "tokenscope.sqlite")


def postgres_address(installation: Installation) -> str:
    """The address of the database in the form that psycopg reads."""
    return connection_string(url_of(str(installation.config["DATABASE_URL"]), Path()))


def connect(installation: Installation) -> psycopg.Connection:
    """A connection to PostgreSQL, whose statements have a time limit."""
    connection = psycopg.connect(
        postgres_address(installation), connect_timeout=max(2, round(installation.seconds)), autocommit=True
    )
    connection.execute(f"SET statement_timeout = {round(1000 * installation.seconds)}")
    return connection


def _sqlite(file: Path, installation: Installation) -> Iterator[Finding]:
    if not is_safe(sqlite3.sqlite_version_info[:3]):
        yield warn(
            f"SQLite {sqlite3.sqlite_version} can damage a database in rare cases (the “WAL-reset bug”).",
            "Upgrade SQLite to 3.51.3 or newer, unless your system has the correction; or use PostgreSQL.",
        )
    kind = file_system(file)
    if kind in REMOTE:
        yield fail(
            f"{file} is on a network file system ({kind}), where SQLite cannot share the file safely.",
            "Move it to a local disk with TOKENSCOPE_DATABASE_FILE, or use PostgreSQL.",
        )
    if not file.exists():
        yield ok(f"There is no {file} yet; the site creates it when it starts.")
        return
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=2)) as connection:
            connection.isolation_level = None
            yield _revision(_sqlite_revision(connection), str(file))
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        yield _sqlite_failure(file, error)
        return
    stored = sum(path.stat().st_size for path in (file, Path(f"{file}-wal")) if path.exists())
    yield ok(f"{file} can be written; it has {size(stored)}.")


def _sqlite_revision(connection: sqlite3.Connection) -> str | None:
    if connection.execute("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").fetchone() is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _sqlite_failure(file: Path, error: sqlite3.Error) -> Finding:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_BUSY"):
        return warn(f"{file} is locked by another process.", "Run doctor again; end the process if it stays so.")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        advice = "Stop the site, and restore a backup: flask --app webapp restore FILE."
        return fail(f"{file} is damaged, or no SQLite database.", advice)
    who = f"the user of this process ({os.geteuid()})"
    return fail(f"{file} cannot be written: {error}.", f"Let {who} write to the file and its folder.")


def _postgres(installation: Installation) -> Iterator[Finding]:
    try:
        with connect(installation) as connection:
            yield from _postgres_findings(connection)
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        yield fail(
            f"The database cannot be reached: {reason}",
            "Start the database, or correct DATABASE_URL; check the firewall and the password.",
        )


def _postgres_findings(connection: psycopg.Connection) -> Iterator[Finding]:
    def told(statement: str) -> str:
        row = connection.execute(statement.encode()).fetchone()
        return "" if row is None or row[0] is None else str(row[0])

    release = told("SHOW server_version")
    if connection.info.server_version < 10_000 * OLDEST_POSTGRES:
        yield warn(f"PostgreSQL {release} gets no corrections any more.", "Upgrade PostgreSQL.")
    if told("SHOW server_encoding") != "UTF8":
        advice = "Create a database with ENCODING 'UTF8', and restore a backup into it."
        yield fail("The database does not store UTF-8.", advice)
    table = told("SELECT to_regclass('alembic_version')")
    yield _revision(told("SELECT version_num FROM alembic_version") if table else None, "the database")
    if told("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool") == "True":
        yield fail("The database can only be read.", "Name the primary server in DATABASE_URL.")
    elif told("SELECT has_schema_privilege(current_schema(), 'CREATE')") != "True":
        yield fail("The user may not create tables.", "GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL.")
    else:
        stored = int(told("SELECT pg_database_size(current_database())"))
        yield ok(f"PostgreSQL {release} can be written; the database has {size(stored)}.")


def _revision(found: str | None, where: str) -> Finding:
    if found is None:
        return ok(f"There are no tables in {where} yet; the site creates them when it starts.")
    if found == HEAD:
        return ok(f"The tables in {where} are at revision {found}, which this release needs.")
    if found < HEAD:
        return warn(
            f"The tables in {where} are at revision {found}; this release needs {HEAD}.",
            "Take a backup, then restart the site: it migrates them.",
        )
    return fail(
        f"A newer release has migrated {where} (to revision {found}; this one knows up to {HEAD}).",
        "Install that release, or restore a backup from this one.",
    )


def is_safe(release: tuple[int, int, int]) -> bool:
    """Whether a release of SQLite has the correction of the WAL-reset bug.

    >>> is_safe((3, 46, 1)), is_safe((3, 50, 7)), is_safe((3, 51, 2)), is_safe((3, 53, 0))
    (False, True, False, True)
    """
    branch = SAFE_BRANCHES.get((release[0], release[1]))
    return release >= SAFE_SQLITE or (branch is not None and release[2] >= branch)


def file_system(path: Path) -> str:
    """The kind of the file system that a path is on, such as `ext4`; empty if the system does not tell."""
    try:
        lines = Path("/proc/self/mounts").read_text("utf-8").splitlines()
    except OSError:
        return ""
    place = path.resolve()
    mounts = [(Path(fields[1].replace("\\040", " ")), fields[2]) for fields in map(str.split, lines)]
    over = [(len(point.parts), kind) for point, kind in mounts if place.is_relative_to(point)]
    return max(over, default=(0, ""), key=lambda found: found[0])[1]
