"""The first minute with GPT-4o's vocabulary: ``python -m tests.benchmarks.opening``.

The seconds from the start of the site to its first page; those of the first answer of a fresh worker; and by how many
megabytes the own memory of a worker exceeds what it is after the same request with a demo vocabulary, on a line, a log
of 60 KB and a megabyte of English. Goals: an answer within 0.5 s, and 10 MB for each worker on a line.
"""

from __future__ import annotations

import time
from statistics import median

from tests.benchmarks.memory import ask, patient
from tests.benchmarks.texts import MEGABYTE, require_shared, text
from tests.benchmarks.timing import end
from tests.processes import own_bytes, workers_of

VOCABULARIES = ("bpe-bytes", "o200k_base", "cl100k_base", "r50k_base")
LONGEST = 0.5  # seconds
MOST = 10  # megabytes
RUNS = 3
LINE = "Tokenizers rarely agree: “unbelievably” may be one piece or five.\n"
LOG = "".join(
    f"2026-11-12T08:{line // 60:02}:{line % 60:02}Z INFO worker[{line % 7}] GET /items/{line * 37} 200 {line}ms\n"
    for line in range(1000)
)


def measured(vocabulary: str, written: str) -> tuple[float, float]:
    """Return the seconds of the first answer of a fresh worker, and how many bytes of its own the worker has then."""
    with patient(1) as site:
        begun = time.perf_counter()
        status, _sent = ask(site.address, "/api/v1/count", body={"text": written, "vocabulary": vocabulary})
        seconds = time.perf_counter() - begun
        assert status == 200, status
        ask(site.address, "/", {"algorithm": "bpe", "vocabulary": vocabulary, "text": written})
        return seconds, max(map(own_bytes, workers_of(site.process.pid)))


def start() -> float:
    """Return the seconds from the start of the site to its first page."""
    begun = time.perf_counter()
    with patient(1) as site:
        assert ask(site.address, "/")[0] == 200
        return time.perf_counter() - begun


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    missed = []
    print(f"start to the first page: {median(start() for _ in range(RUNS)):.2f} s")
    texts = {"line": LINE, "log": LOG, "megabyte": (2 * text("English"))[:MEGABYTE]}
    print(f"{'':<24}{'s':>8}{'own MB':>10}{'more MB':>10}")
    for name, written in texts.items():
        before = 0.0
        for vocabulary in VOCABULARIES:
            runs = [measured(vocabulary, written) for _ in range(RUNS)]
            seconds, own = median(run[0] for run in runs), median(run[1] for run in runs) / 1e6
            before = before or own
            print(f"{name:<10}{vocabulary:<14}{seconds:>8.2f}{own:>10.1f}{own - before:>10.1f}", flush=True)
            if name == "line" and (seconds > LONGEST or (vocabulary == "o200k_base" and own - before > MOST)):
                missed.append(f"{vocabulary} on a {name}")
    return end([], missed)


if __name__ == "__main__":
    raise SystemExit(main())
