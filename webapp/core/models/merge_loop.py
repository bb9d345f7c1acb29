"""Merging by rank, the inner loop of byte-pair encoding (Sennrich et al. 2016, section 3.2).

The adjacent pair with the lowest rank is merged, the leftmost first among equals, until no adjacent pair has a rank.
Two implementations give the same result: a plain list for short pre-tokens, and for long ones a heap, which takes
O(n log n).

`Symbols` are those of a pre-token before the first merge, as in Hugging Face's `tokenizers`; `byte_segments` has the
offsets of a byte-level model's tokens.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import accumulate, pairwise
from typing import Any, Literal

from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.vocabulary_error import VocabularyError, shown

# Above this many symbols the heap is faster than searching the list again for every merge (3 times at 400).
LONG = 80

NO_RANK = 1 << 62  # above every rank
POSITION_BITS = 32

MergeRule = Literal["merge", "together", "rank", "score"]
"""What is merged next: the pair of lowest rank, or all its occurrences in the word together (subword-nmt); the piece of
lowest rank (`tiktoken`); the piece of highest score (SentencePiece)."""


def pack(left: int, right: int) -> int:
    """Pack two ids into one integer, which a dictionary finds faster than a tuple."""
    return left << 32 | right


def merge(symbols: Sequence[int], ranks: Mapping[int, int], merged: Mapping[int, int]) -> list[int]:
    """Merge until no adjacent pair has a rank.

    `ranks` maps a packed pair of ids to its rank, `merged` to the id of the merged piece. Negative symbols have no
    merges.

    >>> ranks = {pack(0, 1): 0, pack(2, 0): 1}      # a b → ab, ab a → aba
    >>> merge([0, 1, 0, 1, 0], ranks, {pack(0, 1): 2, pack(2, 0): 3})
    [2, 3]
    """
    if len(symbols) > LONG:
        return [symbol for symbol, _ in merge_with_places(symbols, ranks.get, merged)]
    symbols = list(symbols)
    rank_of = ranks.get
    found = [rank_of(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]
    while found and (rank := min(found)) != NO_RANK:
        at = found.index(rank)
        symbols[at] = new = merged[symbols[at] << 32 | symbols[at + 1]]
        del symbols[at + 1], found[at]
        if at:
            found[at - 1] = rank_of(symbols[at - 1] << 32 | new, NO_RANK)
        if at < len(found):
            found[at] = rank_of(new << 32 | symbols[at + 1], NO_RANK)
    return symbols


def merge_with_places(
    symbols: Sequence[int], rank_of: Callable[[int, int], int], merged: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Like `merge`, but return `(id, index)`, with the index of the initial symbol that each id begins with.

    `rank_of` gets a packed pair and what to return if it has no rank, once whenever two symbols become neighbours.

    >>> ranks = {pack(0, 1): 0, pack(2, 0): 1}
    >>> merge_with_places([0, 1, 0, 1, 0], ranks.get, {pack(0, 1): 2, pack(2, 0): 3})
    [(2, 0), (3, 2)]
    """
    symbols = list(symbols)

    def join(at: int, right: int) -> None:
        symbols[at] = merged[symbols[at] << 32 | symbols[right]]

    def rank(at: int, right: int, end: int) -> int:
        return rank_of(symbols[at] << 32 | symbols[right], NO_RANK)

    ranks = [rank_of(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]
    return [(symbols[at], at) for at in merge_by_heap(ranks, rank, join)] if symbols else []


def merge_by_heap(
    ranks: list[int], rank_of: Callable[[int, int, int], int], join: Callable[[int, int], None]
) -> list[int]:
    """Merge neighbours until none have a rank; return the positions where the parts that are left begin.

    `ranks` are those of the adjacent pairs. `rank_of` gets where two parts begin and where the second one ends, `join`
    where two parts begin that become one.
    """
    previous, following, heap = link_symbols(ranks)
    length = len(ranks) + 1
    ranks = [*ranks, NO_RANK, NO_RANK]
    while heap:
        entry = heappop(heap)
        at = entry & 0xFFFFFFFF
        if ranks[at] != entry >> POSITION_BITS:
            continue
        right = following[at]
        join(at, right)
        following[at] = after = following[right]
        previous[after] = at
        following[right] = -1  # a part that was merged into the one on its left
        ranks[at] = ranks[right] = NO_RANK
        before = previous[at]
        if before >= 0:
            ranks[before] = rank = rank_of(before, at, after)
            if rank != NO_RANK:
                heappush(heap, rank << POSITION_BITS | before)
        if after < length:
            ranks[at] = rank = rank_of(at, after, following[after])
            if rank != NO_RANK:
                heappush(heap, rank << POSITION_BITS | at)
    return [at for at in range(length) if following[at] >= 0]


def merge_together(symbols: Sequence[int], ranks: Mapping[int, int], merged: Sequence[int]) -> list[tuple[int, int]]:
    """Merge all occurrences of the pair with the lowest rank, from the left, until no pair has a rank.

    `ranks` maps `left << 32 | right` to the rank of the pair, `merged` a rank to the id of the merged piece. Returns
    `(id, index)`, with the index of the initial symbol that an id begins with.

    >>> merge_together([0, 0, 0, 1], {0: 0, 2 << 32: 1}, [2, 3])     # a a → aa, aa a → aaa
    [(3, 0), (1, 3)]
    """
    symbols = list(symbols)
    length = len(symbols)
    previous, following, heap = link_symbols(
        [ranks.get(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]
    )
    while heap:
        rank = heap[0] >> POSITION_BITS
        found: list[int] = []  # pairs with a symbol that this round makes; they are candidates after it
        while heap and heap[0] >> POSITION_BITS == rank:
            at = heappop(heap) & 0xFFFFFFFF
            right = following[at]
            if symbols[at] < 0 or right == length or ranks.get(symbols[at] << 32 | symbols[right]) != rank:
                continue
            symbols[at], symbols[right] = merged[rank], -1
            following[at] = after = following[right]
            previous[after] = at
            found += (at, previous[at])
        for at in found:
            if at >= 0 and symbols[at] >= 0 and (right := following[at]) < length:
                pair_rank = ranks.get(symbols[at] << 32 | symbols[right])
                if pair_rank is not None:
                    heappush(heap, pair_rank << POSITION_BITS | at)
    return [(symbol, at) for at, symbol in enumerate(symbols) if symbol >= 0]


def link_symbols(ranks: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The position before each symbol, the position after each, and a heap of the pairs that can be merged.

    `ranks` are those of the adjacent pairs. A heap entry is `rank << POSITION_BITS | position of the left symbol`.
    It is stale when the current pair at that position has another rank. Both lists have one more position, the end.

    >>> link_symbols([5, NO_RANK])
    ([-1, 0, 1, 2], [1, 2, 3, 3], [21474836480])
    """
    heap = [rank << POSITION_BITS | at for at, rank in enumerate(ranks) if rank != NO_RANK]
    heapify(heap)
    length = len(ranks) + 1
    return list(range(-1, length)), [*range(1, length + 1), length], heap


# The ids of the symbols, and how many bytes of the pre-token each covers.
Measured = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True)
class Symbols:
    """One symbol for each character, with the prefix before all but the first and the suffix after the last.

    With `byte_fallback`, a character without a piece becomes its bytes (`<0x0A>`) if all of them are pieces. Otherwise
    it becomes the unknown piece, with `fuse_unknown` one for a run of them, or is left out if there is none.

    >>> pieces = ["<unk>", "a", "<0xC3>", "<0xA9>"]
    >>> symbols = Symbols({piece: id for id, piece in enumerate(pieces)}, unknown_id=0, byte_fallback=True)
    >>> symbols.measured("aéß")
    ([1, 2, 3, 0], [1, 1, 1, 2])

    Two oddities of `tokenizers` are reproduced: unknown characters that wait to be fused come after the bytes that
    follow them, and characters that are left out do not count in the lengths, which shifts the offsets after them.
    """

    ids: Mapping[str, int]
    unknown_id: int | None = None
    prefix: str = ""
    suffix: str = ""
    fuse_unknown: bool = False
    byte_fallback: bool = False
    suffix_apart: bool = False

    def ids_of(self, word: str) -> list[int]:
        """The ids of the symbols."""
        id_of = self.ids.get
        if not self.prefix and not self.suffix:
            symbols = [id_of(character) for character in word]
            if None not in symbols:
                return symbols  # type: ignore[return-value]
            if self.all_bytes is not None:
                by_byte = self.all_bytes
                return [
                    symbol
                    for character, id in zip(word, symbols, strict=True)
                    for symbol in (map(by_byte.__getitem__, character.encode()) if id is None else (id,))
                ]
        return list(self.measured(word)[0])

    def measured(self, word: str) -> Measured:
        """The ids of the symbols, with their lengths in bytes."""
        spelled = self.spelled(word)
        known = list(map(self.ids.get, spelled))
        symbols: list[int] = []
        lengths: list[int] = []
        waiting = 0  # the length of the unknown symbol that is not appended yet
        if None not in known and not self.suffix_apart:
            symbols = known  # type: ignore[assignment]
            lengths = [1] * len(word) if word.isascii() else [len(character.encode()) for character in word]
            return symbols, lengths
        for character, symbol, id in zip(word, spelled, known, strict=True):
            length = 1 if character < "\x80" else len(character.encode())
            if id is None and self.byte_fallback and (fallback := self.bytes_of(symbol)):
                symbols += fallback
                lengths += [1] * len(fallback)
                continue
            if waiting and self.unknown_id is not None and (id is not None or not self.fuse_unknown):
                symbols.append(self.unknown_id)
                lengths.append(waiting)
                waiting = 0
            if id is not None:
                symbols.append(id)
                lengths.append(length)
            elif self.unknown_id is not None:
                waiting += length
        if waiting and self.unknown_id is not None:
            symbols.append(self.unknown_id)
            lengths.append(waiting)
        if self.suffix_apart and word:
            symbols.append(self.ids[self.suffix])
            lengths.append(0)
        return symbols, lengths

    @cached_property
    def all_bytes(self) -> list[int] | None:
        """The ids of the 256 bytes if byte fallback covers every character, else None."""
        ids = [self.ids.get(f"<0x{byte:02X}>") for byte in range(256)]
        return None if None in ids or not self.byte_fallback else ids  # type: ignore[return-value]

    def spelled(self, word: str) -> list[str]:
        """The characters of a word, with the affixes that they have in the vocabulary."""
        spelled = list(word)
        if self.prefix:
            spelled[1:] = [self.prefix + character for character in word[1:]]
        if self.suffix and not self.suffix_apart and word:
            spelled[-1] += self.suffix
        return spelled

    def bytes_of(self, symbol: str) -> list[int] | None:
        """The ids of the bytes of a symbol; None unless all of them are pieces."""
        ids = [self.ids.get(f"<0x{byte:02X}>") for byte in symbol.encode()]
        return None if None in ids else ids  # type: ignore[return-value]


def check_bytes(pieces: Container[bytes]) -> None:
    """Raise VocabularyError if a piece is empty, or one of the 256 bytes is missing."""
    if b"" in pieces:
        raise VocabularyError("a piece is empty")
    for byte in range(256):
        if bytes([byte]) not in pieces:
            raise VocabularyError("the byte %(byte)s is not in the vocabulary", byte=shown(bytes([byte])))


def byte_segments(
    pretoken: str,
    ids: Sequence[int],
    pieces: Sequence[str] | Sequence[bytes],
    *,
    spelled: bool = False,
    suffix: bytes = b"",
) -> tuple[tuple[int, int, int], ...]:
    """`(id, start, end)` in characters; part of a character's bytes has the range of the whole character.

    With `spelled`, for pre-tokens with bytes that were left out, lengths are those of the bytes as GPT-2 spells them,
    in UTF-8: so `tokenizers` counts, and the tokens after such a byte move to the left. The last piece ends with
    `suffix`, which is no part of the text.

    >>> byte_segments("aé", [0, 1, 2], [b"a", b"\\xc3", b"\\xa9"])
    ((0, 0, 1), (1, 1, 2), (2, 1, 2))
    """
    counted: Callable[[Any], bytes] = (lambda data: bytes_to_characters(data).encode()) if spelled else bytes
    ends = list(accumulate(len(counted(pieces[id])) for id in ids))
    starts = [0, *ends][: len(ends)]
    if ends:
        ends[-1] -= len(suffix)
    if spelled or not pretoken.isascii():
        owner = [at for at, character in enumerate(pretoken) for _ in counted(character.encode())]
        starts = [owner[start] for start in starts]
        ends = [owner[end - 1] + 1 for end in ends]
    return tuple(zip(ids, starts, ends, strict=True))
