"""PickyBPE: byte pair encoding that removes a piece when a merge leaves it almost no use.

Source: Chizhov, Arnett, Korotkova, Yamshchikov 2024, "BPE Gets Picky: Efficient Vocabulary Refinement During Tokenizer
Training" (arXiv 2409.04599), section 3, and the authors' program where the paper leaves a choice.
`webapp.core.reference.picky_bpe` explains the steps and is the oracle. Ties are resolved as in `bpe`.

- Exploits: symbols keep their positions in `Pairs`, so taking a piece apart changes only the positions it occupies.
- Invariant: every pair is counted (`all_pairs`), and pairs that a removal makes more frequent are pushed again.
- Proved by: `webapp.core.reference.picky_bpe`, in `tests.core.reference.test_picky_bpe`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from webapp.core.models.picky_bpe import PickyBPE
from webapp.core.trainers.best_pairs import BestPairs
from webapp.core.trainers.bpe import BYTES, CountedMerge
from webapp.core.trainers.pair_counts import MASK, SHIFT, Pairs
from webapp.core.trainers.word_counts import WordCounts

MOST = 20  # events for each piece; a low threshold may take back and make again without end


class Removal(NamedTuple):
    """A piece that was removed, the pieces that it was split into, and how often it still occurred."""

    piece: bytes
    parts: tuple[bytes, ...]
    occurrences: int


Event = CountedMerge[bytes] | Removal


@dataclass(frozen=True)
class TrainedPickyBPE:
    """A trained vocabulary: the bytes, then the pieces that no removal took back; `special_names` follow them."""

    events: tuple[Event, ...]
    special_names: tuple[str, ...] = ()

    @cached_property
    def model(self) -> PickyBPE:
        """The model with all events."""
        return self.first(len(self.events))

    def first(self, number: int) -> PickyBPE:
        """Return the model after the first `number` events, without retraining."""
        kept = dict.fromkeys(BYTES, True)
        for event in self.events[:number]:
            if isinstance(event, Removal):
                kept[event.piece] = False
            else:
                kept[event.left + event.right] = True
        return PickyBPE(
            [piece for piece, is_kept in kept.items() if is_kept],
            [
                (event.piece, *event.parts) if isinstance(event, Removal) else (event.left, event.right)
                for event in self.events[:number]
            ],
        )

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens with their ids, as `Tokenizer` expects them."""
        first = len(self.model.pieces)
        return {name: first + index for index, name in enumerate(self.special_names)}


def train_bytes(
    counts: WordCounts,
    size: int,
    special_tokens: Sequence[str] = (),
    *,
    threshold: float = 0.9,
    minimum_count: int = 1,
) -> TrainedPickyBPE:
    """Train PickyBPE over bytes with `size` pieces: the 256 bytes, the pieces that are left, and the special tokens.

    A part of a merge is removed if the merge consumed more than the share `threshold` of its occurrences; with 1,
    nothing is removed and the result is that of `bpe.train_bytes`. The result has fewer pieces if no pair is left.
    Raises ValueError for a size that cannot hold the bytes and the special tokens, and for a threshold outside 0 to 1.

    >>> trained = train_bytes({"could": 4, "loud": 1}, 258, threshold=0.7)
    >>> [event.piece for event in trained.events if isinstance(event, Removal)]
    [b'ou', b'cou', b'coul']
    >>> trained.model.pieces[256:]
    (b'could', b'lo')
    """
    room = size - len(special_tokens)
    if room < len(BYTES):
        raise ValueError(f"a vocabulary with room for {room} pieces cannot hold the {len(BYTES)} bytes")
    found: list[Event] = []
    kept = len(BYTES)
    found_rounds = rounds(counts, threshold, minimum_count)
    while kept < room and len(found) < MOST * room and (one := next(found_rounds, None)) is not None:
        kept, merge, removals = one
        found += (merge, *removals)
    return TrainedPickyBPE(tuple(found), tuple(special_tokens))


def rounds(
    counts: WordCounts, threshold: float = 0.9, minimum_count: int = 1
) -> Iterator[tuple[int, CountedMerge[bytes], tuple[Removal, ...]]]:
    """Yield, for each merge, the number of pieces after it, the merge, and the removals that it caused."""
    if not 0 <= threshold <= 1:
        raise ValueError(f"the threshold is a share from 0 to 1, not {threshold}")
    training = _Training(counts)
    best = BestPairs(training.pairs, minimum_count)
    while (pair := best.pair()) is not None:
        merge, consumed = training.merge(pair, best)
        removals: list[Removal] = []
        for symbol in dict.fromkeys((pair >> SHIFT, pair & MASK)):
            share = consumed / (training.frequencies[symbol] + consumed)
            if symbol > len(BYTES) and share > threshold:
                removals.append(training.remove(symbol, best))
        yield len(training.kept), merge, tuple(removals)


