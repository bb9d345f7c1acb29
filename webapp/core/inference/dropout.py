"""BPE-dropout with every kind of BPE vocabulary: merges by rank, ranks of pieces, and scores.

BPE-dropout (Provilkov, Emelianenko and Voita 2020, arXiv 1910.13267, algorithm 1).

At each step every possible merge of the word is dropped with a probability, each occurrence on its own, and the best of
those that are left is made; when all are dropped, or none is possible, the word is done. With probability 0 that is
BPE itself, with probability 1 the symbols stay apart.

Only the drops of merges that are better than the one made matter, so a step draws one number: how many of the possible
merges, in their order, are dropped before the first that is not. They are in a sorted list, where adding one moves
those after it: a pre-token of 200,000 letters takes 4 s, a longer one ends at the time limit of a request.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from copy import copy
from itertools import accumulate, pairwise
from random import Random
from typing import Protocol

from webapp.core.inference.piece_table import Segment
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.merge_loop import Measured, byte_segments
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE

Join = Callable[[int, int], tuple[int, int] | None]
"""The rank of the merge of two adjacent symbols and the symbol that it makes, or None if they do not merge."""

_BITS = 32


class Drops:
    """Draws how many merges in a row are dropped, each with the probability `dropout`.

    The numbers depend on the seed only: `random.Random(seed).random()` is the same in all versions of Python and on all
    platforms, and powers of the probability are made by multiplication, which IEEE 754 defines exactly.

    >>> drops = Drops(0.5, Random(1))
    >>> [drops.count() for _ in range(8)]
    [2, 0, 0, 1, 1, 1, 0, 0]
    >>> Drops(0.0, Random(1)).count(), Drops(1.0, Random(1)).count() > 10**9
    (0, True)
    """

    def __init__(self, dropout: float, random: Random) -> None:
        """Raises ValueError if the probability is not from 0 to 1."""
        if not 0 <= dropout <= 1:
            raise ValueError("the dropout must be from 0 to 1")
        self._random = random.random
        self._dropout = dropout
        # The powers of the probability to 1, 2, 4, 8 …, the smallest first.
        powers = [dropout]
        while len(powers) < _BITS and powers[-1] > 0:
            powers.append(powers[-1] * powers[-1])
        self._powers = [(power, 1 << exponent) for exponent, power in enumerate(powers)][::-1]

    def by(self, random: Random) -> Drops:
        """The same with another source of random numbers."""
        other = copy(self)
        other._random = random.random
        return other

    def count(self) -> int:
        """How many of the merges that are tried one after another are dropped before the first that is not."""
        if not self._dropout:
            return 0
        drawn = self._random()
        if drawn >= self._dropout:
            return 0
        product, count = 1.0, 0
        for power, number in self._powers:  # the greatest count with drawn < dropout ** count
            if drawn < product * power:
                product *= power
                count += number
        return count


def merge_with_drops(
    symbols: Sequence[int], join: Join, drops: Drops, *, together: bool = False
) -> tuple[list[int], list[int]]:
    """Merge symbols with dropout; return the symbols that are left, and how many initial ones each covers.

    With `together`, all occurrences of the chosen merge that are not dropped are made in one step, as in subword-nmt.

    >>> join = {(0, 1): (0, 2), (2, 0): (1, 3)}.get      # a b → ab, ab a → aba
    >>> merge_with_drops([0, 1, 0, 1, 0], lambda *pair: join(pair), Drops(0.0, Random(0)))
    ([2, 3], [2, 3])
    >>> merge_with_drops([0, 1, 0, 1, 0], lambda *pair: join(pair), Drops(0.6, Random(2)))
    ([2, 2, 0], [2, 2, 1])
    """
    symbols = list(symbols)
    length = len(symbols)
    following, previous = list(range(1, length + 1)), list(range(-1, length - 1))
    widths = [1] * length  # 0 for a symbol that was merged into the one on its left
    made = [0] * length  # what the symbol at a position becomes with the one after it
    keys = [-1] * length  # the key of that merge, -1 if there is none
    for at in range(length - 1):
        if (pair := join(symbols[at], symbols[at + 1])) is not None:
            keys[at], made[at] = pair[0] << _BITS | at, pair[1]
    order = sorted(key for key in keys if key >= 0)
    while order and (chosen := _drawn(order, drops, together)):
        for key in chosen:
            at = key & 0xFFFFFFFF
            if keys[at] != key:
                continue  # merged with its neighbour in the same step
            right = following[at]
            for stale in (previous[at], at, right):
                if stale >= 0 and keys[stale] >= 0:
                    del order[bisect_left(order, keys[stale])]
                    keys[stale] = -1
            symbols[at] = made[at]
            widths[at] += widths[right]
            widths[right] = 0
            following[at] = after = following[right]
            if after < length:
                previous[after] = at
            for beside in (previous[at], at):
                if beside >= 0 and (next_at := following[beside]) < length:
                    pair = join(symbols[beside], symbols[next_at])
                    if pair is not None:
                        keys[beside], made[beside] = pair[0] << _BITS | beside, pair[1]
                        insort(order, keys[beside])
    left = [at for at in range(length) if widths[at]]
    return [symbols[at] for at in left], [widths[at] for at in left]


def _drawn(order: Sequence[int], drops: Drops, together: bool) -> list[int]:
    """The merges of a step: the first that is not dropped, with `together` all others of its rank."""
    index = drops.count()
    if index >= len(order):
        return []
    chosen = [order[index]]
    if together:
        while (index := index + 1 + drops.count()) < len(order) and order[index] >> _BITS == chosen[0] >> _BITS:
            chosen.append(order[index])
    return chosen


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
    return byte_segments(pretoken, merged(symbols, model.merge_result)[0], model.pieces, suffix=model.byte_suffix)


def _by_characters(model: BPE, pretoken: str, merged: _Merged) -> Sequence[Segment]:
    def measure(word: str) -> Measured:
        symbols, lengths = model.affixed.measured(word)
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
        parts += [(id, start + end) for id, end in model.parts_of(found, merged(symbols, join)[0], seen)]
        start += len(word)
    return vocabulary.segments(parts, pretoken)
