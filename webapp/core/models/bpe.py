"""Byte-pair encoding, over characters with an end-of-word suffix or over bytes.

Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2;
over bytes as in Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple

from webapp.core.models.boundaries import Boundaries
from webapp.core.models.cache import Cache
from webapp.core.models.merging import merge, pack


class Merge(NamedTuple):
    """What a piece was merged from: the ids of its two parts, and the merge's rank (0 is merged first)."""

    rank: int
    left: int
    right: int


class BPE:
    """A word begins as symbols; neighbours are merged by rank until no pair is in the merges.

    Over bytes (`byte_level`) the pieces are `bytes`, all 256 single ones are among them, and nothing is unknown:

    >>> bpe = BPE([bytes([b]) for b in range(256)] + [b"aa", b"aaa", b"aaab"], [(97, 97), (256, 97), (257, 98)],
    ...           byte_level=True)
    >>> bpe.ids("aaabdaaabac")
    (258, 100, 258, 97, 99)

    Over characters the pieces are `str`. An `end_of_word_suffix` that is a piece itself is a symbol of its
    own behind the word's last character (Sennrich et al., as here); otherwise it is glued to that character
    (OpenAI's GPT).

    >>> bpe = BPE(["e", "s", "t", "</w>", "es", "est", "est</w>"], [(0, 1), (4, 2), (5, 3)],
    ...           byte_level=False, end_of_word_suffix="</w>")
    >>> bpe.segment("testest")
    ((2, 0, 1), (5, 1, 4), (6, 4, 7))

    A character that is no piece becomes `unknown`, one token each; without an `unknown` it is left out, as in
    Hugging Face's `tokenizers`.
    """

    def __init__(
        self,
        pieces: Sequence[str] | Sequence[bytes],
        merges: Sequence[tuple[int, int]],
        *,
        byte_level: bool,
        end_of_word_suffix: str = "",
        unknown: str | None = None,
    ) -> None:
        """`merges` are pairs of ids (left, right) in rank order.

        Raises ValueError when a piece occurs twice, a merge names an id or makes a piece that the vocabulary
        does not have, a byte is missing from a byte-level vocabulary, or `unknown` is no piece.
        """
        self.pieces: Sequence[str] | Sequence[bytes] = tuple(pieces)  # type: ignore[assignment]
        self.merges = tuple(merges)
        self.byte_level = byte_level
        self.end_of_word_suffix = end_of_word_suffix
        self.unknown = unknown
        self._ids: dict[str | bytes, int] = dict(zip(pieces, range(len(pieces)), strict=True))
        if len(self._ids) != len(self.pieces):
            raise ValueError("a piece occurs twice in the vocabulary")
        self._merged = self._made_by_merges()
        self._ranks = {pack(left, right): rank for rank, (left, right) in enumerate(self.merges)}
        self.unknown_id: int | None = None
        if unknown is not None:
            if unknown not in self._ids:
                raise ValueError(f"the unknown token {unknown!r} is not in the vocabulary")
            self.unknown_id = self._ids[unknown]
        if byte_level:
            self._byte_ids = self._bytes_of_vocabulary()
        self.suffix_id = None if byte_level else self._ids.get(end_of_word_suffix)
        self.ids = Cache(self._compute_ids).__getitem__
        self._merge_by_id: dict[int, Merge] | None = None

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None when it is not in the vocabulary."""
        return self._ids.get(piece)

    def merge_of(self, id: int) -> Merge | None:
        """What the piece `id` was merged from (by its first merge), or None for a piece no merge makes."""
        if self._merge_by_id is None:
            by_id: dict[int, Merge] = {}
            for rank, (left, right) in enumerate(self.merges):
                by_id.setdefault(self._merged[rank], Merge(rank, left, right))
            self._merge_by_id = by_id
        return self._merge_by_id.get(id)

    def symbols(self, pretoken: str) -> list[int]:
        """The ids a pre-token begins with, before the first merge."""
        if self.byte_level:
            return list(map(self._byte_ids.__getitem__, pretoken.encode()))
        symbols = [self._ids.get(symbol, self.unknown_id) for symbol in self._split(pretoken)]
        return [symbol for symbol in symbols if symbol is not None]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters.

        A token that covers part of a character's bytes has the whole character's range; so has an end-of-word
        suffix that stands alone.
        """
        if self.byte_level:
            return tuple(self._segment_bytes(pretoken))
        return tuple(self._segment_characters(pretoken))

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        if self.byte_level and len(pretoken) > 1 and not pretoken.isascii():
            stretches = self._boundaries.cut(pretoken)
            if len(stretches) > 1:
                return tuple(chain.from_iterable(map(self.ids, stretches)))
        return tuple(merge(self.symbols(pretoken), self._ranks, self._merged))

    @cached_property
    def _boundaries(self) -> Boundaries:
        return Boundaries(piece for piece in self.pieces if isinstance(piece, bytes))

    def _split(self, word: str) -> list[str]:
        if not (self.end_of_word_suffix and word):
            return list(word)
        if self.suffix_id is not None:
            return [*word, self.end_of_word_suffix]
        return [*word[:-1], word[-1] + self.end_of_word_suffix]

    def _segment_bytes(self, pretoken: str) -> list[tuple[int, int, int]]:
        ids = self.ids(pretoken)
        ends = list(accumulate(len(self.pieces[id]) for id in ids))
        starts = [0, *ends][: len(ends)]
        if not pretoken.isascii():
            owner = [at for at, character in enumerate(pretoken) for _ in character.encode()]
            starts = [owner[start] for start in starts]
            ends = [owner[end - 1] + 1 for end in ends]
        return list(zip(ids, starts, ends, strict=True))

    def _segment_characters(self, pretoken: str) -> list[tuple[int, int, int]]:
        # A token's place follows from the characters its piece holds, once those that the vocabulary leaves
        # out are gone from the count.
        places = list(range(len(pretoken)))
        if self.unknown_id is None:
            split = self._split(pretoken)
            places = [at for at in places if split[at] in self._ids]
        segments: list[tuple[int, int, int]] = []
        at = 0
        for id in self.ids(pretoken):
            length = 1 if id == self.unknown_id else self._characters(id)
            first, last = (at, at + length - 1) if length else (at - 1, at - 1)
            if places:
                segments.append((id, places[max(first, 0)], places[min(last, len(places) - 1)] + 1))
            at += length
        return segments

    def _characters(self, id: int) -> int:
        piece = self.pieces[id]
        if self.end_of_word_suffix and isinstance(piece, str):
            return len(piece.removesuffix(self.end_of_word_suffix))
        return len(piece)

    def _made_by_merges(self) -> list[int]:
        made = []
        for left, right in self.merges:
            try:
                made.append(self._ids[self.pieces[left] + self.pieces[right]])  # type: ignore[operator]
            except IndexError:
                raise ValueError(f"the merge {left, right} names an id outside the vocabulary") from None
            except KeyError as missing:
                raise ValueError(f"the merge {left, right} makes {missing.args[0]!r}, which is no piece") from None
        return made

    def _bytes_of_vocabulary(self) -> list[int]:
        try:
            return [self._ids[bytes([byte])] for byte in range(256)]
        except KeyError as missing:
            raise ValueError(f"the byte {missing.args[0]!r} is not in the vocabulary") from None
