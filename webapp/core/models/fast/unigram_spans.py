"""Spans of text that is mostly unknown, which have the same tokens wherever they are, so that a cache can hold them.

- Exploits: in a script that a vocabulary lacks, a long pre-token is mostly runs of unknown characters. A run is one
  token however long it is, and the few spans between runs return.
- Invariant: no piece reaches across a boundary, so the best path of a text is the best paths of its spans one after
  the other, provided that each is better than the second best by more than the rounding of a long sum can change.
- Proved by: `webapp.core.reference.unigram.encode` in `test_mostly_unknown_text_has_the_ids_of_the_reference`.
- Bought: 3.3 times (30,000 characters of Japanese, which T5 lacks). Where a vocabulary has most characters,
  spans hardly return and looking them up takes twice as long as Viterbi over the whole, so it is not done there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby

from webapp.core.models.fast.best_path import best_path
from webapp.core.text.character_classes import members

# No sum of scores may be larger, without sign.
LARGEST_SUM = 2.0**30
# How much rounding can change the difference of two such sums, for each of their terms: twice half a step, doubled as
# a margin.
UNSURE = 2.0**-21
# The share of a text that may be left when each run of unknown characters counts as one character.
MOST_LEFT = 0.75


class UnigramSpans:
    """Splits text that is mostly unknown where no piece reaches across, and gives the sure best path of a span.

    >>> from webapp.core.models.fast.word_lengths import lengths_by_beginning
    >>> scores = {"low": -1.0, "er": -2.0, "e": -1.5, "r": -0.5, "。": -3.0}
    >>> spans = UnigramSpans(scores, lengths_by_beginning(scores), unknown_score=-13.0)
    >>> spans.cut("lower。研究生命的起源和历史"), spans.cut("lower。low研究生")
    (['low', 'er', '。', '\\x00'], None)
    >>> spans.ends("low"), spans.ends("er")  # "e" and "r" are as good as "er"
    ((3,), None)
    """

    def __init__(
        self, score_of: Mapping[str, float], lengths: Mapping[str, Sequence[int]], unknown_score: float
    ) -> None:
        """`lengths` gives the lengths of the pieces by their first two characters."""
        self._score_of = score_of
        self._lengths = lengths
        self._unknown_score = unknown_score
        steepest = max(map(abs, (unknown_score, min(score_of.values()), max(score_of.values()))))
        self._longest = int(min(LARGEST_SUM / steepest, LARGEST_SUM)) if steepest else 0
        seen = set("".join(score_of))
        inner = set().union(*(piece[1:] for piece in score_of))
        self._unseen = next((chr(code) for code in range(0xD800) if chr(code) not in seen), None)
        self._unseen_run = re.compile(f"[^{_members(seen)}]++")
        self._span = re.compile(f".[{_members(inner)}]*+", re.DOTALL)

    def cut(self, text: str) -> list[str] | None:
        """Split a text into spans, if much of it is unknown; each run of unknown characters becomes one character."""
        if self._unseen is None or len(text) > self._longest:
            return None
        shortened = self._unseen_run.sub(self._unseen, text)
        return self._span.findall(shortened) if len(shortened) < MOST_LEFT * len(text) else None

    def ends(self, span: str) -> tuple[int, ...] | None:
        """Where the parts of a span's best path end; None if rounding can change it after some texts."""
        path = best_path(span, self._score_of, self._unknown_score, self._lengths)
        return path.ends if path.margin > len(span) * UNSURE else None


def _members(characters: Iterable[str]) -> str:
    """The inside of a character class with these characters and all above the Basic Multilingual Plane.

    Ranges there would make `re` slow, so no span begins with such a character.
    """
    return members(character for character in characters if character <= "\uffff") + "\U00010000-\U0010ffff"


def fused(spans: Iterable[Sequence[int]], unknown_id: int) -> tuple[int, ...]:
    """Join the ids of spans; each run of unknown ids becomes one.

    >>> fused([(3, 0), (0,), (5, 5)], unknown_id=0)
    (3, 0, 5, 5)
    """
    ids = tuple(chain.from_iterable(spans))
    if unknown_id not in ids:
        return ids
    return tuple(id for key, run in groupby(ids) for id in ((key,) if key == unknown_id else run))
