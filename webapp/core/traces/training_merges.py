"""Traces of training BPE and WordPiece on a small corpus: each round counts the pairs, merges the best, rewrites words.

The merges are those of `webapp.core.trainers`, which update their counts: fast, but nothing can be traced. Here the
counts are recomputed from the words of each round. Tests on random corpora verify that both are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from typing import Any

from webapp.core.trainers import bpe, wordpiece
from webapp.core.trainers.pair_counts import Pairs
from webapp.core.trainers.ties import FIRST_SEEN, TieRule, in_order_of_ids, tie_key
from webapp.core.trainers.word_counts import WordCounts

Symbol = Any
"""A piece: text, or bytes with BPE over bytes."""


@dataclass(frozen=True, slots=True)
class CorpusWord:
    """A distinct word of the corpus: its current symbols, and how often it occurs.

    `made`: the indexes in `symbols` of the pieces that the last merge produced.
    """

    symbols: tuple[Symbol, ...]
    count: int
    made: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedPair:
    """Two adjacent symbols, and how often they and each of them occur."""

    left: Symbol
    right: Symbol
    count: int
    left_count: int
    right_count: int

    @property
    def score(self) -> float:
        """WordPiece's score: count(pair) / (count(left) · count(right))."""
        return self.count / (self.left_count * self.right_count)


@dataclass(frozen=True, slots=True)
class MergeRound:
    """One merge: its number, from 1, and the words before and after it, in corpus order.

    `minimum`: how often a pair must occur to be a candidate. `scored`: the highest score wins, not the highest count.
    `ties`: the rule for pairs of equal worth; `ids`: those of the pieces.
    """

    number: int
    winner: TracedPair
    piece: Symbol
    before: tuple[CorpusWord, ...]
    after: tuple[CorpusWord, ...]
    minimum: int
    scored: bool
    ties: TieRule
    ids: Mapping[Symbol, int]

    def worth(self, pair: TracedPair) -> float:
        """The value that a pair is chosen by."""
        return pair.score if self.scored else pair.count

    def pairs(self) -> list[TracedPair]:
        """Return the candidate pairs, the best first, ties in the order of their rule; the first is the winner."""
        found = [pair for pair in pairs(self.before) if pair.count >= self.minimum]
        return ranked(found, self.ties, self.ids, self.worth)

    def too_rare(self) -> int:
        """Return the number of pairs that are too rare to be candidates."""
        return sum(1 for pair in pairs(self.before) if pair.count < self.minimum)


@dataclass(frozen=True)
class MergeTraining:
    """A traced training: the trained vocabulary, and the words before its first round.

    The first `before` of the trained merges were given: the rounds begin after them.
    """

    trained: bpe.TrainedBPE[Any] | wordpiece.TrainedWordPiece
    start: tuple[CorpusWord, ...]
    minimum: int = 1
    scored: bool = False
    ties: TieRule = FIRST_SEEN
    before: int = 0

    def rounds(self) -> Iterator[MergeRound]:
        """Yield the rounds lazily."""
        words = self.start
        merges: Sequence[Any] = self.trained.merges
        ids = {piece: id for id, piece in enumerate(self.trained.model.pieces)}
        for number, merge in enumerate(merges[self.before :], start=1):
            piece = merge.piece if self.scored else merge.left + merge.right
            after = rewritten(words, merge.left, merge.right, piece)
            counts = frequencies(words)
            winner = TracedPair(merge.left, merge.right, merge.count, counts[merge.left], counts[merge.right])
            yield MergeRound(number, winner, piece, words, after, self.minimum, self.scored, self.ties, ids)
            words = after


