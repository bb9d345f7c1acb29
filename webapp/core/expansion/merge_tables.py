"""Byte-pair encoding whose table grows: what the three kinds of BPE make of a piece, while pieces are added to them.

A piece that is added last ranks after all others. So the parts that a table makes of a piece now are the parts that the
finished vocabulary arrives at, too, before any later piece has its turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from webapp.core.expansion.spelling import Form
from webapp.core.models.bpe import BPE
from webapp.core.models.merge_loop import NO_RANK, merge, pack
from webapp.core.models.rank_bpe import RankBPE, merge_bytes
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import symbols_of


class MergeTable(ABC):
    """What the pieces so far make of a new piece.

    `missing` symbols have no piece; `add` gives a piece the next id, made of the two parts that `parts` leaves.
    """

    @abstractmethod
    def id_of(self, piece: Form) -> int | None:
        """The id of a piece, or None."""

    @abstractmethod
    def missing(self, piece: Form) -> Sequence[Form]:
        """The symbols of a piece that must be pieces before it can be merged, and are none."""

    @abstractmethod
    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts of a piece; itself alone if merges build it, or if it is a symbol."""

    @abstractmethod
    def add(self, piece: Form, left: Form | None = None, right: Form | None = None) -> bool:
        """Add a piece with its merge; without parts, a symbol. Return whether the piece is new."""

    def base_ids(self, piece: Form) -> tuple[int, ...]:
        """The ids of the parts of a piece; bytes or the unknown piece for a symbol without an id."""
        return tuple(id for part in self.parts(piece) if (id := self.id_of(part)) is not None)


class Merges(MergeTable):
    """BPE by merges, over bytes or characters.

    >>> table = Merges(BPE(["a", "b", "c", "ab"], [(0, 1)], byte_level=False))
    >>> table.parts("abc"), table.add("abc", "ab", "c"), table.parts("abc")
    (['ab', 'c'], True, ['abc'])
    """

    def __init__(self, model: BPE) -> None:
        self.model = model
        self.pieces: list[Form] = list(model.pieces)
        self.merges = list(model.merges)
        self._ids: dict[Form, int] = {piece: id for id, piece in enumerate(self.pieces)}
        self._ranks: dict[int, int] = {pack(left, right): rank for rank, (left, right) in enumerate(self.merges)}
        skipped = len(model.continuing_subword_prefix)
        self._merged = [
            self._ids[self.pieces[left] + self.pieces[right][skipped:]]  # type: ignore[operator]
            for left, right in self.merges
        ]

    def id_of(self, piece: Form) -> int | None:
        """The id of a piece, or None."""
        return self._ids.get(piece)

    def missing(self, piece: Form) -> Sequence[Form]:
        """The symbols that are no pieces."""
        return [symbol for symbol in dict.fromkeys(self._symbols(piece)) if symbol not in self._ids]

    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece."""
        symbols = self._symbols(piece)
        # A missing symbol has a negative number, which no merge has.
        numbers = [self._ids.get(symbol, -1 - at) for at, symbol in enumerate(symbols)]
        if min(numbers) >= 0:
            return [self.pieces[id] for id in merge(numbers, self._ranks, self._merged)]
        parts: list[Form] = []
        known: list[int] = []
        for symbol, number in zip(symbols, numbers, strict=True):
            if number >= 0:
                known.append(number)
                continue
            parts += [self.pieces[id] for id in merge(known, self._ranks, self._merged)] if known else []
            parts.append(symbol)
            known = []
        return parts + ([self.pieces[id] for id in merge(known, self._ranks, self._merged)] if known else [])

    def add(self, piece: Form, left: Form | None = None, right: Form | None = None) -> bool:
        """Add a piece that ranks after all others; return whether it is new."""
        new = piece not in self._ids
        if new:
            self._ids[piece] = len(self.pieces)
            self.pieces.append(piece)
        if left is not None and right is not None:
            pair = self._ids[left], self._ids[right]
            self._ranks[pack(*pair)] = len(self.merges)
            self.merges.append(pair)
            self._merged.append(self._ids[piece])
        return new

    def base_ids(self, piece: Form) -> tuple[int, ...]:
        """The ids of the parts of a piece, bytes or the unknown piece for text without one."""
        ids: list[int] = []
        for part in self.parts(piece):
            known = self._ids.get(part)
            if known is not None:
                ids.append(known)
                continue
            fallback = [self._ids.get(f"<0x{byte:02X}>") for byte in str(part).encode()]
            if self.model.byte_fallback and None not in fallback:
                ids += [id for id in fallback if id is not None]
            elif self.model.unknown_id is not None:
                ids.append(self.model.unknown_id)
        return tuple(ids)

    def _symbols(self, piece: Form) -> list[Form]:
        if isinstance(piece, bytes):
            return [bytes([byte]) for byte in piece]
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
        self.ranks = {piece: id for id, piece in enumerate(model.pieces) if id not in model.reserved}
        self.next_id = next_id
        self._texts = {id: piece for piece, id in self.ranks.items()}

    def id_of(self, piece: Form) -> int | None:
        """The id of a piece, or None."""
        return self.ranks.get(piece) if isinstance(piece, bytes) else None

    def missing(self, piece: Form) -> Sequence[Form]:
        """The symbols that are no pieces."""
        return []

    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece."""
        assert isinstance(piece, bytes)
        return [self._texts[id] for id in merge_bytes(piece, self.ranks.get)]

    def add(self, piece: Form, left: Form | None = None, right: Form | None = None) -> bool:
        """Add a piece that ranks after all others; return whether it is new."""
        assert isinstance(piece, bytes)
        new = piece not in self.ranks
        if new:
            self.ranks[piece] = self.next_id
            self._texts[self.next_id] = piece
            self.next_id += 1
        return new


