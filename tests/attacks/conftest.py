"""The site under attack: started for each kind of attack, and watched through `/proc`."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.attacks.exchange import Address, get
from tests.processes import descendants, proportional_bytes
from tests.serving import Site, serving

TICKS = os.sysconf("SC_CLK_TCK")
HELD = {"01", "08"}  # ESTABLISHED and CLOSE_WAIT: the server has not closed its end


class Watched:
    """A running site."""

    def __init__(self, running: Site, corpora: Path) -> None:
        self.process, self.corpora = running.process.pid, corpora
        place = urlsplit(running.address)
        self.address: Address = (place.hostname or "", place.port or 0)

    def _processes(self) -> list[int]:
        return [self.process, *dict.fromkeys(descendants(self.process))]

    def processor_seconds(self) -> dict[int, float]:
        """The processor time of each process of the site so far."""
        found = {}
        for pid in self._processes():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                found[pid] = (int(fields[11]) + int(fields[12])) / TICKS
        return found

    def memory(self) -> int:
        """The memory of the site in bytes, with pages that processes share counted once."""
        return sum(map(proportional_bytes, self._processes()))

    def is_quiet_after(self, patience: float) -> bool:
        """Whether the site uses less than a quarter of a core for half a second, at the latest after `patience`."""
        began = time.monotonic()
        before = self.processor_seconds()
        while (since := time.monotonic() - began) < patience + 0.5:
            time.sleep(0.5)
            after = self.processor_seconds()
            used = sum(max(0.0, seconds - before.get(pid, 0.0)) for pid, seconds in after.items())
            if used < 0.25 * (time.monotonic() - began - since):
                return True
            before = after
        return False

    def open_connections(self) -> set[Address]:
        """The clients' ends of the connections that the server has not closed."""
        near = f":{self.address[1]:04X}"
        rows = (line.split(None, 4) for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
        return {_address(far) for _, local, far, state, _ in rows if local.endswith(near) and state in HELD}


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest, running: Callable[[dict[str, str]], Watched]) -> Iterator[Watched]:
    """A site with the `SETTINGS` of the attack, which must work afterwards as before."""
    watched = running(getattr(request.module, "SETTINGS", {}))
    yield watched
    for target, content in (("/healthz", b"ok"), ("/", b"</html>")):
        answers = [get(watched.address, target, patience=3) for _ in range(5)]
        assert all(answer.status == 200 and content in answer.body for answer in answers)
        assert sorted(answer.seconds for answer in answers)[2] < 0.5


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[dict[str, str]], Watched]]:
    """Start a site with some settings, in place of one with others."""
    held: list[tuple[dict[str, str], Watched]] = []
    with ExitStack() as stack:

        def site(wanted: dict[str, str]) -> Watched:
            if not held or held[-1][0] != wanted:
                stack.close()
                corpora = tmp_path_factory.mktemp("site") / "corpora"
                settings = {"DATABASE_URL": "", "TOKENSCOPE_WORKER": "true", "TOKENSCOPE_CORPUS_FOLDER": str(corpora)}
                started = stack.enter_context(serving(environment=settings | wanted))
                held.append((wanted, Watched(started, corpora)))
            return held[-1][1]

        yield site


def _address(hexadecimal: str) -> Address:
    """Parse an address in the form of `/proc/net/tcp`: `4200007F:1F90` is `("127.0.0.66", 8080)`."""
    host, port = hexadecimal.split(":")
    return socket.inet_ntoa(int(host, 16).to_bytes(4, sys.byteorder)), int(port, 16)
