"""WordPiece from the top down: keep the frequent substrings, the longest first.

Source: the vocabulary learner of TensorFlow Text (`wordpiece_tokenizer_learner_lib`), as its guide to subword
tokenizers describes it. Training by score (`wordpiece`) picks ever rarer pairs as the corpus grows; here a piece is
frequent at any size. `webapp.core.reference.wordpiece_top_down` explains the steps and is the oracle.
`SubstringTrie` makes it fast.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from webapp.core.models.wordpiece import WordPiece
from webapp.core.trainers.groups import Integers, grouped
from webapp.core.trainers.substring_trie import SubstringTrie
from webapp.core.trainers.word_counts import WordCounts, alphabet
from webapp.core.trainers.word_trie import code_points
from webapp.core.trainers.wordpiece import PREFIX, UNKNOWN, spell

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
        self.optional[[node for node in map(trie.node, special_tokens) if node is not None]] = False
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
