"""Text without spaces, with every vocabulary: ``python -m tests.benchmarks.growth``.

CPU seconds of a fresh tokenizer for 250 KB, 500 KB and 1 MB, and the factor of each doubling. A megabyte
should take less than 5 seconds, and a doubling at most 2.1 times as long: n log n.
"""

from collections.abc import Callable
from itertools import pairwise

from tests.benchmarks.texts import MEGABYTE, hostile, require_shared
from tests.benchmarks.timing import end, seconds_of
from tests.benchmarks.vocabularies import readers
from webapp.core.tokenizer import Tokenizer

SIZES = (MEGABYTE // 4, MEGABYTE // 2, MEGABYTE)
LONGEST = 5.0  # seconds
STEEPEST = 2.1 * 1.25  # times as long for twice the text, on average; timing on a busy machine is inexact
# Shorter times are too small to measure their growth.
SHORTEST = 0.1  # seconds


def seconds(read: Callable[[], Tokenizer], text: str) -> float:
    """Return the CPU seconds of a fresh tokenizer."""
    tokenizer = read()
    tokenizer.ids("a")  # patterns are compiled once per process
    return seconds_of(lambda: tokenizer.ids(text))


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    texts = {size: hostile(size) for size in SIZES}
    print("{:<24}{:<20}{:>9}{:>9}{:>9}{:>9}{:>9}".format("", "", "250 KB", "500 KB", "1 MB", "", ""))
    missed = []
    for name, read in readers():
        for kind in texts[MEGABYTE]:
            taken = [min(seconds(read, texts[size][kind]) for _ in range(2)) for size in SIZES]
            grown = [after / before for before, after in pairwise(taken)]
            print(
                f"{name:<24}{kind:<20}"
                + "".join(f"{value:>9.2f}" for value in taken)
                + "".join(f"{factor:>8.2f}x" for factor in grown),
                flush=True,
            )
            if taken[-1] > LONGEST or (taken[0] > SHORTEST and (taken[-1] / taken[0]) ** 0.5 > STEEPEST):
                missed.append(f"{name}, {kind}")
    return end([], missed)


if __name__ == "__main__":
    raise SystemExit(main())
