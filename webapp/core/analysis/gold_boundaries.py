"""How well the boundaries of tokens agree with those of a gold segmentation, into words or into morphemes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from webapp.core.analysis.agreement import token_boundaries
from webapp.core.analysis.measures import per
from webapp.core.evaluation.gold import GoldText
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class BoundaryAgreement:
    """The boundaries inside the lines of a gold text: `gold` ones, `found` ones, and those that are both."""

    gold: int
    found: int
    both: int

    @property
    def precision(self) -> float | None:
        """The share of the tokenizer's boundaries that are gold; None without any."""
        return per(self.both, self.found)

    @property
    def recall(self) -> float | None:
        """The share of the gold boundaries that the tokenizer has; None without any."""
        return per(self.both, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None if neither has boundaries."""
        return per(2 * self.both, self.gold + self.found)


def boundary_agreement(tokenizer: Tokenizer, gold: GoldText) -> BoundaryAgreement:
    """Compare the boundaries of a tokenizer with the gold ones; each line is a text of its own.

    Spaces between words are left out, so that it does not matter on which side of a space a token ends. The beginning
    and the end of a line do not count; nor do boundaries inside of a character.

    >>> from webapp.core.evaluation.gold import read_gold
    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##break", "##able", "##s", "##ab", "##le"]))
    >>> boundary_agreement(tokenizer, read_gold("un break able"))  # un|break|able
    BoundaryAgreement(gold=2, found=2, both=2)
    >>> found = boundary_agreement(tokenizer, read_gold("un break ables"))  # un|break|able|s
    >>> found, found.recall, round(found.precision, 3), found.f1
    (BoundaryAgreement(gold=2, found=3, both=2), 1.0, 0.667, 0.8)
    """
    gold_count = found_count = both = 0
    for line in gold.lines:
        expected = set(list(accumulate(map(len, line.words)))[:-1])
        expected.discard(0)
        encoding = tokenizer.encode(line.text)
        found = _without_spaces(line.text, token_boundaries(encoding.starts, encoding.ends, len(line.text)))
        gold_count += len(expected)
        found_count += len(found)
        both += len(expected & found)
    return BoundaryAgreement(gold_count, found_count, both)


def _without_spaces(text: str, offsets: Iterable[int]) -> set[int]:
    """The offsets in the text without the spaces between its words, except the beginning and the end."""
    if " " not in text:
        return set(offsets)
    kept: Sequence[int] = list(accumulate((character != " " for character in text), initial=0))
    return {kept[offset] for offset in offsets} - {0, kept[-1]}
