"""Byte-pair encoding, over characters with an end-of-word suffix or over bytes.

Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2;
over bytes as in Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2.

BPE as the tool subword-nmt applies it (Sennrich et al. 2016; `apply_bpe.py`, function `encode`).
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, ClassVar, NamedTuple, cast

from webapp.core.cache import LONGEST, Cache
from webapp.core.models import ids_by_piece
from webapp.core.models.fast.boundaries import (
    SHORT,
    ByteBoundaries,
    ByteNeighbours,
    CharacterBoundaries,
    CharacterNeighbours,
)
from webapp.core.models.merge_loop import (
    NO_RANK,
    Measured,
    MergeRule,
    Symbols,
    byte_segments,
    merge,
    merge_together,
    merge_with_places,
    pack,
)
from webapp.core.vocabulary_error import VocabularyError, shown

_NO_MERGE = 0xFFFFFFFF


class Merge(NamedTuple):
    """The merge that makes a piece: its rank (0 is merged first) and the ids of the two parts."""

    rank: int
    left: int
    right: int


class BPE:
    """Splits a word into symbols and merges adjacent pairs by rank until no pair is in the merges.

    Over bytes (`byte_level`) the pieces are `bytes`, all 256 single ones are among them, and no text is unknown:

    >>> bpe = BPE([bytes([b]) for b in range(256)] + [b"aa", b"aaa", b"aaab"], [(97, 97), (256, 97), (257, 98)],
    ...           byte_level=True)
    >>> bpe.ids("aaabdaaabac")
    (258, 100, 258, 97, 99)

    Over characters the pieces are `str`. An `end_of_word_suffix` that is a piece itself is a symbol of its
    own after the word's last character (Sennrich et al., as here); otherwise it is attached to that character
    (OpenAI's GPT).

    >>> bpe = BPE(["e", "s", "t", "</w>", "es", "est", "est</w>"], [(0, 1), (4, 2), (5, 3)],
    ...           byte_level=False, end_of_word_suffix="</w>")
    >>> bpe.segment("testest")
    ((2, 0, 1), (5, 1, 4), (6, 4, 7))

    Characters without a piece, prefixes and suffixes are treated as in Hugging Face's `tokenizers`: see `Symbols`.
    With `ignore_merges` a pre-token that is a piece as a whole is one token, even if no sequence of merges makes it.
    With `partial` a byte-level vocabulary may lack bytes, as GPT-NeoX's does. They are left out then, as in
    `tokenizers`: most of them occur in no text, because UTF-8 does not use them. With a suffix over bytes, as CLIP's,
    a pre-token's last byte has it, and each of the 256 bytes is a piece with it, too.
    """

    merge_rule: ClassVar[MergeRule] = "merge"

    def __init__(
        self,
        pieces: Sequence[str] | Sequence[bytes],
        merges: Sequence[tuple[int, int]],
        *,
        byte_level: bool,
        end_of_word_suffix: str = "",
        unknown: str | None = None,
        continuing_subword_prefix: str = "",
        fuse_unknown: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        partial: bool = False,
        gaps: Collection[int] = (),
    ) -> None:
        """`merges` are pairs of ids (left, right) in rank order; a merge drops the prefix of the right one.

        `gaps` are the ids without a piece.

        Raises ValueError if a piece occurs twice, a merge names an id or makes a piece that the vocabulary does
        not have, a byte is missing without `partial`, or `unknown` is not a piece.
        """
        self.byte_level = byte_level
        self.end_of_word_suffix = end_of_word_suffix
        self.unknown = unknown
        self.continuing_subword_prefix = continuing_subword_prefix
        self.fuse_unknown = fuse_unknown
        self.byte_fallback = byte_fallback
        self.ignore_merges = ignore_merges
        self.missing_bytes: frozenset[int] = frozenset()
        self.gaps = frozenset(gaps)
        self._index(pieces, merges)
        self.unknown_id: int | None = None
        if unknown is not None:
            if unknown not in self._ids:
                raise VocabularyError("the unknown token %(unknown)s is not in the vocabulary", unknown=shown(unknown))
            self.unknown_id = self._ids[unknown]
        self.suffix_id = self._ids.get(end_of_word_suffix) if end_of_word_suffix and not byte_level else None
        if byte_level:
            self._byte_ids = {byte: id for byte in range(256) if (id := self._ids.get(bytes([byte]))) is not None}
            self.missing_bytes = frozenset(range(256)) - self._byte_ids.keys()
            if self.missing_bytes and not (partial and not self.byte_suffix):
                missing = shown(bytes([min(self.missing_bytes)]))
                raise VocabularyError("the byte %(missing)s is not in the vocabulary", missing=missing)
            for last in (bytes([byte]) + self.byte_suffix for byte in range(256) if self.byte_suffix):
                if last not in self._ids:
                    raise VocabularyError("the byte %(missing)s is not in the vocabulary", missing=shown(last))
        self.ids = Cache(self._compute_ids).__getitem__
        self._word_ids = Cache(self._compute_word_ids).__getitem__
        self._measured = Cache(self._measure).__getitem__

    def _index(self, pieces: Sequence[str] | Sequence[bytes], merges: Sequence[tuple[int, int]]) -> None:
        """Make the tables of pieces and merges."""
        self.pieces: Sequence[str] | Sequence[bytes] = tuple(pieces)  # type: ignore[assignment]
        self._ids: Mapping[str | bytes, int] = ids_by_piece(self.pieces, self.gaps)
        self._symbol_ids = cast(Mapping[str, int], self._ids)
        self.merged: Sequence[int] = self._merged_ids(merges)  # first, because it checks the ids
        """The id of the piece that each merge makes, by rank."""
        self.pairs: Sequence[int] = array("q", [left << 32 | right for left, right in merges])
        """The merges, as `pack` packs them."""
        self.ranks: dict[int, int] = {pair: rank for rank, pair in enumerate(self.pairs)}
        """The rank of each of `pairs`; of one that occurs twice, the last."""
        self._joined = dict(zip(self.ranks, map(self.merged.__getitem__, self.ranks.values()), strict=True))

    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """The merges as pairs of ids (left, right) in rank order, made at each call: encoding does not need them."""
        return tuple((pair >> 32, pair & 0xFFFFFFFF) for pair in self.pairs)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that make this model from its pieces and merges."""
        return {
            "byte_level": self.byte_level,
            "end_of_word_suffix": self.end_of_word_suffix,
            "unknown": self.unknown,
            "continuing_subword_prefix": self.continuing_subword_prefix,
            "fuse_unknown": self.fuse_unknown,
            "byte_fallback": self.byte_fallback,
            "ignore_merges": self.ignore_merges,
            "partial": bool(self.missing_bytes),
            "gaps": sorted(self.gaps),
        }

    @property
    def byte_suffix(self) -> bytes:
        """The suffix of the last byte of a pre-token; empty over characters."""
        return self.end_of_word_suffix.encode() if self.byte_level else b""

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece)

    def merge_of(self, id: int) -> Merge | None:
        """The first merge that makes the piece `id`, or None if no merge makes it."""
        rank = self.first_ranks[id]
        return None if rank == _NO_MERGE else Merge(rank, self.pairs[rank] >> 32, self.pairs[rank] & 0xFFFFFFFF)

    @cached_property
    def first_ranks(self) -> Sequence[int]:
        """The rank of the first merge that makes each piece."""
        ranks = array("I", [_NO_MERGE]) * len(self.pieces)
        for rank in reversed(range(len(self.merged))):
            ranks[self.merged[rank]] = rank
        return ranks

    def merge_result(self, left: int, right: int) -> tuple[int, int] | None:
        """The rank of the merge of two adjacent pieces and the id of the result, or None if no merge joins them.

        >>> BPE(["a", "b", "ab"], [(0, 1)], byte_level=False).merge_result(0, 1)
        (0, 2)
        """
        rank = self.ranks.get(pack(left, right), NO_RANK)
        return None if rank == NO_RANK else (rank, self.merged[rank])

    def whole_id(self, pretoken: str) -> int | None:
        """The id of a pre-token that is taken whole, without merging (`ignore_merges` of `tokenizers`); else None."""
        return self._ids.get(pretoken.encode() if self.byte_level else pretoken) if self.ignore_merges else None

    def words(self, pretoken: str) -> list[str]:
        """Split a pre-token into spans that are merged separately: at `▁`, if no merge crosses it."""
        return [pretoken] if self.byte_level or self._cuts is None else self._cuts.words(pretoken)

    def symbols(self, pretoken: str) -> list[int]:
        """The initial symbols of a pre-token, as ids, before the first merge."""
        if self.byte_level:
            data = pretoken.encode()
            if self._lacks(data):
                return [self._byte_ids[byte] for byte in data if byte in self._byte_ids]
            if self.end_of_word_suffix and data:
                return [*map(self._byte_ids.__getitem__, data[:-1]), self._ids[data[-1:] + self.byte_suffix]]
            return list(map(self._byte_ids.__getitem__, data))
        return self.affixed.ids_of(pretoken)

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters.

        A token that covers part of a character's bytes has the range of the whole character; an end-of-word suffix
        that is a token of its own has the range of the last character.
        """
        if self.byte_level:
            data = pretoken.encode()
            spelled = self._lacks(data)
            return byte_segments(pretoken, self.ids(pretoken), self.pieces, spelled=spelled, suffix=self.byte_suffix)
        if self.ignore_merges and (id := self._ids.get(pretoken)) is not None:
            return ((id, 0, len(pretoken)),)
        return tuple(self.segments_of(pretoken, self._measured))

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        return self._byte_level_ids(pretoken) if self.byte_level else self._character_ids(pretoken)

    def _byte_level_ids(self, pretoken: str) -> tuple[int, ...]:
        if self.ignore_merges and (id := self._ids.get(pretoken.encode())) is not None:
            return (id,)
        # Bytes around those that are left out become adjacent; the suffix is that of the last span alone.
        whole = pretoken.isascii() or self.end_of_word_suffix or self._lacks(pretoken.encode())
        if len(pretoken) > SHORT and not whole:
            spans = self._boundaries.cut(pretoken)
            if len(spans) > 1:
                return tuple(chain.from_iterable(map(self._span_ids, spans)))
        return tuple(merge(self.symbols(pretoken), self.ranks, self._joined))

    @cached_property
    def _span_ids(self) -> Callable[[str], tuple[int, ...]]:
        # A span that is a piece as a whole may be merged differently inside the pre-token.
        if not self.ignore_merges:
            return self.ids
        return Cache(lambda span: tuple(merge(self.symbols(span), self.ranks, self._joined))).__getitem__

    @cached_property
    def _boundaries(self) -> ByteBoundaries:
        return ByteBoundaries(ByteNeighbours.of(piece for piece in self.pieces if isinstance(piece, bytes)))

    @property
    def neighbours(self) -> ByteNeighbours | CharacterNeighbours | None:
        """What pieces hold side by side; None if spans are not merged separately."""
        cuts = self._boundaries if self.byte_level else self._cuts
        return None if cuts is None else cuts.neighbours

    # --- over characters

    @cached_property
    def affixed(self) -> Symbols:
        """The symbols of words over characters, with their prefix and suffix."""
        return Symbols(
            self._symbol_ids,
            self.unknown_id,
            prefix=self.continuing_subword_prefix,
            suffix=self.end_of_word_suffix,
            fuse_unknown=self.fuse_unknown,
            byte_fallback=self.byte_fallback,
            suffix_apart=self.suffix_id is not None,
        )

    @cached_property
    def _cuts(self) -> CharacterBoundaries | None:
        if self.end_of_word_suffix or self.continuing_subword_prefix:
            return None
        if self.unknown_id is None and self.affixed.all_bytes is None:
            return None  # characters may be left out, which makes those around them adjacent
        made = frozenset(self.merged)
        if any(len(self.pieces[id]) > 1 for id in {*chain.from_iterable(self.merges)} - made):
            return None  # merges over bytes or unknown characters: their names differ from the text they stand for
        known = [str(piece) for piece in self.pieces if len(piece) == 1]
        return CharacterBoundaries(CharacterNeighbours.of(known, (str(self.pieces[id]) for id in made)))

    def _character_ids(self, pretoken: str) -> tuple[int, ...]:
        if self.ignore_merges and (id := self._ids.get(pretoken)) is not None:
            return (id,)
        if self._cuts is None:
            return tuple(merge(self.symbols(pretoken), self.ranks, self._joined))
        return tuple(chain.from_iterable(map(self._word_ids, self._cuts.words(pretoken))))

    def _compute_word_ids(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST:
            return tuple(self._measured(word)[0])  # kept for the offsets, which are mostly asked for next
        spans = [word] if self._cuts is None else self._cuts.cut(word)
        if len(spans) > 1:
            return tuple(chain.from_iterable(map(self._word_ids, spans)))
        return tuple(merge(self.symbols(word), self.ranks, self._joined))

    def _measure(self, word: str) -> Measured:
        """The ids of a word, and the number of bytes that each token covers."""
        spans = [word] if self._cuts is None else self._cuts.cut(word)
        if len(spans) > 1:
            found = list(map(self._measured, spans))
            return tuple(chain.from_iterable(ids for ids, _ in found)), tuple(
                chain.from_iterable(lengths for _, lengths in found)
            )
        symbols, lengths = self.affixed.measured(word)
        merged = self._merged_with_places(list(symbols))
        ends = [*(at for _, at in merged), len(symbols)][1:]
        before = [0, *accumulate(lengths)]
        return tuple(id for id, _ in merged), tuple(
            before[end] - before[start] for (_, start), end in zip(merged, ends, strict=True)
        )

    def _merged_with_places(self, symbols: list[int]) -> list[tuple[int, int]]:
        return merge_with_places(symbols, self.ranks.get, self._joined)

    def segments_of(self, pretoken: str, measure: Callable[[str], Measured]) -> list[tuple[int, int, int]]:
        """Place the tokens of the words of a pre-token; `measure` gives their ids and their lengths in bytes."""
        owner = None
        if not pretoken.isascii():
            owner = [at for at, character in enumerate(pretoken) for _ in character.encode()]
        # Bytes of a prefix or suffix count as if the text held them; in `tokenizers` their offsets exceed the text.
        end_of_all = len(pretoken if owner is None else owner)
        segments: list[tuple[int, int, int]] = []
        start = 0
        for word in [pretoken] if self._cuts is None else self._cuts.words(pretoken):
            for id, length in zip(*measure(word), strict=True):
                end = start + length
                first = min(start, end_of_all - 1) if length else max(start - 1, 0)  # a separate suffix
                last = max(min(end, end_of_all) - 1, 0)
                segments.append((id, first, last + 1) if owner is None else (id, owner[first], owner[last] + 1))
                start = end
        return segments

    def _merged_ids(self, merges: Sequence[tuple[int, int]]) -> list[int]:
        made: list[int] = []
        skipped = len(self.continuing_subword_prefix)
        ids, pieces = self._ids, self.pieces
        if not skipped:
            with suppress(IndexError, KeyError):  # the loop below finds the merge that is wrong
                return [ids[pieces[left] + pieces[right]] for left, right in merges]  # type: ignore[operator]
        for left, right in merges:
            try:
                made.append(ids[pieces[left] + pieces[right][skipped:]])  # type: ignore[operator]
            except IndexError:
                raise VocabularyError(
                    "the merge %(merge)s names an id outside the vocabulary", merge=(left, right)
                ) from None
            except KeyError as missing:
                made_of = shown(missing.args[0])
                raise VocabularyError(
                    "the merge %(merge)s makes %(made_of)s, which is no piece", merge=(left, right), made_of=made_of
                ) from None
        return made

    def _lacks(self, data: bytes) -> bool:
        """Whether the vocabulary lacks one of these bytes."""
        return bool(self.missing_bytes) and not self.missing_bytes.isdisjoint(data)


class SubwordBPE(BPE):
    """BPE that merges all occurrences of a pair in a word before it looks for the next pair.

    Other implementations merge the leftmost occurrence and then look at all pairs again. The results differ only where
    a merge starts from a piece that a later merge makes:

    >>> pieces, merges = ["a", "b", "c", "bc", "abc", "abca", "<unk>"], [(1, 2), (4, 0), (0, 3)]
    >>> for model in SubwordBPE, BPE:
    ...     model(pieces, merges, byte_level=False, unknown="<unk>").ids("abcabc")
    (4, 4)
    (5, 3)
    """

    merge_rule = "together"

    def whole_id(self, pretoken: str) -> None:
        """None: subword-nmt merges every word."""

    def words(self, pretoken: str) -> list[str]:
        """The pre-token itself: it is one word."""
        return [pretoken]

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        return tuple(id for id, _ in self._merged_with_places(self.symbols(pretoken)))

    def _merged_with_places(self, symbols: list[int]) -> list[tuple[int, int]]:
        return merge_together(symbols, self.ranks, self.merged)
