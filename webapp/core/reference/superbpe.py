"""SuperBPE: byte-pair encoding that first makes words, then pieces of several words.

Training has two phases. The first is ordinary BPE: text is split into words, and no merge
crosses a space. From the transition on, the second phase continues on longer spans, in which
words stand side by side, so that " of the" can become one piece. Spans end where a superword
should: at a line end, at a number, around several punctuation marks, at a colon. No piece has
more than four words.

Encoding is that of BPE: the merges of both phases, by rank, on spans.

Source: Liu, Hayase, Hofmann, Oh, Smith and Choi 2025, "SuperBPE: Space Travel for Language
Models", arXiv 2503.13423, section 2.

>>> spans = {"out of the way": 5, "out of the sea": 4, "of the": 3}
>>> merges = train(spans, words, transition=6, number=9)
>>> [left + right for left, right in merges[:6]]
[b'of', b' t', b' th', b' the', b'ou', b'out']
>>> [left + right for left, right in merges[6:]]
[b'of the', b'out ', b'out of the']
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

LONGEST = 4  # words of a piece

Symbols = tuple[bytes, ...]
Pair = tuple[bytes, bytes]


def words(span: str) -> list[str]:
    """Split a span into words, each with the space before it.

    >>> words("by the way")
    ['by', ' the', ' way']
    """
    first, *others = span.split(" ")
    return [first, *(" " + word for word in others)]


def utf8(word: str) -> Symbols:
    """Split a word into the bytes of its UTF-8 encoding.

    >>> utf8("né")
    (b'n', b'\\xc3', b'\\xa9')
    """
    return tuple(bytes([byte]) for byte in word.encode())


def count_words(spans: dict[str, int], split: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """Count the words of the spans, in the order in which they are first seen.

    >>> count_words({"by the way": 5, "by the sea": 4}, words)
    {'by': 9, ' the': 9, ' way': 5, ' sea': 4}
    """
    counts: dict[str, int] = {}
    for span, count in spans.items():
        for word in split(span):
            counts[word] = counts.get(word, 0) + count
    return counts


def count_pairs(corpus: dict[Symbols, int]) -> dict[Pair, int]:
    """Count the pairs of adjacent symbols, in the order in which they are first seen.

    >>> count_pairs({(b"a", b"b"): 5, (b"a", b"b", b"a"): 2})
    {(b'a', b'b'): 7, (b'b', b'a'): 2}
    """
    counts: dict[Pair, int] = {}
    for symbols, count in corpus.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge(symbols: Symbols, pair: Pair) -> Symbols:
    """Join a pair wherever it occurs, from left to right.

    >>> merge((b"a", b"a", b"a"), (b"a", b"a"))
    (b'aa', b'a')
    """
    merged: list[bytes] = []
    at = 0
    while at < len(symbols):
        found = symbols[at : at + 2] == pair
        merged.append(pair[0] + pair[1] if found else symbols[at])
        at += 2 if found else 1
    return tuple(merged)


def is_allowed(pair: Pair) -> bool:
    """Whether the piece of a pair has few enough words.

    >>> is_allowed((b"in the", b" middle of")), is_allowed((b"in the", b" middle of the"))
    (True, False)
    """
    return len((pair[0] + pair[1]).split()) <= LONGEST


def more_merges(corpus: dict[Symbols, int], number: int) -> list[Pair]:
    """Find the next merges of a corpus: always the most frequent pair that is allowed.

    >>> more_merges({(b"a", b"b", b"b"): 2}, 2)
    [(b'a', b'b'), (b'ab', b'b')]
    """
    found: list[Pair] = []
    while len(found) < number:
        counts = {pair: count for pair, count in count_pairs(corpus).items() if is_allowed(pair)}
        if not counts:
            break
        best = max(counts, key=counts.__getitem__)
        corpus = {merge(symbols, best): count for symbols, count in corpus.items()}
        found.append(best)
    return found


def train(spans: dict[str, int], split: Callable[[str], Iterable[str]], transition: int, number: int) -> list[Pair]:
    """Find `number` merges, the first `transition` of them inside words.

    >>> train({"a b": 3, "c": 1}, words, 1, 2)
    [(b' ', b'b'), (b'a', b' b')]
    """
    merges = more_merges({utf8(word): count for word, count in count_words(spans, split).items()}, transition)
    corpus: dict[Symbols, int] = {}
    for span, count in spans.items():
        symbols = utf8(span)
        for pair in merges:
            symbols = merge(symbols, pair)
        corpus[symbols] = count
    return merges + more_merges(corpus, number - len(merges))
