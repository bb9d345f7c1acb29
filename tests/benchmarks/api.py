"""The overhead of the API over the core, on a server as deployed: ``python -m tests.benchmarks.api``.

``POST count`` of a megabyte against the core's own speed on the same text, both measured in this run, taking turns: the
core in this process, in wall time, like the response. A batch of 1,000 short texts is one request. Rate limiting is
measured on ``/vocabularies/RECORD.json``, which does little else.
"""

import http.client
import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tests.serving import ROOT, serve
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

TEXTS = ROOT.parent / "shared" / "texts"
RUNS = 9
GOAL = 0.7  # of the core's own speed
BATCH_GOAL = 1.0  # seconds


def main() -> None:
    """Measure and print the table."""
    if not TEXTS.is_dir():
        raise SystemExit(f"There is no {TEXTS}, which has the texts to measure with.")
    text = (TEXTS / "en_pride_and_prejudice.txt").read_text(encoding="utf-8")
    text = (text * (1_000_000 // len(text) + 1))[:1_000_000]
    with serve(environment={"WEB_CONCURRENCY": "1"}) as address:
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        for name in NAMES:
            tokenizer = shipped_tokenizer(name)
            body = json.dumps({"text": text, "vocabulary": name}).encode()
            expected = len(tokenizer.ids(text))
            assert post(connection, "count", body)["tokens"] == expected
            core, api = in_turns(
                lambda tokenizer=tokenizer: tokenizer.ids(text), lambda body=body: post(connection, "count", body)
            )
            share = core / api
            mark = "" if share >= GOAL else "  missed"
            print(f"count, 1 MB, {name:16} core {core * 1000:6.0f} ms  API {api * 1000:6.0f} ms", end="")
            print(f"  {share:.2f} of the core's speed (goal {GOAL}){mark}", flush=True)
        texts = [text[start : start + 60] for start in range(0, 60_000, 60)]
        for name in NAMES:
            batch = json.dumps({"texts": texts, "vocabulary": name}).encode()
            (taken,) = in_turns(lambda batch=batch: post(connection, "tokenize", batch))
            mark = "" if taken < BATCH_GOAL else "  missed"
            print(f"tokenize, 1,000 texts of 60 characters, {name:16} {taken * 1000:6.0f} ms{mark}", flush=True)
        connection.close()
    limits()


def limits() -> None:
    """Measure the cost of rate limiting per request."""
    ample = {"TOKENSCOPE_RATE_READING": "1000000 per minute", "TOKENSCOPE_RATE_STORING": "1000000 per minute"}
    with (
        serve(environment={"WEB_CONCURRENCY": "1"}) as without,
        serve(environment={"WEB_CONCURRENCY": "1", **ample}) as counted,
    ):
        links = [http.client.HTTPConnection(urlsplit(address).netloc, timeout=60) for address in (without, counted)]
        times = in_turns(
            *(lambda link=link: [get(link, "/vocabularies/RECORD.json") for _ in range(200)] for link in links)
        )
        for link in links:
            link.close()
    free, limited = (taken / 200 * 1_000_000 for taken in times)
    print(f"a small response: {free:.0f} µs without, {limited:.0f} µs with rate limits")


def in_turns(*runs: Callable[[], Any]) -> list[float]:
    """Return the median seconds of each, all taking turns."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(RUNS):
        for run, taken in zip(runs, times, strict=True):
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
    return [median(taken) for taken in times]


def post(connection: http.client.HTTPConnection, path: str, body: bytes) -> Any:
    """Return the response to a body."""
    connection.request("POST", f"/api/v1/{path}", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(content[:500])
    return json.loads(content)


def get(connection: http.client.HTTPConnection, path: str) -> None:
    """Read a response to its end."""
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"GET {path}: status {answer.status}")


if __name__ == "__main__":
    main()
