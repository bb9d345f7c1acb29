"""The pair with the highest WordPiece score, kept up to date after every merge.

- Exploits: a merge makes its two symbols rarer, which raises the scores of all pairs with one of them, hundreds for a
  common letter. So each pair belongs to the group of one of its symbols, its *owner*, the more frequent one when the
  pair appeared, and its key is count(pair) / count(other symbol). When the owner's count changes, the order within the
  group stays, and only the group's best pair changes its place among the groups. When the other symbol's count falls,
  the keys hold until it reaches a floor; only pairs that have come to the top of a group have exact keys.
- Invariant: a group's heap contains an entry for each pair with a key at least as high as the pair's and a position at
  most as high, and so does the heap of groups for each group. An entry at the top that is out of date is replaced.
  Different fractions of counts below 2**26 are different keys, so within a group the highest key is the highest score.
- Proved by: `webapp.core.reference.wordpiece.train`, which scores all pairs before every merge, in
  `tests.core.reference.test_worked_examples`.
- Bought: 17 times (20,000 merges on 0.7 MB of English, against a heap with a new entry for every changed score).
"""

from collections import defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush, heapreplace

from webapp.core.trainers.pair_counts import MASK, SHIFT, Pairs

SLACK = 8  # a key is computed with a frequency up to one eighth below the real one, so that it holds for some merges
Entry = tuple[float, int, int]  # minus the key or the score, the position of the first occurrence, the pair or owner


