"""Count the words of a large corpus as `tokenscope train` does: ``python -m tests.benchmarks.large_corpus``.

Not one of those that run by default: it writes a corpus of a gigabyte and takes minutes. ``--megabytes 50`` is a quick
look, ``--folder`` chooses where the corpus and the counts are written, twice its size at most.

The corpus is made of the books in `shared`, half English and half Chinese, their sentences in random order. Repeated as
they are, they would soon have no new words. So English gets invented ones as often as new words come in these books:
of n words, n ** .6 times 20 are distinct (Heaps' law, fitted to the 460,000 words of the English books), and each is
used again as often as another is invented. The words of Chinese are clauses, which differ almost always in a real
text: every second one is the beginning of one clause and the end of another.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import regex

from tests.benchmarks.harness import BOOKS, MEGABYTE, SHARED, Table, end, require_shared
from webapp.cluster.counting import count_words
from webapp.cluster.sources import find
from webapp.cluster.workers import of_this_machine
from webapp.core.training.plan import TrainingPlan
from webapp.processes import bytes_in, processes_of

DISTINCT, EXPONENT = 20, 0.6  # Heaps' law of English
SYLLABLES = [consonant + vowel for consonant in "bcdfghklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "ar", "en")]
SECONDS, DRIVER = 600, 600.0  # the goals for a gigabyte: seconds, and megabytes of the driver
LOOK = 0.2  # seconds between two looks at the memory of the workers


def write_corpus(path: Path, size: int) -> None:
    """Write a corpus of about `size` bytes; the same every time."""
    english, *chinese = ((SHARED / "corpora" / name).read_text(encoding="utf-8") for name in BOOKS)
    languages = [_english(english), _chinese("\n".join(chinese))]
    written = [0, 0]
    with path.open("w", encoding="utf-8") as file:
        while sum(written) < size:
            language = written.index(min(written))
            line = next(languages[language])
            written[language] += len(line.encode())
            file.write(line)


def _english(text: str) -> Iterator[str]:
    random = Random(1)
    sentences = [sentence.split() for sentence in regex.split(r"(?<=[.!?])\s+", text)]
    invented: list[str] = ["Zarbeno"]
    words = 0
    while True:
        sentence = random.choice(sentences).copy()
        words += len(sentence)
        rate = DISTINCT * EXPONENT * words ** (EXPONENT - 1)
        for at in range(len(sentence)):
            if random.random() < rate:
                invented.append("".join(random.choices(SYLLABLES, k=random.randrange(2, 6))))
                sentence[at] = invented[-1] if random.random() < 0.5 else random.choice(invented)
        yield " ".join(sentence) + "\n"


def _chinese(text: str) -> Iterator[str]:
    random = Random(2)
    lines = [regex.findall(r"\w+|\W+", line) for line in text.splitlines() if line.strip()]
    clauses = regex.findall(r"\w+", text)
    while True:
        line = random.choice(lines).copy()
        for at, clause in enumerate(line):
            if clause[0].isalnum() and random.random() < 0.5:
                other = random.choice(clauses)
                line[at] = clause[: random.randrange(len(clause)) + 1] + other[random.randrange(len(other)) :]
        yield "".join(line) + "\n"


class PeakOfWorkers(threading.Thread):
    """The most memory that each of the other processes of this session has had resident, in bytes."""

    def __init__(self, driver: int) -> None:
        super().__init__(daemon=True)
        self.peaks: dict[int, int] = {}
        self._driver = driver

    def run(self) -> None:
        """Look at the processes until this one ends; those that have ended count, too."""
        while True:
            for process in processes_of(self._driver):
                if process != self._driver:
                    peak = bytes_in(process, "status", "VmHWM:")
                    self.peaks[process] = max(self.peaks.get(process, 0), peak)
            time.sleep(LOOK)


def count(corpus: Path, workers: int) -> None:
    """Count the corpus and print the figures as JSON; in a process and a session of its own."""
    watch = PeakOfWorkers(os.getpid())
    watch.start()
    began = time.monotonic()
    with of_this_machine(workers) as client:
        counted, _ = count_words(
            client, find([str(corpus)]), TrainingPlan(), lambda _: None, folder=corpus.with_suffix(".counting")
        )
    figures = {
        "seconds": time.monotonic() - began,
        "distinct": len(counted.counts),
        "bytes": counted.bytes,
        "driver": bytes_in("self", "status", "VmHWM:") / MEGABYTE,
        "workers": sorted((peak / MEGABYTE for peak in watch.peaks.values()), reverse=True)[:workers],
    }
    print(json.dumps(figures))


def main() -> int:
    """Write the corpus, count it, and print time and memory beside the goals."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=1_000, help="of the corpus (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes that count (%(default)s)")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the corpus is written (%(default)s)")
    parser.add_argument("--count", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        count(options.count, options.workers)
        return 0
    require_shared()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        corpus = Path(folder, "corpus.txt")
        began = time.monotonic()
        write_corpus(corpus, options.megabytes * MEGABYTE)
        print(f"{corpus.stat().st_size / MEGABYTE:,.0f} MB written in {time.monotonic() - began:.0f} s", flush=True)
        command = [sys.executable, "-m", "tests.benchmarks.large_corpus", "--count", str(corpus)]
        command += ["--workers", str(options.workers)]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, start_new_session=True).stdout)
    table = Table("{:<26}{:>12}{:>10}", [])
    table.row("", "", "goal")
    table.row("distinct words", f"{found['distinct']:,}", "")
    seconds = SECONDS * options.megabytes / 1_000
    table.row("seconds", f"{found['seconds']:.0f}", f"{seconds:.0f}", missed=found["seconds"] > seconds)
    table.row("MB of the driver", f"{found['driver']:.0f}", f"{DRIVER:.0f}", missed=found["driver"] > DRIVER)
    table.row("MB of each worker", " ".join(f"{peak:.0f}" for peak in found["workers"]), "")
    return end(table.missed)


if __name__ == "__main__":
    raise SystemExit(main())
