"""A temporary PostgreSQL, deleted afterwards. Only its programs are needed: Debian's package `postgresql`.

Nothing is left running, and no other PostgreSQL on the machine is touched.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path

import psycopg

# Where packages install the server programs, which are not in PATH; the newest release last.
PLACES = ("/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin")
PATIENCE = 30.0


class Cluster:
    """A server that listens on a socket in a folder, not on the network. Tests start and stop it."""

    def __init__(self, programs: Path, folder: Path) -> None:
        """Create an empty cluster in `folder`, whose parent folders must be readable by all users."""
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
        """Start the server and wait until it responds."""
        # No test cuts the power, so waiting for the disk gains nothing.
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
        """Stop the server at once, as if its machine failed."""
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: an immediate shutdown
            self._process.wait(PATIENCE)
            self._process = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes with SIGSTOP: connections are accepted and data is taken, but nothing answers."""
        assert self._process is not None
        processes = [self._process.pid]
        try:
            os.kill(self._process.pid, signal.SIGSTOP)  # first, so that it neither forks nor reaps another process
            found = subprocess.run(["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True, check=True)
            processes += map(int, found.stdout.split())
            for process in processes:
                os.kill(process, signal.SIGSTOP)
            yield
        finally:
            for process in processes:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)

    @property
    def url(self) -> str:
        """Return the address of its database in the form of `DATABASE_URL`."""
        return f"postgresql://tokenscope@/postgres?host={self._folder}"

    def empty(self) -> str:
        """Empty the database and return its address, which is always the same."""
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
    """Yield a running cluster, deleted afterwards."""
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
    """Return the folder of `initdb` and `postgres`, None if they are not installed."""
    if named := shutil.which("initdb"):
        return Path(named).resolve().parent
    found = [Path(path) for place in PLACES for path in glob(place) if Path(path, "initdb").exists()]
    return max(found, key=lambda path: [int(part) if part.isdecimal() else 0 for part in path.parts], default=None)


def _somebody_else() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)
