"""The word graph of a text: every word of a dictionary that occurs in it, with its probability, and the best path.

A word has the probability frequency / total, where `total` sums the frequencies of the whole dictionary. Of all ways
to divide a text into words, the best has the highest product of probabilities; it is computed from the right as a sum
of logarithms (Manning and Schütze 1999, chapter 3; Sproat et al. 1996, "A Stochastic Finite-State Word-Segmentation
Algorithm for Chinese"). Order of sums and ties are those of jieba, so that the words are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import log

from webapp.core.models.dictionary import Dictionary

CLASS = "\u4e00-\u9fd5a-zA-Z0-9+#&._%\\-"
"""The characters that words consist of, as in jieba: Han, ASCII letters and digits, and seven signs."""
BLOCK = re.compile(f"([{CLASS}]+)")
SPACE = re.compile(r"(\r\n|\s)")


@dataclass(frozen=True, slots=True)
class WordArc:
    """A word in the graph: where it starts and ends, its frequency, and its log-probability.

    A character where no word starts is an arc as well, `known` is false then; it counts as often as a word of
    frequency 1.
    """

    start: int
    end: int
    frequency: int
    score: float
    known: bool


@dataclass(frozen=True, slots=True)
class Best:
    """The best path from a position to the end: its log-probability, and where its first word ends."""

    score: float
    end: int


class WordGraph:
    """The words of a dictionary with their frequencies.

    A word without a frequency, or with 0, counts once. A character that starts no word is a word of frequency 1.

    >>> graph = WordGraph(Dictionary(["研究", "研究生", "生命", "命"], frequencies=[50, 5, 40, 5]))
    >>> [(arc.start, arc.end, arc.frequency) for arc in graph.arcs("研究生命", 0)]
    [(0, 3, 5), (0, 2, 50)]
    >>> graph.path("研究生命")
    [2, 4]
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.total = max(dictionary.total, 1)
        self.log_total = log(self.total)
        self.id_of = dictionary.ids.get
        self.lengths_of = dictionary.lengths_by_beginning.get
        self.frequencies = dictionary.frequencies

    def frequency_of(self, word: str) -> int:
        """The frequency of a word, at least 1; 0 if it is not in the dictionary."""
        id = self.id_of(word)
        return 0 if id is None else self.frequencies[id] or 1 if self.frequencies is not None else 1

    def score_of(self, word: str) -> float:
        """The log-probability of a word; what is not in the dictionary counts once."""
        return log(self.frequency_of(word) or 1) - self.log_total

    def arcs(self, block: str, start: int) -> list[WordArc]:
        """The words that start at a position of a block, the longest first; a single character if there are none."""
        found = []
        for length in (*(self.lengths_of(block[start : start + 2]) or ()), 1):
            end = start + length
            frequency = self.frequency_of(block[start:end]) if end <= len(block) else 0
            if frequency:
                found.append(WordArc(start, end, frequency, log(frequency) - self.log_total, True))
        return found or [WordArc(start, start + 1, 1, log(1) - self.log_total, False)]

    def best(self, block: str) -> list[Best]:
        """The best path from each position of a block to its end; the last entry is the end itself, with a sum of 0."""
        ends, scores = self._filled(block)
        return [*map(Best, scores, ends), Best(0.0, 0)] if block else [Best(0.0, 0)]

    def path(self, block: str) -> list[int]:
        """The ends of the words of a block's best path."""
        ends, _scores = self._filled(block)
        path = []
        at = 0
        while at < len(block):
            at = ends[at]
            path.append(at)
        return path

    def _filled(self, block: str) -> tuple[list[int], list[float]]:
        """For each position the end of the first word of its best path, and the log-probability of that path."""
        length = len(block)
        scores = [0.0] * (length + 1)
        ends = [0] * length
        id_of, lengths_of, frequencies, log_total = self.id_of, self.lengths_of, self.frequencies, self.log_total
        for start in range(length - 1, -1, -1):
            best, best_end = 0.0, 0
            for word_length in (*(lengths_of(block[start : start + 2]) or ()), 1):
                end = start + word_length
                if end > length:
                    continue
                id = id_of(block[start:end])
                if id is None:
                    continue
                frequency = 1 if frequencies is None else frequencies[id] or 1
                score = log(frequency) - log_total + scores[end]
                if score > best or not best_end:  # of equal scores the longest word wins, which comes first
                    best, best_end = score, end
            if not best_end:
                best, best_end = 0.0 - log_total + scores[start + 1], start + 1
            scores[start], ends[start] = best, best_end
        scores.pop()
        return ends, scores

    def every_word(self, block: str) -> Iterator[tuple[int, list[int]]]:
        """For each position the ends of the words that start there, the shortest first; a single character if none."""
        id_of, lengths_of = self.id_of, self.lengths_of
        for start in range(len(block)):
            ends = [start + 1] if id_of(block[start]) is not None else []
            for length in reversed(lengths_of(block[start : start + 2]) or ()):
                word = block[start : start + length]
                if len(word) == length and id_of(word) is not None:
                    ends.append(start + length)
            yield start, ends or [start + 1]
