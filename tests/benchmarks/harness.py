"""What the benchmarks share: texts, medians of interleaved runs, tables with goals. Not a benchmark itself."""

import gc
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
VOCABULARIES = SHARED / "vocabularies"
SHIPPED = ROOT / "webapp" / "vocabularies" / "shipped"
MEGABYTE = 1_000_000
NOVELS = {"English": "en_pride_and_prejudice.txt", "Japanese": "ja_wagahai.txt"}
BOOKS = ("en_holmes_and_others.txt", "zh_luxun.txt", "zh_honglou.txt", "zh_shuihu.txt")


def require_shared() -> None:
    """Raise SystemExit if there are no texts."""
    if not SHARED.is_dir():
        raise SystemExit(f"there is no {SHARED}: the texts are missing")


@cache
def text(name: str) -> str:
    """Return a text by name: a novel in `English` or `Japanese`, or `code` (5 MB)."""
    if name == "code":
        return _beginning(_code(), 5 * MEGABYTE)
    return (SHARED / "texts" / NOVELS[name]).read_text(encoding="utf-8")


def corpus(kind: str, size: float) -> str:
    """Return so many megabytes: `English`, or `mixed`: English, Chinese and code in equal parts."""
    english, *chinese = (SHARED / "corpora" / name for name in BOOKS)
    budget = int(size * MEGABYTE)
    if kind == "English":
        return _beginning([english], budget)
    parts = _beginning([english], budget // 3) + _beginning(chinese, budget // 3)
    return parts + _beginning(_code(), budget - len(parts.encode()))


def _code() -> Iterator[Path]:
    """Yield the source files of the standard library, again and again."""
    files = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    return chain.from_iterable(cycle([[path for path in files if "site-packages" not in path.parts]]))


def _beginning(paths: Iterable[Path], budget: int) -> str:
    read = bytearray()
    for path in paths:
        read += path.read_bytes()
        if len(read) >= budget:
            break
    return bytes(read[:budget]).decode(errors="ignore")


@dataclass(frozen=True)
class Contender:
    """What is timed: `prepare` makes what `run` is given, again for every run and off the clock."""

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


class Goal(NamedTuple):
    """How many times the rival's speed ours should be, cold and warm; 0 for no goal."""

    cold: float = 0.0
    warm: float = 0.0


@dataclass
class Table:
    """Rows that are printed as they are measured, and the names of those that missed their goal."""

    form: str
    missed: list[str]

    def row(self, *cells: object, missed: bool = False) -> None:
        """Print a row, whose first cells name it."""
        print(self.form.format(*cells), "missed" if missed else "", flush=True)
        if missed:
            self.missed.append(", ".join(str(cell) for cell in cells[:2]))


def end(missed: Sequence[str]) -> int:
    """Print each goal that was missed; the exit status, which is 1 if there are any."""
    for name in missed:
        print(f"below its goal: {name}", flush=True)
    return 1 if missed else 0
