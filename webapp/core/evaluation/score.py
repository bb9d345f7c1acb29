"""Precision, recall and F1 of a segmentation, with the figures for unknown words, as the official script counts them.

The script is `score` by Richard Sproat and Tom Emerson, from the bakeoffs of SIGHAN (2003, 2005). Every count below
equals its count, because `word_diff` aligns the words of a line as the program `diff` does, which the script runs.
Two consequences of how the script reads diff's table are kept: the words `|`, `<` and `>` count as errors even where
both segmentations agree, and white space before a line that begins with U+3000 is an empty word.

Three differences are left: a last line of the word list without a line end is read whole (the script drops its last
byte), words of more than 60 columns are not cut, and the two bytes A1 40 inside of UTF-8 text are not white space.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from webapp.core.evaluation.word_diff import TooDifferentError, changed_words, hunks

_ASCII_SPACE = " \t\n\r\f\v"
_SPACES = re.compile("[ \t\r\f\v\u3000]+")
_MARKS = {"|": "substitutions", "<": "deletions", ">": "insertions"}


@dataclass
class Score:
    """The counts of a segmentation, and the figures that follow from them; figures are None without their words."""

    gold_words: int = 0
    output_words: int = 0
    insertions: int = 0
    deletions: int = 0
    substitutions: int = 0
    missed: int = 0  # gold words that the output does not have
    wrong: int = 0  # words of the output that the gold text does not have
    known: int = 0  # gold words in the training words
    known_missed: int = 0
    unknown: int = 0  # gold words outside of the training words
    unknown_missed: int = 0
    has_known: bool = True  # whether there are training words
    approximate: int = 0  # lines so different that words were aligned by position

    @property
    def changes(self) -> int:
        """Insertions, deletions and substitutions together: the script's NCHANGE."""
        return self.insertions + self.deletions + self.substitutions

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
        """The summary as the official script prints it, with `--` for what there is not."""
        rows: list[tuple[str, object]] = [
            ("=== TOTAL INSERTIONS", self.insertions),
            ("=== TOTAL DELETIONS", self.deletions),
            ("=== TOTAL SUBSTITUTIONS", self.substitutions),
            ("=== TOTAL NCHANGE", self.changes),
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
    >>> score.precision, score.recall, score.substitutions, score.oov_rate, score.oov_recall
    (0.5, 0.5, 2, 0.25, 1.0)
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
    marked = any(mark in gold for mark in _MARKS) and any(mark in output for mark in _MARKS)
    if gold == output and not marked:
        return
    try:
        changed_gold, changed_output = changed_words(gold, output)
    except TooDifferentError:
        changed_gold, changed_output = _by_position(gold, output)
        score.approximate += 1
    missed = [word for word, mark in zip(gold, changed_gold, strict=True) if mark and word]
    if marked:
        missed += _agreed_marks(score, gold, changed_gold)
    score.missed += len(missed)
    score.wrong += sum(1 for word, mark in zip(output, changed_output, strict=True) if mark and word)
    if known is not None:
        present = sum(word in known for word in missed)
        score.known_missed += present
        score.unknown_missed += len(missed) - present
    for start, end, output_start, output_end in hunks(changed_gold, changed_output):
        pairs = min(end - start, output_end - output_start)
        score.substitutions += pairs
        score.deletions += end - start - pairs
        for word in output[output_start + pairs : output_end]:
            if word == "|":  # in diff's table it looks like a substitution
                score.substitutions += 1
            else:
                score.insertions += 1


def _agreed_marks(score: Score, gold: Sequence[str], changed: Sequence[int]) -> list[str]:
    """The words `|`, `<` and `>` on which both agree, which the script takes for diff's marks."""
    agreed = [word for word, mark in zip(gold, changed, strict=True) if not mark and word in _MARKS]
    for word in agreed:
        setattr(score, _MARKS[word], getattr(score, _MARKS[word]) + 1)
    return agreed


def _by_position(gold: Sequence[str], output: Sequence[str]) -> tuple[bytearray, bytearray]:
    """Words changed unless they cover the same characters: for lines too different to align by their words."""
    spans = [_spans(gold), _spans(output)]
    common = set(spans[0]).intersection(spans[1])
    first, second = (bytearray(span not in common for span in one) for one in spans)
    return first, second


def _spans(words: Sequence[str]) -> list[tuple[int, str]]:
    found, start = [], 0
    for word in words:
        found.append((start, word))
        start += len(word)
    return found