def train_unmarked(
    counts: WordCounts,
    merges: int,
    *,
    as_bytes: bool = True,
    ties: TieRule = FIRST_SEEN,
    before: Sequence[tuple[Symbol, Symbol]] = (),
) -> MergeTraining:
    """Train BPE over bytes or characters, without a mark at the end of a word, with at most `merges` merges.

    They are fewer if no pair is left. Those in `before` are done already.

    >>> for round in train_unmarked({"aaabdaaabac": 1}, 3).rounds():
    ...     print(round.winner.left, round.winner.right, round.winner.count, b" ".join(round.after[0].symbols))
    b'a' b'a' 4 b'aa a b d aa a b a c'
    b'aa' b'a' 2 b'aaa b d aaa b a c'
    b'aaa' b'b' 2 b'aaab d aaab a c'
    >>> [round.winner.left for round in train_unmarked({"aaabdaaabac": 1}, 1, before=[(b"a", b"a")]).rounds()]
    [b'aa']
    >>> next(train_unmarked({"大学的大学生": 1}, 1, as_bytes=False).rounds()).piece
    '大学'
    """
    if as_bytes:
        words = _spelled(counts, lambda word: (bpe.BYTES[byte] for byte in word.encode()))
        start: list[Symbol] = [b"", *bpe.byte_alphabet(ties)]
    else:
        words, characters = _spelled(counts, tuple), "".join([*counts, *chain.from_iterable(before)])
        start = ["", *in_order_of_ids(dict.fromkeys(characters), ties)]
    for left, right in before:
        words = tuple(_rewritten(word, left, right, left + right) if left in word.symbols else word for word in words)
    used = frequencies(words)  # a piece that no word has is new when a merge makes it
    pieces = list(dict.fromkeys([*start, *(left + right for left, right in before if left + right in used)]))
    numbers = {piece: number for number, piece in enumerate(pieces)}
    pairs = Pairs((([numbers[one] for one in word.symbols], word.count) for word in words), len(pieces) - 1)
    found = islice(bpe.merges_of_pairs(pairs, pieces, 1, ties=ties), merges)
    every = (*(bpe.CountedMerge(*pair, 0) for pair in before), *found)
    unknown = () if as_bytes else ("<unk>",)
    trained = bpe.TrainedBPE((*unknown, *start[1:]), every, unknown=unknown[0] if unknown else None)
    return MergeTraining(trained, tuple(replace(word, made=()) for word in words), ties=ties, before=len(before))


def train_characters(
    counts: WordCounts, merges: int, *, suffix_apart: bool = False, ties: TieRule = FIRST_SEEN
) -> MergeTraining:
    """Train BPE over characters; the suffix is attached to a word's last character, or a symbol with `suffix_apart`.

    >>> training = train_characters({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 5, suffix_apart=True)
    >>> [(round.winner.left, round.winner.right, round.winner.count) for round in training.rounds()]
    [('e', 's', 9), ('es', 't', 9), ('est', '</w>', 9), ('l', 'o', 7), ('lo', 'w', 7)]
    >>> *_, last = training.rounds()
    >>> [" ".join(word.symbols) for word in last.after]
    ['low </w>', 'low e r </w>', 'n e w est</w>', 'w i d est</w>']
    """
    trained = bpe.train_characters(counts, merges_at_most=merges, suffix_apart=suffix_apart, ties=ties)
    spelled = _spelled(counts, lambda word: bpe.spell(word, bpe.END_OF_WORD, suffix_apart))
    return MergeTraining(trained, spelled, ties=ties)


def train_wordpiece(
    counts: WordCounts,
    merges: int,
    *,
    minimum: int = 1,
    ties: TieRule = FIRST_SEEN,
    before: Sequence[tuple[Symbol, Symbol]] = (),
) -> MergeTraining:
    """Train WordPiece with at most `merges` merges of pairs that occur at least `minimum` times.

    Those in `before` are done already. With them, or with another rule for `ties` than the trainer's, all pairs are
    counted again for each merge. With `lower-ids`, the alphabet is numbered in the order of code points.

    >>> training = train_wordpiece({"I": 2, "love": 1, "dogs": 1, "loved": 1, "you": 1}, 8)
    >>> for round in training.rounds():
    ...     winner = round.winner
    ...     print(round.piece, winner.count, winner.left_count, winner.right_count, winner.score)
    ##gs 1 1 1 1.0
    ##ve 2 2 2 0.5
    ##ved 1 2 1 0.5
    lo 2 2 4 0.25
    love 1 2 1 0.5
    loved 1 1 1 1.0
    do 1 1 2 0.5
    dogs 1 1 1 1.0
    >>> [" ".join(word.symbols) for word in round.after]
    ['I', 'love', 'dogs', 'loved', 'y ##o ##u']
    >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> next(train_wordpiece(counts, 1, before=[("##g", "##s"), ("h", "##u"), ("hu", "##g")]).rounds()).piece
    'hugs'
    """
    again, done = bool(before) or ties != FIRST_SEEN, list[wordpiece.ScoredMerge]()
    trained = wordpiece.train(counts, merges_at_most=0 if again else merges, minimum_pair_frequency=minimum)
    if ties == "lower-ids":
        trained = replace(trained, alphabet=tuple(sorted(trained.alphabet)))
    words = _spelled(counts, lambda word: wordpiece.spell(word, wordpiece.PREFIX))

    def merge(left: str, right: str, count: int = 0, score: float = 0.0) -> tuple[CorpusWord, ...]:
        made = wordpiece.ScoredMerge(left, right, left + right.removeprefix(wordpiece.PREFIX), count, score)
        done.append(made)
        return rewritten(words, left, right, made.piece)

    for left, right in before:
        words = merge(left, right)
    start = tuple(replace(word, made=()) for word in words)
    while again and len(done) < len(before) + merges:
        if not (found := [pair for pair in pairs(words) if pair.count >= minimum]):
            break
        pieces = replace(trained, merges=tuple(done)).model.pieces
        best = ranked(found, ties, {piece: id for id, piece in enumerate(pieces)}, lambda pair: pair.score)[0]
        words = merge(best.left, best.right, best.count, best.score)
    trained = replace(trained, merges=(*trained.merges, *done))
    return MergeTraining(trained, start, max(minimum, 1), scored=True, ties=ties, before=len(before))


