"""The progress of a training on standard error: one line that changes on a terminal, else a line now and then."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from webapp.core.training.plan import Progress, Stage

TITLES = {"read": "Reading", "count": "Counting", "train": "Training", "write": "Writing"}
BYTES = ("read", "count")
"""The stages that advance in bytes."""
UNITS = {"ngram": "steps", "tagger": "sentences"}
"""Of trainings that do not advance in pieces."""
SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_CHANGES = 0.1
START_OF_LINE = "\r\x1b[K"  # and delete what is in it


class ProgressBar:
    """Shows how far a training is, and measures its stages."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self.trainer = ""
        """The algorithm, by which the stage `train` is counted."""
        self._stream = stream
        self._quiet = quiet
        self._terminal = stream.isatty()
        self._pause = SECONDS_BETWEEN_CHANGES if self._terminal else SECONDS_BETWEEN_LINES
        self._stage: Stage | None = None
        self._began = self._shown = monotonic()
        self._seconds: dict[str, float] = {}

    def __call__(self, progress: Progress) -> None:
        """Show the progress."""
        begins = progress.stage != self._stage
        if begins:
            self.end_stage()
            self._stage, self._began = progress.stage, monotonic()
        if begins or monotonic() - self._shown >= self._pause:
            self._shown = monotonic()
            sentence = _sentence(progress, UNITS.get(self.trainer, "pieces"))
            self._write(f"{START_OF_LINE}{sentence}" if self._terminal else f"{sentence}\n")

    def say(self, message: str) -> None:
        """Print a line."""
        self.end_stage()
        self._write(f"{message}\n")

    def seconds(self) -> dict[str, float]:
        """Return how long each stage has taken."""
        self.end_stage()
        return {stage: round(seconds, 1) for stage, seconds in self._seconds.items()}

    def end_stage(self) -> None:
        """Stop measuring the stage, and leave its line."""
        if self._stage is not None:
            self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + monotonic() - self._began
            self._stage = None
            if self._terminal:
                self._write("\n")

    def _write(self, text: str) -> None:
        if not self._quiet:
            self._stream.write(text)
            self._stream.flush()


def _sentence(progress: Progress, made: str) -> str:
    if not progress.total:
        return TITLES[progress.stage]
    unit, scale = ("MB", 1e6) if progress.stage in BYTES else (made, 1)
    share = f" ({progress.done / progress.total:.0%})"
    return f"{TITLES[progress.stage]}: {progress.done / scale:,.0f} of {progress.total / scale:,.0f} {unit}{share}"
