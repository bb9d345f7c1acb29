"""A PostgreSQL of one's own, thrown away afterwards: `python -m tests.postgres COMMAND…` runs a command beside one.

    .venv/bin/python -m tests.postgres .venv/bin/python -m webapp

The command finds the address of an empty database in `DATABASE_URL`. All it takes are PostgreSQL's programs, which
Debian's package `postgresql` has; nothing is left running, and no other PostgreSQL of the machine is touched.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path

import psycopg

# Where packages put the programs that nobody types, the newest release last.
PLACES = ("/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin")
PATIENCE = 30.0


class Cluster:
    """A server that listens in a folder, not on the network. Started and stopped as a test likes."""

    def __init__(self, programs: Path, folder: Path) -> None:
        """Make an empty one in `folder`, which has to be readable for everybody on the way to it."""
        self._programs = programs
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        # PostgreSQL refuses to run as root.
        self._user = _somebody_else() if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(folder, self._user)
        options = ["--auth=trust", "--username=tokenscope", "--encoding=UTF8", "--no-sync"]
        command = [programs / "initdb", "--pgdata", folder / "data", *options]
        subprocess.run(command, check=True, capture_output=True, user=self._user, cwd=folder)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        # No test pulls the plug, so nothing is gained by waiting for the disk.
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self._folder}", "-c", "fsync=off"]
        command = [self._programs / "postgres", "-D", self._folder / "data", *options]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, user=self._user, cwd=self._folder)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url).close()
                return
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    said = (self._folder / "log").read_text(encoding="utf-8", errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start.\n{said}") from error
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server at once, whatever it is doing, as when its machine fails."""
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: an immediate shutdown
            self._process.wait(PATIENCE)
            self._process = None

    @property
    def url(self) -> str:
        """The address of its database, in the form of `DATABASE_URL`."""
        return f"postgresql://tokenscope@/postgres?host={self._folder}"

    def empty(self) -> str:
        """The address of a database with nothing in it, always the same one."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = 'postgres' AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url


@contextmanager
def running(programs: Path) -> Iterator[Cluster]:
    """A cluster that is started, and gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="tokenscope-postgres-"))
    try:
        cluster = Cluster(programs, folder)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder)


def find_programs() -> Path | None:
    """The folder of `initdb` and `postgres`, None where they are not installed."""
    if named := shutil.which("initdb"):
        return Path(named).resolve().parent
    found = [Path(path) for place in PLACES for path in glob(place) if Path(path, "initdb").exists()]
    return max(found, key=lambda path: [int(part) if part.isdecimal() else 0 for part in path.parts], default=None)


def _somebody_else() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def main() -> int:
    """Run the command that was typed beside a PostgreSQL of its own; return how it ended."""
    programs = find_programs()
    if programs is None:
        raise SystemExit("There is no PostgreSQL on this machine: Debian's package `postgresql` has it.")
    with running(programs) as cluster:
        environment = {**os.environ, "DATABASE_URL": cluster.url}
        return subprocess.run(sys.argv[1:] or [os.environ.get("SHELL", "sh")], env=environment).returncode


if __name__ == "__main__":
    raise SystemExit(main())
