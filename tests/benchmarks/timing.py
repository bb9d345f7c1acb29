"""Comparing two implementations fairly: interleaved runs, CPU time, medians.

Not a benchmark of its own: run as one, it prints nothing.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

BELOW = "below its goal: "


@dataclass(frozen=True)
class Contender:
    """What is timed: `prepare` makes what `run` is given, anew for every run and off the clock."""

    name: str
    run: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None


class Goal(NamedTuple):
    """How many times the rival's speed ours should be, cold and warm; 0 where nothing is asked."""

    cold: float = 0.0
    warm: float = 0.0


class Row(NamedTuple):
    """One line of a table: CPU seconds, and what is asked."""

    name: str
    text: str
    rival: float
    cold: float
    warm: float
    goal: Goal

    @property
    def reached(self) -> bool:
        """Whether both goals are reached, as far as two decimals tell."""
        return round(self.rival / self.cold, 2) >= self.goal.cold and round(self.rival / self.warm, 2) >= self.goal.warm


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


def seconds_of(run: Callable[[], object]) -> float:
    """CPU time of one run."""
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


_ROW = "{:<24}{:<10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}"


def show_header(rival: str) -> None:
    """Print a table's first line."""
    print(_ROW.format("", "", rival, "cold s", "warm s", "cold", "warm", "goal"), flush=True)


def show(row: Row) -> None:
    """Print one line of the table."""
    seconds = (f"{value:.3f}" for value in (row.rival, row.cold, row.warm))
    ratios = f"{row.rival / row.cold:.2f}x", f"{row.rival / row.warm:.2f}x"
    goals = "/".join(f"{goal:g}" if goal else "-" for goal in row.goal)
    print(_ROW.format(row.name, row.text, *seconds, *ratios, goals), flush=True)


def end(rows: Sequence[Row], others: Sequence[str] = ()) -> int:
    """Print each goal that was missed; the exit status, which is 1 if there are any."""
    missed = [f"{row.name}, {row.text}" for row in rows if not row.reached] + list(others)
    for name in missed:
        print(f"{BELOW}{name}", flush=True)
    return 1 if missed else 0
