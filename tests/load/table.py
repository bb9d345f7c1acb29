"""The table of the load test: a row for each measurement, with its goal."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tests.load.measuring import Measured, told
from tests.load.processes import growth
from tests.load.samples import by_kind, figures, worst_minute

WIDTHS = (44, 14, 18, 8, 34, 24, 10)
HEADINGS = (
    "meanwhile",
    "visitor p50",
    "p99 (worst min.)",
    "goal",
    "others: answered/503/429/errors",
    "MB: all, largest",
    "site CPU",
)


@dataclass(frozen=True)
class Row:
    """One measurement; `goal` is the visitor's 99th percentile of its worst minute in seconds, None for no goal."""

    name: str
    meanwhile: str
    goal: float | None
    measured: Measured
    refusals_allowed: bool = False

    @property
    def p99(self) -> float:
        """The visitor's 99th percentile of the worst minute, in seconds."""
        return worst_minute(self.measured.visitor)

    def missed(self) -> list[str]:
        """Return what is wrong, in words; empty if every goal is reached."""
        visitor, others = figures(self.measured.visitor).outcomes, figures(self.measured.others).outcomes
        wrong = []
        if self.goal is not None and self.p99 > self.goal:
            wrong.append(f"p99 {milliseconds(self.p99)} instead of at most {milliseconds(self.goal)}")
        if unanswered := sum(number for outcome, number in visitor.items() if outcome != "answered"):
            wrong.append(f"{unanswered} of the visitor's requests were not answered ({_outcomes(visitor)})")
        if untold := sum(not sample.told for sample in self.measured.others):
            wrong.append(f"{untold} refusals without Retry-After")
        if errors := others.get("error"):
            wrong.append(f"{errors} errors")
        if not self.refusals_allowed and (refused := others.get("503", 0) + others.get("429", 0)):
            wrong.append(f"{refused} requests were refused below capacity")
        return wrong

    def lines(self) -> list[str]:
        """Return the row and, below it, the figures of each kind of request and what to know."""
        visitor, others = figures(self.measured.visitor), figures(self.measured.others).outcomes
        counts = "/".join(str(others.get(outcome, 0)) for outcome in ("answered", "503", "429", "error"))
        usages = self.measured.usages
        memory = cpu = "–"
        if len(usages) > 1:
            memory = f"{max(u.total for u in usages) / 1e6:.0f}, {max(u.largest for u in usages) / 1e6:.0f}"
            cpu = f"{(usages[-1].cpu - usages[0].cpu) / (usages[-1].at - usages[0].at):.2f}"
        goal = "–" if self.goal is None else milliseconds(self.goal)
        p99 = f"{milliseconds(visitor.p99)} ({milliseconds(self.p99)})"
        lines = [_line((self.meanwhile, milliseconds(visitor.p50), p99, goal, counts, memory, cpu))]
        for kind, some in by_kind(self.measured.others).items():
            seconds = " / ".join(milliseconds(value) for value in (some.p50, some.p95, some.p99, some.worst))
            lines.append(f"    {kind:<18} p50/p95/p99/most {seconds}; {_outcomes(some.outcomes)}")
        lines.append(f"    this process: {self.measured.own_load:.2f} of a core")
        lines += [f"    doubtful: {reason}" for reason in told(self.measured)]
        return [*lines, *(f"    MISSED: {wrong}" for wrong in self.missed())]

    def record(self) -> dict[str, object]:
        """Return the row for a JSON file; seconds and bytes."""
        usages = self.measured.usages
        return {
            "scenario": self.name,
            "goal": self.goal,
            "visitor": asdict(figures(self.measured.visitor)),
            "visitor_worst_minute_p99": self.p99,
            "others": {kind: asdict(some) for kind, some in by_kind(self.measured.others).items()},
            "outcomes": figures(self.measured.others).outcomes,
            "memory": max((usage.total for usage in usages), default=None),
            "largest_private_memory": max((usage.largest for usage in usages), default=None),
            "growth_in_second_half": growth(usages),
            "generator_load": self.measured.own_load,
            "missed": self.missed(),
        }


def heading() -> str:
    """Return the two lines above the rows."""
    return f"{_line(HEADINGS)}\n{_line(['-' * width for width in WIDTHS])}"


def milliseconds(seconds: float) -> str:
    """Return a duration for the table.

    >>> milliseconds(0.0451), milliseconds(12.34), milliseconds(float("inf"))
    ('45 ms', '12.3 s', '–')
    """
    if seconds == float("inf"):
        return "–"
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _outcomes(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{number} × {outcome}" for outcome, number in sorted(outcomes.items()))


def _line(cells: Sequence[str]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()
