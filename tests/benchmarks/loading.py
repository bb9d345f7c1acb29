"""The time and memory that loading a vocabulary takes: ``python -m tests.benchmarks.loading``.

Each is read in its own process: CPU seconds; the growth of the process once it is read (including patterns that
vocabularies share), and once it has encoded a novel in English, one in Japanese and 5 MB of source code, so that its
caches are full; and the peak of the process. 100,000 tokens should take less than a second.
"""

import gc
import os
import resource
import subprocess
import sys

from tests.benchmarks.texts import require_shared, text
from tests.benchmarks.timing import end, seconds_of
from tests.benchmarks.vocabularies import readers

LONGEST = 1.0  # seconds
_ROW = "{:<24}{:>9}{:>9}{:>12}{:>14}{:>10}"


def resident() -> float:
    """Return the memory of this process in megabytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(name: str) -> None:
    """Print the figures of one vocabulary, in a fresh process."""
    texts = [text(each) for each in ("English", "Japanese", "code")]
    read = dict(readers())[name]
    before = resident()
    kept = [read()]
    kept[0].ids("a")
    gc.collect()
    loaded = resident()
    seconds = seconds_of(read)
    for each in texts:
        kept[0].ids(each)
    gc.collect()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(len(kept[0].model.pieces), seconds, loaded - before, resident() - before, most)


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    print(_ROW.format("", "pieces", "load s", "loaded MB", "used MB", "most MB"))
    missed = []
    for name, _ in readers():
        command = [sys.executable, "-m", "tests.benchmarks.loading", name]
        pieces, *figures = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        seconds, loaded, used, most = map(float, figures)
        print(_ROW.format(name, pieces, f"{seconds:.2f}", f"{loaded:.0f}", f"{used:.0f}", f"{most:.0f}"), flush=True)
        if seconds > LONGEST:
            missed.append(name)
    return end([], missed)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        raise SystemExit(main())
