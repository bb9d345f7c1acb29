"""The speed of storing and opening snapshots, on SQLite and PostgreSQL: ``python -m tests.benchmarks.storage``.

Eight clients share different texts of 2 KB directly in the store: as two processes with four threads each, which is
how several workers write, and as one process with eight threads. Then every acknowledged link is read again.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from tests.postgres import find_programs, running
from tests.serving import ROOT
from webapp.storage import Snapshot, Storage
from webapp.storage.engine import Database, url_of
from webapp.vocabularies import shipped_tokenizer

TEXT = ROOT.parent / "shared" / "texts" / "en_pride_and_prejudice.txt"
CLIENTS = 8
GOAL = 100
SECONDS = 5.0

Acknowledged = dict[str, str]


def main() -> None:
    """Measure and print the table."""
    if not TEXT.is_file():
        raise SystemExit(f"There is no {TEXT}, which has the texts to share.")
    shown = sample()
    print(f"{'':60} {'ours':>12} {'goal':>12}")
    for name, url in databases():
        for processes in (2, 1):
            shares(name, url, processes, shown)
    print(f"\n{CLIENTS} clients, {len(shown.text.encode()):,} bytes and {len(shown.ids)} tokens each, {SECONDS:.0f} s.")


def databases() -> Iterator[tuple[str, str]]:
    """Yield an empty SQLite file and, if PostgreSQL is installed, a temporary server."""
    with tempfile.TemporaryDirectory() as folder:
        yield "SQLite", f"{folder}/tokenscope.sqlite"
    programs = find_programs()
    if programs is None:
        print("PostgreSQL is not installed here.")
        return
    with running(programs) as cluster:
        yield "PostgreSQL, without fsync", cluster.url


def sample() -> Snapshot:
    """Return the snapshot to share: 2 KB of a novel, tokenized with the playground's default vocabulary."""
    text = TEXT.read_text(encoding="utf-8")[50_000:52_000]
    encoding = shipped_tokenizer("bpe-bytes").encode(text)
    return Snapshot(
        text=text,
        state={"algorithm": "bpe", "vocabulary": "bpe-bytes"},
        ids=list(encoding.ids),
        starts=list(encoding.starts),
        ends=list(encoding.ends),
        pieces={id: encoding.piece(index) for index, id in enumerate(encoding.ids)},
        decoded=text,
        core_version="0",
    )


def shares(name: str, url: str, processes: int, shown: Snapshot) -> None:
    """Measure sharing, count what was lost, and measure opening."""
    threads = CLIENTS // processes
    how = f"{name}: {processes} x {threads} threads"
    with opened(url) as storage:
        storage.database.prepare()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        turns = [(url, threads, f"{processes} {number}", shown) for number in range(processes)]
        list(pool.map(ready, [url] * processes))
        results = list(pool.map(share, turns))
    rate = sum(rate for rate, _acknowledged in results)
    acknowledged = {id: text for _rate, found in results for id, text in found.items()}
    row(f"{how}, shares per second", rate, GOAL if name == "SQLite" else None, at_least=True)
    with opened(url) as storage:
        started = time.perf_counter()
        texts = {id: stored.snapshot.text for id in acknowledged if (stored := storage.snapshots.get(id))}
        taken = time.perf_counter() - started
    row(f"{how}, lost of {len(acknowledged):,}", sum(texts.get(id) != text for id, text in acknowledged.items()), 0)
    row(f"{name}: links opened per second, one after another", len(acknowledged) / taken, None)


def ready(url: str) -> None:
    """Let a process load what it needs, before the clock starts."""
    with opened(url) as storage:
        storage.snapshots.get("")
    time.sleep(0.5)  # so that each process takes one


def share(turn: tuple[str, int, str, Snapshot]) -> tuple[float, Acknowledged]:
    """Share from several threads; return the shares per second, and the text of every acknowledged id."""
    url, threads, label, shown = turn
    started = time.perf_counter()
    with opened(url) as storage, ThreadPoolExecutor(threads) as pool:

        def client(number: int) -> Acknowledged:
            acknowledged = {}
            count = 0
            while time.perf_counter() - started < SECONDS:
                count += 1
                mine = replace(shown, text=f"{label} {number} {count} {shown.text}")
                acknowledged[storage.snapshots.share(mine, expires=None).id] = mine.text
            return acknowledged

        found = list(pool.map(client, range(threads)))
        taken = time.perf_counter() - started
    acknowledged = {id: text for each in found for id, text in each.items()}
    return len(acknowledged) / taken, acknowledged


@contextmanager
def opened(url: str) -> Iterator[Storage]:
    """Yield the stores of a database, SQLite's if `url` is a path."""
    named, file = (url, Path()) if "://" in url else ("", Path(url))
    database = Database(url_of(named, file), seconds=5)
    yield Storage(database)
    database.close()


def row(what: str, ours: float, goal: float | None, at_least: bool = False) -> None:
    """Print one line of the table."""
    missed = goal is not None and (ours < goal if at_least else ours > goal)
    shown = "" if goal is None else f"{'>=' if at_least else '<='} {goal:,.0f}"
    print(f"{what:60} {ours:>12,.0f} {shown:>12}  {'missed' if missed else ''}".rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
