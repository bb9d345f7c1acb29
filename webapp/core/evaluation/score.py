"""Precision, recall and F1 of a segmentation, with the figures for unknown words, as the bakeoffs define them.

A word is right if the other segmentation has a word with the same beginning and end. The official script, `score` by
Richard Sproat and Tom Emerson (SIGHAN 2003, 2005), asks the program `diff` instead, which now and then aligns a word
with an equal one elsewhere in its line: on the published segmentations of the PKU corpus the figures are the same to
the three digits that it prints. Its word counts are the same, too: white space before a line that begins with U+3000 is
an empty word.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

_ASCII_SPACE = " \t\n\r\f\v"
_SPACES = re.compile("[ \t\r\f\v\u3000]+")


@dataclass
class Score:
    """The counts of a segmentation, and the figures that follow from them; figures are None without their words."""

    gold_words: int = 0
    output_words: int = 0
    missed: int = 0  # gold words that the output does not have
    wrong: int = 0  # words of the output that the gold text does not have
    known: int = 0  # gold words in the training words
    known_missed: int = 0
    unknown: int = 0  # gold words outside of the training words
    unknown_missed: int = 0
    has_known: bool = True  # whether there are training words

    @property
    def recall(self) -> float | None:
        """The share of the gold words that the output has."""
        return (self.gold_words - self.missed) / self.gold_words if self.gold_words else None

    @property
    def precision(self) -> float | None:
        """The share of the output's words that the gold text has."""
        return (self.output_words - self.wrong) / self.output_words if self.output_words else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; 0 if both are."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    @property
    def oov_rate(self) -> float | None:
        """The share of the gold words that are not in the training words (out of vocabulary)."""
        return self.unknown / self.gold_words if self.has_known and self.gold_words else None

    @property
    def oov_recall(self) -> float | None:
        """The share of the unknown words that the output has."""
        return 1 - self.unknown_missed / self.unknown if self.has_known and self.unknown else None

    @property
    def iv_recall(self) -> float | None:
        """The share of the known words that the output has."""
        return 1 - self.known_missed / self.known if self.has_known and self.known else None

    def summary(self, name: str = "output") -> str:
        """The figures as the official script prints them, with `--` for what there is not."""
        rows: list[tuple[str, object]] = [
            ("=== TOTAL TRUE WORD COUNT", self.gold_words),
            ("=== TOTAL TEST WORD COUNT", self.output_words),
            ("=== TOTAL TRUE WORDS RECALL", three_digits(self.recall)),
            ("=== TOTAL TEST WORDS PRECISION", three_digits(self.precision)),
            ("=== F MEASURE", three_digits(self.f1)),
            ("=== OOV Rate", three_digits(self.oov_rate)),
            ("=== OOV Recall Rate", three_digits(self.oov_recall)),
            ("=== IV Recall Rate", three_digits(self.iv_recall)),
        ]
        lines = ["=== SUMMARY:", *(f"{title}:\t{value}" for title, value in rows)]
        return "\n".join([*lines, "\t".join(["###", name, *(str(value) for _title, value in rows)]), ""])


def three_digits(value: float | None) -> str:
    """A figure as the script prints it."""
    return "--" if value is None else f"{value:.3f}"


def words_of(line: str) -> list[str]:
    """The words of a line, as the script splits it.

    >>> words_of("  共同  创造\u3000世纪 \\r\\n"), words_of("\u3000新年 贺词"), words_of(" ")
    (['共同', '创造', '世纪'], ['', '新年', '贺词'], [])
    """
    words = _SPACES.split(line.strip(_ASCII_SPACE))
    while words and not words[-1]:  # Perl's split drops empty fields at the end
        words.pop()
    return words


def training_words(text: str) -> set[str]:
    """The words of a word list, one a line.

    >>> sorted(training_words("生命\\n 研究 \\r\\n\\n"))
    ['生命', '研究']
    """
    return {word for line in text.removeprefix("\ufeff").split("\n") if (word := line.strip(_ASCII_SPACE))}


def score_lines(gold: Iterable[Sequence[str]], output: Iterable[Sequence[str]], known: Container[str] | None) -> Score:
    """Score the words of each line of `output` against those of `gold`; `known` are the training words.

    Lines without gold words do not count; the shorter of the two ends the scoring.

    >>> lines = [["研究", "生命", "的", "起源"]]
    >>> score = score_lines(lines, [["研究生", "命", "的", "起源"]], {"研究", "生命", "的"})
    >>> score.precision, score.recall, score.oov_rate, score.oov_recall
    (0.5, 0.5, 0.25, 1.0)
    """
    score = Score(has_known=known is not None)
    for gold_words, output_words in zip(gold, output, strict=False):
        if gold_words:
            add_line(score, gold_words, output_words, known)
    return score


def add_line(score: Score, gold: Sequence[str], output: Sequence[str], known: Container[str] | None) -> None:
    """Add a line that has gold words to the counts of `score`."""
    score.gold_words += len(gold)
    score.output_words += len(output)
    if known is not None:
        words = gold if gold[0] else gold[1:]  # an indented line begins with an empty word
        present = sum(map(known.__contains__, words))
        score.known += present
        score.unknown += len(words) - present
    if gold == output:
        return
    gold_spans, output_spans = _spans(gold), _spans(output)
    common = set(gold_spans).intersection(output_spans)
    missed = [word for start, word in gold_spans if word and (start, word) not in common]
    score.missed += len(missed)
    score.wrong += sum(1 for span in output_spans if span[1] and span not in common)
    if known is not None:
        present = sum(word in known for word in missed)
        score.known_missed += present
        score.unknown_missed += len(missed) - present


def _spans(words: Sequence[str]) -> list[tuple[int, str]]:
    found, start = [], 0
    for word in words:
        found.append((start, word))
        start += len(word)
    return found
