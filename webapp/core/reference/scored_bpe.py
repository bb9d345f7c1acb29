"""Byte-pair encoding without a list of merges: each piece has a rank or a score of its own.

Two neighbours may be merged if what they spell together is a piece, whatever the two parts
are; the best such piece comes first. This is how tiktoken reads its vocabularies (a piece's
rank is its id, the lowest comes first) and how SentencePiece reads its BPE models, Llama's
among them (a piece has a score, the highest comes first).

Sources: tiktoken, `_educational.py`, function `bpe_encode`; Kudo and Richardson 2018,
"SentencePiece: A simple and language independent subword tokenizer and detokenizer", section
3.2; Karpathy 2023, llama2.c, `run.c`, function `encode`.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import AnyStr


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
