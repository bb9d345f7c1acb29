"""Six tokenizers on texts that cost much: ``python -m tests.benchmarks.hostile_several [TEXT…]``.

A megabyte of each text goes through the page of a comparison in both layouts, its export as JSON, the page of measures
and the operation of the API, each in a process of its own: CPU seconds, bytes of the response before compression, and
the memory that the request took at its peak. The goals are 5 s and 250 MB.
"""

import sys
import tempfile
from pathlib import Path

from flask import Flask

from tests.benchmarks.hostile import GOAL, Measured, apart, texts
from tests.benchmarks.texts import require_shared
from tests.benchmarks.timing import BELOW
from tests.site import HTMX, NOWHERE
from webapp import create_app

MOST_MEMORY = 250  # megabytes
SIX = (
    *("bpe:bpe-bytes", "bpe:bpe-characters", "wordpiece:wordpiece", "unigram:unigram"),
    *("fmm:jieba", "max-probability:jieba"),
)
WAYS = ("aligned", "rows", "JSON", "measures", "API")


def answered(app: Flask, way: str, content: str) -> int:
    """Return the size of the response; it is read in parts, as a server sends it."""
    form = {"with": list(SIX), "text": content}
    client = app.test_client()
    match way:
        case "aligned":
            answer = client.post("/compare", data=form, headers=HTMX)
        case "rows":
            answer = client.post("/compare", data={**form, "layout": "rows"}, headers=HTMX)
        case "JSON":
            answer = client.post("/compare/tokens.json", data=form)
        case "measures":
            answer = client.post("/measures", data=form)
        case _:
            choices = [dict(zip(("algorithm", "vocabulary"), each.split(":"), strict=True)) for each in SIX]
            answer = client.post("/api/v1/measures", json={"text": content, "tokenizers": choices})
    if answer.status_code != 200:
        raise RuntimeError(f"status {answer.status_code}")
    return sum(map(len, answer.iter_encoded()))


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    row = "{:<18}{:<12}{:>8}{:>12}{:>10}  {}"
    print(row.format("text", "as", "CPU s", "answer MB", "peak MB", ""), flush=True)
    missed: list[str] = []

    def show(name: str, way: str, found: Measured) -> None:
        above = found.seconds is None or found.seconds > GOAL or found.memory > MOST_MEMORY * 1e6
        shown = "stopped" if found.seconds is None else f"{found.seconds:.2f}"
        figures = shown, f"{found.page / 1e6:.1f}", f"{found.memory / 1e6:.0f}"
        print(row.format(name, way, *figures, "missed" if above else ""), flush=True)
        if above:
            missed.append(f"{name}, {way}")

    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        files = {"VOCABULARY_FOLDER": folder, "DATABASE_FILE": str(Path(folder) / "site.sqlite")}
        app = create_app({**NOWHERE, **files, "RATE_READING": "", "RATE_STORING": "", "RATE_WORK": ""})
        for way in WAYS:
            answered(app, way, "one 研究生命起源" * 1_000)  # loads the vocabularies and the article
        for name, content in texts().items():
            if chosen and name not in chosen:
                continue
            for way in WAYS:
                show(name, way, apart(lambda way=way, content=content: answered(app, way, content)))  # type: ignore[misc]
    for name in missed:
        print(f"{BELOW}{name}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
