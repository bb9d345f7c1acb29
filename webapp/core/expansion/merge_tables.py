"""Byte-pair encoding whose table grows: what the three kinds of BPE make of a piece, while pieces are added to them.

A piece that is added last ranks after all others. So the parts that a table makes of a piece now are the parts that the
finished vocabulary arrives at, too, before any later piece has its turn.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import pairwise

from webapp.core.expansion.candidates import Form
from webapp.core.models.bpe import BPE
from webapp.core.models.merge_loop import NO_RANK, merge, pack
from webapp.core.models.rank_bpe import RankBPE, merge_bytes
from webapp.core.models.scored_pieces import symbols_of
from webapp.core.models.sentencepiece_models import ScoredBPE


class MergeTable(ABC):
    """What the pieces so far, by id, make of a new piece, which gets the id `next_id`."""

    def __init__(self, pieces: Iterable[tuple[int, Form]], next_id: int) -> None:
        self.pieces: dict[int, Form] = dict(pieces)
        self.ids: dict[Form, int] = {piece: id for id, piece in reversed(self.pieces.items())}
        self.next_id = next_id

    def id_of(self, piece: Form) -> int | None:
        """The id of a piece, or None."""
        return self.ids.get(piece)

    def missing(self, piece: Form) -> Sequence[Form]:
        """The symbols of a piece that must be pieces before it can be merged, and are none."""
        return ()

    @abstractmethod
    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece; itself alone if merges build it, or if it is a symbol."""

    def add(self, piece: Form, *halves: Form) -> bool:
        """Add a piece that ranks after all others, as the merge of two halves or a symbol; return whether it is new."""
        new = piece not in self.ids
        if new:
            self.ids[piece] = self.next_id
            self.pieces[self.next_id] = piece
            self.next_id += 1
        return new

    def base_ids(self, piece: Form) -> tuple[int, ...]:
        """The ids of the parts of a piece, bytes or the unknown piece for text without one."""
        return tuple(id for part in self.parts(piece) if (id := self.id_of(part)) is not None)


class Merges(MergeTable):
    """BPE by merges, over bytes or characters.

    >>> table = Merges(BPE(["a", "b", "c", "ab"], [(0, 1)], byte_level=False))
    >>> table.parts("abc"), table.add("abc", "ab", "c"), table.parts("abc")
    (['ab', 'c'], True, ['abc'])
    """

    def __init__(self, model: BPE) -> None:
        super().__init__(enumerate(model.pieces), len(model.pieces))
        self.model = model
        self.merges: list[tuple[int, int]] = []
        self._ranks: dict[int, int] = {}
        self._merged: dict[int, int] = {}
        skipped = len(model.continuing_subword_prefix)
        for left, right in model.merges:
            self._merge(left, right, model.pieces[left] + model.pieces[right][skipped:])  # type: ignore[operator]

    def _merge(self, left: int, right: int, piece: Form) -> None:
        self._ranks[pack(left, right)] = len(self.merges)
        self._merged[pack(left, right)] = self.ids[piece]
        self.merges.append((left, right))

    def missing(self, piece: Form) -> Sequence[Form]:
        """The symbols that are no pieces."""
        return [symbol for symbol in dict.fromkeys(self._symbols(piece)) if symbol not in self.ids]

    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece."""
        symbols = self._symbols(piece)
        # A missing symbol has a negative number, which no merge has.
        numbers = [self.ids.get(symbol, -1 - at) for at, symbol in enumerate(symbols)]
        merged = merge(numbers, self._ranks, self._merged)
        return [self.pieces[id] if id >= 0 else symbols[-1 - id] for id in merged]

    def add(self, piece: Form, *halves: Form) -> bool:
        """Add a piece and its merge; return whether the piece is new."""
        new = super().add(piece)
        if halves:
            left, right = (self.ids[half] for half in halves)
            self._merge(left, right, piece)
        return new

    def base_ids(self, piece: Form) -> tuple[int, ...]:
        """The ids of the parts of a piece, bytes or the unknown piece for text without one."""
        ids: list[int] = []
        for part in self.parts(piece):
            known = self.ids.get(part)
            fallback = [self.ids.get(f"<0x{byte:02X}>") for byte in str(part).encode()] if known is None else []
            if known is not None:
                ids.append(known)
            elif self.model.byte_fallback and None not in fallback:
                ids += [id for id in fallback if id is not None]
            elif self.model.unknown_id is not None:
                ids.append(self.model.unknown_id)
        return tuple(ids)

    def _symbols(self, piece: Form) -> list[Form]:
        if isinstance(piece, bytes):
            body = piece.removesuffix(self.model.byte_suffix)
            return [*(bytes([byte]) for byte in body[:-1]), body[-1:] + piece[len(body) :]]
        suffix = self.model.end_of_word_suffix
        if not suffix or not piece.endswith(suffix):
            return list(piece)
        letters: list[Form] = list(piece.removesuffix(suffix))
        if self.model.suffix_id is not None or not letters:
            return [*letters, suffix]
        return [*letters[:-1], str(letters[-1]) + suffix]


class Ranks(MergeTable):
    """BPE by ranks: any two parts that form a piece are merged.

    >>> table = Ranks(RankBPE([bytes([byte]) for byte in range(256)] + [b"ab"]), next_id=257)
    >>> table.parts(b"abc"), table.add(b"abc", b"ab", b"c"), table.parts(b"abc")
    ([b'ab', b'c'], True, [b'abc'])
    """

    def __init__(self, model: RankBPE, next_id: int) -> None:
        super().__init__(((id, piece) for id, piece in enumerate(model.pieces) if id not in model.reserved), next_id)

    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece."""
        assert isinstance(piece, bytes)
        return [self.pieces[id] for id in merge_bytes(piece, self.ids.get)]


class Scores(MergeTable):
    """BPE by scores, as in SentencePiece: any two parts that form a piece are merged, the best score first.

    Characters need no piece of their own to be merged.
    """

    def __init__(self, model: ScoredBPE) -> None:
        vocabulary = model.vocabulary
        super().__init__(enumerate(vocabulary.pieces), len(vocabulary.pieces))
        self.model = model
        self._frozen = vocabulary.user_defined
        self._split = symbols_of(vocabulary)
        known = {**vocabulary.ids, **vocabulary.unused}
        order = sorted({vocabulary.scores[id] for id in known.values()}, reverse=True)
        rank_of = {score: rank for rank, score in enumerate(order)}
        self._ranks = {
            piece: rank_of[vocabulary.scores[id]] for piece, id in known.items() if piece not in self._frozen
        }
        self._next_rank = len(order)

    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece."""
        parts = self._split(str(piece))
        while len(parts) > 1:
            ranks = [self._rank(left, right) for left, right in pairwise(parts)]
            best = min(ranks)
            if best == NO_RANK:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return list(parts)

    def _rank(self, left: str, right: str) -> int:
        """The rank of the merge of two parts; nothing is merged with a user-defined piece."""
        if left in self._frozen or right in self._frozen:
            return NO_RANK
        return self._ranks.get(left + right, NO_RANK)

    def base_ids(self, piece: Form) -> tuple[int, ...]:
        """The ids that the base gives a piece."""
        return tuple(self.model.ids(str(piece)))

    def add(self, piece: Form, *halves: Form) -> bool:
        """Add a piece that ranks after all others; return whether it is new."""
        new = super().add(piece)
        if new:
            self._ranks[str(piece)] = self._next_rank
            self._next_rank += 1
        return new