class _Training:
    """The words as merged so far, and for each symbol its piece, its parts, its occurrences and where it may occur."""

    def __init__(self, counts: WordCounts) -> None:
        self.pairs = Pairs.of_bytes(counts, all_pairs=True)
        self.pieces = [b"", *BYTES]
        self.kept = set(range(1, len(self.pieces)))
        self.frequencies = [0] * len(self.pieces)
        for symbol, weight in zip(self.pairs.starts, self.pairs.weights, strict=True):
            self.frequencies[symbol] += weight
        self._number_of = {piece: number for number, piece in enumerate(self.pieces)}
        self._made_of: dict[int, tuple[int, int]] = {}
        self._places: dict[int, list[int]] = {}

    def merge(self, pair: int, best: BestPairs) -> tuple[CountedMerge[bytes], int]:
        """Merge a pair everywhere; return the merge, and how often it took place ("aaa" holds "aa" twice)."""
        left, right = pair >> SHIFT, pair & MASK
        count = self.pairs.counts[pair]
        piece = self.pieces[left] + self.pieces[right]
        product = self._number_of.setdefault(piece, len(self.pieces))
        if product == len(self.pieces):
            self.pieces.append(piece)
            self.frequencies.append(0)
            self._made_of[product] = left, right
        places = sorted({*self.pairs.places[pair]})  # a pair that returned to a position after a removal is there twice
        self.pairs.places[pair] = places
        merged, born = self.pairs.merge(pair, product)
        best.add(born)
        starts = self.pairs.starts
        self._places.setdefault(product, []).extend(place for place in places if starts[place] == product)
        self.kept.add(product)
        self.frequencies[product] += merged
        self.frequencies[left] -= merged
        self.frequencies[right] -= merged
        return CountedMerge(self.pieces[left], self.pieces[right], count), merged

    def remove(self, symbol: int, best: BestPairs) -> Removal:
        """Remove a piece from the vocabulary, and take it apart wherever it occurs."""
        self.kept.discard(symbol)
        parts = self._parts(symbol)
        changed: set[int] = set()
        starts = self.pairs.starts
        for place in sorted({place for place in self._places.pop(symbol) if starts[place] == symbol}):
            changed |= self._split(place, symbol, parts)
        best.add(changed, unsorted=True)
        occurrences, self.frequencies[symbol] = self.frequencies[symbol], 0
        for part in parts:
            self.frequencies[part] += occurrences
        return Removal(self.pieces[symbol], tuple(self.pieces[part] for part in parts), occurrences)

    def _parts(self, symbol: int) -> list[int]:
        if symbol in self.kept:
            return [symbol]
        left, right = self._made_of[symbol]
        return self._parts(left) + self._parts(right)

    def _split(self, place: int, symbol: int, parts: Sequence[int]) -> set[int]:
        """Take one occurrence apart; return the pairs that became more frequent."""
        pairs = self.pairs
        starts, ends, lengths = pairs.starts, pairs.ends, pairs.lengths
        end, weight = place + lengths[symbol], pairs.weights[place]
        before, after = ends[place - 1], starts[end]
        if before:
            self._lose(before << SHIFT | symbol, weight)
        if after:
            self._lose(symbol << SHIFT | after, weight)
        changed = set()
        neighbour, at = before, place
        for part in parts:
            starts[at] = ends[at + lengths[part] - 1] = part
            self._places.setdefault(part, []).append(at)
            if neighbour:
                changed.add(self._gain(neighbour << SHIFT | part, at - lengths[neighbour], weight))
            neighbour, at = part, at + lengths[part]
        if after:
            changed.add(self._gain(neighbour << SHIFT | after, at - lengths[neighbour], weight))
        return changed

    def _lose(self, pair: int, weight: int) -> None:
        self.pairs.counts[pair] -= weight
        if not self.pairs.counts[pair]:
            del self.pairs.counts[pair], self.pairs.places[pair]

    def _gain(self, pair: int, place: int, weight: int) -> int:
        self.pairs.counts[pair] = self.pairs.counts.get(pair, 0) + weight
        self.pairs.places.setdefault(pair, []).append(place)
        return pair
