"""Counts of adjacent symbol pairs over all distinct words, updated with every merge.

After every merge, the BPE and WordPiece trainers need to know how often each pair and each symbol occurs, where, and
which occurrence comes first. Recounting takes time proportional to the corpus. Here a merge takes time proportional to
the number of positions that it changes, so a whole training is near-linear in the corpus, and one word of a megabyte
costs no more than many short ones.

The distinct words lie one after the other in a single array of positions, each followed by one position that holds
`BREAK`. A symbol is a positive number; it occupies as many positions as it contains initial symbols:

    position   0  1  2  3  4  5
    word "low" ␣  l  o  w  ␣        starts = [0, l, o, w, 0]   ends = [0, l, o, w, 0]
    l+o merged ␣  lo .  w  ␣        starts = [0, lo, 0, w, 0]  ends = [0, l, lo, w, 0]

So the next symbol is `starts[position + length]`, the previous one is `ends[position - 1]`, and the first
occurrence in corpus order has the smallest position.

Two things are for speed:

- Rare pairs are left out. Most pairs occur once or twice and are never merged, so only those that occur at least
  `least` times are kept up to date; when no pair is left, `recount` finds the rarer ones in the words as merged so far.
  Invariant: a pair that is left out cannot become more frequent, except by a merge to a symbol that exists already,
  before which everything is counted.
- `recount` moves the symbols together, so that each occupies one position again; their order stays. It sorts the pairs
  of all positions in an array instead of looking each up.

The oracle of all is `webapp.core.reference.bpe.train`, which recounts before every merge
(`tests.core.reference.test_bpe`). Leaving out rare pairs bought 1.2 times (20,000 merges on 1 MB of English, Chinese
and code).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain, repeat

import numpy as np

from webapp.core.trainers.word_counts import WordCounts
from webapp.core.trainers.word_trie import Integers, grouped

BREAK = 0  # not a symbol: the end of a word, or a character outside the alphabet, which no merge may cross
SHIFT = 24
MASK = (1 << SHIFT) - 1
PAIR = (1 << 2 * SHIFT) - 1
POSITION = (1 << 48) - 1
ABOVE = 2 * SHIFT + 48  # the bit at which the count begins in a heap entry
SPREAD = 64  # `recount` keeps the pairs that occur at least this fraction as often as the most frequent one


class Pairs:
    """Counts and positions of the adjacent pairs in weighted words of numbered symbols.

    `words` holds each distinct word once, in corpus order: the numbers of its symbols (from 1, or `BREAK`) and how
    often the word occurs. `alphabet` is the highest of these numbers; merged symbols get the following ones. A pair is
    one integer: `left << SHIFT | right`. With `all_pairs`, rare pairs are not left out.

    >>> pairs = Pairs([([1, 1, 1], 2), ([1, 2], 5)], alphabet=2)
    >>> a_b, a_a = 1 << SHIFT | 2, 1 << SHIFT | 1
    >>> pairs.counts[a_a], pairs.counts[a_b], pairs.first(a_a), pairs.first(a_b)
    (4, 5, 1, 5)

    Merging the first pair, a+a, into symbol 3 replaces from left to right, so "aaa" becomes 3 1:

    >>> three_a = 3 << SHIFT | 1
    >>> pairs.merge(a_a, 3) == (2, {three_a}), pairs.counts[three_a], a_a in pairs.counts
    (True, 2, False)
    """

    def __init__(self, words: Iterable[tuple[Sequence[int], int]], alphabet: int, *, all_pairs: bool = False) -> None:
        starts = [BREAK]
        weights = [0]
        for symbols, count in words:
            if count > 0:
                starts.extend(symbols)
                starts.append(BREAK)
                weights.extend(repeat(count, len(symbols) + 1))
        self._begin(np.array(starts, np.int64), np.array(weights, np.int64), alphabet, all_pairs)

    @classmethod
    def of_bytes(cls, counts: WordCounts, alphabet: Sequence[bytes]) -> Pairs:
        """Return the pairs of the words' bytes in UTF-8: the first byte of the alphabet is symbol 1.

        >>> pairs = Pairs.of_bytes({"ab": 3}, [bytes([byte]) for byte in range(256)])
        >>> pairs.starts, pairs.counts[98 << SHIFT | 99]
        ([0, 98, 99, 0], 3)
        """
        spelled = [word.encode() for word, count in counts.items() if count > 0]
        lengths = np.fromiter(map(len, spelled), np.int64, len(spelled))
        repeated = np.repeat(np.array([count for count in counts.values() if count > 0], np.int64), lengths + 1)
        separator = b"\xff"  # in no valid UTF-8
        numbers = np.zeros(256, np.int64)
        numbers[list(b"".join(alphabet))] = range(1, 257)
        numbers[separator[0]] = BREAK
        starts = numbers[np.frombuffer(separator + separator.join([*spelled, b""]), np.uint8)]
        pairs = cls.__new__(cls)
        pairs._begin(starts, np.append([0], repeated), 256, all_pairs=False)
        return pairs

    def _begin(self, starts: Integers, weights: Integers, alphabet: int, all_pairs: bool) -> None:
        self.lengths = [1] * (alphabet + 1)
        self.refused: set[int] = set()
        self._count(starts, weights, 1 if all_pairs else None)

    def refuse(self, pair: int) -> None:
        """Leave a pair out, also when all are counted anew: it will never be merged."""
        self.refused.add(pair)
        del self.counts[pair], self.places[pair]

    def recount(self, *, all_pairs: bool = False) -> None:
        """Count all pairs anew, with other positions in the same order, and leave out fewer of the rare ones."""
        starts: Integers = np.array(self.starts, np.int64)
        kept = (starts != BREAK) | self._breaks
        self._count(starts[kept], self._weights[kept], 1 if all_pairs else None)

    def _count(self, starts: Integers, weights: Integers, least: int | None) -> None:
        """Set the counts and places of the pairs in `starts`, where every symbol occupies one position.

        Both are in the order in which the pairs would be merged: the most frequent first, a tie by first occurrence.
        """
        self.lengths = [1] * len(self.lengths)
        self._breaks = starts == BREAK
        self._weights = weights
        before, after = starts[:-1], starts[1:]
        places = np.flatnonzero((before != BREAK) & (after != BREAK))
        pairs = (before[places] - 1) * (len(self.lengths) - 1) + after[places] - 1
        order, ranked, begins = grouped(pairs)
        counts = np.add.reduceat(weights[places][order], begins) if begins.size else np.empty(0, np.int64)
        if self.refused:  # they do not count: the most frequent pair decides which rare ones are left out
            lefts, rights = np.divmod(ranked[begins], len(self.lengths) - 1)
            packed = (lefts + 1) << SHIFT | rights + 1
            counts[np.isin(packed, np.fromiter(self.refused, np.int64, len(self.refused)))] = 0
        self.least = max(int(counts.max(initial=0)) // SPREAD, 1) if least is None else least
        ends = np.append(begins[1:], places.size)
        frequent = np.flatnonzero(counts >= self.least)
        frequent = frequent[np.lexsort((places[order[begins[frequent]]], -counts[frequent]))]
        lefts, rights = np.divmod(ranked[begins[frequent]], len(self.lengths) - 1)
        names = ((lefts + 1) << SHIFT | rights + 1).tolist()
        self.counts = dict(zip(names, counts[frequent].tolist(), strict=True))
        bounds = zip(names, begins[frequent].tolist(), ends[frequent].tolist(), strict=True)
        shared = list(range(len(self.lengths)))  # one object for each number
        self.starts = list(map(shared.__getitem__, starts.tolist()))
        self.ends = self.starts.copy()
        self.weights: list[int] = weights.tolist()
        in_order: list[int] = places[order].tolist()
        self.places = {pair: in_order[begin:end] for pair, begin, end in bounds}

    def merge(self, pair: int, product: int) -> tuple[int, set[int]]:
        """Replace the pair everywhere, from left to right.

        Returns the number of replacements, weighted by word counts, and the new pairs that contain the product.
        `product` may be an existing symbol ("a"+"bc" after "ab"+"c") if no pairs are left out. Only the returned pairs
        can have become more frequent; pairs with one of the two merged symbols can have become rarer; no other pair
        changes.
        """
        starts, ends, weights, lengths = self.starts, self.ends, self.weights, self.lengths
        counts, places, least = self.counts, self.places, self.least
        left, right = pair >> SHIFT, pair & MASK
        to_right, to_end = lengths[left], lengths[left] + lengths[right]
        exists = product < len(lengths)
        if exists:
            assert least == 1, "a count that was left out could rise"
        else:
            lengths.append(to_end)
        merged = 0
        born: set[int] = set()
        rarer: set[int] = set()
        del counts[pair]
        for position in places.pop(pair):
            middle = position + to_right
            if starts[position] != left or starts[middle] != right:
                continue  # consumed by an earlier replacement
            weight = weights[position]
            merged += weight
            end = position + to_end
            before, after = ends[position - 1], starts[end]
            starts[position] = ends[end - 1] = product
            starts[middle] = BREAK
            if before:
                old = before << SHIFT | left
                if old in counts:
                    counts[old] -= weight
                    rarer.add(old)
                new = before << SHIFT | product
                if new in counts:
                    counts[new] += weight
                    places[new].append(position - lengths[before])
                else:
                    counts[new] = weight
                    places[new] = [position - lengths[before]]
                born.add(new)
            if after:
                old = right << SHIFT | after
                if old in counts:
                    counts[old] -= weight
                    rarer.add(old)
                new = product << SHIFT | after
                if new in counts:
                    counts[new] += weight
                    places[new].append(position)
                else:
                    counts[new] = weight
                    places[new] = [position]
                born.add(new)
        for changed in rarer | born if least > 1 else rarer:
            if counts[changed] < least:
                del counts[changed], places[changed]
                born.discard(changed)
        for changed in born if exists else ():
            places[changed].sort()  # merges the earlier positions and the new ones, both already sorted
        return merged, born

    def first(self, pair: int, since: int = 0) -> int:
        """Return the position of the pair's first occurrence; `since`, an earlier result, is where the search resumes.

        Raises LookupError if the pair no longer occurs.
        """
        starts, places = self.starts, self.places[pair]
        left, right = pair >> SHIFT, pair & MASK
        to_right = self.lengths[left]
        begin = bisect_left(places, since) if since else 0
        for index in chain(range(begin, len(places)), range(begin)):  # a second merge to one symbol may lie before
            position: int = places[index]
            if starts[position] == left and starts[position + to_right] == right:
                return position
        raise LookupError(f"pair {left}, {right} occurs nowhere")


def heap_entry(count: int, position: int, pair: int) -> int:
    """Return the entry of a pair in a heap: one integer that sorts like (-count, position, pair), but faster."""
    return -count << ABOVE | position << 2 * SHIFT | pair
