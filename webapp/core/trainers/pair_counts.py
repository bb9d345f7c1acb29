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
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

BREAK = 0  # not a symbol: the end of a word, or a character outside the alphabet, which no merge may cross
SHIFT = 24
MASK = (1 << SHIFT) - 1


class Pairs:
    """Counts and positions of all adjacent pairs in weighted words of numbered symbols.

    `words` holds each distinct word once, in corpus order: the numbers of its symbols (from 1, or `BREAK`) and how
    often the word occurs. `alphabet` is the highest of these numbers; merged symbols get the following ones. A pair is
    one integer: `left << SHIFT | right`.

    >>> pairs = Pairs([([1, 1, 1], 2), ([1, 2], 5)], alphabet=2)
    >>> a_b, a_a = 1 << SHIFT | 2, 1 << SHIFT | 1
    >>> pairs.counts[a_a], pairs.counts[a_b], pairs.first(a_a), pairs.first(a_b)
    (4, 5, 1, 5)

    Merging the first pair, a+a, into symbol 3 replaces from left to right, so "aaa" becomes 3 1:

    >>> three_a = 3 << SHIFT | 1
    >>> pairs.merge(a_a, 3) == (2, {three_a}), pairs.counts[three_a], a_a in pairs.counts
    (True, 2, False)
    """

    def __init__(self, words: Iterable[tuple[Sequence[int], int]], alphabet: int) -> None:
        starts = [BREAK]
        weights = [0]
        for symbols, count in words:
            if count > 0:
                starts.extend(symbols)
                starts.append(BREAK)
                weights.extend([count] * (len(symbols) + 1))
        self.starts = starts
        self.ends = starts.copy()
        self.weights = weights
        self.lengths = [1] * (alphabet + 1)
        self.counts: defaultdict[int, int] = defaultdict(int)
        self.places: defaultdict[int, list[int]] = defaultdict(list)
        counts, places = self.counts, self.places
        for position, (left, right) in enumerate(pairwise(starts)):
            if left and right:
                pair = left << SHIFT | right
                counts[pair] += weights[position]
                places[pair].append(position)

    def merge(self, pair: int, product: int) -> tuple[int, set[int]]:
        """Replace the pair everywhere, from left to right.

        Returns the number of replacements, weighted by word counts, and the new pairs that contain the product.
        `product` may be an existing symbol ("a"+"bc" after "ab"+"c"). Only the returned pairs can have become more
        frequent; pairs with one of the two merged symbols can have become rarer; no other pair changes.
        """
        starts, ends, weights, lengths = self.starts, self.ends, self.weights, self.lengths
        counts, places = self.counts, self.places
        left, right = pair >> SHIFT, pair & MASK
        to_right, to_end = lengths[left], lengths[left] + lengths[right]
        known = product < len(lengths)
        if not known:
            lengths.append(to_end)
        merged = 0
        born: set[int] = set()
        left_part, right_part, product_part = left, right << SHIFT, product << SHIFT
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
                counts[before << SHIFT | left_part] -= weight
                new = before << SHIFT | product
                counts[new] += weight
                places[new].append(position - lengths[before])
                born.add(new)
            if after:
                counts[right_part | after] -= weight
                new = product_part | after
                counts[new] += weight
                places[new].append(position)
                born.add(new)
        del counts[pair]
        if known:
            for new in born:
                places[new].sort()  # merges the earlier positions and the new ones, both already sorted
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
            position = places[index]
            if starts[position] == left and starts[position + to_right] == right:
                return position
        raise LookupError(f"pair {left}, {right} occurs nowhere")
