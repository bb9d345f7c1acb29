"""The memory of the site as deployed: ``python -m tests.benchmarks.peaks``.

For each kind of export of a megabyte of English, NULs, emoji and Chinese: the seconds, the bytes, and by how many
megabytes the request worker's peak and its own memory afterwards exceed those before. Goals: no export takes more than
5 s, or 150 MB at its peak, or leaves more than 80 MB.
"""

import json
import time
import urllib.request
from urllib.parse import urlencode

from tests.benchmarks.harness import MEGABYTE, SHARED, Table, end, require_shared, text
from tests.processes import forget_peak, own_bytes, peak_bytes, resident_bytes, workers_of
from tests.serving import serving

KINDS = ("json", "csv", "txt", "html", "page", "api")
LONGEST = 5.0  # seconds
MOST_AT_PEAK, MOST_AFTERWARDS = 150, 80  # megabytes
# No limits on waiting and work.
PATIENT = {
    "WEB_CONCURRENCY": "1",
    "TOKENSCOPE_PRELOAD": "true",
    "TOKENSCOPE_MAX_QUEUE_SECONDS": "600",
    "TOKENSCOPE_MAX_WORK_SECONDS": "100000",
}


def export(address: str, kind: str, written: str) -> int:
    """Request one kind of export; return the bytes of the response."""
    path = {"api": "/api/v1/tokenize", "page": "/"}.get(kind, f"/download/tokens.{kind}")
    headers = {"Content-Type": "application/json"} if kind == "api" else {}
    body = json.dumps({"text": written, "want": ["ids", "pieces", "offsets"]})
    data = body if kind == "api" else urlencode({"text": written, "algorithm": "bpe"})
    request = urllib.request.Request(address + path, data.encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return sum(map(len, iter(lambda: answer.read(1 << 16), b"")))


def measure(name: str, kind: str, written: str, table: Table) -> None:
    """Print the figures of one export."""
    with serving(environment=PATIENT) as site:
        export(site.address, kind, written[:1_000])
        # There is a worker for heavy requests and one for light ones: which is used is not known before.
        before = {worker: (own_bytes(worker), resident_bytes(worker)) for worker in workers_of(site.process.pid)}
        for worker in before:
            forget_peak(worker)
        begun = time.perf_counter()
        sent = export(site.address, kind, written)
        seconds = time.perf_counter() - begun
        left = [worker for worker in workers_of(site.process.pid) if worker in before]
        peak = max((peak_bytes(worker) - before[worker][1] for worker in left), default=0) / 1e6
        after = max((own_bytes(worker) - before[worker][0] for worker in left), default=0) / 1e6
    missed = seconds > LONGEST or peak > MOST_AT_PEAK or after > MOST_AFTERWARDS
    table.row(name, kind, f"{seconds:.2f}", f"{sent / 1e6:.2f}", f"{peak:.0f}", f"{after:.0f}", missed=missed)


def main() -> int:
    """Print the table of exports, and after it each goal that was missed."""
    require_shared()
    chinese = (SHARED / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8")
    texts = {
        "English": (2 * text("English"))[:MEGABYTE],
        "NULs": "\0" * MEGABYTE,
        "emoji": "👨‍👩‍👧" * (MEGABYTE // 18),
        "Chinese": (9 * chinese)[: MEGABYTE // 3],
    }
    table = Table("{:<9}{:<7}{:>8}{:>10}{:>10}{:>10}", [])
    table.row("", "", "s", "MB sent", "peak MB", "after MB")
    for name, written in texts.items():
        for kind in KINDS:
            measure(name, kind, written, table)
    return end(table.missed)


if __name__ == "__main__":
    raise SystemExit(main())
