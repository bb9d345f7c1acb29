"""BPE-dropout with every kind of BPE vocabulary: merges by rank, ranks of pieces, and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from random import Random
from typing import Protocol

from webapp.core.inference.dropped_merges import Drops, Join, merge_with_drops
from webapp.core.inference.wrapper import Segment
from webapp.core.models.bpe import BPE
from webapp.core.models.byte_offsets import byte_segments
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.subword_nmt import SubwordBPE
from webapp.core.models.symbols import Measured


class Merging(Protocol):
    """What merges the symbols of a word: `merge_with_drops`."""

    def __call__(
        self, symbols: Sequence[int], join: Join, drops: Drops, *, together: bool = False
    ) -> tuple[list[int], list[int]]:
        """The symbols that are left, and how many initial ones each covers."""


MergingModel = BPE | RankBPE | ScoredBPE


class MergesWithDropout:
    """Draws the tokens of pre-tokens by BPE-dropout; without dropout they are those of the model.

    >>> pieces = [*(bytes([byte]) for byte in range(256)), b"lo", b"low"]
    >>> bpe = BPE(pieces, [(108, 111), (256, 119)], byte_level=True)
    >>> for seed in range(3):
    ...     drawn = MergesWithDropout(bpe, 0.5).draw("low", Random(seed))
    ...     print([pieces[id] for id, start, end in drawn])
    [b'low']
    [b'l', b'o', b'w']
    [b'low']
    """

    def __init__(self, model: MergingModel, dropout: float) -> None:
        """Raises ValueError if the probability is not from 0 to 1."""
        self._drops = Drops(dropout, Random(0))
        self.model = model
        self._dropout = dropout
        self._together = isinstance(model, SubwordBPE)

    def draw(self, pretoken: str, random: Random, merge: Merging = merge_with_drops) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a pre-token, in characters; a trace passes a `merge` that records.

        As in `tokenizers`, a pre-token that is a piece as a whole is merged like any other, unless the dropout is 0.
        """
        if not self._dropout:
            return self.model.segment(pretoken)
        drops = self._drops.by(random)

        def merged(symbols: Sequence[int], join: Join) -> tuple[list[int], list[int]]:
            return merge(symbols, join, drops, together=self._together)

        model = self.model
        if isinstance(model, ScoredBPE):
            return _by_score(model, pretoken, merged)
        if isinstance(model, RankBPE) or model.byte_level:
            return _by_bytes(model, pretoken, merged)
        return _by_characters(model, pretoken, merged)


_Merged = Callable[[Sequence[int], Join], tuple[list[int], list[int]]]


def _by_bytes(model: BPE | RankBPE, pretoken: str, merged: _Merged) -> Sequence[Segment]:
    if isinstance(model, BPE):
        symbols = model.symbols(pretoken)
    else:
        symbols = [id for byte in pretoken.encode() if (id := model.id_of(bytes([byte]))) is not None]
    return byte_segments(pretoken, merged(symbols, model.merge_result)[0], model.pieces)


def _by_characters(model: BPE, pretoken: str, merged: _Merged) -> Sequence[Segment]:
    def measure(word: str) -> Measured:
        symbols, lengths = model.measured_symbols(word)
        ids, widths = merged(symbols, model.merge_result)
        ends = [0, *accumulate(widths)]
        return ids, [sum(lengths[start:end]) for start, end in pairwise(ends)]

    return model.segments_of(pretoken, measure)


def _by_score(model: ScoredBPE, pretoken: str, merged: _Merged) -> Sequence[Segment]:
    vocabulary = model.vocabulary
    parts: list[tuple[int | None, int]] = []
    start = 0
    for word in [pretoken] if vocabulary.unused else vocabulary.words(pretoken):
        seen: dict[int, tuple[int, int]] = {}

        def join(left: int, right: int, seen: dict[int, tuple[int, int]] = seen) -> tuple[int, int] | None:
            made = model.merge_result(left, right)
            if made is not None:
                seen[made[1]] = left, right
            return made

        found, symbols = model.symbols(word)
        parts += [(id, start + end) for id, end in model.parts_of(found, *merged(symbols, join), seen)]
        start += len(word)
    return vocabulary.segments(parts, pretoken)
