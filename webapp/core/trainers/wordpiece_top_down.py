"""WordPiece from the top down: keep the frequent substrings, the longest first.

Source: the vocabulary learner of TensorFlow Text (`wordpiece_tokenizer_learner_lib`), as its guide to subword
tokenizers describes it. Training by score (`wordpiece`) picks ever rarer pairs as the corpus grows; here a piece is
frequent at any size. `webapp.core.reference.wordpiece_top_down` explains the steps and is the oracle.
`SubstringTrie` makes it fast.

The frequent substrings of words as a trie in arrays, for counting again and again which of them begin where.

- Exploits: a substring is at most as frequent as its beginning, so the frequent ones are a trie, and one number for
  each position, the deepest node, stands for all of them that begin there. Counts are added at that node, and go up to
  the shorter substrings a level at a time.
- Invariant: nodes are numbered level by level, so a parent has a lower number than its children. A node is frequent
  only if its parent is.
- Proved by: `webapp.core.reference.wordpiece_top_down`, in `tests.core.reference.test_wordpiece_top_down`.
- Bought: 17 times (20,000 pieces on 1 MB of English, Chinese and code, without counting words).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from webapp.core.models.wordpiece import WordPiece
from webapp.core.trainers.word_counts import WordCounts, alphabet
from webapp.core.trainers.word_trie import Integers, code_points, grouped
from webapp.core.trainers.wordpiece import PREFIX, UNKNOWN, spell

Marks = NDArray[np.bool_]
BEGINNING, INSIDE = 0, 1  # the roots: substrings that begin a word, and the others


class SubstringTrie:
    """The substrings of at most `longest` characters that occur at least `rarest` times.

    By node, of which the first two are the roots: `parents`, `lengths` and `counts`. By position in the joint words:
    `deepest`, the node of the longest substring that begins there, and `weights`, the count of the word. `levels` has
    the first node of each length. A piece is a substring, with `prefix` before it if it does not begin a word.

    >>> trie = SubstringTrie({"hug": 10, "hugs": 5, "gs": 1}, "##", longest=20, rarest=6)
    >>> dict(zip(trie.pieces(np.arange(2, trie.size)), trie.counts[2:].tolist()))
    {'h': 15, '##g': 15, '##s': 6, '##u': 15, 'hu': 15, '##ug': 15, 'hug': 15}
    >>> trie.deepest.tolist()
    [8, 7, 3, 8, 7, 3, 4, 0, 4]
    """

    def __init__(self, words: WordCounts, prefix: str, *, longest: int, rarest: int) -> None:
        self._prefix = prefix
        self._text = "".join(words)
        sizes = np.fromiter(map(len, words), np.int64, len(words))
        ends = np.cumsum(sizes)
        self.begins = (ends - sizes)[sizes > 0]
        self.weights = np.repeat(np.fromiter(words.values(), np.int64, len(words)), sizes)
        self.ends = np.zeros(len(self._text), np.bool_)  # whether a word ends with it
        self.ends[ends[sizes > 0] - 1] = True
        kinds, characters = np.unique(code_points(self._text), return_inverse=True)
        self.deepest = np.full(len(self._text), INSIDE)
        if prefix:
            self.deepest[self.begins] = BEGINNING
        parents, counts, places = [np.array([-1, -1])], [np.zeros(2, np.int64)], [np.zeros(2, np.int64)]
        self.levels = [0, 2]
        alive, after = np.arange(len(self._text)), np.arange(len(self._text))
        while alive.size and len(self.levels) < longest + 2:
            order, keys, begins = grouped(self.deepest[alive] * kinds.size + characters[after])
            alive, after = alive[order], after[order]
            found = np.add.reduceat(self.weights[alive], begins)
            frequent = found >= rarest
            numbers = np.where(frequent, np.cumsum(frequent) + (self.levels[-1] - 1), -1)
            numbers = np.repeat(numbers, np.diff(begins, append=alive.size))
            begins = begins[frequent]
            parents.append(keys[begins] // kinds.size)
            counts.append(found[frequent])
            places.append(alive[begins])
            self.levels.append(self.levels[-1] + begins.size)
            kept = numbers >= 0
            alive, after = alive[kept], after[kept]
            self.deepest[alive] = numbers[kept]
            go_on = ~self.ends[after]
            alive, after = alive[go_on], after[go_on] + 1
        self.parents, self.counts = np.concatenate(parents), np.concatenate(counts)
        self._places = np.concatenate(places)
        self.lengths = np.repeat(np.arange(len(self.levels) - 1), np.diff(self.levels))

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    def by_level(self) -> list[slice]:
        """Return the nodes of each length from 1."""
        return [slice(low, high) for low, high in pairwise(self.levels[1:])]

    def with_longer(self, values: Integers) -> Integers:
        """Return for each node the sum of the values of all nodes below it, its own included."""
        sums = values.copy()
        for nodes in reversed(self.by_level()):
            np.add.at(sums, self.parents[nodes], sums[nodes])
        return sums

    def of_longest_marked(self, values: Integers, marked: Marks) -> Integers:
        """Return for each node the value of the next marked node on its path to the root, itself included."""
        found = values.copy()
        for nodes in self.by_level():
            found[nodes] = np.where(marked[nodes], values[nodes], found[self.parents[nodes]])
        return found

    def pieces(self, nodes: Integers) -> list[str]:
        """Return the pieces of nodes."""
        text, prefix = self._text, self._prefix
        begin_words = np.zeros(len(text), np.bool_)
        begin_words[self.begins] = True
        places = self._places[nodes]
        return [
            text[place:end] if begins else prefix + text[place:end]
            for place, end, begins in zip(
                places.tolist(), (places + self.lengths[nodes]).tolist(), begin_words[places].tolist(), strict=True
            )
        ]


ROUNDS = 4  # how often words are split and substrings counted
LONGEST = 20  # characters of a piece
LONGEST_WORD = 100  # characters; longer words are unknown to the model, and are not counted
RAREST = 2  # the lowest threshold


@dataclass(frozen=True)
class TopDownWordPiece:
    """A trained vocabulary: special tokens, the alphabet, then the longer pieces, most frequent first."""

    alphabet: tuple[str, ...]
    longer: tuple[str, ...]
    threshold: int
    special_names: tuple[str, ...]
    unknown: str = UNKNOWN
    prefix: str = PREFIX

    @cached_property
    def model(self) -> WordPiece:
        """The model."""
        pieces = tuple(dict.fromkeys((*self.special_names, *self.alphabet, *self.longer)))
        return WordPiece(pieces, unknown=self.unknown, continuing_subword_prefix=self.prefix)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, as `Tokenizer` expects them."""
        return {name: index for index, name in enumerate(self.special_names)}


