"""A machine that is busy without end: a training goes on, and what it waits does not count as its time."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.attacks.exchange import BrokenError, ask, form_bytes, get
from tests.attacks.findings import Finding
from tests.attacks.site import Site

SETTINGS = {"TOKENSCOPE_CONSTANTS": '{"MAX_TRAINING_SECONDS": 3}'}  # of processor time
WATCHED = 10.0  # seconds
SHARE = 0.07  # of a processor; the goal is a tenth, without what starting takes
LOOPS = 10
CORPUS = "".join(f"w{number * 7919 % 1_000_003:x}\n" for number in range(30_000))


def starved_training(site: Site) -> Iterator[Finding]:
    """Start a training while ten other processes compute without end."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(LOOPS)]
    try:
        seen, holds = _seen(site)
    except BrokenError as error:
        seen, holds = f"no response: {error}", False
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    yield Finding(f"a training beside {LOOPS} busy processes", seen, "a tenth of a processor, not stopped", holds)


def _seen(site: Site) -> tuple[str, bool]:
    stored = ask(site.address, form_bytes("/train/corpus", {"field": "text", "text": CORPUS}), patience=30)
    (corpus,) = parse_qs(urlsplit(stored.location).query)["corpus"]
    page = ask(site.address, form_bytes("/train", {"corpus": corpus}), patience=30).location
    began, most = time.monotonic(), 0.0
    while (since := time.monotonic() - began) < WATCHED:
        time.sleep(0.5)
        most = max(most, sum(seconds for process, seconds in site.processor_seconds().items() if _trains(process)))
        if "was stopped" in get(site.address, page, patience=30).text:
            return f"stopped after {since:.1f} s, {most:.1f} s of a processor", False
    return f"{most:.1f} s of a processor in {since:.0f} s", most > SHARE * since


def _trains(process: int) -> bool:
    try:
        return b"webapp.jobs.child" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
