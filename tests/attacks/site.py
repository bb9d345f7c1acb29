"""The site under attack: started from a checkout, watched through `/proc`, killed and restarted."""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tests.attacks.exchange import Address, BrokenError, get
from tests.attacks.findings import Finding, milliseconds

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)
HELD = {"01", "08"}  # ESTABLISHED and CLOSE_WAIT: the server has not closed its end


def held_at(port: int) -> set[Address]:
    """Return the client addresses of the connections to `port` that the server has not closed."""
    near = f":{port:04X}"
    rows = (line.split(None, 4) for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return {_address(far) for _, local, far, state, _ in rows if local.endswith(near) and state in HELD}


def _address(hexadecimal: str) -> Address:
    """Parse an address in the form of `/proc/net/tcp`: `4200007F:1F90` is `("127.0.0.66", 8080)`."""
    host, port = hexadecimal.split(":")
    return socket.inet_ntoa(int(host, 16).to_bytes(4, sys.byteorder)), int(port, 16)


class Site:
    """`python -m webapp` in a checkout, without rate limits, with its own storage.

    The site keeps the shell's limit on open files; the attackers raise theirs.
    """

    def __init__(self, checkout: Path, settings: Mapping[str, str]) -> None:
        self._checkout = checkout
        self._settings = settings

    @property
    def checkout(self) -> Path:
        return self._checkout

    def __enter__(self) -> "Site":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    def start(self) -> None:
        """Start the server at a free port and wait until it reports that it is ready."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address: Address = free.getsockname()[:2]
        self._folder = tempfile.TemporaryDirectory(prefix="tokenscope-attacked-")
        own = self._folder.name
        self.corpora = Path(own, "corpora")
        self.temporary = Path(own, "tmp")
        self.temporary.mkdir()
        alone = {"TOKENSCOPE_HUB": "http://127.0.0.1:9"}
        kept = {"TOKENSCOPE_VOCABULARY_FOLDER": own, "TOKENSCOPE_DATABASE_FILE": f"{own}/tokenscope.sqlite"}
        kept["TOKENSCOPE_CORPUS_FOLDER"] = str(self.corpora)
        unlimited = {f"TOKENSCOPE_RATE_{name}": "" for name in ("READING", "STORING", "WORK")}
        here = {"PORT": str(self.address[1]), "TMPDIR": str(self.temporary)}
        environment = {**os.environ, **alone, **kept, **unlimited, **self._settings, **here}
        environment.pop("DATABASE_URL", None)
        self._log = Path(own, "log")
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "webapp"],
                cwd=self._checkout,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, OPEN_FILES),
            )
        deadline = time.monotonic() + 60
        while not re.search(r"^Tokenscope is ready at ", self.said(), re.MULTILINE):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("The site did not start.\n" + self.said())
            time.sleep(0.05)

    def said(self) -> str:
        """Return what the server has written."""
        return self._log.read_text(errors="replace")

    def kill(self) -> None:
        """End all processes of the site at once."""
        for pid in self._processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self._folder.cleanup()

    def restart(self) -> None:
        """Restart after an attack that the site did not survive."""
        self.kill()
        self.start()

    def _processes(self) -> dict[int, list[str]]:
        """Return the started process, its session and its descendants, each with its fields of `/proc/…/stat`.

        The fields are those after the name: 1 is the parent, 3 the session, 11 and 12 the time, 21 the memory.
        """
        found: dict[int, list[str]] = {}
        for entry in os.listdir("/proc"):
            if entry.isdecimal():
                with suppress(OSError):
                    found[int(entry)] = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        root = self.process.pid
        ours = {pid for pid, fields in found.items() if pid == root or fields[3] == str(root)}
        while more := {pid for pid, fields in found.items() if pid not in ours and int(fields[1]) in ours}:
            ours |= more
        return {pid: found[pid] for pid in ours if pid in found}

    def processor_seconds(self) -> dict[int, float]:
        """Return the processor time of each process of the site so far."""
        return {pid: (int(fields[11]) + int(fields[12])) / TICKS for pid, fields in self._processes().items()}

    def memory(self) -> int:
        """Return the memory of the site in bytes, with pages that processes share counted once."""
        total = 0
        for pid, fields in self._processes().items():
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(rollup.partition("\nPss:")[2].split()[0]) * 1024
            except (OSError, IndexError):
                total += int(fields[21]) * PAGE
        return total

    def seconds_until_quiet(self, patience: float) -> float | None:
        """Wait until the site uses less than a quarter of a core for half a second; return when that half began.

        None if it is still busy after `patience` seconds.
        """
        began = time.monotonic()
        before = self.processor_seconds()
        while (since := time.monotonic() - began) < patience + 0.5:
            time.sleep(0.5)
            after = self.processor_seconds()
            used = sum(max(0.0, seconds - before.get(pid, 0.0)) for pid, seconds in after.items())
            if used < 0.25 * (time.monotonic() - began - since):
                return since
            before = after
        return None

    def open_connections(self) -> set[Address]:
        """Return the clients' ends of the connections that the server has not closed."""
        return held_at(self.address[1])

    def afterwards(self) -> Finding:
        """Request `/healthz` and `/`: after an attack the site must work as before."""
        slowest = 0.0
        for target, content in (("/healthz", b"ok"), ("/", b"</html>")):
            try:
                answers = [get(self.address, target, patience=3) for _ in range(5)]
            except BrokenError as error:
                return Finding("the site after the attack", f"{target}: {error}", "responds in 500 ms", False)
            if any(answer.status != 200 or content not in answer.body for answer in answers):
                return Finding("the site after the attack", f"{target}: not as before", "responds in 500 ms", False)
            slowest = max(slowest, sorted(answer.seconds for answer in answers)[2])
        return Finding("the site after the attack", milliseconds(slowest), "responds in 500 ms", slowest < 0.5)
