"""Longest-first encoding with a BPE vocabulary, as some tutorials teach it: the longest piece anywhere in the word.

Pieces are tried from the longest to the shortest, at every position of the word; the rest on both sides is encoded in
the same way with the shorter pieces. No published encoder works like this: merging by rank may give other pieces,
because it makes a long piece only if the merges that lead to it come first. A character without a piece is an unknown
token.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE

Status = Literal["open", "piece", "byte", "unknown", "left out"]


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A span of a word, in units: bytes or characters; an end-of-word mark is a unit or attached to the last one.

    A span is `open` until it is encoded. Then it has an `id`, unless it is `left out` because no token represents it.
    """

    start: int
    end: int
    piece: str | bytes
    id: int | None = None
    status: Status = "open"


@dataclass
class LongestFirst:
    """Encodes words longest piece first; `longest_first` creates it from a model.

    >>> pieces = ["<unk>", "moun", "tain</w>", "ve</w>", "nta"]
    >>> encoder = LongestFirst({piece: id for id, piece in enumerate(pieces) if id}, suffix="</w>", unknown=0)
    >>> encoder.ids("mountain"), encoder.ids("love")
    ([1, 2], [0, 0, 3])

    `prefix` begins every piece inside a word. `suffix` ends the word: a unit of its own, or with `glued` a part of its
    last character. `byte_ids` are the ids of the 256 bytes for characters without a piece, None for a byte without one.

    The longest piece is `tain</w>`, with five units. Of pieces of the same length, the one with the lower id comes
    first.
    """

    pieces: Mapping[str, int] | Mapping[bytes, int]
    byte_level: bool = False
    prefix: str = ""
    suffix: str = ""
    glued: bool = False
    unknown: int | None = None
    byte_ids: Sequence[int | None] | None = None

    def __post_init__(self) -> None:
        """Measure the longest piece."""
        self._ids: dict[str | bytes, int] = dict(self.pieces.items())
        self._longest = max(map(len, self._ids), default=0)

    def ids(self, word: str) -> list[int]:
        """The ids of a word's tokens."""
        return [span.id for span in self.spans(word) if span.id is not None]

    def spans(self, word: str) -> list[WordSpan]:
        """The spans of the word's tokens, and those that are left out."""
        units = self.units(word) if word else []
        taken = sorted((place, length) for length, _, places in self.taken(units) for place in places)
        spans: list[WordSpan] = []
        at = 0
        for place, length in [*taken, (len(units), 0)]:
            for uncovered in range(at, place):
                spans += self.fallback(self.open_span(units, uncovered, uncovered + 1))
            if length:
                spans.append(self.piece_span(units, place, place + length))
            at = place + length
        return spans

    def taken(self, units: Sequence[str] | bytes) -> Iterator[tuple[int, int, list[int]]]:
        """Yield `(length, id, places)` of each piece that is taken, longest first; `places` are its starts in order."""
        free = [True] * len(units)
        for (reverse, id), group in groupby(self.matches(units), key=lambda match: match[:2]):
            length, places = -reverse, []
            for _, _, start in group:
                if all(free[start : start + length]):
                    places.append(start)
                    free[start : start + length] = [False] * length
            if places:
                yield length, id, places

    def matches(self, units: Sequence[str] | bytes) -> list[tuple[int, int, int]]:
        """`(-length, id, start)` of each piece at each position, in the order in which they are tried."""
        matches = []
        for start in range(len(units)):
            for end in range(start + 1, min(len(units), start + self._longest) + 1):
                id = self._ids.get(self.as_piece(units, start, end))
                if id is not None:
                    matches.append((start - end, id, start))
        return sorted(matches)

    def units(self, word: str) -> Sequence[str] | bytes:
        """The bytes or characters of a word, and its end-of-word mark."""
        if self.byte_level:
            return word.encode()
        if self.glued and word:
            return [*word[:-1], word[-1] + self.suffix]
        return [*word, self.suffix] if self.suffix else list(word)

    def as_piece(self, units: Sequence[str] | bytes, start: int, end: int) -> str | bytes:
        """The units from `start` to `end` as the vocabulary writes such a piece, with the prefix inside a word."""
        if isinstance(units, bytes):
            return units[start:end]
        return (self.prefix if start else "") + "".join(units[start:end])

    def open_span(self, units: Sequence[str] | bytes, start: int, end: int) -> WordSpan:
        """Return an open span."""
        return WordSpan(start, end, units[start:end] if isinstance(units, bytes) else "".join(units[start:end]))

    def piece_span(self, units: Sequence[str] | bytes, start: int, end: int) -> WordSpan:
        """Return the span of a piece."""
        piece = self.as_piece(units, start, end)
        return WordSpan(start, end, piece, self._ids.get(piece), "piece")

    def fallback(self, span: WordSpan) -> list[WordSpan]:
        """Return the tokens for one unit without a piece: its bytes, the unknown token, or a span that is left out."""
        start, end, text = span.start, span.end, span.piece
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
    """Return the longest-first encoder of a model; `without` are ids that it never uses, such as special tokens.

    >>> model = RankBPE([bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"bcd", b"abc"])
    >>> list(model.ids("abcd")), longest_first(model).ids("abcd")
    ([259, 100], [97, 258])
    """
    if isinstance(model, ScoredBPE):
        vocabulary = model.vocabulary
        pieces = {piece: id for piece, id in vocabulary.ids.items() if id not in without}
        return LongestFirst(pieces, unknown=vocabulary.unknown_id, byte_ids=vocabulary.byte_ids)
    excluded = {*without, *(model.reserved if isinstance(model, RankBPE) else ())}
    if isinstance(model, RankBPE) or model.byte_level:
        return LongestFirst(_pieces(model, excluded), byte_level=True)
    fallback = [model.id_of(f"<0x{byte:02X}>") for byte in range(256)] if model.byte_fallback else None
    excluded |= {id for id in (model.unknown_id, *(fallback or ())) if id is not None}
    return LongestFirst(
        _pieces(model, excluded),
        prefix=model.continuing_subword_prefix,
        suffix=model.end_of_word_suffix,
        glued=model.suffix_id is None,
        unknown=model.unknown_id,
        byte_ids=fallback,
    )


def _pieces(model: BPE | RankBPE, without: Collection[int]) -> Any:
    return {piece: id for id, piece in enumerate(model.pieces) if id not in without}
