"""PickyBPE, which repeats the merges and removals of its training in order.

Source: Chizhov, Arnett, Korotkova, Yamshchikov 2024, "BPE Gets Picky" (arXiv 2409.04599), and the authors' program
`picky_tokenize.py`. `webapp.core.reference.picky_bpe.encode` explains it and is the oracle.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import accumulate, pairwise

from webapp.core.models.byte_offsets import byte_segments
from webapp.core.models.fast.cache import IdCache
from webapp.core.models.merge_loop import POSITION_BITS, pack
from webapp.core.text.split_patterns import TextError
from webapp.core.vocabulary_error import VocabularyError, shown

MOST_EVENTS = 100  # for each byte of a text; those of a training are about two


class PickyBPE:
    """Applies events in order: merges of two pieces, and removals, which split a piece again.

    Pieces are `bytes`, all 256 single ones are among them, and no text is unknown. A merge is a pair (left, right), a
    removal (piece, part, part, …), where the parts make the piece. A merge may make a piece that is not in the
    vocabulary if a later removal splits it. A pre-token that is a piece as a whole is one token.

    >>> bpe = PickyBPE([*(bytes([byte]) for byte in range(256)), b"could"], [
    ...     (b"o", b"u"), (b"c", b"ou"), (b"ou", b"o", b"u"), (b"cou", b"l"), (b"cou", b"c", b"o", b"u"),
    ...     (b"coul", b"d"), (b"coul", b"c", b"o", b"u", b"l")])
    >>> [bpe.pieces[id] for id in bpe.ids("coulds")], bpe.ids("loud")
    ([b'could', b's'], (108, 111, 117, 100))

    An ordinary list of merges cannot express this: in one, a merge that a longer piece needs leaves its own piece in
    every other word.
    """

    byte_level = True
    unknown_id = None

    def __init__(self, pieces: Sequence[bytes], events: Sequence[tuple[bytes, ...]]) -> None:
        """Raises ValueError if a piece occurs twice, a byte is missing, or an event uses a piece that nothing made."""
        self.pieces: Sequence[bytes] = tuple(pieces)
        self.events = tuple(events)
        self._ids = {piece: id for id, piece in enumerate(self.pieces)}
        if len(self._ids) != len(self.pieces):
            raise VocabularyError("a piece occurs twice in the vocabulary")
        for byte in range(256):
            if bytes([byte]) not in self._ids:
                raise VocabularyError("the byte %(byte)s is not in the vocabulary", byte=shown(bytes([byte])))
        self._symbols = dict(self._ids)  # pieces that were removed get numbers after the ids
        self._merge_events: dict[int, list[int]] = {}
        self._split_events: dict[int, list[int]] = {}
        self._numbers: list[tuple[int, ...]] = []
        self._results = [self._add(index, event) for index, event in enumerate(self.events)]
        self._check_removals()
        self._lengths = list(map(len, self._symbols))
        self._bytes = [self._ids[bytes([byte])] for byte in range(256)]
        self.ids = IdCache(self._compute_ids).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, bytes) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters.

        A token that covers part of a character's bytes has the range of the whole character.
        """
        return byte_segments(pretoken, self.ids(pretoken), self.pieces)

    def _add(self, index: int, event: tuple[bytes, ...]) -> tuple[int, ...]:
        """Register an event; return the symbols that it makes."""
        unknown = next((piece for piece in event if piece not in self._symbols), None)
        if unknown is not None:
            raise VocabularyError("an event uses the piece %(piece)s, which nothing made", piece=shown(unknown))
        self._numbers.append(tuple(map(self._symbols.__getitem__, event)))
        if len(event) == 2:
            product = event[0] + event[1]
            self._merge_events.setdefault(pack(*self._numbers[-1]), []).append(index)
            return (self._symbols.setdefault(product, len(self._symbols)),)
        piece, *parts = event
        if b"".join(parts) != piece or not all(parts):
            raise VocabularyError("the parts of a removal do not make the piece %(piece)s", piece=shown(piece))
        self._split_events.setdefault(self._symbols[piece], []).append(index)
        return self._numbers[-1][1:]

    def _check_removals(self) -> None:
        """Check that every piece that is not in the vocabulary is removed after it was last made."""
        last_made = {result[0]: index for index, result in enumerate(self._results) if len(result) == 1}
        for piece, symbol in self._symbols.items():
            removed = self._split_events.get(symbol, [-1])[-1]
            if symbol >= len(self.pieces) and removed < last_made[symbol]:
                raise VocabularyError("the piece %(piece)s is made, but not in the vocabulary", piece=shown(piece))

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        text = pretoken.encode()
        id = self._ids.get(text)
        return self._replayed(text) if id is None else (id,)

    def _replayed(self, text: bytes) -> tuple[int, ...]:
        """Apply all events, each everywhere in the text, by a heap of (event, position) entries.

        An entry is stale if the symbols at its position are no longer those of its event.
        """
        symbols = [self._bytes[byte] for byte in text]
        size, lengths = len(symbols), self._lengths
        following, previous = list(range(1, size + 1)), list(range(-1, size))
        heap: list[int] = []

        def push(at: int, since: int) -> None:
            """Push the next event of a symbol, and that of the pair that begins with it."""
            symbol, after = symbols[at], following[at]
            events = [self._split_events.get(symbol)]
            if after < size:
                events.append(self._merge_events.get(pack(symbol, symbols[after])))
            for indexes in filter(None, events):
                if (place := bisect(indexes, since)) < len(indexes):
                    heappush(heap, indexes[place] << POSITION_BITS | at)

        for at in range(size):
            push(at, -1)
        left = MOST_EVENTS * size
        while heap:
            left -= 1
            if not left:
                raise TextError("the vocabulary takes back and makes again its pieces too often in this text")
            entry = heappop(heap)
            index, at = entry >> POSITION_BITS, entry & ((1 << POSITION_BITS) - 1)
            event, after = self._numbers[index], following[at]
            if symbols[at] != event[0]:
                continue
            if len(event) == 2:
                if after == size or symbols[after] != event[1]:
                    continue
                symbols[after] = -1
                after = following[after]
            ends = list(accumulate((lengths[symbol] for symbol in self._results[index]), initial=at))
            for (start, end), symbol in zip(pairwise(ends), self._results[index], strict=True):
                symbols[start], following[start], previous[end] = symbol, end, start
            for start in (previous[at], *ends[:-1]):
                if start >= 0:
                    push(start, index)
        return tuple(symbol for symbol in symbols if symbol >= 0)
