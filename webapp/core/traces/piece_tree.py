"""The merge tree of one piece: what the merges of a vocabulary make of the piece's own symbols.

If a piece is a token of some text, no merge crosses its ends there, so inside it the same merges happen as on its
symbols alone, in the same order. Therefore a piece that its own symbols do not give is never a token, unless the
vocabulary takes whole pre-tokens without merging.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.traces.merge_records import MergeNode
from webapp.core.traces.merging import MergingModel, initial_symbols, merge_steps

MOST_SYMBOLS = 256
"""A piece of more symbols has no tree; finding its merges takes the square of their number."""

_BYTE = re.compile("<0x[0-9A-Fa-f]{2}>")


@dataclass(frozen=True)
class PieceTree:
    """`nodes` in order of creation, the symbols first; `tokens` remain at the end: one if the merges make the piece.

    The offsets of the nodes are in characters of the piece, or in bytes if it is part of a character.
    """

    nodes: Sequence[MergeNode]
    tokens: Sequence[MergeNode]

    def makes(self, id: int) -> bool:
        """Whether the merges make the piece with this id."""
        return len(self.tokens) == 1 and self.tokens[0].id == id


def piece_tree(model: object, id: int) -> PieceTree | None:
    """The merge tree of the piece `id`; None if the model does not merge, or for a piece of too many symbols.

    >>> bpe = BPE(["a", "b", "c", "bc", "ab", "abc"], [(1, 2), (0, 1), (4, 2)], byte_level=False)
    >>> [node.piece for node in piece_tree(bpe, 3).tokens], piece_tree(bpe, 3).makes(3)
    (['bc'], True)
    >>> [node.piece for node in piece_tree(bpe, 5).tokens], piece_tree(bpe, 5).makes(5)  # "bc" is merged first
    (['a', 'bc'], False)
    """
    if not isinstance(model, BPE | RankBPE | ScoredBPE):
        return None
    symbols = _symbols(model, id)
    if not symbols:
        return None
    row, nodes = tuple(symbols), list(symbols)
    for step in merge_steps(model, row):
        nodes += step.made
        row = step.after
    return PieceTree(nodes, row)


def _symbols(model: MergingModel, id: int) -> Sequence[MergeNode]:
    """The symbols that the merges of a piece begin with; empty if it has none or too many."""
    piece = model.pieces[id]
    if not piece or len(piece) > MOST_SYMBOLS:
        return ()
    if isinstance(piece, bytes):
        suffix = getattr(model, "byte_suffix", b"")
        body = piece.removesuffix(suffix)
        try:
            return initial_symbols(model, body.decode(), ends=body != piece)[0]
        except UnicodeDecodeError:
            units = [body[at : at + 1] for at in range(len(body))]
            units[-1] += piece[len(body) :]
            return [MergeNode(at, unit, model.id_of(unit), at, at + 1) for at, unit in enumerate(units)]
    is_byte = _BYTE.fullmatch(piece) is not None
    if isinstance(model, BPE):
        return () if is_byte and model.byte_fallback else _characters(model, piece)
    assert isinstance(model, ScoredBPE)
    return () if is_byte and model.vocabulary.byte_ids else initial_symbols(model, piece)[0]


def _characters(model: BPE, piece: str) -> list[MergeNode]:
    """Each character with the prefix that it has inside a word, the last one with the suffix if the piece has it."""
    prefix, suffix = model.continuing_subword_prefix, model.end_of_word_suffix
    inside = bool(prefix) and piece.startswith(prefix) and piece != prefix
    ends = bool(suffix) and piece.endswith(suffix)
    body = piece[len(prefix) if inside else 0 : len(piece) - len(suffix) if ends else None]
    if not body:
        known = model.id_of(piece)
        return [] if known is None else [MergeNode(0, piece, known, 0, len(piece))]
    found = []
    for at, character in enumerate(body):
        symbol = prefix + character if at or inside else character
        if ends and at == len(body) - 1 and model.suffix_id is None:
            symbol += suffix
        found.append(MergeNode(at, symbol, model.id_of(symbol), at, at + 1))
    if ends and model.suffix_id is not None:
        found.append(MergeNode(len(body), suffix, model.suffix_id, len(body), len(body), kind="suffix"))
    return found