def train(
    counts: WordCounts,
    size: int,
    *,
    special_tokens: Sequence[str] = (UNKNOWN,),
    unknown: str = UNKNOWN,
    prefix: str = PREFIX,
    coverage: float = 1.0,
    accepts: Callable[[str], bool] | None = None,
    kept_by_step: Callable[[Collection[str]], None] | None = None,
) -> TopDownWordPiece:
    """Train WordPiece with `size` pieces: special tokens, alphabet, and the longer pieces.

    The threshold is the lowest count with which the vocabulary fits; what room is left goes to the most frequent
    pieces of the next lower one. The result has fewer pieces if the corpus has too few substrings that occur twice.
    `accepts`: whether a longer piece may enter the vocabulary; by default, every piece may. `kept_by_step` is called
    with the longer pieces that each threshold keeps which is tried. `coverage` and errors are as in `wordpiece.train`.

    >>> trained = train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 11)
    >>> trained.longer, trained.threshold
    (('hug', 'pun', 'hugs'), 6)
    """
    if unknown not in special_tokens:
        raise ValueError(f"the unknown token {unknown!r} is not among the special tokens {special_tokens!r}")
    words = {word: count for word, count in counts.items() if len(word) <= LONGEST_WORD and _is_spelled(word, prefix)}
    frequencies = _symbol_counts(words, prefix)
    symbols = alphabet(frequencies, coverage)
    always = set(symbols) | set(special_tokens)
    if size < len(always):
        raise ValueError(f"{size} pieces cannot hold an alphabet and special tokens of {len(always)}")
    if len(symbols) < len(frequencies):
        known = frozenset(symbols)
        words = {word: count for word, count in words.items() if known.issuperset(spell(word, prefix))}
    candidates = _Candidates(words, prefix, special_tokens, accepts)

    room = size - len(always)
    low, high = RAREST, RAREST + sum(len(word) * count for word, count in words.items())
    # A threshold keeps at most the candidates that reach it, so from this one on the vocabulary fits in any case.
    ranked = np.sort(candidates.counts[candidates.optional])[::-1]
    fits = max(int(ranked[room]) + 1, RAREST) if ranked.size > room else RAREST
    found: Integers | None = None
    more: Integers | None = None
    while low < high:
        middle = (low + high) // 2
        if middle >= fits:
            high, found = middle, None
            continue
        kept = candidates.kept(middle)
        if kept_by_step is not None:
            kept_by_step(candidates.trie.pieces(np.flatnonzero(kept)))
        if np.count_nonzero(kept) <= room:
            high, found = middle, kept
        else:
            low, more = middle + 1, kept
    if found is None:
        found = candidates.kept(high)
    longer = candidates.ranked(found)
    if high > RAREST:
        more = candidates.kept(high - 1) if more is None else more
        more[found > 0] = 0
        longer += candidates.ranked(more)[: room - len(longer)]
    return TopDownWordPiece(tuple(symbols), tuple(longer), high, tuple(special_tokens), unknown, prefix)


