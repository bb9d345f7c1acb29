"""The whole trip of byte-level BPE, from a text to ids and back: pattern, bytes, merges, ids.

The pattern is that of GPT-2 (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2;
`encoder.py` of the code published with it). The rank of a piece is its id, and of two pairs the one that makes the
piece of lower rank is merged first, as in tiktoken.

>>> ranks = train("low lower lowest newest widest", 8)
>>> decode(encode("naïve 词", ranks), ranks)
'naïve 词'
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import regex

PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def train(text: str, number: int) -> dict[bytes, int]:
    """Rank the 256 bytes, then merge the most frequent pair `number` times, each time making the next piece.

    >>> list(train("low lower lowest newest widest", 5))[256:]
    [b'lo', b'low', b'es', b'est', b' low']
    """
    ranks = {bytes([byte]): byte for byte in range(256)}
    for _ in range(number):
        pairs: Counter[bytes] = Counter()
        for word, count in Counter(PATTERN.findall(text)).items():
            for left, right in pairwise(list(steps(word, ranks))[-1]):
                pairs[left + right] += count
        if not pairs:
            break
        ranks[max(pairs, key=pairs.__getitem__)] = len(ranks)
    return ranks


def steps(word: str, ranks: Mapping[bytes, int]) -> Iterator[list[bytes]]:
    """Yield the pieces of a word: its bytes, then the pieces after each merge.

    >>> list(steps("west", {b"es": 256, b"est": 257}))
    [[b'w', b'e', b's', b't'], [b'w', b'es', b't'], [b'w', b'est']]
    """
    pieces = [bytes([byte]) for byte in word.encode()]
    yield list(pieces)
    while places := [at for at, (left, right) in enumerate(pairwise(pieces)) if left + right in ranks]:
        first = min(places, key=lambda at: ranks[pieces[at] + pieces[at + 1]])
        pieces[first : first + 2] = [pieces[first] + pieces[first + 1]]
        yield list(pieces)


def encode(text: str, ranks: Mapping[bytes, int]) -> list[int]:
    """Split a text into words, merge each of them, and look up the ids of its pieces.

    >>> encode("lowest", train("low lower lowest newest widest", 8))
    [257, 259]
    """
    return [ranks[piece] for word in PATTERN.findall(text) for piece in list(steps(word, ranks))[-1]]


def decode(ids: Iterable[int], ranks: Mapping[bytes, int]) -> str:
    """Join the bytes of ids to a text.

    >>> decode([257, 259], train("low lower lowest newest widest", 8))
    'lowest'
    """
    pieces = {rank: piece for piece, rank in ranks.items()}
    return b"".join(pieces[id] for id in ids).decode(errors="replace")
