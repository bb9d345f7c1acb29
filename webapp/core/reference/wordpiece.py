"""WordPiece: merge the pair whose symbols occur together most exclusively.

Training differs from BPE in one line: the next merge is not the most frequent pair but the
pair with the highest score,

    score = count(pair) / (count(left) * count(right)),

which grows with how much more likely the corpus becomes if the pair is one symbol. Encoding
needs no merges, only the pieces: from the left, it takes the longest piece that matches.
A piece inside a word is written with `##` in front.

Sources: Schuster and Nakajima 2012, "Japanese and Korean Voice Search", section 3, for
training; Devlin et al. 2019, "BERT", section 3, and its published code, `WordpieceTokenizer`,
for encoding.

>>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> merges = train({split(word): count for word, count in counts.items()}, 3)
>>> merges
[('##g', '##s'), ('h', '##u'), ('hu', '##gs')]
"""

from collections.abc import Collection
from itertools import pairwise

PREFIX = "##"


def split(word: str) -> tuple[str, ...]:
    """Split a word into characters, each but the first with the prefix.

    >>> split("low")
    ('l', '##o', '##w')
    """
    return tuple(PREFIX + character if at else character for at, character in enumerate(word))


def join(left: str, right: str) -> str:
    """Join two pieces to one.

    >>> join("lo", "##w"), join("##o", "##w")
    ('low', '##ow')
    """
    return left + right.removeprefix(PREFIX)


# --- training


def count_symbols(words: dict[tuple[str, ...], int]) -> dict[str, int]:
    """Count the symbols.

    >>> count_symbols({("h", "##u", "##g"): 10, ("p", "##u", "##n"): 12})
    {'h': 10, '##u': 22, '##g': 10, 'p': 12, '##n': 12}
    """
    counts: dict[str, int] = {}
    for symbols, count in words.items():
        for symbol in symbols:
            counts[symbol] = counts.get(symbol, 0) + count
    return counts


def count_pairs(words: dict[tuple[str, ...], int]) -> dict[tuple[str, str], int]:
    """Count the pairs of adjacent symbols, in the order in which they are first seen.

    >>> count_pairs({("h", "##u", "##g"): 10, ("p", "##u", "##g"): 5})
    {('h', '##u'): 10, ('##u', '##g'): 15, ('p', '##u'): 5}
    """
    counts: dict[tuple[str, str], int] = {}
    for symbols, count in words.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def scores(words: dict[tuple[str, ...], int], minimum: int = 1) -> dict[tuple[str, str], float]:
    """Score each pair that occurs at least `minimum` times.

    x and y are rarer than a and b, but they occur only together:

    >>> scores({("a", "##b"): 4, ("a", "##c"): 4, ("x", "##y"): 2})
    {('a', '##b'): 0.125, ('a', '##c'): 0.125, ('x', '##y'): 0.5}
    """
    singles = count_symbols(words)
    return {
        (left, right): count / (singles[left] * singles[right])
        for (left, right), count in count_pairs(words).items()
        if count >= minimum
    }


def merge(symbols: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    """Join a pair wherever it occurs in a word, from left to right.

    >>> merge(("h", "##u", "##g", "##u", "##g"), ("##u", "##g"))
    ('h', '##ug', '##ug')
    """
    merged = []
    at = 0
    while at < len(symbols):
        if symbols[at : at + 2] == pair:
            merged.append(join(*pair))
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return tuple(merged)


def train(words: dict[tuple[str, ...], int], number: int, minimum: int = 1) -> list[tuple[str, str]]:
    """Find the first `number` merges; fewer if no pair occurs `minimum` times.

    Of several pairs with the highest score, the one first seen in the corpus is merged. A pair
    that occurs once, of symbols that occur nowhere else, has the highest score there is; a
    `minimum` leaves such rarities out.

    >>> words = {split("the"): 100, split("then"): 50, split("xq"): 1}
    >>> train(words, 1), train(words, 1, minimum=2)
    ([('x', '##q')], [('t', '##h')])
    """
    merges: list[tuple[str, str]] = []
    while len(merges) < number and (scored := scores(words, minimum)):
        best = max(scored, key=scored.__getitem__)
        words = {merge(symbols, best): count for symbols, count in words.items()}
        merges.append(best)
    return merges


# --- encoding


def encode(word: str, pieces: Collection[str], unknown: str = "[UNK]", longest_word: int = 100) -> list[str]:
    """Take the longest piece that matches, from the left, until the word is covered.

    A word that cannot be covered to its end, or is too long, becomes unknown as a whole.

    >>> pieces = {"un", "##aff", "##able", "##a"}
    >>> encode("unaffable", pieces), encode("unafraid", pieces)
    (['un', '##aff', '##able'], ['[UNK]'])
    """
    if len(word) > longest_word:
        return [unknown]
    tokens: list[str] = []
    start = 0
    while start < len(word):
        prefix = PREFIX if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in pieces), None)
        if end is None:
            return [unknown]
        tokens.append(prefix + word[start:end])
        start = end
    return tokens
