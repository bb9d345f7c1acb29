"""The tutorials' other way to use a BPE vocabulary: the longest piece first, wherever it stands in the word.

Pieces are tried from the longest to the shortest; each is found anywhere in the word, and what is left on both sides is
treated likewise with the shorter ones. No published encoder does this: merging by rank may end in other pieces, because
a long piece is reached only if its merges come first. What nothing covers is unknown, one token a character.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE

Status = Literal["open", "piece", "byte", "unknown", "left out"]


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A part of a word, in its units: bytes, or characters; an end-of-word mark is one of them or glued to the last.

    `open` until it is decided; afterwards it has an `id`, unless it is left out because nothing stands for it.
    """

    start: int
    end: int
    piece: str | bytes
    id: int | None = None
    status: Status = "open"


@dataclass(frozen=True, slots=True)
class LongestFirstRound:
    """One round: the longest piece that stands in an open stretch, and the places it takes, from the left.

    `after` is the word as it is then. In the last rounds no piece fits any more: `piece` is None and `places` are the
    characters that nothing covers.
    """

    before: tuple[WordSpan, ...]
    after: tuple[WordSpan, ...]
    piece: str | bytes | None
    id: int | None
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PieceFit:
    """A piece that stands in open stretches: its length in units, and in how many places, some of which may overlap."""

    piece: str | bytes
    id: int
    length: int
    places: int


