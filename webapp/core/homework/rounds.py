"""The rounds of a training, one by one: which pairs are best, how often a pair occurs, and in which words.

A trainer takes one of the best pairs; here all of them are known, so that any rule for ties can be followed, and any
student's choice be judged. `BPERounds` keeps its counts up to date as the trainers do (`pair_counts`), so that a round
takes time in proportion to what it changes and to the pairs that tie. `WordPieceRounds` recounts every time, as
`webapp.core.reference.wordpiece` does: its corpora are small.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any, Protocol

from webapp.core.reference import wordpiece
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.trainers.pair_counts import BREAK, MASK, SHIFT, Pairs
from webapp.core.trainers.ties import BYTES_AS_NUMBERED_BY_TOKENIZERS, TIE_RULES, TieRule, in_order_of_ids, tie_key

Piece = Any
"""Text, or bytes with BPE over bytes."""
Pair = tuple[Piece, Piece]


class Rounds(Protocol):
    """A training before its next round."""

    def best(self) -> tuple[float, Sequence[Pair]]:
        """The highest count or score, and all pairs that have it; 0 and none at the end."""

    def choose(self, tied: Sequence[Pair], rule: TieRule) -> Pair:
        """The one of several pairs that a rule takes."""

    def value(self, pair: Pair) -> float:
        """How often a pair occurs, or its score; 0 for one that does not occur."""

    def words(self, pair: Pair, most: int) -> tuple[list[tuple[str, int]], int]:
        """The most frequent words that hold a pair, with their symbols and counts, and how many more there are."""

    def merge(self, pair: Pair) -> None:
        """Merge a pair that occurs."""


class BPERounds:
    """The rounds of BPE over words as symbols with their counts, in corpus order.

    >>> rounds = BPERounds([(tuple(word), count) for word, count in {"low": 5, "lower": 2, "newest": 6}.items()])
    >>> count, tied = rounds.best()
    >>> count, tied
    (8, [('w', 'e')])
    >>> rounds.merge(("w", "e"))
    >>> rounds.best()[1], rounds.choose(rounds.best()[1], "first-seen"), rounds.choose(rounds.best()[1], "greater")
    ([('l', 'o')], ('l', 'o'), ('l', 'o'))
    >>> rounds.words(("l", "o"), 1)
    ([('l o w', 5)], 1)
    """

    def __init__(self, words: Iterable[tuple[Sequence[Piece], int]]) -> None:
        self._words = [(tuple(symbols), count) for symbols, count in words]
        alphabet = {symbol for symbols, _count in self._words for symbol in symbols}
        if any(isinstance(symbol, bytes) for symbol in alphabet):
            ordered: list[Piece] = [b"", *(byte for byte in BYTES_AS_NUMBERED_BY_TOKENIZERS if byte in alphabet)]
        else:
            ordered = ["", *in_order_of_ids(alphabet, "lower-ids")]
        self._pieces = ordered  # in the order of the ids of `tokenizers`
        self._keys = {rule: tie_key(rule, self._pieces) for rule in TIE_RULES}
        self._numbers = {piece: number for number, piece in enumerate(self._pieces)}
        numbered = (([self._numbers[symbol] for symbol in symbols], count) for symbols, count in self._words)
        self._pairs = Pairs(numbered, len(alphabet), all_pairs=True)
        self._begins = [1]
        for symbols, _count in self._words:
            self._begins.append(self._begins[-1] + len(symbols) + 1)
        self._heap = [(-count, pair) for pair, count in self._pairs.counts.items()]
        heapify(self._heap)

    def best(self) -> tuple[int, list[Pair]]:
        """The highest count, and all pairs that have it."""
        heap, counts = self._heap, self._pairs.counts
        tied: list[int] = []
        highest = 0
        while heap:
            negative, pair = heap[0]
            count = counts.get(pair, 0)
            if -negative != count or (tied and pair == tied[-1]):  # out of date, or twice in the heap
                heappop(heap)
                if 0 < count < -negative:
                    heappush(heap, (-count, pair))
            elif count == 0 or count < highest:
                break
            else:
                highest = count
                tied.append(heappop(heap)[1])
        for pair in tied:
            heappush(heap, (-highest, pair))
        return highest, [(self._pieces[pair >> SHIFT], self._pieces[pair & MASK]) for pair in tied]

    def choose(self, tied: Sequence[Pair], rule: TieRule) -> Pair:
        """The one of several pairs that a rule takes."""
        if len(tied) == 1:
            return tied[0]
        key, first = self._keys[rule], self._pairs.first
        needs_place = rule in ("first-seen", "longest")

        def order(pair: Pair) -> Any:
            packed = self._packed(pair)
            return key(packed >> SHIFT, packed & MASK, first(packed) if needs_place else 0)

        return min(tied, key=order)

    def _packed(self, pair: Pair) -> int:
        return self._numbers.get(pair[0], 0) << SHIFT | self._numbers.get(pair[1], 0)

    def value(self, pair: Pair) -> int:
        """How often a pair occurs."""
        count: int = self._pairs.counts.get(self._packed(pair), 0)
        return count

    def holding(self, pair: Pair) -> Counter[int]:
        """The places of the words that hold a pair, and how often each does."""
        packed, pairs = self._packed(pair), self._pairs
        left, right = packed >> SHIFT, packed & MASK
        return Counter(
            bisect_right(self._begins, position) - 1
            for position in set(pairs.places.get(packed, ()))
            if pairs.starts[position] == left and pairs.starts[position + pairs.lengths[left]] == right
        )

    def words(self, pair: Pair, most: int) -> tuple[list[tuple[str, int]], int]:
        """The most frequent words that hold a pair."""
        held = self.holding(pair)
        most_frequent = sorted(held, key=lambda word: (-self._words[word][1], word))[:most]
        return [(self._shown(word), self._words[word][1]) for word in most_frequent], len(held) - len(most_frequent)

    def _shown(self, word: int) -> str:
        position, symbols = self._begins[word], []
        while (symbol := self._pairs.starts[position]) != BREAK:
            symbols.append(shown_piece(self._pieces[symbol]))
            position += self._pairs.lengths[symbol]
        return " ".join(symbols)

    def merge(self, pair: Pair) -> None:
        """Merge a pair that occurs."""
        piece = pair[0] + pair[1]
        product = self._numbers.setdefault(piece, len(self._pieces))
        if product == len(self._pieces):
            self._pieces.append(piece)
        _merged, born = self._pairs.merge(self._packed(pair), product)
        for new in born:
            heappush(self._heap, (-self._pairs.counts[new], new))


class WordPieceRounds:
    """The rounds of WordPiece: the pair with the highest score, which counts once more in every round.

    >>> rounds = WordPieceRounds([(wordpiece.split(word), count) for word, count in {"hug": 10, "hugs": 5}.items()])
    >>> rounds.best()
    (0.06666666666666667, [('h', '##u'), ('##u', '##g'), ('##g', '##s')])
    """

    def __init__(self, words: Iterable[tuple[Sequence[str], int]]) -> None:
        self._words = {tuple(symbols): count for symbols, count in words}
        self._numbers = {piece: at for at, piece in enumerate(sorted({one for word in self._words for one in word}))}

    def best(self) -> tuple[float, list[Pair]]:
        """The highest score, and all pairs that have it, in the order in which they are first seen."""
        scores = wordpiece.scores(self._words)
        highest = max(scores.values(), default=0.0)
        return highest, [pair for pair, score in scores.items() if score == highest]

    def choose(self, tied: Sequence[Pair], rule: TieRule) -> Pair:
        """The one of several pairs that a rule takes."""
        if rule in ("greater", "smaller"):
            return (max if rule == "greater" else min)(tied)
        if rule == "lower-ids":
            return min(tied, key=lambda pair: tuple(self._numbers[piece] for piece in pair))
        return max(tied, key=lambda pair: len(wordpiece.join(*pair))) if rule == "longest" else tied[0]

    def value(self, pair: Pair) -> float:
        """The score of a pair."""
        return wordpiece.scores(self._words).get(pair, 0.0)

    def is_most_frequent(self, pair: Pair) -> bool:
        """Whether no pair occurs more often, whatever the scores."""
        counts = wordpiece.count_pairs(self._words)
        return counts.get(pair, 0) == max(counts.values())

    def words(self, pair: Pair, most: int) -> tuple[list[tuple[str, int]], int]:
        """The most frequent words that hold a pair."""
        held = [(" ".join(word), count) for word, count in self._words.items() if pair in pairwise(word)]
        return sorted(held, key=lambda word: -word[1])[:most], max(len(held) - most, 0)

    def merge(self, pair: Pair) -> None:
        """Merge a pair that occurs."""
        merged: dict[tuple[str, ...], int] = {}
        for word, count in self._words.items():
            after = wordpiece.merge(word, pair)
            merged[after] = merged.get(after, 0) + count
        self._words = merged
        self._numbers.setdefault(wordpiece.join(*pair), len(self._numbers))


def train(rounds: Rounds, number: int, rule: TieRule) -> list[Pair]:
    """The first merges by a rule for ties; fewer if no pair is left.

    >>> words = {"low": 5, "lower": 2, "widest": 3, "newest": 6}
    >>> merges = train(BPERounds([(tuple(word), count) for word, count in words.items()]), 6, "greater")
    >>> [" ".join(pair) for pair in merges]
    ['s t', 'e st', 'o w', 'l ow', 'w est', 'n e']
    """
    merges: list[Pair] = []
    while len(merges) < number:
        _value, tied = rounds.best()
        if not tied:
            break
        merges.append(rounds.choose(tied, rule))
        rounds.merge(merges[-1])
    return merges


def shown_piece(piece: Piece) -> str:
    """A piece for a page: spaces visible, bytes that are no text as hexadecimal.

    >>> shown_piece(b" the"), shown_piece(b"\\xe4\\xb8"), shown_piece("</w>")
    ('␣the', '\\\\xe4\\\\xb8', '</w>')
    """
    text = piece.decode(errors="backslashreplace") if isinstance(piece, bytes) else str(piece)
    return "".join(_VISIBLE.get(character, character) for character in text)


def file_spelling(piece: Piece) -> str:
    """A piece as files of merges have it: bytes in GPT-2's characters, a space of text as ␣.

    >>> file_spelling(b" the"), file_spelling("a b")
    ('Ġthe', 'a␣b')
    """
    return bytes_to_characters(piece) if isinstance(piece, bytes) else str(piece).replace(" ", "␣")


_VISIBLE: Mapping[str, str] = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}
