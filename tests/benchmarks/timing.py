"""Comparing two implementations fairly: interleaved runs, CPU time, medians.

Not a benchmark of its own: run as one, it prints nothing.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Contender:
    """What is timed: `prepare` makes what `run` is given, anew for every run and off the clock."""

    name: str
    run: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None


def medians(contenders: Sequence[Contender], runs: int = 7) -> list[float]:
    """The median CPU time of each contender in seconds, all taking turns so that a busy machine slows all alike."""
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(runs):
        for contender, taken in zip(contenders, times, strict=True):
            prepared = contender.prepare()
            gc.collect()
            start = time.process_time()
            contender.run(prepared)
            taken.append(time.process_time() - start)
    return [median(taken) for taken in times]
