"""SentencePiece's decoder, which turns pieces back into text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from webapp.core.text.normalizers import Normalizer
from webapp.core.text.sentencepiece_normalizer import SPACE

_INVALID_BYTE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class SentencePieceDecoder:
    """Replaces `▁` with spaces and the unknown piece with its surface, decodes byte pieces, and drops control pieces.

    `strip` says which `▁` to remove at the beginning of the text: none, the first one, or the first one of every piece
    until there is text.

    >>> decoder = SentencePieceDecoder(control=frozenset({"<s>"}), byte_pieces={"<0xC3>": 0xC3, "<0xA9>": 0xA9})
    >>> decoder.decode(["<s>", "▁caf", "<0xC3>", "<0xA9>", "<unk>", "▁", "<0xC3>"])
    'café ⁇   \ufffd'

    Each byte that is not valid UTF-8 becomes a U+FFFD of its own. As in SentencePiece, bytes do not count as text until
    another piece follows.
    """

    control: frozenset[str] = frozenset()
    unknown: str = "<unk>"
    unknown_surface: str = " ⁇ "
    byte_pieces: Mapping[str, int] = field(default_factory=dict)
    strip: Literal["nothing", "first", "all"] = "first"
    denormalizer: Normalizer | None = None
    space: str = SPACE

    def decode(self, pieces: Sequence[str | bytes]) -> str:
        """Return the text of the pieces."""
        texts: list[str] = []
        waiting = bytearray()
        strips = self.strip != "nothing"
        for piece in map(_text, pieces):
            byte = self.byte_pieces.get(piece)
            if byte is not None:
                waiting.append(byte)
                continue
            if waiting:
                texts.append(_characters(waiting))
                waiting.clear()
            if piece in self.control:
                continue
            if piece == self.unknown:
                texts.append(self.unknown_surface)
                continue
            if strips and not any(texts):
                if piece.startswith(self.space):
                    piece = piece.removeprefix(self.space)
                    strips = self.strip == "all"
            else:
                strips = False
            texts.append(piece.replace(self.space, " "))
        text = "".join((*texts, _characters(waiting)))
        return self.denormalizer.normalize(text) if self.denormalizer is not None else text


def _characters(read: bytearray) -> str:
    return _INVALID_BYTE.sub("\ufffd", read.decode("utf-8", errors="surrogateescape"))


def _text(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else piece.decode("utf-8", errors="replace")
