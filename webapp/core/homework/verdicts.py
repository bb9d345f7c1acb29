"""What a check finds: data only. Pages and programs make sentences of the codes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from webapp.core.evaluation.score import Score
from webapp.core.vocabulary_error import Phrase

Outcome = Literal["right", "other-rule", "wrong"]
PlaceKind = Literal["merge", "piece", "token", "id", "tag", "sentence", "word", "cell", "character"]
View = Literal["training", "steps", "evaluate"]
OPEN_RULES = {"as-published", "equal-probability", "no-numbers", "no-single-characters"}
"""Rules that no exercise fixes: an answer by one of them is right. Ties, directions and tags are fixed by each task."""
AROUND = 5  # rows before and after the first place that differs


class AnswerError(ValueError):
    """An answer that cannot be read, or that lacks a file; `field` names the part: `answer`, or a file's role."""

    def __init__(self, message: Phrase, field: str = "answer") -> None:
        super().__init__(str(message))
        self.message = message
        self.field = field


@dataclass(frozen=True)
class Side:
    """One of the two answers at the first place that differs.

    `count` is how often a pair of symbols occurs there (for WordPiece, its score), or the value of a cell. `words` are
    words that hold the pair, their symbols separated by spaces, with their counts; `more` further ones are left out.
    """

    text: str
    count: float | None = None
    words: Sequence[tuple[str, int]] = ()
    more: int = 0


@dataclass(frozen=True)
class Row:
    """A place near the first one that differs; `count` is that of the right answer, or None."""

    number: int
    yours: str
    right: str
    agrees: bool
    label: str = ""
    count: float | None = None


@dataclass(frozen=True)
class Note:
    """A remark on an answer; `values` are for its sentence."""

    code: str
    values: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Link:
    """What a walkthrough or the evaluation needs to show the place: the page, and the fields of its address.

    `whole` if the page shows the answer at all other places, too.
    """

    view: View
    values: Mapping[str, str | int]
    whole: bool = False


@dataclass(frozen=True)
class Figures:
    """The figures of a segmentation as the official script of the bakeoffs computes them."""

    precision: float | None
    recall: float | None
    f1: float | None
    gold_words: int
    output_words: int

    @classmethod
    def of(cls, score: Score) -> "Figures":
        """The figures of a score."""
        return cls(score.precision, score.recall, score.f1, score.gold_words, score.output_words)


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and if not, the first place that differs.

    `other-rule` is right by another rule than the exercise fixes, and so not right yet. `rule` names it: a tie rule, a
    direction, a tag set; `mixed` if every merge is a most frequent pair, but no single rule chooses all of them. A
    right answer has a `rule` if it is one of `OPEN_RULES`. `place` is counted from 1; `why` is the code of the
    reason. `agreeing` of `total` places are equal; `in_both` is the number of merges, pieces or words that both have,
    in whatever order. `rows` are the places around the first difference.
    """

    outcome: Outcome
    place_kind: PlaceKind
    agreeing: int
    total: int
    place: int | None = None
    label: str = ""
    why: str = ""
    rule: str = ""
    own_rule: str = ""
    yours: Side | None = None
    right: Side | None = None
    in_both: int | None = None
    rows: Sequence[Row] = ()
    notes: Sequence[Note] = ()
    link: Link | None = None
    figures: Figures | None = None


def rows_around(
    yours: Sequence[str],
    right: Sequence[str],
    place: int,
    labels: Sequence[str] = (),
    counts: Sequence[float] = (),
) -> list[Row]:
    """The places around one, counted from 1; where an answer has ended, its text is empty.

    >>> [(row.number, row.yours, row.right, row.agrees) for row in rows_around("abc", "abx", 3)]
    [(1, 'a', 'a', True), (2, 'b', 'b', True), (3, 'c', 'x', False)]
    """
    found = []
    for at in range(max(place - 1 - AROUND, 0), min(place + AROUND, max(len(yours), len(right)))):
        mine, its = (each[at] if at < len(each) else "" for each in (yours, right))
        label = labels[at] if at < len(labels) else ""
        count = counts[at] if at < len(counts) else None
        found.append(Row(at + 1, mine, its, mine == its, label, count))
    return found


def first_difference(yours: Sequence[object], right: Sequence[object]) -> int | None:
    """The first place where two sequences differ, counted from 1; None if they are equal.

    >>> first_difference("abc", "abd"), first_difference("ab", "abc"), first_difference("ab", "ab")
    (3, 3, None)
    """
    for at, (mine, its) in enumerate(zip(yours, right, strict=False), 1):
        if mine != its:
            return at
    return None if len(yours) == len(right) else min(len(yours), len(right)) + 1
