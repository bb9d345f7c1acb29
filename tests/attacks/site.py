"""The site under attack: started for it alone, watched through `/proc`, and restarted."""

import os
import socket
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.attacks.exchange import Address, BrokenError, get
from tests.attacks.findings import Finding, milliseconds
from tests.processes import descendants, proportional_bytes
from tests.serving import serving

TICKS = os.sysconf("SC_CLK_TCK")
HELD = {"01", "08"}  # ESTABLISHED and CLOSE_WAIT: the server has not closed its end


class Site:
    """`python -m webapp` without rate limits, with its own storage."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = {"DATABASE_URL": "", "TOKENSCOPE_WORKER": "true", **settings}

    def __enter__(self) -> "Site":
        self._running = ExitStack()
        self.corpora = Path(self._running.enter_context(tempfile.TemporaryDirectory()), "corpora")
        settings = {**self._settings, "TOKENSCOPE_CORPUS_FOLDER": str(self.corpora)}
        running = self._running.enter_context(serving(environment=settings))
        self.process = running.process
        place = urlsplit(running.address)
        self.address: Address = (place.hostname or "", place.port or 0)
        return self

    def __exit__(self, *_error: object) -> None:
        self._running.close()

    def restart(self) -> None:
        """Restart after an attack that the site did not survive."""
        self.__exit__()
        self.__enter__()

    def _processes(self) -> list[int]:
        return [self.process.pid, *dict.fromkeys(descendants(self.process.pid))]

    def processor_seconds(self) -> dict[int, float]:
        """Return the processor time of each process of the site so far."""
        found = {}
        for pid in self._processes():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                found[pid] = (int(fields[11]) + int(fields[12])) / TICKS
        return found

    def memory(self) -> int:
        """Return the memory of the site in bytes, with pages that processes share counted once."""
        return sum(map(proportional_bytes, self._processes()))

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
        near = f":{self.address[1]:04X}"
        rows = (line.split(None, 4) for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
        return {_address(far) for _, local, far, state, _ in rows if local.endswith(near) and state in HELD}

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


def _address(hexadecimal: str) -> Address:
    """Parse an address in the form of `/proc/net/tcp`: `4200007F:1F90` is `("127.0.0.66", 8080)`."""
    host, port = hexadecimal.split(":")
    return socket.inet_ntoa(int(host, 16).to_bytes(4, sys.byteorder)), int(port, 16)