class _Candidates:
    """The frequent substrings of the words, with their counts, and which of them are optional.

    The others are characters, which are always kept, and special tokens.
    """

    def __init__(
        self, words: WordCounts, prefix: str, special_tokens: Sequence[str], accepts: Callable[[str], bool] | None
    ) -> None:
        self.trie = trie = SubstringTrie(words, prefix, longest=LONGEST, rarest=RAREST)
        self.optional = trie.lengths > 1
        lengths = [len(name.removeprefix(prefix)) for name in special_tokens]
        nodes = np.flatnonzero(self.optional & np.isin(trie.lengths, lengths))
        self.optional[nodes[[piece in special_tokens for piece in trie.pieces(nodes)]]] = False
        self.counts = trie.counts.copy()
        if accepts is not None:
            nodes = np.flatnonzero(trie.lengths > 1)
            self.counts[nodes[[not accepts(piece) for piece in trie.pieces(nodes)]]] = 0
            for level in trie.by_level()[1:]:  # nothing is kept that begins with a refused piece
                self.counts[level] *= self.counts[trie.parents[level]] > 0

    def kept(self, threshold: int) -> Integers:
        """Return what longer pieces leave of the counts of the optional pieces that a threshold keeps, else 0."""
        trie = self.trie
        frequent = self.counts >= threshold
        deepest = trie.of_longest_marked(np.arange(trie.size), frequent)[trie.deepest]
        left = self._left(np.where(frequent, self.counts, 0), threshold)
        for _ in range(ROUNDS - 1):
            sizes = np.maximum(trie.of_longest_marked(trie.lengths, left > 0), 1)[deepest]
            counts = np.zeros(trie.size, np.int64)
            at = trie.begins
            while at.size:  # all words at once, piece by piece
                np.add.at(counts, deepest[at], trie.weights[at])
                last = at + sizes[at] - 1
                at = last[~trie.ends[last]] + 1
            left = self._left(trie.with_longer(counts), threshold)
        return np.where(self.optional, left, 0)

    def _left(self, counts: Integers, threshold: int) -> Integers:
        """Keep the frequent candidates, longest first, and subtract the count of each from its beginnings."""
        trie = self.trie
        taken = np.zeros(trie.size, np.int64)  # by longer pieces
        left = np.zeros(trie.size, np.int64)
        for nodes in reversed(trie.by_level()):
            rest = counts[nodes] - taken[nodes]
            left[nodes] = np.where(rest >= threshold, rest, 0)
            np.add.at(taken, trie.parents[nodes], taken[nodes] + left[nodes])
        return left

    def ranked(self, left: Integers) -> list[str]:
        """Return the pieces with something left, the most frequent first."""
        nodes = np.flatnonzero(left)
        counts = dict(zip(self.trie.pieces(nodes), left[nodes].tolist(), strict=True))
        return sorted(counts, key=lambda piece: (-counts[piece], piece))


def _is_spelled(word: str, prefix: str) -> bool:
    """Whether `spell` gives symbols for a word."""
    return bool(word) and not (prefix and word.startswith(prefix))


def _symbol_counts(words: WordCounts, prefix: str) -> dict[str, int]:
    """Return how often each symbol occurs, in order of first occurrence.

    >>> _symbol_counts({"hug": 2, "gh": 1}, "##")
    {'h': 2, '##u': 2, '##g': 2, 'g': 1, '##h': 1}
    """
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    weights = np.repeat(np.fromiter(words.values(), np.int64, len(words)), sizes)
    text = "".join(words)
    inside = np.ones(len(text), np.int64)
    inside[np.cumsum(sizes) - sizes] = 0 if prefix else 1
    order, _, begins = grouped(code_points(text) * 2 + inside)
    if not begins.size:
        return {}
    found = np.add.reduceat(weights[order], begins)
    first = order[begins]
    ranked = np.argsort(first)
    symbols = (prefix + text[at] if inside[at] else text[at] for at in first[ranked].tolist())
    return dict(zip(symbols, found[ranked].tolist(), strict=True))
