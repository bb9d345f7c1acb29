"""The symbols of a pre-token before byte-pair encoding merges anything, as in Hugging Face's `tokenizers`.

The offsets of a byte-level model's tokens in a pre-token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

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


def byte_segments(
    pretoken: str, ids: Sequence[int], pieces: Sequence[str] | Sequence[bytes]
) -> tuple[tuple[int, int, int], ...]:
    """`(id, start, end)` in characters; part of a character's bytes has the range of the whole character.

    >>> byte_segments("aé", [0, 1, 2], [b"a", b"\\xc3", b"\\xa9"])
    ((0, 0, 1), (1, 1, 2), (2, 1, 2))
    """
    ends = list(accumulate(len(pieces[id]) for id in ids))
    starts = [0, *ends][: len(ends)]
    if not pretoken.isascii():
        owner = [at for at, character in enumerate(pretoken) for _ in character.encode()]
        starts = [owner[start] for start in starts]
        ends = [owner[end - 1] + 1 for end in ends]
    return tuple(zip(ids, starts, ends, strict=True))
