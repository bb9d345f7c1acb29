"""Packs the ranks of OpenAI's encodings into a quarter of their `.tiktoken` files, and reads them five times as fast.

A packed file is compressed with LZMA. Inside are the number of ranks (four bytes, the lowest first), the length of each
rank's piece (a byte; 0 for a rank without a piece), and the pieces. Encodings with the same ranks share a file, and so
does one whose ranks are the first of another's.
"""

import lzma
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from types import MappingProxyType

from webapp.core.formats.tiktoken import ENCODINGS, encoding_tokenizer, rank_lines
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.tokenizer import Tokenizer

FILES: Mapping[str, str] = MappingProxyType(
    {
        "o200k_base": "o200k_base",
        "o200k_harmony": "o200k_base",
        "cl100k_base": "cl100k_base",
        "p50k_base": "p50k_base",
        "p50k_edit": "p50k_base",
        "r50k_base": "p50k_base",
        "gpt2": "p50k_base",
    }
)
"""The packed file of each encoding, by name."""

# Pieces are bytes without longer repetitions: without alignment (`pb`), LZMA takes 3 % less.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}]


def pack(ranks: Mapping[bytes, int]) -> bytes:
    """Return the packed file of the ranks; raises ValueError for a piece that is empty or longer than 255 bytes.

    >>> unpack(pack({b"a": 0, b"abc": 2}))
    ([b'a', b'', b'abc'], b'')
    """
    pieces = [b""] * (max(ranks.values()) + 1)
    for piece, rank in ranks.items():
        if not piece:
            raise ValueError(f"the piece of rank {rank} is empty")
        pieces[rank] = piece
    return pack_pieces(pieces)


def pack_pieces(pieces: Sequence[bytes], more: bytes = b"") -> bytes:
    """Return the packed file of pieces in order, with `more` at its end."""
    lengths = bytes(map(len, pieces))
    return lzma.compress(b"".join([len(pieces).to_bytes(4, "little"), lengths, *pieces, more]), filters=FILTERS)


def unpack(content: bytes) -> tuple[list[bytes], bytes]:
    """Return the piece of each rank, empty if the rank has none, and the bytes after them."""
    data = lzma.decompress(content)
    start = 4 + int.from_bytes(data[:4], "little")
    ends = list(accumulate(data[4:start], initial=start))
    return [data[begin:end] for begin, end in pairwise(ends)], data[ends[-1] :]


def tiktoken_file(content: bytes, encoding: str) -> bytes:
    """Return the `.tiktoken` that the publisher has of an encoding, byte for byte."""
    pieces = unpack(content)[0][: ENCODINGS[encoding].ranks]
    return rank_lines({piece: id for id, piece in enumerate(pieces) if piece})


def read(content: bytes, encoding: str) -> Tokenizer:
    """Return the tokenizer of an encoding from its packed file."""
    parts = ENCODINGS[encoding]
    pieces = unpack(content)[0][: parts.ranks]
    reserved = {id: token for token, id in parts.special_tokens.items() if id < parts.ranks}
    for id, token in reserved.items():
        pieces[id] = token.encode()
    return encoding_tokenizer(RankBPE(pieces, reserved=reserved), encoding)
