"""A segmentation scored against a gold text: figures, errors and confusions; and several of them as one report.

A report has what pages and programs show, and nothing of the segmentations themselves: where there is no error, the
words are the gold words.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice, pairwise
from typing import Any

from webapp.core.evaluation.gold import GoldText
from webapp.core.evaluation.score import (
    KINDS,
    Kind,
    NameFinder,
    Score,
    SegmentationError,
    add_line,
    confusions_of,
    errors_of,
)
from webapp.core.text.chinese_script import is_traditional
from webapp.core.tokenizer import Tokenizer

MOST_ERRORS = 5_000
"""The most errors of a method that a report lists; all of them are counted."""
MOST_CONFUSIONS = 1_000
_CHECK_LINES = 64
_PLAIN = ("line_count", "words", "characters", "tagged", "training_words", "traditional")
_SCORED = frozenset(each.name for each in fields(Score))  # stored reports of earlier versions have more


@dataclass
class MethodReport:
    """A scored segmentation. `problem` says why there are no figures.

    `lines` is None once all lines are scored, before that the number of scored ones, with all confusions so far.
    `seconds` is the processor time of segmenting and scoring.
    """

    name: str
    choice: str = ""  # algorithm and vocabulary; empty for an uploaded segmentation
    known_from: str = ""  # the vocabulary that decides which words are unknown; empty: the training words, or nothing
    score: Score = field(default_factory=Score)
    kinds: dict[Kind, int] = field(default_factory=dict)
    confusions: list[tuple[str, str, Kind, int]] = field(default_factory=list)
    errors: list[SegmentationError] = field(default_factory=list)
    problem: str = ""
    seconds: float = 0.0
    lines: int | None = None

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> MethodReport:
        """The report from its fields as JSON."""
        score = {name: value for name, value in stored["score"].items() if name in _SCORED}
        errors = [SegmentationError(*each) for each in stored["errors"]]
        confusions: Any = [tuple(each) for each in stored["confusions"]]
        return MethodReport(**{**stored, "score": Score(**score), "confusions": confusions, "errors": errors})

    @property
    def error_count(self) -> int:
        """All errors, listed or not."""
        return sum(self.kinds.values())


@dataclass
class ScoreReport:
    """The methods, and the gold lines in which one of them has a listed error, by index."""

    methods: list[MethodReport]
    lines: dict[int, list[str]]
    numbers: dict[int, int]  # the number of each of these lines in the gold file
    line_count: int
    words: int
    characters: int
    tagged: bool = False
    training_words: int | None = None  # None without a list
    traditional: bool = False  # whether the gold text is in traditional characters

    def as_json(self) -> dict[str, Any]:
        """The report as plain JSON, which `from_json` reads back."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "lines": [[index, self.numbers[index], " ".join(words)] for index, words in self.lines.items()],
            "methods": [{**vars(method), "score": dict(vars(method.score))} for method in self.methods],
        }

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> ScoreReport:
        """The report from the result of `as_json`."""
        return ScoreReport(
            [*map(MethodReport.from_json, stored["methods"])],
            {index: words.split(" ") for index, _number, words in stored["lines"]},
            {index: number for index, number, _words in stored["lines"]},
            **{name: stored[name] for name in _PLAIN if name in stored},
        )


def score_segmentation(
    gold: GoldText,
    segmented: Iterable[Sequence[str]],
    *,
    known: Container[str] | None,
    names: Container[str] = frozenset(),
    deadline: float | None = None,
    begun: MethodReport | None = None,
) -> MethodReport:
    """Score the words of each gold line, which must spell the same text; `known` decides which words are unknown.

    Once `time.monotonic()` passes `deadline`, the rest is left out, and `lines` of the report says so. To score it,
    pass that report as `begun`, and in `segmented` only the lines that are left. At least `_CHECK_LINES` are scored.
    """
    report = begun or MethodReport("")
    report.score.has_known = known is not None
    first, began = report.lines or 0, time.thread_time()
    report.lines = None
    finder = NameFinder(names, known)
    found = Counter({(gold, output, kind): count for gold, output, kind, count in report.confusions})
    kinds = Counter(report.kinds)
    for index, (line, words) in enumerate(zip(islice(gold.lines, first, None), segmented, strict=True), first):
        if deadline is not None and index > first and index % _CHECK_LINES == 0 and time.monotonic() > deadline:
            report.lines = index
            break
        add_line(report.score, line.words, words, known)
        if line.words == words:
            continue
        for error in errors_of(index, line.words, words, tags=line.tags, known=known, names=finder):
            kinds[error.kind] += 1
            found[" ".join(line.words[error.start : error.end]), error.output, error.kind] += 1
            if len(report.errors) < MOST_ERRORS:
                report.errors.append(error)
    report.kinds = {kind: kinds[kind] for kind in KINDS}
    report.confusions = confusions_of(found, MOST_CONFUSIONS if report.lines is None else len(found))
    report.seconds += time.thread_time() - began
    return report


def report_of(gold: GoldText, methods: Sequence[MethodReport], training_words: int | None) -> ScoreReport:
    """The report of methods that were scored against the same gold text."""
    indexes = sorted({error.line for method in methods for error in method.errors})
    return ScoreReport(
        list(methods),
        {index: gold.lines[index].words for index in indexes},
        {index: gold.lines[index].number for index in indexes},
        len(gold.lines),
        gold.words,
        gold.characters,
        gold.tagged,
        training_words,
        is_traditional("".join(line.text for line in gold.lines[:_CHECK_LINES])),
    )


def segmented_by(tokenizer: Tokenizer, gold: GoldText, first: int = 0) -> Iterator[list[str]]:
    """The words of the gold lines from `first` on as a tokenizer finds them: white space is in none of them.

    Each line is a text of its own, so that a line's words do not depend on other lines.
    """
    for line in islice(gold.lines, first, None):
        text = line.text
        # A token of a part of a character ends where the character does, so ends may repeat.
        cuts = dict.fromkeys((0, *tokenizer.encode(text).ends, len(text)))
        words = [text[start:end] for start, end in pairwise(cuts)]
        if " " in text:
            words = [word for each in words for word in each.split(" ") if word]
        if not line.words[0]:
            words.insert(0, "")
        yield words