class PairScores:
    """The scores of the pairs that occur at least `minimum` times; `frequencies` are those of the symbols.

    >>> pairs = Pairs([([1, 2], 4), ([1, 3], 4), ([4, 5], 2)], alphabet=5)
    >>> scores = PairScores(pairs, [0, 8, 4, 4, 2, 2], minimum=1)
    >>> scores.best() == (4 << SHIFT | 5, 2, 0.5)
    True
    """

    def __init__(self, pairs: Pairs, frequencies: list[int], minimum: int) -> None:
        self._pairs = pairs
        self._frequencies = frequencies
        self._minimum = minimum
        self._groups: defaultdict[int, list[Entry]] = defaultdict(list)  # heaps, by owner
        self._current: dict[int, Entry] = {}  # the latest entry of each pair
        self._owners: dict[int, int] = {}
        self._pairs_with: defaultdict[int, list[int]] = defaultdict(list)  # by the symbol that is not the owner
        self._floors: dict[int, int] = {}  # of the frequencies of symbols that are not the owner
        self._exact: defaultdict[int, set[int]] = defaultdict(set)  # pairs with exact keys, by the same symbol
        self._tops: list[Entry] = []  # a heap of the groups' best scores
        self._current_tops: dict[int, Entry] = {}  # the latest entry of each group
        self._insert(pairs.counts)
        for owner in self._groups:
            self._rank(owner)

    def best(self) -> tuple[int, int, float] | None:
        """Return the pair with the highest score, its count and its score, or None if no pair is frequent enough.

        Of several with the highest score, it is the one whose first occurrence has the lowest position.
        """
        tops, current = self._tops, self._current_tops
        while tops:
            entry = tops[0]
            owner = entry[2]
            if current.get(owner) is not entry:
                heappop(tops)
                continue
            top = self._top(owner)
            if top is None:
                heappop(tops)
                del current[owner]
                continue
            pair = top[2]
            count = self._pairs.counts[pair]
            score = count / (self._frequencies[pair >> SHIFT] * self._frequencies[pair & MASK])
            if -score == entry[0] and top[1] == entry[1]:
                return pair, count, score
            current[owner] = corrected = -score, top[1], owner
            heapreplace(tops, corrected)
        return None

    def update(self, left: int, right: int, born: set[int]) -> None:
        """Adjust the scores after a merge of `left` and `right`; `born` are the pairs with the product.

        The frequencies of `left` and `right` have fallen; only the pairs in `born` can have become more frequent.
        """
        counts, current, owners, pairs_with = self._pairs.counts, self._current, self._owners, self._pairs_with
        changed = self._insert(born)
        changed.add(left)
        changed.add(right)
        for symbol in {left, right}:
            frequency = self._frequencies[symbol]
            if frequency >= self._floors.get(symbol, 0):
                self._raise_exact(symbol, frequency, changed)
                continue
            self._exact.pop(symbol, None)
            self._floors[symbol] = frequency = frequency - frequency // SLACK
            alive = []
            for pair in pairs_with.get(symbol, ()):
                count = counts.get(pair, 0)
                if count < self._minimum:
                    del current[pair], owners[pair]
                    continue
                alive.append(pair)
                if -count / frequency < current[pair][0]:
                    self._push(-count / frequency, pair, changed)
            pairs_with[symbol] = alive
        for owner in changed:
            self._rank(owner)

    def _raise_exact(self, symbol: int, frequency: int, changed: set[int]) -> None:
        """Raise the exact keys of a symbol that has become rarer."""
        exact = self._exact.get(symbol)
        if exact:
            counts, current = self._pairs.counts, self._current
            for pair in tuple(exact):
                count = counts.get(pair, 0)
                if count < self._minimum:
                    exact.discard(pair)
                elif -count / frequency < current[pair][0]:
                    self._push(-count / frequency, pair, changed)

    def _push(self, negative_key: float, pair: int, changed: set[int]) -> None:
        self._current[pair] = entry = negative_key, self._current[pair][1], pair
        owner = self._owners[pair]
        group = self._groups[owner]
        heappush(group, entry)
        if group[0] is entry:
            changed.add(owner)

    def _insert(self, found: Iterable[int]) -> set[int]:
        """Add entries for pairs that are new or have become more frequent, and return the owners of new best pairs."""
        counts, places, frequencies = self._pairs.counts, self._pairs.places, self._frequencies
        changed = set()
        for pair in found:
            count = counts[pair]
            if count < self._minimum:
                continue
            left, right = pair >> SHIFT, pair & MASK
            owner = self._owners.get(pair)
            if owner is None:
                owner = left if frequencies[left] >= frequencies[right] else right
                self._owners[pair] = owner
                self._pairs_with[right if owner == left else left].append(pair)
            other = right if owner == left else left
            floor = self._floors.get(other)
            if floor is None:
                self._floors[other] = floor = frequencies[other] - frequencies[other] // SLACK
            self._current[pair] = entry = -count / floor, places[pair][0], pair
            group = self._groups[owner]
            heappush(group, entry)
            if group[0] is entry:
                changed.add(owner)
        return changed

    def _rank(self, owner: int) -> None:
        """Add an entry to the heap of groups if the group's best score has changed."""
        top = self._top(owner)
        if top is not None:
            _, position, pair = top
            frequencies = self._frequencies
            negative = -(self._pairs.counts[pair] / (frequencies[pair >> SHIFT] * frequencies[pair & MASK]))
            known = self._current_tops.get(owner)
            if known is None or known[0] != negative or known[1] != position:
                self._current_tops[owner] = entry = negative, position, owner
                heappush(self._tops, entry)

    def _top(self, owner: int) -> Entry | None:
        """Return the up-to-date entry of the best pair in a group, or None if the group is empty."""
        group = self._groups.get(owner)
        pairs, current = self._pairs, self._current
        starts, lengths = pairs.starts, pairs.lengths
        while group:
            entry = group[0]
            key, position, pair = entry
            if current.get(pair) is not entry:
                heappop(group)
                continue
            count = pairs.counts.get(pair, 0)
            if count < self._minimum:
                heappop(group)
                continue
            left, right = pair >> SHIFT, pair & MASK
            other = right if owner == left else left
            fresh = -count / self._frequencies[other]
            there = starts[position] == left and starts[position + lengths[left]] == right
            if fresh == key and there:
                return entry
            self._exact[other].add(pair)
            current[pair] = corrected = fresh, position if there else pairs.first(pair, position), pair
            heapreplace(group, corrected)
        return None
