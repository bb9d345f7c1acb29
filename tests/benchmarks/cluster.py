"""Counting the words of a large corpus with Dask: ``python -m tests.benchmarks.cluster [--megabytes 100]``.

A gigabyte of generated text is counted by one worker process and by two. Two should be at least 1.6 times as fast, and
no process should need a gigabyte. The text has as many different words as real text (Heaps' law): after N words,
3.2 · N^0.7, which fits the pre-tokens of English books from 0.1 to 2.8 MB.

The estimates for 1 and 100 TB in `.github/OPERATING.md` follow from measurements on 22 November 2026, on two cores
that other processes used too: 2.6 MB/s a core, two workers 1.87 times as fast as one, a peak of 192 MB for a worker.
They use the law above with 4.5 bytes of text a word: 280 million different words in 1 TB, 7 billion in 100 TB; each
takes 12 bytes in a run and about 150 bytes in the memory of the process that trains, before the trainer's own
structures. What limits first:

1. The memory of the process that trains. `--drop-rarer-than 2` leaves out 70 % of the words of 1 TB, 100 leaves out
   99 % of those of 100 TB.
2. Merging the batches, which one process does. The partitions are independent, so workers could do it.
3. Dask's scheduler, with about 1 ms for a task: 130,000 tasks for 1 TB, 4.5 million for 100 TB.
4. Long tasks: above 4 TB parts grow, to 6 GB at 100 TB, 39 minutes that a lost worker repeats.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from math import e, log
from pathlib import Path
from random import Random
from time import perf_counter

from tests.benchmarks.timing import BELOW
from webapp.cluster import counting, workers
from webapp.cluster.batches import Batches
from webapp.cluster.sources import find
from webapp.core.training.plan import Progress, TrainingPlan

K, BETA = 3.2, 0.7
WORDS_OF_A_BLOCK = 200_000
WORDS_OF_A_LINE = 15
SYLLABLES = ["".join(letters) for letters in product("bcdfghklmnprstvw", "aeiou")]
FASTER, MOST_MEGABYTES = 1.6, 1_000
LINE = "{:<36}{:>12}{:>12}"


def spelled(number: int) -> str:
    """Return the word with a number: the lower, the shorter; words of one length come in no order."""
    length, several = 1, len(SYLLABLES)
    while number >= several:
        number -= several
        length, several = length + 1, several * len(SYLLABLES)
    number = number * 0x9E3779B1 % several  # a prime: each word once
    syllables = []
    for _ in range(length):
        number, rest = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[rest])
    return "".join(syllables)


def blocks_of_text() -> Iterator[str]:
    """Yield lines without end: new words by Heaps' law, known ones by a Zipf distribution of their ranks."""
    random = Random(0)
    words: list[str] = []
    written = 0
    while True:
        wanted = round(K * (written + WORDS_OF_A_BLOCK) ** BETA)
        new = [spelled(number) for number in range(len(words), wanted)]
        words += new
        scale = log(len(words))
        drawn = [words[int(e ** (scale * random.random())) - 1] for _ in range(WORDS_OF_A_BLOCK)]
        for word in new:
            drawn[int(random.random() * WORDS_OF_A_BLOCK)] = word
        written += WORDS_OF_A_BLOCK
        starts = range(0, WORDS_OF_A_BLOCK, WORDS_OF_A_LINE)
        yield "".join(f" {' '.join(drawn[start : start + WORDS_OF_A_LINE])}.\n" for start in starts)


def generate(path: Path, size: int) -> None:
    """Write a file of `size` bytes, the same every time."""
    with path.open("w", encoding="ascii") as file:
        for block in blocks_of_text():
            file.write(block[: size - file.tell()])
            if file.tell() >= size:
                return


def peak() -> float:
    """Return the peak memory of this process since it was started, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def spent() -> float:
    """Return the CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def run(path: Path, processes: int) -> dict[str, float]:
    """Count the words of a file with so many workers, and return what it took."""
    folder = path.with_name(f"counting-{processes}")
    counted_at = 0.0

    def report(progress: Progress) -> None:
        nonlocal counted_at
        counted_at = perf_counter()

    with workers.of_this_machine(processes) as client:
        own = spent()
        start = perf_counter()
        found = counting.count_words(client, find([str(path)]), TrainingPlan(), report, folder=folder)
        seconds = perf_counter() - start
        counts = found.corpus.counts
        stored = sum(each.stat().st_size for each in folder.glob("*.runs"))
        result = {
            "seconds": seconds,
            "seconds until all parts were counted": counted_at - start,
            "CPU seconds of the workers": sum(client.run(spent).values()),
            "CPU seconds of this process": spent() - own,
            "peak MB of a worker": max(client.run(peak).values()),
            "peak MB of this process": peak(),
            "different words": len(counts),
            "words": sum(counts.values()),
            "MB sent by the workers": stored / 1e6,
        }
    Batches(folder, "").delete()
    return result


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=1_000, help="the size of the corpus")
    parser.add_argument("--run", nargs=2, metavar=("FILE", "WORKERS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(run(Path(options.run[0]), int(options.run[1]))))
        return 0
    size = options.megabytes * 1_000_000
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < 3 * size:
        raise SystemExit(f"{tempfile.gettempdir()} has {free / 1e9:.1f} GB free; three times the corpus are needed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.txt"
        start = perf_counter()
        generate(path, size)
        print(f"{options.megabytes:,} MB generated in {perf_counter() - start:.0f} s", flush=True)
        results = []
        for processes in (1, 2):
            command = [sys.executable, "-m", "tests.benchmarks.cluster", "--run", str(path), str(processes)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
            results.append(json.loads(done.stdout))
    print(LINE.format("", "1 worker", "2 workers"))
    for name, value in results[0].items():
        print(LINE.format(name, f"{value:,.1f}", f"{results[1][name]:,.1f}"))
    faster = results[0]["seconds"] / results[1]["seconds"]
    print(LINE.format("times as fast", "", f"{faster:.2f}"))
    missed = []
    if faster < FASTER:
        missed.append(f"two workers are {faster:.2f} times as fast as one, not {FASTER}")
    missed += [
        f"{name}: {result[name]:.0f}, not below {MOST_MEGABYTES:,}"
        for result in results
        for name in ("peak MB of a worker", "peak MB of this process")
        if result[name] >= MOST_MEGABYTES
    ]
    for each in missed:
        print(f"{BELOW}{each}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
