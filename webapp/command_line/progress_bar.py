"""The progress of a training on standard error: a bar on a terminal, else a line now and then."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from webapp.core.training.plan import Progress, Stage

TITLES = {"read": "Reading", "count": "Counting", "train": "Training", "write": "Writing"}
BYTES = ("read", "count")
"""The stages that advance in bytes; the others advance in pieces."""
SECONDS_BETWEEN_LINES = 10.0


class ProgressBar:
    """Shows how far a training is, and measures its stages."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self._stream = stream
        self._quiet = quiet
        self._terminal = stream.isatty()
        self._stage: Stage | None = None
        self._began = self._last_line = monotonic()
        self._seconds: dict[str, float] = {}
        self._bar: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_stage()

    def __call__(self, progress: Progress) -> None:
        """Show the progress."""
        if progress.stage != self._stage:
            self._end_stage()
            self._begin_stage(progress)
        if self._bar is not None:
            self._bar.total = progress.total or None
            self._bar.update(progress.done - self._bar.n)
        elif not self._quiet and monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = monotonic()
            self._line(_sentence(progress))

    def say(self, message: str) -> None:
        """Print a line."""
        self._end_stage()
        if not self._quiet:
            self._line(message)

    def seconds(self) -> dict[str, float]:
        """Return how long each stage has taken."""
        self._end_stage()
        return {stage: round(seconds, 1) for stage, seconds in self._seconds.items()}

    def _begin_stage(self, progress: Progress) -> None:
        self._stage = progress.stage
        self._began = self._last_line = monotonic()
        if self._quiet:
            return
        if not self._terminal:
            self._line(_sentence(progress))
            return
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # no thread besides
        unit = {"unit": "B", "unit_scale": True} if progress.stage in BYTES else {"unit": " pieces"}
        total = progress.total or None
        self._bar = tqdm(desc=TITLES[progress.stage], total=total, file=self._stream, dynamic_ncols=True, **unit)

    def _end_stage(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._stage is not None:
            spent = monotonic() - self._began
            self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + spent
            self._stage = None

    def _line(self, message: str) -> None:
        self._stream.write(f"{message}\n")
        self._stream.flush()


def _sentence(progress: Progress) -> str:
    if not progress.total:
        return TITLES[progress.stage]
    unit = "MB" if progress.stage in BYTES else "pieces"
    scale = 1e6 if progress.stage in BYTES else 1
    share = f" ({progress.done / progress.total:.0%})"
    return f"{TITLES[progress.stage]}: {progress.done / scale:,.0f} of {progress.total / scale:,.0f} {unit}{share}"
