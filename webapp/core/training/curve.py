"""Characters per token on the held-out text while a training runs, at growing sizes of the vocabulary.

Measuring must cost little beside training: it takes a sample, each distinct word of it once, at two dozen sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from webapp.core.models import Model
from webapp.core.training.counting import CountedCorpus, Limited, count_block
from webapp.core.training.plan import Progress, Report, TrainingPlan

SAMPLE = 20_000  # characters
SIZES = 24
LATEST = 12  # pieces shown
EACH = 16  # merges between two looks at the clock


class Curve:
    """The points so far, and the words of the sample with their counts."""

    def __init__(self, counted: CountedCorpus, plan: TrainingPlan) -> None:
        """`size` is that of the finished vocabulary."""
        sample = sample_of(counted.held_out)
        self.characters = len(sample)
        self.words = count_block(sample, plan) if sample else {}
        self.points: list[tuple[int, float]] = []
        self.size = plan.size
        self._next = 0
        self._finished = 0  # words that are one token for good

    def due(self, pieces: int) -> bool:
        """Whether to measure at this size: at sizes that grow geometrically."""
        if pieces < self._next or not self.characters:
            return False
        first = self.points[0][0] if self.points else pieces
        growth = max((self.size / first) ** (1 / SIZES), 1.01)
        self._next = int(pieces * growth) + 1
        return True

    def is_open(self, pieces: int) -> bool:
        """Whether this size has not been measured, though it can be."""
        return bool(self.characters) and all(size != pieces for size, _ in self.points)

    def measure(self, pieces: int, model: Model, *, merging: bool = False) -> None:
        """Add a point: the characters per token with a model of so many pieces.

        With `merging`, a word that is one token stays one in all later models, and is not encoded again.
        """
        tokens = self._finished
        for word, count in list(self.words.items()):
            number = len(model.ids(word))
            tokens += count * number
            if merging and number == 1:
                self._finished += self.words.pop(word)
        if tokens:
            self.points.append((pieces, round(self.characters / tokens, 4)))


class Watch:
    """Reports the progress of a training, at most a few times a second."""

    def __init__(self, report: Report, plan: TrainingPlan, counted: CountedCorpus) -> None:
        self.curve = Curve(counted, plan)
        self._report = Limited(report)

    def __call__(self, pieces: int, done: int, total: int, latest: Iterable[str | bytes] = ()) -> None:
        """Report a moment; see `Progress`."""
        self._report(partial(self._moment, pieces, done, total, latest))

    def _moment(self, pieces: int, done: int, total: int, latest: Iterable[str | bytes]) -> Progress:
        return Progress("train", done, total, pieces, tuple(map(shown, latest)), tuple(sorted(self.curve.points)))


def sample_of(text: str, most: int = SAMPLE) -> str:
    """Return at most `most` characters of a text, of lines spread over it.

    >>> sample_of("a\\nb\\nc\\nd\\n", 4)
    'a\\nc\\n'
    """
    if len(text) <= most:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(lines[:: -(-len(text) // most)])[:most]


def shown(piece: str | bytes) -> str:
    r"""Return a piece as text; bytes that are not valid UTF-8 in hexadecimal.

    >>> shown(b" the"), shown(b"\xe4\xb8")
    (' the', '⟨E4 B8⟩')
    """
    if isinstance(piece, str):
        return piece
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return f"⟨{piece.hex(' ').upper()}⟩"
