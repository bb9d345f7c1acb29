"""PickyBPE: byte-pair encoding that takes back a piece when a merge leaves it almost no use.

BPE needs "entuck" to make "Kentucky", and keeps it for ever, although no text uses it any more.
PickyBPE looks at both parts after each merge. The share of a part's occurrences that the merge
consumed is its intersection over self, IoS = f(xy) / f(x). Above the threshold the part is
removed: what is left of it is split again into the pieces that it was made of, and its place in
the vocabulary is free for another piece. Single symbols always stay.

Merges and removals are the events of a training. Encoding repeats them in order.

Source: Chizhov, Arnett, Korotkova and Yamshchikov 2024, "BPE Gets Picky: Efficient Vocabulary
Refinement During Tokenizer Training", arXiv 2409.04599, section 3; where the paper leaves a
choice, as in the authors' program (github.com/pchizhov/picky_bpe).

>>> words = {("c", "o", "u", "l", "d"): 4, ("l", "o", "u", "d"): 1}
>>> for event in train(words, 7, threshold=0.7):
...     print(event)
('merge', 'o', 'u')
('merge', 'c', 'ou')
('split', 'ou', ('o', 'u'))
('merge', 'cou', 'l')
('split', 'cou', ('c', 'o', 'u'))
('merge', 'coul', 'd')
('split', 'coul', ('c', 'o', 'u', 'l'))
('merge', 'l', 'o')
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

Words = dict[tuple[Any, ...], int]
Event = tuple[Any, ...]  # ("merge", left, right) or ("split", piece, parts)
MOST = 20  # events for each piece; a low threshold may take back and make again without end


def count_pairs(words: Words) -> dict[tuple[Any, Any], int]:
    """Count the pairs of adjacent symbols, in the order in which they are first seen.

    >>> count_pairs({("l", "o", "w"): 5, ("l", "o", "t"): 2})
    {('l', 'o'): 7, ('o', 'w'): 5, ('o', 't'): 2}
    """
    counts: dict[tuple[Any, Any], int] = {}
    for symbols, count in words.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def frequency(words: Words, piece: Any) -> int:
    """Count how often a piece occurs.

    >>> frequency({("a", "b", "a"): 3, ("a",): 1}, "a")
    7
    """
    return sum(symbols.count(piece) * count for symbols, count in words.items())


def merge(symbols: tuple[Any, ...], left: Any, right: Any) -> tuple[Any, ...]:
    """Join two adjacent symbols wherever they occur in a word, from left to right.

    >>> merge(("a", "a", "a", "b"), "a", "a")
    ('aa', 'a', 'b')
    """
    merged: list[Any] = []
    at = 0
    while at < len(symbols):
        found = symbols[at : at + 2] == (left, right)
        merged.append(left + right if found else symbols[at])
        at += 2 if found else 1
    return tuple(merged)


def split(symbols: tuple[Any, ...], piece: Any, parts: Sequence[Any]) -> tuple[Any, ...]:
    """Replace a piece by its parts wherever it occurs in a word.

    >>> split(("ab", "c", "ab"), "ab", ("a", "b"))
    ('a', 'b', 'c', 'a', 'b')
    """
    return tuple(new for symbol in symbols for new in (parts if symbol == piece else (symbol,)))


def parts_of(piece: Any, made_of: dict[Any, tuple[Any, Any]], kept: Collection[Any]) -> tuple[Any, ...]:
    """Take a piece apart as it was first made, down to pieces that are kept.

    >>> parts_of("abc", {"abc": ("ab", "c"), "ab": ("a", "b")}, {"a", "b", "c"})
    ('a', 'b', 'c')
    """
    if piece in kept:
        return (piece,)
    left, right = made_of[piece]
    return parts_of(left, made_of, kept) + parts_of(right, made_of, kept)


def train(words: Words, size: int, threshold: float, alphabet: Iterable[Any] = ()) -> list[Event]:
    """Merge the most frequent pair and remove what that leaves useless, until `size` pieces are kept.

    >>> train({("a", "b"): 2, ("a", "c"): 1}, 4, threshold=0.9)
    [('merge', 'a', 'b')]
    """
    kept, made_of = {*alphabet, *chain.from_iterable(words)}, dict[Any, tuple[Any, Any]]()
    events: list[Event] = []
    while len(kept) < size and len(events) < MOST * size and (counts := count_pairs(words)):
        left, right = max(counts, key=counts.__getitem__)
        words, consumed = merge_everywhere(words, left, right)
        kept.add(left + right)
        made_of.setdefault(left + right, (left, right))
        events.append(("merge", left, right))
        for part in dict.fromkeys((left, right)):
            if part in made_of and is_useless(words, part, consumed, threshold):
                kept.discard(part)
                events.append(("split", part, parts_of(part, made_of, kept)))
                words = {split(symbols, *events[-1][1:]): count for symbols, count in words.items()}
    return events


def merge_everywhere(words: Words, left: Any, right: Any) -> tuple[Words, int]:
    """Merge a pair in all words; return them, and how many pairs were merged.

    >>> merge_everywhere({("a", "b", "a", "b"): 3, ("b",): 1}, "a", "b")
    ({('ab', 'ab'): 3, ('b',): 1}, 6)
    """
    merged = {merge(symbols, left, right): count for symbols, count in words.items()}
    consumed = sum(count * (len(old) - len(new)) for (old, count), new in zip(words.items(), merged, strict=True))
    return merged, consumed


def is_useless(words: Words, part: Any, consumed: int, threshold: float) -> bool:
    """Whether a merge consumed more than the threshold's share of a part's occurrences.

    >>> is_useless({("abc",): 9, ("ab",): 1}, "ab", 9, 0.8)
    True
    """
    return consumed / (frequency(words, part) + consumed) > threshold


def vocabulary(alphabet: Iterable[Any], events: Iterable[Event]) -> dict[Any, int]:
    """Number the pieces that are left at the end: the alphabet, then the others in the order of their first merges.

    >>> vocabulary("abcd", [("merge", "a", "b"), ("merge", "ab", "c"), ("split", "ab", ("a", "b"))])
    {'a': 0, 'b': 1, 'c': 2, 'd': 3, 'abc': 4}
    """
    kept = dict.fromkeys(alphabet, True)
    for kind, *rest in events:
        if kind == "merge":
            kept[rest[0] + rest[1]] = True
        else:
            kept[rest[0]] = False
    return {piece: id for id, piece in enumerate(piece for piece in kept if kept[piece])}


def encode(symbols: tuple[Any, ...], events: Iterable[Event], pieces: Collection[Any] = ()) -> tuple[Any, ...]:
    """Repeat the events of the training in order. A word that is one of the `pieces` as a whole is that piece.

    >>> events = [("merge", "o", "u"), ("merge", "c", "ou"), ("split", "ou", ("o", "u"))]
    >>> encode(tuple("could"), events), encode(tuple("loud"), events)
    (('cou', 'l', 'd'), ('l', 'o', 'u', 'd'))
    """
    whole = symbols[0][:0].join(symbols) if symbols else None
    if whole in pieces:
        return (whole,)
    for kind, *rest in events:
        symbols = merge(symbols, *rest) if kind == "merge" else split(symbols, *rest)
    return symbols
