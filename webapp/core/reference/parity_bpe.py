"""Parity-aware BPE: byte-pair encoding for several languages, fair to the one that fares worst.

BPE merges the pair that is most frequent in the whole corpus, so a language with little text, or
with a script that takes many bytes, gets few merges: the same sentence takes several times as
many tokens. Here each merge belongs to the language that is compressed least at that moment,
measured on development texts that say the same in all languages. Its most frequent pair is
merged, in all languages.

Without development texts, the compression on the training texts counts: how many times shorter
they have become.

Source: Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding: Improving Cross-lingual Fairness
in Tokenization", arXiv 2508.04796, section 3; where the paper leaves a choice, as in the authors'
program (github.com/swiss-ai/parity-aware-bpe).

>>> corpora = {"en": {"the": 90, "than": 30}, "de": {"das": 9, "dass": 3}}
>>> dev = {"en": {"the": 1, "than": 1}, "de": {"das": 1, "dass": 2}}
>>> for language, left, right in train(corpora, dev, 4):
...     print(language, left + right)
de b'da'
de b'das'
en b'th'
en b'the'
"""

from collections.abc import Mapping
from itertools import pairwise

Symbols = tuple[bytes, ...]
Pair = tuple[bytes, bytes]
Corpus = dict[Symbols, int]
Languages = Mapping[str, Mapping[str, int]]  # language → word → count


def utf8(word: str) -> Symbols:
    """Split a word into the bytes of its UTF-8 encoding.

    >>> utf8("né")
    (b'n', b'\\xc3', b'\\xa9')
    """
    return tuple(bytes([byte]) for byte in word.encode())


def spelled(counts: Mapping[str, int]) -> Corpus:
    """Spell the words of a language.

    >>> spelled({"né": 2})
    {(b'n', b'\\xc3', b'\\xa9'): 2}
    """
    return {utf8(word): count for word, count in counts.items()}


def count_pairs(corpus: Corpus) -> dict[Pair, int]:
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


def length(corpus: Corpus) -> int:
    """Count the tokens of a corpus.

    >>> length({(b"a", b"b"): 5, (b"c",): 2})
    12
    """
    return sum(len(symbols) * count for symbols, count in corpus.items())


def train(corpora: Languages, dev: Languages | None, number: int) -> list[tuple[str, bytes, bytes]]:
    """Find the first `number` merges, each with the language it was made for.

    A language without a pair gets no more merges; the next one does. Of several that are
    compressed least, the first one is served.

    >>> train({"a": {"xy": 2}, "b": {"zz": 1}}, None, 3)
    [('a', b'x', b'y'), ('b', b'z', b'z')]
    """
    words = {language: spelled(counts) for language, counts in corpora.items()}
    texts = {language: spelled(counts) for language, counts in dev.items()} if dev else words
    units = {language: 1 if dev else max(length(text), 1) for language, text in texts.items()}
    merges: list[tuple[str, bytes, bytes]] = []
    while len(merges) < number:
        pairs = {language: count_pairs(corpus) for language, corpus in words.items()}
        if not (served := [language for language in words if pairs[language]]):
            break
        worst = max(served, key=lambda language: length(texts[language]) / units[language])
        best = max(pairs[worst], key=pairs[worst].__getitem__)
        words = merged_everywhere(words, best)
        texts = merged_everywhere(texts, best) if dev else words
        merges.append((worst, *best))
    return merges


def merged_everywhere(corpora: dict[str, Corpus], pair: Pair) -> dict[str, Corpus]:
    """Merge a pair in all languages.

    >>> merged_everywhere({"en": {(b"a", b"b"): 5}}, (b"a", b"b"))
    {'en': {(b'ab',): 5}}
    """
    return {
        language: {merge(symbols, pair): count for symbols, count in corpus.items()}
        for language, corpus in corpora.items()
    }
