"""Texts and files that cost much: ``python -m tests.benchmarks.hostile [TEXT ...]``.

A megabyte of each text goes through the playground with one tokenizer, and with six through the page of a comparison in
its export, the page of measures and the API, each in a process of its own: CPU seconds of the whole
request, their ratio to English prose of the same size, bytes of the response before compression, and the memory that it
took at its peak. The goals are 5 s, and 250 MB with six.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from flask import Flask

from tests.benchmarks.harness import MEGABYTE, Table, end, require_shared, text
from tests.site import HTMX, NOWHERE
from webapp import create_app

GOAL = 5.0  # CPU seconds
MOST_SECONDS = 60  # of CPU time; then the process of a case is stopped
MOST_MEMORY = 250e6  # bytes, with six tokenizers
CHOICES = {
    "fmm": {"algorithm": "fmm"},
    "bmm": {"algorithm": "bmm"},
    "bidirectional": {"algorithm": "bidirectional"},
    "maximum probability": {"algorithm": "max-probability"},
    "n-gram": {"algorithm": "ngram"},
    "bpe, bytes": {"algorithm": "bpe", "vocabulary": "bpe-bytes"},
    "bpe, characters": {"algorithm": "bpe", "vocabulary": "bpe-characters"},
    "wordpiece": {"algorithm": "wordpiece"},
    "unigram": {"algorithm": "unigram"},
}
SIX = (
    *("bpe:bpe-bytes", "bpe:bpe-characters", "wordpiece:wordpiece", "unigram:unigram"),
    *("fmm:jieba", "max-probability:jieba"),
)
PARTIAL: dict[str, Any] = {"headers": HTMX}
PAGES_OF_SIX: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "six, aligned": ("/compare", {}, PARTIAL),
    "six, JSON": ("/compare/tokens.json", {}, {}),
    "six, measures": ("/measures", {}, {}),
}


class Measured(NamedTuple):
    """CPU seconds, None for a case that was stopped, bytes of the page, and bytes of memory at the peak."""

    seconds: float | None
    page: int
    memory: int


def texts() -> dict[str, str]:
    """A megabyte of each kind; the first is benign."""
    random = Random(7)
    marks = [chr(code) for code in range(0x300, 0x36F)]
    controls = [chr(code) for code in (*range(1, 9), *range(14, 32), 127)]
    family = "👨\u200d👩\u200d👧\u200d👦"
    return {
        "English": (text("English") * 2)[:MEGABYTE],
        "one letter": "a" * MEGABYTE,
        "NULs": "\0" * MEGABYTE,
        "controls": "".join(random.choices(controls, k=MEGABYTE)),
        "joined emoji": family * (MEGABYTE // len(family.encode())),
        "combining marks": "".join(random.choices(marks, k=MEGABYTE // 2)),
        "U+FDFA": "\ufdfa" * (MEGABYTE // 3),
        "random letters": "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=MEGABYTE)),
        "U+202E": "\u202e" * (MEGABYTE // 3),
    }


def apart(run: Callable[[], int]) -> Measured:
    """Measure a function in a process of its own; it returns the bytes of a page."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        began, before = time.process_time(), _peak()
        try:
            page = run()
            result = f"{time.process_time() - began} {page} {_peak() - before}"
            os.write(writing, result.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        found = answer.read().split()
    os.waitpid(child, 0)
    return Measured(float(found[0]), int(found[1]), int(found[2])) if found else Measured(None, 0, 0)


def _peak() -> int:
    """The largest memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def answered(app: Flask, what: str, content: str) -> int:
    """The size of the response, which is read in parts, as a server sends it."""
    client = app.test_client()
    if what in CHOICES:
        answer = client.post("/", data={**CHOICES[what], "text": content}, headers=HTMX)
    elif what in PAGES_OF_SIX:
        path, more, options = PAGES_OF_SIX[what]
        answer = client.post(path, data={**more, "with": list(SIX), "text": content}, **options)
    else:
        choices = [dict(zip(("algorithm", "vocabulary"), each.split(":"), strict=True)) for each in SIX]
        answer = client.post("/api/v1/measures", json={"text": content, "tokenizers": choices})
    if answer.status_code != 200:
        raise RuntimeError(f"status {answer.status_code}")
    return sum(map(len, answer.iter_encoded()))


def main(chosen: list[str]) -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    table = Table("{:<18}{:<21}{:>8}{:>8}{:>10}{:>10}", [])
    table.row("text", "with", "CPU s", "ratio", "page MB", "peak MB")

    def show(name: str, what: str, found: Measured, benign: Measured) -> None:
        slow = found.seconds is None or found.seconds > GOAL or (what.startswith("six") and found.memory > MOST_MEMORY)
        ratio = found.seconds / benign.seconds if found.seconds and benign.seconds else None
        shown = "stopped" if found.seconds is None else f"{found.seconds:.2f}"
        figures = shown, f"{ratio:.2f}" if ratio else "", f"{found.page / 1e6:.1f}", f"{found.memory / 1e6:.0f}"
        table.row(name, what, *figures, missed=slow)

    with tempfile.TemporaryDirectory() as folder:
        files = {"VOCABULARY_FOLDER": folder, "DATABASE_FILE": str(Path(folder) / "site.sqlite")}
        app = create_app({**NOWHERE, **files, "RATE_READING": "", "RATE_STORING": "", "RATE_WORK": ""})
        ways = [*CHOICES, *PAGES_OF_SIX, "six, API"]
        for what in ways:
            answered(app, what, "one 研究生命起源" * 1_000)  # loads the vocabularies
        benign: dict[str, Measured] = {}
        for name, content in texts().items():
            for what in ways if name in (chosen or texts()) else ():
                found = apart(lambda what=what, content=content: answered(app, what, content))  # type: ignore[misc]
                show(name, what, found, benign.setdefault(what, found))
    return end(table.missed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
