"""What is left in TMPDIR by a process that is killed, and long responses while TMPDIR is full."""

import json
import os
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.attacks.exchange import BrokenError, form_bytes, get, read_answer, request_bytes
from tests.attacks.findings import Finding
from tests.attacks.site import Site
from tests.storage.killing import FRONT, processes_of

UPLOAD = 19_000_000  # bytes of a body that has not arrived whole
RESTART = 120.0  # seconds until the site has been loaded again: 7 on a machine with nothing else to do
LONG_TEXT = "a b c d " * 100_000


def killed_front(site: Site) -> Iterator[Finding]:
    """Kill the process that holds the connections in the middle of an upload; what was uploaded must not stay."""
    before = _left(site.temporary)
    with socket.create_connection(site.address, timeout=5) as client:
        client.sendall(form_bytes("/upload", {}, [("vocabulary_file", b"x" * UPLOAD)])[:-100])
        time.sleep(0.5)
        for pid, role in processes_of(site.process.pid).items():
            if role == FRONT:
                os.kill(pid, signal.SIGKILL)
    began, status = time.monotonic(), 0
    while not status and time.monotonic() - began < RESTART:
        with suppress(BrokenError):
            status = get(site.address, "/", patience=RESTART).status
        time.sleep(0.1)
    seen = f"{status} after {time.monotonic() - began:.1f} s"
    yield Finding("a page after its end", seen, f"200 within {RESTART:.0f} s", status == 200)
    now = _left(site.temporary)
    seen = f"{now[0]} files and folders with {now[1]:,} bytes"
    yield Finding("its temporary files", seen, f"{before[0]} with {before[1]:,}", now == before)


def _left(folder: Path) -> tuple[int, int]:
    """Return the number of files and folders below `folder`, and the bytes of the files."""
    paths = list(folder.rglob("*"))
    return len(paths), sum(path.stat().st_size for path in paths if path.is_file())


def full_disk(site: Site) -> Iterator[Finding]:
    """Ask for long responses while no temporary file can grow, and read them late."""
    for pid in site.processor_seconds():
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (300_000, 300_000))
    body = json.dumps({"text": LONG_TEXT, "vocabulary": "bpe-bytes"}).encode()
    request = request_bytes("POST", "/api/v1/tokenize", body, content_type="application/json")
    for pause in (0.0, 3.0):
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            client.settimeout(20)
            client.connect(site.address)
            client.sendall(request)
            time.sleep(pause)
            tried = f"the tokens of {len(LONG_TEXT):,} bytes, read {pause:.0f} s late"
            try:
                answer = read_answer(client)
            except BrokenError as error:
                yield Finding(tried, str(error), "a whole response", False)
                continue
            whole = answer.status == 200 and answer.body.endswith(b"}")
            yield Finding(tried, f"{answer.status}, {len(answer.body):,} bytes", "a whole response", whole)
