"""Longest and fewest pieces over bytes: byte-level BPE and `tiktoken`'s ranks. No text is unknown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webapp.core.inference.piece_table import PieceTable
from webapp.core.inference.wrapper import AppliedModel, Lookup, Rule
from webapp.core.models import Model
from webapp.core.models.byte_offsets import byte_segments


class BytePieces(AppliedModel):
    """Applies the pieces of a byte-level model by another rule.

    >>> from webapp.core.inference.piece_table import longest_parts
    >>> from webapp.core.models.rank_bpe import RankBPE
    >>> bpe = RankBPE([bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"bcd"])
    >>> model = BytePieces(bpe, longest_parts)
    >>> [bpe.pieces[id] for id in bpe.ids("abcd")], [bpe.pieces[id] for id in model.ids("abcd")]
    ([b'ab', b'c', b'd'], [b'ab', b'c', b'd'])
    """

    def __init__(self, model: Model, rule: Rule, without: Collection[int] = ()) -> None:
        """`without` are the ids that are never used, such as those of special tokens."""
        super().__init__(model)
        self._rule = rule
        self._table = PieceTable(
            {piece: id for id, piece in enumerate(model.pieces) if isinstance(piece, bytes) and id not in without}
        )
        self.left_out = self._table.left_out

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The bytes of the pre-token."""
        return [Lookup(pretoken.encode(), self._table, self._table)]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token; one that covers part of a character has the range of the character."""
        return byte_segments(pretoken, self.ids(pretoken), self.pieces)

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        [lookup] = self.lookups(pretoken)
        return tuple(id for id, _ in self._rule(*lookup) if id is not None)
