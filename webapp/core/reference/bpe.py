"""Byte-pair encoding (BPE): merge the most frequent pair of neighbours, again and again.

Training counts each pair of adjacent symbols in a corpus, merges the most frequent pair into
one new symbol wherever it occurs, and starts over. Encoding splits a word into its first
symbols and applies the same merges, the earliest one first.

The first symbols are either characters, with `</w>` to mark the end of a word (Sennrich,
Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section
3.2), or bytes (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
section 2.2). The algorithm is the same for both.

The paper's own corpus, as word counts:

>>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
>>> words = {characters(word): count for word, count in counts.items()}
>>> merges = train(words, 5)
>>> merges
[('e', 's'), ('es', 't'), ('est', '</w>'), ('l', 'o'), ('lo', 'w')]
>>> encode(characters("lowest"), merges)
['low', 'est</w>']

At the end, byte-pair encoding without a list of merges: each piece has a rank or a score of its own.

Two neighbours may be merged if what they spell together is a piece, whatever the two parts
are; the best such piece comes first. This is how tiktoken reads its vocabularies (a piece's
rank is its id, the lowest comes first) and how SentencePiece reads its BPE models, Llama's
among them (a piece has a score, the highest comes first).

Sources: tiktoken, `_educational.py`, function `bpe_encode`; Kudo and Richardson 2018,
"SentencePiece: A simple and language independent subword tokenizer and detokenizer", section
3.2; Karpathy 2023, llama2.c, `run.c`, function `encode`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import AnyStr

END = "</w>"
BYTES = [bytes([byte]) for byte in range(256)]

Counts = Mapping[tuple[AnyStr, AnyStr], int]
Merges = Sequence[tuple[AnyStr, AnyStr]]
Choose = Callable[[Counts[AnyStr], Merges[AnyStr]], tuple[AnyStr, AnyStr]]
"""Chooses the pair to merge from the counts and the merges so far."""


def characters(word: str, *, glued: bool = False) -> tuple[str, ...]:
    """Split a word into characters and the end-of-word mark.

    The mark is a symbol of its own, as in the paper, or `glued` to the last character, as in
    later versions of its implementation, subword-nmt.

    >>> characters("low"), characters("low", glued=True)
    (('l', 'o', 'w', '</w>'), ('l', 'o', 'w</w>'))
    """
    return (*word[:-1], word[-1:] + END) if glued else (*word, END)


def utf8(word: str) -> tuple[bytes, ...]:
    """Split a word into the bytes of its UTF-8 encoding.

    >>> utf8("né")
    (b'n', b'\\xc3', b'\\xa9')
    """
    return tuple(BYTES[byte] for byte in word.encode())


# --- training


def count_pairs(words: dict[tuple[AnyStr, ...], int]) -> dict[tuple[AnyStr, AnyStr], int]:
    """Count the pairs of adjacent symbols, in the order in which they are first seen.

    >>> count_pairs({("l", "o", "w"): 5, ("l", "o", "t"): 2})
    {('l', 'o'): 7, ('o', 'w'): 5, ('o', 't'): 2}
    """
    counts: dict[tuple[AnyStr, AnyStr], int] = {}
    for symbols, count in words.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge(symbols: tuple[AnyStr, ...], pair: tuple[AnyStr, AnyStr]) -> tuple[AnyStr, ...]:
    """Join a pair wherever it occurs in a word, from left to right.

    >>> merge(("a", "a", "a", "b", "a", "a"), ("a", "a"))
    ('aa', 'a', 'b', 'aa')
    """
    merged = []
    at = 0
    while at < len(symbols):
        if symbols[at : at + 2] == pair:
            merged.append(pair[0] + pair[1])
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return tuple(merged)


def first_seen(counts: Counts[AnyStr], merges: Merges[AnyStr]) -> tuple[AnyStr, AnyStr]:
    """Of the most frequent pairs, choose the one first seen in the corpus.

    >>> first_seen({("s", "t"): 9, ("e", "s"): 9}, [])
    ('s', 't')
    """
    return max(counts, key=counts.__getitem__)


def greater(counts: Counts[AnyStr], merges: Merges[AnyStr]) -> tuple[AnyStr, AnyStr]:
    """Of the most frequent pairs, choose the lexicographically greatest, as in Stanford's CS336.

    >>> greater({("e", "s"): 9, ("s", "t"): 9}, [])
    ('s', 't')
    """
    return max(counts, key=lambda pair: (counts[pair], pair))


def lower_ids(symbols: Sequence[AnyStr]) -> Choose[AnyStr]:
    """The rule that chooses, of the most frequent pairs, the one with the lowest ids, as in Hugging Face's tokenizers.

    The alphabet, `symbols`, has the first ids; each merge adds a piece.

    >>> lower_ids(["t", "s", "e"])({("e", "s"): 9, ("s", "t"): 9}, [])
    ('s', 't')
    """
    return lambda counts, merges: of_lowest_ids(counts, vocabulary(symbols, merges))


def of_lowest_ids(counts: Counts[AnyStr], ids: Mapping[AnyStr, int]) -> tuple[AnyStr, AnyStr]:
    """Of the most frequent pairs, choose the one with the lowest ids.

    >>> of_lowest_ids({("e", "s"): 9, ("s", "t"): 9, ("t", "s"): 2}, {"t": 0, "s": 1, "e": 2})
    ('s', 't')
    """
    return min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))


def train(
    words: dict[tuple[AnyStr, ...], int], number: int, choose: Choose[AnyStr] = first_seen
) -> list[tuple[AnyStr, AnyStr]]:
    """Find the first `number` merges; fewer if no pair is left.

    Of several pairs with the highest count, the one first seen in the corpus is merged, or
    the one that another rule chooses.

    >>> train({utf8("aaabdaaabac"): 1}, 3)
    [(b'a', b'a'), (b'aa', b'a'), (b'aaa', b'b')]
    """
    merges: list[tuple[AnyStr, AnyStr]] = []
    while len(merges) < number and (counts := count_pairs(words)):
        best = choose(counts, merges)
        words = {merge(symbols, best): count for symbols, count in words.items()}
        merges.append(best)
    return merges


def alphabet(words: dict[tuple[AnyStr, ...], int]) -> list[AnyStr]:
    """List the symbols that words are made of, the most frequent first.

    >>> alphabet({("l", "o", "w", "</w>"): 5, ("w", "o", "w", "</w>"): 2})
    ['w', 'o', '</w>', 'l']
    """
    counts: dict[AnyStr, int] = {}
    for symbols, count in words.items():
        for symbol in symbols:
            counts[symbol] = counts.get(symbol, 0) + count
    return sorted(counts, key=counts.__getitem__, reverse=True)


def vocabulary(symbols: Iterable[AnyStr], merges: Iterable[tuple[AnyStr, AnyStr]]) -> dict[AnyStr, int]:
    """Number the pieces: the alphabet first, then what each merge makes.

    >>> vocabulary(["l", "o", "w"], [("l", "o"), ("lo", "w")])
    {'l': 0, 'o': 1, 'w': 2, 'lo': 3, 'low': 4}
    """
    ids: dict[AnyStr, int] = {}
    for symbol in symbols:
        ids.setdefault(symbol, len(ids))
    for left, right in merges:
        ids.setdefault(left + right, len(ids))
    return ids


# --- encoding and decoding


def encode(symbols: Iterable[AnyStr], merges: Sequence[tuple[AnyStr, AnyStr]]) -> list[AnyStr]:
    """Merge the pair with the lowest rank, the leftmost first, until no pair is a merge.

    A pair's rank is its place in the list of merges. With a vocabulary, the pieces become ids:

    >>> merges = train({utf8("aaabdaaabac"): 1}, 3)
    >>> ids = vocabulary(BYTES, merges)
    >>> [ids[piece] for piece in encode(utf8("aaabdaaabac"), merges)]
    [258, 100, 258, 97, 99]
    """
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    pieces = list(symbols)
    while pairs := [pair for pair in pairwise(pieces) if pair in ranks]:
        best = min(pairs, key=ranks.__getitem__)
        at = list(pairwise(pieces)).index(best)
        pieces[at : at + 2] = [best[0] + best[1]]
    return pieces


def encode_everywhere(symbols: Iterable[AnyStr], merges: Sequence[tuple[AnyStr, AnyStr]]) -> list[AnyStr]:
    """Encode as subword-nmt does: merge the pair with the lowest rank in all its places at once.

    With merges in the order in which they were trained, the result is that of `encode`. It
    differs where a merge needs a piece that only a later merge makes:

    >>> merges = [("b", "c"), ("abc", "a"), ("a", "bc")]
    >>> encode("abcabc", merges), encode_everywhere("abcabc", merges)
    (['abca', 'bc'], ['abc', 'abc'])
    """
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    pieces = tuple(symbols)
    while pairs := [pair for pair in pairwise(pieces) if pair in ranks]:
        pieces = merge(pieces, min(pairs, key=ranks.__getitem__))
    return list(pieces)


def decode(pieces: Iterable[str]) -> str:
    """Join pieces to a text, with a space after each word but the last.

    >>> decode(["the</w>", "high", "est</w>", "moun", "tain</w>"])
    'the highest mountain'
    """
    return "".join(pieces).replace(END, " ").removesuffix(" ")


def decode_bytes(pieces: Iterable[bytes]) -> str:
    """Join pieces to a text; bytes that are not valid UTF-8 become U+FFFD.

    >>> decode_bytes([b"n", b"\\xc3", b"\\xa9"]), decode_bytes([b"n", b"\\xc3"])
    ('né', 'n\ufffd')
    """
    return b"".join(pieces).decode(errors="replace")


def merge_best(symbols: Sequence[AnyStr], scores: Mapping[AnyStr, float]) -> list[AnyStr]:
    """Merge the neighbours that spell the piece with the highest score, until none spell one.

    Of equal scores, the leftmost comes first.

    >>> merge_best(["a", "b", "c", "a", "b"], {"ab": -1.0, "bc": -2.0, "cab": -3.0})
    ['ab', 'cab']
    """
    symbols = list(symbols)
    while True:
        spelled = [left + right for left, right in pairwise(symbols)]
        pieces = [piece for piece in spelled if piece in scores]
        if not pieces:
            return symbols
        best = max(pieces, key=scores.__getitem__)
        at = spelled.index(best)
        symbols[at : at + 2] = [best]


def encode_by_rank(word: str, ranks: Mapping[bytes, int]) -> list[int]:
    """Encode as tiktoken does; the ranks hold all 256 bytes, and a piece's rank is its id.

    A word that is a piece as a whole is one token, even if no merges lead to it.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"cab": 257, b"xyz": 258}
    >>> encode_by_rank("abcab", ranks), encode_by_rank("xyz", ranks), encode_by_rank("xyzz", ranks)
    ([256, 257], [258], [120, 121, 122, 122])
    """
    whole = word.encode()
    if whole in ranks:
        return [ranks[whole]]
    scores = {piece: -rank for piece, rank in ranks.items()}
    return [ranks[piece] for piece in merge_best([bytes([byte]) for byte in whole], scores)]


def encode_by_score(text: str, scores: Mapping[str, float]) -> list[str]:
    """Encode as SentencePiece does, and take the bytes of a character that is no piece.

    >>> encode_by_score("abé", {"a": -3.0, "b": -2.0, "ab": -1.0})
    ['ab', '<0xC3>', '<0xA9>']
    """
    tokens = []
    for piece in merge_best(list(text), scores):
        tokens += [piece] if piece in scores else [f"<0x{byte:02X}>" for byte in piece.encode()]
    return tokens
