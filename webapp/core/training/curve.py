"""Characters per token on the held-out text while a training runs, at growing sizes of the vocabulary.

Measuring must cost little beside training: it takes a sample, each distinct word of it once, at two dozen sizes; for
BPE, the words keep what earlier merges made of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from webapp.core.models.merge_loop import merge, pack
from webapp.core.trainers.bpe import CountedMerge
from webapp.core.trainers.wordpiece import PREFIX, ScoredMerge
from webapp.core.training.counting import CountedCorpus, Limited, count_block
from webapp.core.training.plan import Progress, Report, TrainingPlan

SAMPLE = 20_000  # characters
SIZES = 24
LATEST = 12  # pieces shown
EACH = 16  # merges between two looks at the clock
LONGEST_OF_BERT = 100  # characters; WordPiece's model knows no longer word


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

    def due(self, pieces: int) -> bool:
        """Whether to measure at this size: at sizes that grow geometrically."""
        if pieces < self._next or not self.words:
            return False
        first = self.points[0][0] if self.points else pieces
        growth = max((self.size / first) ** (1 / SIZES), 1.01)
        self._next = int(pieces * growth) + 1
        return True

    def is_open(self, pieces: int) -> bool:
        """Whether this size has not been measured, though it can be."""
        return bool(self.words) and all(size != pieces for size, _ in self.points)

    def add(self, pieces: int, tokens: int) -> None:
        """Add a point: the sample has so many tokens with so many pieces."""
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


class MergedWords:
    """The words of a sample as lists of symbols, merged as far as the training is."""

    def __init__(self, words: Iterable[tuple[Sequence[str | bytes], int]]) -> None:
        self._numbers: dict[str | bytes, int] = {}
        self._words = [([self._number(symbol) for symbol in symbols], count) for symbols, count in words]
        self._whole = 0  # tokens of words that are one symbol, which no merge changes
        self._ranks: dict[int, int] = {}
        self._merged: list[int] = []

    def add(self, merge: CountedMerge[Any]) -> None:
        """Add a merge, which has a higher rank than those before."""
        numbers = self._numbers
        product = self._number(merge.piece)
        if merge.left in numbers and merge.right in numbers:
            self._ranks.setdefault(pack(numbers[merge.left], numbers[merge.right]), len(self._merged))
            self._merged.append(product)

    def tokens(self) -> int:
        """Return the number of tokens with all merges so far."""
        merged = [(merge(symbols, self._ranks, self._merged), count) for symbols, count in self._words]
        self._whole += sum(count for symbols, count in merged if len(symbols) == 1)
        self._words = [entry for entry in merged if len(entry[0]) > 1]
        return self._whole + sum(len(symbols) * count for symbols, count in self._words)

    def _number(self, symbol: str | bytes) -> int:
        return self._numbers.setdefault(symbol, len(self._numbers))


class MatchedWords:
    """The words of a sample, split into the longest pieces; words of more than 100 characters are one token, unknown.

    `longest` is the number of characters of the longest piece.
    """

    def __init__(self, words: Mapping[str, int], pieces: Iterable[str], longest: int = 1) -> None:
        self._words = {word: count for word, count in words.items() if len(word) <= LONGEST_OF_BERT}
        self._too_long = sum(words.values()) - sum(self._words.values())
        self._pieces = set(pieces)
        self._longest = longest

    def add(self, merge: ScoredMerge) -> None:
        """Add the piece of a merge."""
        self._pieces.add(merge.piece)
        self._longest = max(self._longest, len(merge.piece))

    def tokens(self) -> int:
        """Return the number of tokens with all pieces so far."""
        return self._too_long + tokens_of_longest_matches(self._words, self._pieces, PREFIX, self._longest)


def tokens_of_longest_matches(words: Mapping[str, int], pieces: Collection[str], prefix: str, longest: int) -> int:
    """Return the number of tokens when each word is split into the longest pieces from the left; one if it cannot be.

    >>> tokens_of_longest_matches({"unable": 2, "é": 1}, {"un", "##able", "##a"}, "##", 6)
    5
    """
    tokens = 0
    for word, count in words.items():
        start = number = 0
        while start < len(word):
            mark = prefix if start else ""
            end = min(len(word), start + longest)
            while end > start and mark + word[start:end] not in pieces:
                end -= 1
            if end == start:
                number = 1
                break
            start = end
            number += 1
        tokens += number * count
    return tokens


def tokens_of_best_paths(words: Mapping[str, int], scores: Mapping[str, float], longest: int) -> int:
    """Return the number of tokens when each word has its best segmentation; a character without a piece is a token.

    >>> tokens_of_best_paths({"low": 3}, {"l": -3.0, "o": -3.0, "w": -3.0, "lo": -4.0}, 2)
    6
    """
    unknown = min(scores.values(), default=0.0) - 10
    tokens = 0
    for word, count in words.items():
        best = [0.0] + [-inf] * len(word)
        numbers = [0] * (len(word) + 1)
        for start in range(len(word)):
            here = best[start]
            for end in range(start + 1, min(len(word), start + longest) + 1):
                score = scores.get(word[start:end])
                if score is None:
                    if end > start + 1:
                        continue
                    score = unknown
                if here + score > best[end]:
                    best[end] = here + score
                    numbers[end] = numbers[start] + 1
        tokens += numbers[-1] * count
    return tokens
