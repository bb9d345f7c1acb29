"""The bytes that each token adds to a decoded text.

A decoder turns all pieces into one text. Here each piece gets its own part of it, so that the parts in order are the
text: byte-level pieces and byte pieces such as `<0xE4>` their bytes, others their text with the spaces that the decoder
adds or removes at that place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from webapp.core.text import decoders
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder
from webapp.core.text.utf8 import REPLACEMENT, bytes_to_characters

InvalidBytes = Literal["sequence", "byte", "run"]
"""How a decoder replaces invalid bytes with U+FFFD: one for each sequence, one for each byte, or one for each byte of a
run of byte pieces that is not valid as a whole."""

_BYTE_PIECE = re.compile("<0x([0-9A-Fa-f+][0-9A-Fa-f])>")
_KEEPS_PIECES = (
    decoders.ReplaceDecoder,
    decoders.StripDecoder,
    decoders.WordPieceDecoder,
    decoders.BPEDecoder,
    decoders.MetaspaceDecoder,
)


class TextPart(NamedTuple):
    """The bytes of one piece; if they are not `raw`, they are whole characters, which complete no earlier one."""

    data: bytes
    raw: bool


@dataclass(frozen=True)
class TextParts:
    """The parts of the pieces in order, and how the decoder replaces invalid bytes among the raw ones."""

    parts: Sequence[TextPart]
    invalid: InvalidBytes = "sequence"

    def text(self) -> str:
        """Return the text of all parts, as the decoder has it."""
        texts: list[str] = []
        run = bytearray()
        for data, raw in self.parts:
            if raw:
                run += data
                continue
            if run:
                texts.append(_run_text(bytes(run), self.invalid))
                run.clear()
            texts.append(data.decode())
        return "".join((*texts, _run_text(bytes(run), self.invalid)))


def parts_of(decoder: decoders.Decoder | None, pieces: Sequence[str | bytes]) -> TextParts | None:
    """Return the part of each piece in the text that `decoder` makes of all; None if they cannot be told apart.

    >>> parts = parts_of(decoders.WordPieceDecoder(), ["un", "##able", "man"])
    >>> [part.data for part in parts.parts]
    [b'un', b'able', b' man']
    """
    if isinstance(decoder, decoders.ByteLevelDecoder):
        return TextParts([TextPart(decoder.bytes_of(piece), True) for piece in pieces])
    found = _parts(decoder or decoders.Join(), pieces)
    if found is None:
        return None
    expected, text = (decoder or decoders.Join()).decode(pieces), found.text()
    return found if text == expected else _trimmed(found, text, expected)


def _parts(decoder: decoders.Decoder, pieces: Sequence[str | bytes]) -> TextParts | None:
    if isinstance(decoder, SentencePieceDecoder):
        found = decoder.parts(pieces)
        return TextParts(
            [TextPart(bytes([part]), True) if isinstance(part, int) else _characters(part) for part in found], "byte"
        )
    if isinstance(decoder, decoders.DecoderSequence):
        return _sequence(decoder, [piece if isinstance(piece, str) else bytes_to_characters(piece) for piece in pieces])
    texts = [piece if isinstance(piece, str) else piece.decode("utf-8", "replace") for piece in pieces]
    if isinstance(decoder, decoders.Join):
        return TextParts(_separated(decoder, [_characters(text) for text in texts]))
    return TextParts([*map(_characters, decoder.change(texts))]) if isinstance(decoder, _KEEPS_PIECES) else None


def _sequence(decoder: decoders.DecoderSequence, texts: list[str]) -> TextParts | None:
    """The parts after the steps up to the first that joins the pieces; what later steps trim, `_trimmed` does."""
    bytes_of: dict[int, int] = {}
    join = decoders.Join()
    for step in decoder.steps:
        if isinstance(step, _KEEPS_PIECES) and not bytes_of:
            texts = step.change(texts)
        elif isinstance(step, decoders.ByteFallback):
            found = enumerate(map(_BYTE_PIECE.fullmatch, texts))
            bytes_of = {at: int(match[1].lstrip("+"), 16) for at, match in found if match}
        elif isinstance(step, decoders.ByteLevelDecoder) and not bytes_of:
            return TextParts([TextPart(step.bytes_of(text), True) for text in texts])
        elif isinstance(step, decoders.Fuse | decoders.Join):
            join = step if isinstance(step, decoders.Join) else join
            break
        else:
            return None
    parts = [
        TextPart(bytes([bytes_of[at]]), True) if at in bytes_of else _characters(text) for at, text in enumerate(texts)
    ]
    return TextParts(_separated(join, parts), "run")


def _separated(join: decoders.Join, parts: Sequence[TextPart]) -> Sequence[TextPart]:
    separator = join.separator.encode()
    return [TextPart(separator + data, raw) if at else TextPart(data, raw) for at, (data, raw) in enumerate(parts)]


def _trimmed(found: TextParts, text: str, expected: str) -> TextParts | None:
    """The parts without what the decoder removed at both ends of the text; None if it changed more than that."""
    start = text.find(expected)
    if start < 0 or found.text() != text:
        return None
    parts = _without(list(found.parts), start, last=False)
    if parts is not None:
        parts = _without(parts, len(text) - start - len(expected), last=True)
    return TextParts(parts, found.invalid) if parts is not None else None


def _without(parts: list[TextPart], count: int, *, last: bool) -> list[TextPart] | None:
    """The parts without the first or last characters; None if that changes a raw part that is not ASCII."""
    for at in reversed(range(len(parts))) if last else range(len(parts)):
        if not count:
            break
        data, raw = parts[at]
        if raw and not data.isascii():
            return None
        text = data.decode()
        parts[at] = TextPart((text[: max(0, len(text) - count)] if last else text[count:]).encode(), raw)
        count -= min(count, len(text))
    return parts


def _characters(text: str) -> TextPart:
    return TextPart(text.encode("utf-8", "replace"), False)


def _run_text(run: bytes, invalid: InvalidBytes) -> str:
    try:
        return run.decode()
    except UnicodeDecodeError:
        if invalid == "run":
            return REPLACEMENT * len(run)
        if invalid == "sequence":
            return run.decode("utf-8", "replace")
        return re.sub("[\udc80-\udcff]", REPLACEMENT, run.decode("utf-8", "surrogateescape"))
