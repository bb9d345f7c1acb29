"""The memory of the site as deployed: ``python -m tests.benchmarks.memory [--mix REQUESTS] [--workers N]``.

For each kind of export of a megabyte of English, NULs, emoji and Chinese: the seconds, the bytes, and by how many
megabytes the worker's peak and its own memory afterwards exceed those before. Goals: no export takes more than 5 s, or
150 MB at its peak, or leaves more than 80 MB.

With `--mix`, so many requests in the proportions of an ordinary day instead (70 % pages of 1 KB, 10 % pastes of 100 KB,
links, comparisons, the API, exports), and after each tenth the sum of the PSS of all processes.
"""

from __future__ import annotations

import argparse
import json
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from urllib.parse import urlencode

from tests.benchmarks.texts import MEGABYTE, SHARED, require_shared, text
from tests.benchmarks.timing import end
from tests.processes import (
    descendants,
    forget_peak,
    own_bytes,
    peak_bytes,
    proportional_bytes,
    resident_bytes,
    workers_of,
)
from tests.serving import Site, serving

KINDS = ("json", "csv", "txt", "html", "page", "api")
LONGEST = 5.0  # seconds
MOST_AT_PEAK, MOST_AFTERWARDS = 150, 80  # megabytes
# The share of each kind of request, in per cent.
SHARES = {"page": 70, "paste": 10, "link": 6, "compare": 6, "api": 6, "export": 2}


@contextmanager
def patient(workers: int) -> Iterator[Site]:
    """Serve the site without limits on waiting and work."""
    settings = {"TOKENSCOPE_MAX_QUEUE_SECONDS": "600", "TOKENSCOPE_MAX_WORK_SECONDS": "100000"}
    with serving(environment={"WEB_CONCURRENCY": str(workers), "TOKENSCOPE_PRELOAD": "true", **settings}) as site:
        yield site


def ask(address: str, path: str, form: dict[str, str] | None = None, body: object = None) -> tuple[int, int]:
    """Send a request; return the status and the bytes of the response."""
    headers = {"Content-Type": "application/json"} if body is not None else {}
    data = urlencode(form).encode() if form else json.dumps(body).encode() if body is not None else None
    try:
        with urllib.request.urlopen(urllib.request.Request(address + path, data, headers), timeout=300) as answer:
            return answer.status, sum(map(len, iter(lambda: answer.read(1 << 16), b"")))
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, 0


def export(address: str, kind: str, written: str) -> tuple[int, int]:
    """Request one kind of export."""
    if kind == "api":
        return ask(address, "/api/v1/tokenize", body={"text": written, "want": ["ids", "pieces", "offsets"]})
    return ask(address, "/" if kind == "page" else f"/download/tokens.{kind}", {"text": written, "algorithm": "bpe"})


def exports() -> int:
    """Print the table of exports."""
    chinese = (SHARED / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8")
    texts = {
        "English": (2 * text("English"))[:MEGABYTE],
        "NULs": "\0" * MEGABYTE,
        "emoji": "👨‍👩‍👧" * (MEGABYTE // 18),
        "Chinese": (9 * chinese)[: MEGABYTE // 3],
    }
    missed = []
    print(f"{'':<16}{'s':>8}{'MB sent':>10}{'peak MB':>10}{'after MB':>10}")
    for name, written in texts.items():
        for kind in KINDS:
            with patient(1) as site:
                export(site.address, kind, written[:1_000])
                # The pool has a worker for heavy requests and one for light ones: which is used is not known before.
                workers = workers_of(site.process.pid)
                before = {worker: (own_bytes(worker), resident_bytes(worker)) for worker in workers}
                for worker in workers:
                    forget_peak(worker)
                begun = time.perf_counter()
                _status, sent = export(site.address, kind, written)
                seconds = time.perf_counter() - begun
                left = [worker for worker in workers_of(site.process.pid) if worker in before]
                peak = max((peak_bytes(worker) - before[worker][1] for worker in left), default=0) / 1e6
                after = max((own_bytes(worker) - before[worker][0] for worker in left), default=0) / 1e6
            print(f"{name:<9}{kind:<7}{seconds:>8.2f}{sent / 1e6:>10.2f}{peak:>10.0f}{after:>10.0f}", flush=True)
            if seconds > LONGEST or peak > MOST_AT_PEAK or after > MOST_AFTERWARDS:
                missed.append(f"{name} as {kind}")
    return end([], missed)


def mix(requests: int, workers: int) -> int:
    """Send a mix of requests from three clients at once, and print the memory meanwhile."""
    random = Random(5)
    novels = (text("English"), text("English"), (SHARED / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8"))

    def part(length: int) -> str:
        novel = random.choice(novels)
        start = random.randrange(max(1, len(novel) - length))
        return novel[start : start + length]

    def one(kind: str) -> int:
        algorithm = random.choice(("bpe", "wordpiece", "unigram", "fmm"))
        if kind == "page":
            query = urlencode({"text": part(random.choice((300, 1_000))), "algorithm": algorithm})
            return ask(site.address, f"/?{query}")[0]
        if kind == "paste":
            return ask(site.address, "/", {"text": part(100_000), "algorithm": algorithm})[0]
        if kind == "link":
            return ask(site.address, "/share", {"text": part(400), "algorithm": "bpe"})[0]
        if kind == "compare":
            return ask(site.address, f"/compare?{urlencode({'text': part(600)})}")[0]
        if kind == "api":
            return ask(site.address, "/api/v1/tokenize", body={"text": part(5_000), "vocabulary": "bpe-bytes"})[0]
        written = "\0" * 300_000 if random.random() < 0.3 else part(500_000)
        return export(site.address, random.choice(("json", "csv", "html", "txt")), written)[0]

    kinds = random.choices(list(SHARES), list(SHARES.values()), k=requests)
    statuses: Counter[int] = Counter()
    with patient(workers) as site, ThreadPoolExecutor(3) as clients:
        for tenth in range(10):
            statuses.update(clients.map(one, kinds[tenth::10]))
            everything = [site.process.pid, *dict.fromkeys(descendants(site.process.pid))]
            total = sum(map(proportional_bytes, everything)) / 1e6
            own = sorted((own_bytes(worker) // 1_000_000 for worker in workers_of(site.process.pid)), reverse=True)
            print(
                f"{sum(statuses.values()):>7} requests: PSS of all {total:>6.0f} MB, own of workers {own}", flush=True
            )
    print(dict(statuses))
    return 0


def main() -> int:
    """Print the table of exports, or the memory during a mix."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mix", type=int, default=0, help="send so many requests of all kinds")
    parser.add_argument("--workers", type=int, default=2, help="the number of workers for the mix")
    options = parser.parse_args()
    require_shared()
    return mix(options.mix, options.workers) if options.mix else exports()


if __name__ == "__main__":
    raise SystemExit(main())
