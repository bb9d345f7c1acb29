"""What was measured of each request, and figures of many."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.attacks.findings import percentile

ERROR = 0  # the status of a request that got no complete response


@dataclass(frozen=True)
class Sample:
    """One request: when it was due on the clock of `time.time`, and the seconds from then to the last byte.

    `status` is `ERROR` for a response that did not arrive whole; `told` says whether a refusal named the seconds to
    wait (`Retry-After`).
    """

    kind: str
    due: float
    seconds: float
    status: int
    received: int
    told: bool = True

    @property
    def outcome(self) -> str:
        """`answered`, `503`, `429`, or `error`: no whole response, or another status."""
        if 200 <= self.status < 400:
            return "answered"
        return str(self.status) if self.status in (429, 503) else "error"


@dataclass(frozen=True)
class Figures:
    """Of some requests: how many had which outcome, and percentiles of the seconds of those that were answered."""

    outcomes: dict[str, int]
    p50: float
    p95: float
    p99: float
    worst: float

    @property
    def answered(self) -> int:
        """The number of requests that were answered."""
        return self.outcomes.get("answered", 0)


def figures(samples: Iterable[Sample]) -> Figures:
    """Return the figures of some samples; percentiles are infinite if none was answered."""
    samples = list(samples)
    seconds = [sample.seconds for sample in samples if sample.outcome == "answered"] or [float("inf")]
    outcomes = dict(Counter(sample.outcome for sample in samples))
    return Figures(outcomes, *(percentile(seconds, share) for share in (0.5, 0.95, 0.99, 1.0)))


def by_kind(samples: Iterable[Sample]) -> dict[str, Figures]:
    """Return the figures of each kind of request."""
    kinds: dict[str, list[Sample]] = {}
    for sample in samples:
        kinds.setdefault(sample.kind, []).append(sample)
    return {kind: figures(some) for kind, some in sorted(kinds.items())}


def worst_minute(samples: Iterable[Sample]) -> float:
    """Return the highest 99th percentile of any minute with at least 30 seconds of requests, or of all together."""
    samples = sorted(samples, key=lambda sample: sample.due)
    if not samples:
        return float("inf")
    minutes: dict[int, list[Sample]] = {}
    for sample in samples:
        minutes.setdefault(int((sample.due - samples[0].due) / 60), []).append(sample)
    whole = [some for some in minutes.values() if some[-1].due - some[0].due >= 30] or [samples]
    return max(figures(some).p99 for some in whole)