def _spelled(counts: WordCounts, spell: Callable[[str], Iterable[Symbol]]) -> tuple[CorpusWord, ...]:
    return tuple(CorpusWord(tuple(spell(word)), count) for word, count in counts.items())


def ranked(
    found: Sequence[TracedPair], ties: TieRule, ids: Mapping[Symbol, int], worth: Callable[[TracedPair], float]
) -> list[TracedPair]:
    """Return pairs in order of first occurrence with the best first, ties in the order of their rule."""
    key = tie_key(ties, list(ids))
    keys = {pair: (-worth(pair), key(ids[pair.left], ids[pair.right], place)) for place, pair in enumerate(found)}
    return sorted(found, key=keys.__getitem__)


def pairs(words: Iterable[CorpusWord]) -> list[TracedPair]:
    """Return all adjacent pairs, in order of first occurrence.

    >>> words = [CorpusWord(("a", "a", "b"), 2), CorpusWord(("a", "b"), 5)]
    >>> [(pair.left, pair.right, pair.count, pair.left_count) for pair in pairs(words)]
    [('a', 'a', 2, 9), ('a', 'b', 7, 9)]
    """
    words = list(words)
    single = frequencies(words)
    counts: dict[tuple[Symbol, Symbol], int] = {}
    for word in words:
        for pair in pairwise(word.symbols):
            counts[pair] = counts.get(pair, 0) + word.count
    return [TracedPair(left, right, count, single[left], single[right]) for (left, right), count in counts.items()]


def frequencies(words: Iterable[CorpusWord]) -> dict[Symbol, int]:
    """Return how often each symbol occurs, in order of first occurrence.

    >>> frequencies([CorpusWord(("a", "a", "b"), 2)])
    {'a': 4, 'b': 2}
    """
    counts: dict[Symbol, int] = {}
    for word in words:
        for symbol in word.symbols:
            counts[symbol] = counts.get(symbol, 0) + word.count
    return counts


def rewritten(words: Iterable[CorpusWord], left: Symbol, right: Symbol, piece: Symbol) -> tuple[CorpusWord, ...]:
    """Return the words with `left` and `right` merged to `piece` wherever they are adjacent, from left to right.

    >>> rewritten([CorpusWord(("a", "a", "a", "b"), 2), CorpusWord(("b",), 1)], "a", "a", "aa")
    (CorpusWord(symbols=('aa', 'a', 'b'), count=2, made=(0,)), CorpusWord(symbols=('b',), count=1, made=()))
    """
    return tuple(_rewritten(word, left, right, piece) for word in words)


def _rewritten(word: CorpusWord, left: Symbol, right: Symbol, piece: Symbol) -> CorpusWord:
    symbols: list[Symbol] = []
    made: list[int] = []
    at, last = 0, len(word.symbols) - 1
    while at <= last:
        if at < last and word.symbols[at] == left and word.symbols[at + 1] == right:
            made.append(len(symbols))
            symbols.append(piece)
            at += 2
        else:
            symbols.append(word.symbols[at])
            at += 1
    return CorpusWord(tuple(symbols), word.count, tuple(made)) if made or word.made else word