@dataclass(frozen=True, slots=True)
class PieceLookup:
    """The pieces of a model but those with the ids `without`, looked up one by one: there may be 200,000."""

    id_of: Callable[[str | bytes], int | None]
    longest: int
    without: frozenset[int] = frozenset()

    def get(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None."""
        id = self.id_of(piece)
        return None if id in self.without else id


class LongestFirst:
    """Pieces with their ids, and how they are written in a word; made from a model by `longest_first`.

    >>> pieces = ["<unk>", "moun", "tain</w>", "ve</w>", "nta"]
    >>> way = LongestFirst({piece: id for id, piece in enumerate(pieces) if id}, suffix="</w>", unknown=0)
    >>> way.ids("mountain"), way.ids("love")
    ([1, 2], [0, 0, 3])

    The longest piece is `tain</w>`, with five units. Of pieces of one length the one with the lower id goes first.
    """

    def __init__(
        self,
        pieces: Mapping[str, int] | Mapping[bytes, int] | PieceLookup,
        *,
        byte_level: bool = False,
        prefix: str = "",
        suffix: str = "",
        glued: bool = False,
        unknown: int | None = None,
        byte_ids: Sequence[int | None] | None = None,
    ) -> None:
        """`prefix` stands in front of a piece inside a word, `suffix` behind the word, `glued` to its last character or
        as a unit of its own; `byte_ids` are those of the 256 bytes that stand for an uncovered character (None for a
        byte that has none)."""
        self.byte_level = byte_level
        self.prefix = prefix
        self.suffix = suffix
        self.glued = glued
        self.unknown = unknown
        self.byte_ids = byte_ids
        if not isinstance(pieces, PieceLookup):
            ids: dict[str | bytes, int] = dict(pieces.items())
            pieces = PieceLookup(ids.get, max(map(len, ids), default=0))
        self._pieces = pieces

    def ids(self, word: str) -> list[int]:
        """The ids of a word's tokens."""
        return [stretch.id for stretch in self.stretches(word) if stretch.id is not None]

    def stretches(self, word: str) -> tuple[WordSpan, ...]:
        """The word's tokens, and what is left out."""
        row = self.beginning(word)
        for found in self.rounds(word):
            row = found.after
        return row

    def beginning(self, word: str) -> tuple[WordSpan, ...]:
        """The word, all open."""
        units = self._units(word)
        return (self._open(units, 0, len(units)),) if word else ()

    def rounds(self, word: str) -> Iterator[LongestFirstRound]:
        """The rounds of a word, from the longest piece in it to the last uncovered character."""
        units = self._units(word) if word else []
        row = self.beginning(word)
        free = [True] * len(units)
        at = 0
        matches = self._matches(units)
        while at < len(matches):
            length, id, _ = matches[at]
            places: list[int] = []
            while at < len(matches) and matches[at][:2] == (length, id):
                start = matches[at][2]
                if all(free[start : start - length]):
                    places.append(start)
                    free[start : start - length] = [False] * -length
                at += 1
            if places:
                found = self._found(units, row, id, -length, places)
                yield found
                row = found.after
        yield from self._uncovered(units, row)

    def fits(self, word: str, row: Sequence[WordSpan]) -> list[PieceFit]:
        """The pieces that stand in the open stretches of a word, in the order in which they are tried.

        >>> way = LongestFirst({"ab": 0, "a": 1, "b": 2})
        >>> [(fit.piece, fit.places) for fit in way.fits("abb", way.beginning("abb"))]
        [('ab', 1), ('a', 1), ('b', 2)]
        """
        units = self._units(word)
        inside = [stretch for stretch in row if stretch.status == "open"]
        counts: dict[tuple[int, int], list[int]] = {}
        for length, id, start in self._matches(units):
            if any(stretch.start <= start and start - length <= stretch.end for stretch in inside):
                counts.setdefault((length, id), []).append(start)
        return [
            PieceFit(self._spelt(units, places[0], places[0] - length), id, -length, len(places))
            for (length, id), places in counts.items()
        ]

    def _units(self, word: str) -> Sequence[str] | bytes:
        if self.byte_level:
            return word.encode()
        if self.glued and word:
            return [*word[:-1], word[-1] + self.suffix]
        return [*word, self.suffix] if self.suffix else list(word)

    def _matches(self, units: Sequence[str] | bytes) -> list[tuple[int, int, int]]:
        """`(-length, id, start)` of each piece at each place, in the order in which they are tried."""
        matches = []
        for start in range(len(units)):
            for end in range(start + 1, min(len(units), start + self._pieces.longest) + 1):
                id = self._pieces.get(self._spelt(units, start, end))
                if id is not None:
                    matches.append((start - end, id, start))
        return sorted(matches)

    def _spelt(self, units: Sequence[str] | bytes, start: int, end: int) -> str | bytes:
        if isinstance(units, bytes):
            return units[start:end]
        return (self.prefix if start else "") + "".join(units[start:end])

    def _open(self, units: Sequence[str] | bytes, start: int, end: int) -> WordSpan:
        return WordSpan(start, end, units[start:end] if isinstance(units, bytes) else "".join(units[start:end]))

    def _found(
        self, units: Sequence[str] | bytes, row: tuple[WordSpan, ...], id: int, length: int, places: list[int]
    ) -> LongestFirstRound:
        piece = self._spelt(units, places[0], places[0] + length)
        after: list[WordSpan] = []
        for stretch in row:
            at = stretch.start
            for place in places if stretch.status == "open" else ():
                if stretch.start <= place < stretch.end:
                    if at < place:
                        after.append(self._open(units, at, place))
                    at = place + length
                    after.append(WordSpan(place, at, self._spelt(units, place, at), id, "piece"))
            if at == stretch.start:
                after.append(stretch)
            elif at < stretch.end:
                after.append(self._open(units, at, stretch.end))
        return LongestFirstRound(row, tuple(after), piece, id, tuple(places))

    def _uncovered(self, units: Sequence[str] | bytes, row: tuple[WordSpan, ...]) -> Iterator[LongestFirstRound]:
        places = tuple(at for stretch in row if stretch.status == "open" for at in range(stretch.start, stretch.end))
        if not places:
            return
        after: list[WordSpan] = []
        for stretch in row:
            if stretch.status != "open":
                after.append(stretch)
                continue
            for at in range(stretch.start, stretch.end):
                after += self._instead(self._open(units, at, at + 1))
        yield LongestFirstRound(row, tuple(after), None, None, places)

    def _instead(self, stretch: WordSpan) -> list[WordSpan]:
        """What stands for one uncovered unit: its bytes, the unknown token, or nothing."""
        start, end, text = stretch.start, stretch.end, stretch.piece
        assert isinstance(text, str)  # every byte is a piece
        if self.byte_ids is not None:
            ids = [self.byte_ids[byte] for byte in text.encode()]
            if None not in ids:
                return [
                    WordSpan(start, end, f"<0x{byte:02X}>", id, "byte")
                    for byte, id in zip(text.encode(), ids, strict=True)
                ]
        if self.unknown is None:
            return [WordSpan(start, end, text, None, "left out")]
        return [WordSpan(start, end, text, self.unknown, "unknown")]


def longest_first(model: BPE | RankBPE | ScoredBPE, *, without: Collection[int] = ()) -> LongestFirst:
    """The longest-piece-first way with the pieces of a model; `without` are ids that stand for no text, as special
    tokens do.

    >>> model = RankBPE([bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"bcd", b"abc"])
    >>> list(model.ids("abcd")), longest_first(model).ids("abcd")
    ([259, 100], [97, 258])
    """
    longest = max(map(len, model.pieces), default=0)
    excluded = frozenset(without)
    if isinstance(model, ScoredBPE):
        vocabulary = model.vocabulary
        pieces = PieceLookup(lambda piece: vocabulary.ids.get(str(piece)), longest, excluded)
        return LongestFirst(pieces, unknown=vocabulary.unknown_id, byte_ids=vocabulary.byte_ids)
    if isinstance(model, RankBPE) or model.byte_level:
        return LongestFirst(PieceLookup(model.id_of, longest, excluded), byte_level=True)
    fallback = [model.id_of(f"<0x{byte:02X}>") for byte in range(256)] if model.byte_fallback else None
    excluded |= {id for id in (model.unknown_id, *(fallback or ())) if id is not None}
    return LongestFirst(
        PieceLookup(model.id_of, longest, excluded),
        prefix=model.continuing_subword_prefix,
        suffix=model.end_of_word_suffix,
        glued=model.suffix_id is None,
        unknown=model.unknown_id,
        byte_ids=fallback,
    )