class Scores(MergeTable):
    """BPE by scores, as in SentencePiece: any two parts that form a piece are merged, the best score first.

    Characters need no piece of their own to be merged.
    """

    def __init__(self, model: ScoredBPE) -> None:
        vocabulary = model.vocabulary
        self.vocabulary = vocabulary
        self.new: list[str] = []
        self._split = symbols_of(vocabulary)
        known = {**vocabulary.ids, **vocabulary.unused}
        order = sorted({vocabulary.scores[id] for id in known.values()}, reverse=True)
        rank_of = {score: rank for rank, score in enumerate(order)}
        self._ranks = {
            piece: rank_of[vocabulary.scores[id]] for piece, id in known.items() if piece not in vocabulary.user_defined
        }
        self._ids = {piece: id for id, piece in reversed(list(enumerate(vocabulary.pieces)))}
        self._next_rank = len(order)

    def id_of(self, piece: Form) -> int | None:
        """The id of a piece, or None."""
        return self._ids.get(str(piece))

    def missing(self, piece: Form) -> Sequence[Form]:
        """The symbols that are no pieces."""
        return []

    def parts(self, piece: Form) -> Sequence[Form]:
        """The parts that the pieces so far make of a piece."""
        parts = self._split(str(piece))
        rank_of = self._ranks.get
        frozen = self.vocabulary.user_defined
        while len(parts) > 1:
            ranks = [
                NO_RANK
                if parts[at] in frozen or parts[at + 1] in frozen
                else rank_of(parts[at] + parts[at + 1], NO_RANK)
                for at in range(len(parts) - 1)
            ]
            best = min(ranks)
            if best == NO_RANK:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return list(parts)

    def base_ids(self, piece: Form) -> tuple[int, ...]:
        """The ids of the parts of a piece, bytes or the unknown piece for text without one."""
        vocabulary = self.vocabulary
        ids: list[int] = []
        for part in self.parts(piece):
            known = vocabulary.ids.get(str(part))
            if known is not None:
                ids.append(known)
            elif vocabulary.byte_ids is not None:
                ids += [vocabulary.byte_ids[byte] for byte in str(part).encode()]
            else:
                ids.append(vocabulary.unknown_id)
        return tuple(ids)

    def add(self, piece: Form, left: Form | None = None, right: Form | None = None) -> bool:
        """Add a piece that ranks after all others; return whether it is new."""
        piece = str(piece)
        new = piece not in self._ids
        if new:
            self._ids[piece] = len(self.vocabulary.pieces) + len(self.new)
            self.new.append(piece)
            self._ranks[piece] = self._next_rank
            self._next_rank += 1
        return new
