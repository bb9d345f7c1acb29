"""UTF-8 byte by byte: which bytes an unfinished character still needs, and a decoder that waits for them.

The ranges are those of the table "Well-Formed UTF-8 Byte Sequences" (The Unicode Standard, table 3-7).

Also GPT-2's byte alphabet, in which bytes are spelled as printable characters (Radford et al. 2019,
`bytes_to_unicode`).

Printable Latin-1 characters represent themselves; the other bytes are numbered from U+0100, so a space is `Ġ`.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, chain

ByteRange = tuple[int, int]

REPLACEMENT = "\ufffd"
_ANY: ByteRange = (0x80, 0xBF)
_INVALID = re.compile("[\udc80-\udcff]")


def decoded(content: bytes) -> str | None:
    """Return the text of bytes; None if they are not valid UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def text_of(piece: str | bytes) -> str:
    """Return the text of a piece, with U+FFFD for bytes that are not valid UTF-8."""
    return piece if isinstance(piece, str) else piece.decode("utf-8", errors="replace")


def following_bytes(lead: int) -> tuple[ByteRange, ...] | None:
    """Return the ranges of the bytes that follow the first byte of a character; None if no character begins with it.

    >>> following_bytes(0x61), following_bytes(0xC3), following_bytes(0x80)
    ((), ((128, 191),), None)
    """
    if lead < 0x80:
        return ()
    if 0xC2 <= lead < 0xE0:
        return (_ANY,)
    if 0xE0 <= lead < 0xF0:
        return ({0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F)}.get(lead, _ANY), _ANY)
    if 0xF0 <= lead < 0xF5:
        return ({0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}.get(lead, _ANY), _ANY, _ANY)
    return None


def missing_bytes(pending: bytes) -> tuple[ByteRange, ...]:
    """Return the ranges of the bytes that the beginning of one character still needs; empty for no bytes.

    >>> missing_bytes(b"\\xe4\\xbd"), missing_bytes(b"\\xe0")
    (((128, 191),), ((160, 191), (128, 191)))
    """
    ranges = following_bytes(pending[0]) if pending else ()
    return (ranges or ())[max(0, len(pending) - 1) :]


class Utf8Decoder:
    """Decodes bytes as they arrive, and keeps those of an unfinished character until the rest of it arrives.

    Invalid bytes become U+FFFD as in Python and browsers: one for each longest beginning of a character; with
    `each_byte` one for each byte, as in SentencePiece.

    >>> decoder = Utf8Decoder()
    >>> decoder.feed(b"a\\xe4\\xbd"), decoder.pending
    ('a', b'\\xe4\\xbd')
    >>> decoder.feed(b"\\xa0"), decoder.feed(b"\\xe4"), decoder.finish()
    ('你', '', '\ufffd')
    """

    def __init__(self, *, each_byte: bool = False) -> None:
        self.each_byte = each_byte
        self.pending = b""
        """The bytes of a character that has begun."""
        self.invalid = b""
        """The bytes that the last call found to be invalid."""
        self.broken = ""
        """What the last call put in place of bytes that were pending; empty if it completed their character."""

    def feed(self, data: bytes) -> str:
        """Return the characters that are complete with these bytes."""
        waiting, data = self.pending, self.pending + data
        self.pending = next((data[-size:] for size in (1, 2, 3) if begins_character(data[-size:])), b"")
        complete = data[: len(data) - len(self.pending)]
        escaped = complete.decode("utf-8", "surrogateescape")
        self.invalid = "".join(_INVALID.findall(escaped)).encode("utf-8", "surrogateescape")
        self.broken = ""
        try:
            return complete.decode()
        except UnicodeDecodeError as error:
            if waiting and not error.start:
                self.broken = REPLACEMENT * (error.end if self.each_byte else 1)
        return _INVALID.sub(REPLACEMENT, escaped) if self.each_byte else complete.decode("utf-8", "replace")

    def finish(self) -> str:
        """Return what stands for the pending bytes at the end, and forget them."""
        self.invalid, self.pending = self.pending, b""
        self.broken = REPLACEMENT * (len(self.invalid) if self.each_byte else bool(self.invalid))
        return self.broken


def begins_character(data: bytes) -> bool:
    """Whether bytes are the beginning of one character, but not all of it."""
    ranges = following_bytes(data[0]) or () if data else ()
    return len(data) <= len(ranges) and all(
        low <= byte <= high for byte, (low, high) in zip(data[1:], ranges, strict=False)
    )


_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_CHARACTER_OF = {byte: byte for byte in _PRINTABLE} | {byte: 0x100 + at for at, byte in enumerate(_OTHERS)}
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}
_SPELLED = frozenset(map(chr, _BYTE_OF))


def bytes_to_characters(piece: bytes) -> str:
    """Return the characters that spell a piece.

    >>> bytes_to_characters(" naïve".encode())
    'ĠnaÃ¯ve'
    """
    return piece.decode("latin-1").translate(_CHARACTER_OF)


def characters_to_bytes(name: str) -> bytes:
    """Return the bytes that characters spell.

    >>> characters_to_bytes("ĠnaÃ¯ve").decode()
    ' naïve'

    Raises ValueError for a character outside the byte alphabet.
    """
    # `translate` keeps a character outside the table, such as a space, which `encode` would take for its own byte.
    if foreign_characters(name):
        raise ValueError(f"{name!r} has a character outside the byte alphabet")
    return name.translate(_BYTE_OF).encode("latin-1")


def foreign_characters(text: str) -> set[str]:
    """Return the characters of a text that are outside the byte alphabet."""
    return set(text) - _SPELLED


def names_to_bytes(names: Sequence[str]) -> list[bytes]:
    """Return the bytes that each name spells, translated all at once, twice as fast as one by one.

    >>> names_to_bytes(["Ġna", "Ã¯"])
    [b' na', b'\\xc3\\xaf']

    Raises ValueError for a character outside the byte alphabet.
    """
    data = characters_to_bytes("".join(names))
    ends = list(accumulate(map(len, names)))
    return [data[start:end] for start, end in zip(chain((0,), ends), ends, strict=False)]
