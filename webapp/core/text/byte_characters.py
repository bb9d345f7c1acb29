"""GPT-2's byte alphabet: bytes spelled as printable characters (Radford et al. 2019, `bytes_to_unicode`).

Printable Latin-1 characters represent themselves; the other bytes are numbered from U+0100, so a space is `Ġ`.
"""

from __future__ import annotations

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_CHARACTER_OF = {byte: byte for byte in _PRINTABLE} | {byte: 0x100 + at for at, byte in enumerate(_OTHERS)}
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}


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
    if not _BYTE_OF.keys() >= set(map(ord, name)):
        raise ValueError(f"{name!r} has a character outside the byte alphabet")
    return name.translate(_BYTE_OF).encode("latin-1")
