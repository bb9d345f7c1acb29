"""Byte-pair encoding as `tiktoken` does it: a vocabulary of byte pieces by rank, and no list of merges.

The adjacent pair whose concatenation has the lowest rank is merged, whatever its two parts; the leftmost first among
equals. A pre-token that is a piece as a whole is one token, even if no sequence of merges makes it.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import chain, pairwise
from typing import ClassVar

from webapp.core.cache import Cache
from webapp.core.models import ids_by_piece
from webapp.core.models.bpe import Merge
from webapp.core.models.fast.boundaries import SHORT, ByteBoundaries, ByteNeighbours
from webapp.core.models.merge_loop import LONG, NO_RANK, MergeRule, byte_segments, check_bytes, merge_by_heap

RankOf = Callable[[bytes, int], int]


class RankBPE:
    """Pieces are `bytes`, a piece's id is its rank, all 256 single bytes are pieces, and no text is unknown.

    >>> bpe = RankBPE([bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"abc", b"cc!"])
    >>> [bpe.pieces[id] for id in bpe.ids("abcc")]
    [b'abc', b'c']
    >>> bpe.ids("cc!"), bpe.ids("cc!a")     # no merge makes "cc", so "cc!" matches only as a whole
    ((259,), (99, 99, 33, 97))
    """

    byte_level = True
    byte_suffix = b""
    merge_rule: ClassVar[MergeRule] = "rank"
    unknown_id = None

    def __init__(self, pieces: Sequence[bytes], *, reserved: Collection[int] = ()) -> None:
        """`reserved` are the ids that merging never makes: those of special tokens among the ranks.

        Raises ValueError if a piece is empty or occurs twice, or one of the 256 bytes is missing.
        """
        self.pieces: Sequence[bytes] = tuple(pieces)
        self.reserved = frozenset(reserved)
        self._ids = ids_by_piece(self.pieces, self.reserved)
        check_bytes(self._ids)
        self._boundaries = ByteBoundaries(ByteNeighbours.of(self._ids))
        self.ids = Cache(self._compute_ids).__getitem__
        self._span_ids = Cache(lambda span: self._merged(span.encode())).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, bytes) else None

    def merge_of(self, id: int) -> Merge | None:
        """The merge that makes the piece `id`, or None if merging does not make it.

        >>> bpe = RankBPE([bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"abc", b"cc!"])
        >>> bpe.merge_of(258), bpe.merge_of(259)
        (Merge(rank=258, left=256, right=99), None)
        """
        piece = self.pieces[id]
        if id in self.reserved or len(piece) < 2:
            return None

        def lower(part: bytes, default: int) -> int:
            rank = self._ids.get(part, default)
            return rank if rank < id or len(part) == 1 else default

        parts = merge_bytes(piece, lower)
        return Merge(id, *parts) if len(parts) == 2 else None

    def merge_result(self, left: int, right: int) -> tuple[int, int] | None:
        """The rank of the piece that two adjacent pieces form and its id, which are the same, or None if it is none."""
        id = self._ids.get(self.pieces[left] + self.pieces[right])
        return None if id is None else (id, id)

    def whole_id(self, pretoken: str) -> int | None:
        """The id of a pre-token that is a piece, which is taken whole, without merging; else None."""
        return self._ids.get(pretoken.encode())

    def words(self, pretoken: str) -> list[str]:
        """The pre-token itself: merges may cross all of it."""
        return [pretoken]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters.

        A token that covers part of a character's bytes has the range of the whole character.
        """
        return byte_segments(pretoken, self.ids(pretoken), self.pieces)

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        piece = pretoken.encode()
        id = self._ids.get(piece)
        if id is not None:
            return (id,)
        if len(pretoken) > SHORT and len(piece) > len(pretoken):
            spans = self._boundaries.cut(pretoken)
            if len(spans) > 1:
                # Not `ids`: a span that is a piece as a whole may be merged differently inside the pre-token.
                return tuple(chain.from_iterable(map(self._span_ids, spans)))
        return self._merged(piece)

    def _merged(self, piece: bytes) -> tuple[int, ...]:
        return tuple(merge_bytes(piece, self._ids.get))


def merge_bytes(piece: bytes, rank_of: RankOf) -> list[int]:
    """Merge bytes until no adjacent pair has a rank; return the ranks of the parts.

    `rank_of` returns the rank of a byte string, or the default that it gets.

    >>> merge_bytes(b"abcab", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4, b"cab": 5}.get)
    [0, 3, 4]
    """
    ranks = [rank_of(piece[at : at + 2], NO_RANK) for at in range(len(piece) - 1)]
    if len(piece) > LONG:
        found = merge_by_heap(ranks, lambda at, right, end: rank_of(piece[at:end], NO_RANK), lambda at, right: None)
        return [rank_of(piece[start:end], NO_RANK) for start, end in pairwise([*found, len(piece)])]
    starts = list(range(len(piece) + 1))  # of the parts, then the end of the last one
    while ranks and (rank := min(ranks)) != NO_RANK:
        at = ranks.index(rank)
        del starts[at + 1], ranks[at]
        if at < len(ranks):
            ranks[at] = rank_of(piece[starts[at] : starts[at + 2]], NO_RANK)
        if at:
            ranks[at - 1] = rank_of(piece[starts[at - 1] : starts[at + 1]], NO_RANK)
    return [rank_of(piece[start:end], NO_RANK) for start, end in pairwise(starts)]
