"""WordPiece: merge the pair whose symbols occur together most exclusively.

Source: Schuster, Nakajima 2012, "Japanese and Korean Voice Search", section 3 (merge the pair that raises the
likelihood of the training text most), in the form taught since BERT: the pair with the highest

    score = count(pair) / (count(left) · count(right))

with all counts weighted by word frequency, just before the merge. A tie goes to the pair that occurs first in corpus
order, as in `bpe`.

The score favors rare pairs: two symbols that occur once in the corpus, next to each other, have the highest possible
score, 1. On a large corpus the vocabulary would fill with names and misprints before it contained "the". So only pairs
that occur at least `minimum_pair_frequency` times are candidates. No single value is good for every corpus and size: a
low one lets rare pairs in, a high one leaves too few. With None, the minimum follows the training: it begins at half
the count of the most frequent pair, and falls by a third whenever no pair occurs that often. So the score chooses among
pairs that are about equally frequent, and the size is reached. On 2.8 MB of English, 20,000 pieces then have 4.25
characters per token on another novel; with a fixed minimum of 2 they have 2.26, with 8, the highest for nearly that
size, 4.07. Falling by half costs 0.7 to 1 % more tokens at 8,000 and 32,000 pieces, falling by less saves no more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from webapp.core.models.wordpiece import WordPiece
from webapp.core.trainers.bpe import SpecialsFirst, until
from webapp.core.trainers.pair_counts import BREAK, MASK, SHIFT, Pairs
from webapp.core.trainers.pair_scores import PairScores
from webapp.core.trainers.word_counts import WordCounts, alphabet, symbol_counts

PREFIX = "##"
UNKNOWN = "[UNK]"


class ScoredMerge(NamedTuple):
    """A merge: its two pieces, the resulting piece, and the count and score of the pair just before it."""

    left: str
    right: str
    piece: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which a merge does not need
    score: float


@dataclass(frozen=True)
class TrainedWordPiece(SpecialsFirst):
    """A trained WordPiece vocabulary: special tokens, alphabet, then the piece of each merge, in order."""

    alphabet: tuple[str, ...]
    merges: tuple[ScoredMerge, ...]
    special_names: tuple[str, ...]
    unknown: str = UNKNOWN
    prefix: str = PREFIX

    @cached_property
    def model(self) -> WordPiece:
        """The model with the pieces of all merges."""
        return self.first(len(self.merges))

    def first(self, number: int) -> WordPiece:
        """Return the model after the first `number` merges, without retraining."""
        made = (merge.piece for merge in self.merges[:number])
        pieces = tuple(dict.fromkeys((*self.special_names, *self.alphabet, *made)))
        return WordPiece(pieces, unknown=self.unknown, continuing_subword_prefix=self.prefix)


def train(
    counts: WordCounts,
    size: int | None = None,
    *,
    merges_at_most: int | None = None,
    special_tokens: Sequence[str] = (UNKNOWN,),
    unknown: str = UNKNOWN,
    prefix: str = PREFIX,
    coverage: float = 1.0,
    minimum_pair_frequency: int | None = 1,
) -> TrainedWordPiece:
    """Train WordPiece with `size` pieces: special tokens, alphabet, one for each merge.

    `special_tokens` must contain `unknown`. Training stops early after `merges_at_most` merges, or when no pair is
    frequent enough. `minimum_pair_frequency`: None for one that falls as needed, see above. `coverage`: the share
    of symbol occurrences that the alphabet covers; words with other characters are unknown to the model. Raises
    ValueError for a size that cannot hold alphabet and special tokens.

    >>> trained = train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 11)
    >>> trained.alphabet
    ('##u', '##g', 'p', '##n', 'h', '##s', 'b')
    >>> [merge.piece for merge in trained.merges]
    ['##gs', 'hu', 'hugs']
    """
    if unknown not in special_tokens:
        raise ValueError(f"the unknown token {unknown!r} is not among the special tokens {special_tokens!r}")
    symbols = alphabet(_symbols(counts, prefix), coverage)
    pieces = set(special_tokens) | set(symbols)
    if size is not None and size < len(pieces):
        raise ValueError(f"{size} pieces cannot hold an alphabet and special tokens of {len(pieces)}")
    found = merges(counts, prefix, minimum_pair_frequency=minimum_pair_frequency, symbols=symbols)
    taken = until(size, pieces, islice(found, merges_at_most))
    return TrainedWordPiece(tuple(symbols), tuple(taken), tuple(special_tokens), unknown, prefix)


def merges(
    counts: WordCounts,
    prefix: str = PREFIX,
    *,
    minimum_pair_frequency: int | None = 1,
    symbols: Sequence[str] | None = None,
) -> Iterator[ScoredMerge]:
    """Yield the merges lazily, highest score first.

    Ends when no pair occurs at least `minimum_pair_frequency` times; with None, the minimum falls as needed, see
    above, until no pair is left. `symbols` is the alphabet, by default every symbol that occurs; other characters never
    merge.

    >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> print(*next(merges(counts)))
    ##g ##s ##gs 5 0.05
    >>> print(*next(merges(counts, minimum_pair_frequency=10)))
    h ##u hu 15 0.027777777777777776
    >>> print(*next(merges(counts, minimum_pair_frequency=None)))  # the most frequent pair, ##u ##g, occurs 20 times
    h ##u hu 15 0.027777777777777776
    """
    if symbols is None:
        symbols = list(_symbols(counts, prefix))
    number_of = {symbol: number for number, symbol in enumerate(symbols, start=1)}
    words = ([number_of.get(symbol, BREAK) for symbol in spell(word, prefix)] for word in counts)
    pairs = Pairs(zip(words, counts.values(), strict=True), len(symbols), all_pairs=True)
    return _merges(pairs, ["", *symbols], prefix, minimum_pair_frequency)


def _merges(pairs: Pairs, pieces: list[str], prefix: str, fixed_minimum: int | None) -> Iterator[ScoredMerge]:
    """Yield merges, the pair with the highest score first; each merge appends its piece to `pieces`."""
    frequencies = _frequencies(pairs)
    number_of = {piece: number for number, piece in enumerate(pieces)}
    minimum = max(max(pairs.counts.values(), default=0) // 2 if fixed_minimum is None else fixed_minimum, 1)
    while minimum:
        yield from _frequent_merges(pairs, frequencies, pieces, number_of, prefix, minimum)
        minimum = minimum * 2 // 3 if fixed_minimum is None else 0


def _frequent_merges(
    pairs: Pairs, frequencies: list[int], pieces: list[str], number_of: dict[str, int], prefix: str, minimum: int
) -> Iterator[ScoredMerge]:
    """Yield merges until no pair occurs at least `minimum` times."""
    scores = PairScores(pairs, frequencies, minimum)
    while (best := scores.best()) is not None:
        pair, count, score = best
        left, right = pair >> SHIFT, pair & MASK
        piece = pieces[left] + pieces[right].removeprefix(prefix)
        yield ScoredMerge(pieces[left], pieces[right], piece, count, score)
        product = number_of.setdefault(piece, len(pieces))
        if product == len(pieces):
            pieces.append(piece)
            frequencies.append(0)
        merged, born = pairs.merge(pair, product)
        frequencies[left] -= merged
        frequencies[right] -= merged
        frequencies[product] += merged
        scores.update(left, right, born)


def _frequencies(pairs: Pairs) -> list[int]:
    """Return how often each initial symbol occurs, by number."""
    frequencies = [0] * len(pairs.lengths)
    for symbol, weight in zip(pairs.starts, pairs.weights, strict=True):
        frequencies[symbol] += weight
    return frequencies


def spell(word: str, prefix: str) -> list[str]:
    """Return the initial symbols of a word: ['l', '##o', '##w'].

    A word that begins with the prefix has no symbols: the same piece would have two meanings.
    """
    if not word or (prefix and word.startswith(prefix)):
        return []
    return [word[0], *map(prefix.__add__, word[1:])]


def _symbols(counts: WordCounts, prefix: str) -> dict[str, int]:
    """Return how often each initial symbol occurs, in order of first occurrence."""
    return symbol_counts((spell(word, prefix), count) for word, count in counts.items())
