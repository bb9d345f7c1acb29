"""The symbols of a pre-token before byte-pair encoding merges anything, as in Hugging Face's `tokenizers`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# The ids of the symbols, and how many bytes of the pre-token each stands for.
Measured = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Symbols:
    """One symbol a character, with the prefix before all but the first and the suffix after the last.

    A character that is no piece becomes its bytes (`<0x0A>`) with `byte_fallback`, if all of them are pieces; or the
    unknown piece, with `fuse_unknown` one for a run of them; without an unknown piece it is left out.

    >>> pieces = ["<unk>", "a", "<0xC3>", "<0xA9>"]
    >>> symbols = Symbols({piece: id for id, piece in enumerate(pieces)}, unknown_id=0, byte_fallback=True)
    >>> symbols.measured("aéß")
    ([1, 2, 3, 0], [1, 1, 1, 2])

    Two oddities of `tokenizers` are kept: unknown characters that wait to be fused come after the bytes that follow
    them, and characters that are left out are not counted in bytes, so the offsets after them move.
    """

    ids: Mapping[str, int]
    unknown_id: int | None = None
    prefix: str = ""
    suffix: str = ""
    fuse_unknown: bool = False
    byte_fallback: bool = False
    suffix_apart: bool = False

    def ids_of(self, word: str) -> list[int]:
        """The symbols alone."""
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
        return self.measured(word)[0]

    def measured(self, word: str) -> Measured:
        """The symbols with their lengths in bytes."""
        symbols: list[int] = []
        lengths: list[int] = []
        waiting = 0  # the length of the unknown symbol that is not appended yet
        for at, character in enumerate(word):
            length = len(character.encode())
            spelt = self._spelt(character, at, len(word))
            id = self.ids.get(spelt)
            if id is None and self.byte_fallback and (fallback := self._bytes_of(spelt)):
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
        """The symbols of the 256 bytes, where no character can be unknown; else None."""
        ids = [self.ids.get(f"<0x{byte:02X}>") for byte in range(256)]
        return None if None in ids or not self.byte_fallback else ids  # type: ignore[return-value]

    def _spelt(self, character: str, at: int, length: int) -> str:
        if at and self.prefix:
            character = self.prefix + character
        if at == length - 1 and self.suffix and not self.suffix_apart:
            character += self.suffix
        return character

    def _bytes_of(self, spelt: str) -> list[int] | None:
        ids = [self.ids.get(f"<0x{byte:02X}>") for byte in spelt.encode()]
        return None if None in ids else ids  # type: ignore[return-value]
