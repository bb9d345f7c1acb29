"""Tie rules: which of several pairs that occur equally often BPE merges first.

The papers do not say. Each implementation has a rule of its own, so correct programs train different vocabularies:

`first-seen`  the pair that occurs first in the words, in their order, as merged so far: `max` over an insertion-ordered
              dictionary, as in minbpe and in the Hugging Face course
`greater`     the lexicographically greatest pair: the greater left piece, and of equal ones the greater right piece,
              compared as bytes, as in assignment 1 of Stanford's CS336
`smaller`     the lexicographically smallest pair
`lower-ids`   the pair whose left piece has the lowest id, and of those the right piece, as in Hugging Face's
              `tokenizers`; the alphabet is numbered as there, and each merge gets the next id
`longest`     the pair that makes the longest piece, and of equally long ones the first seen

UTF-8 keeps the order of code points, so text and its bytes are compared alike.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, AnyStr, Literal, get_args

from webapp.core.text.utf8 import bytes_to_characters

TieRule = Literal["first-seen", "greater", "smaller", "lower-ids", "longest"]
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)
FIRST_SEEN: TieRule = "first-seen"

END_OF_WORD = "</w>"
BYTES = tuple(bytes([byte]) for byte in range(256))
BYTES_AS_NUMBERED_BY_TOKENIZERS = tuple(sorted(BYTES, key=bytes_to_characters))
_COMPLEMENT = {byte: 255 - byte for byte in range(256)}
_END = "\u0100"  # after every complement, so that a longer piece comes before its beginning


def byte_alphabet(ties: TieRule) -> tuple[bytes, ...]:
    """Return the 256 bytes in the order of their ids: of GPT-2's characters with `lower-ids`, else of their values.

    >>> byte_alphabet("greater")[97], byte_alphabet("lower-ids")[0]
    (b'a', b'!')
    """
    return BYTES_AS_NUMBERED_BY_TOKENIZERS if ties == "lower-ids" else BYTES


def in_order_of_ids(symbols: Iterable[str], ties: TieRule) -> list[str]:
    """Return the alphabet in the order of its ids: with `lower-ids` by code points, those with `</w>` last.

    `tokenizers` numbers symbols with a suffix in the order of a hash table, which differs from run to run.

    >>> in_order_of_ids(["w</w>", "o", "l"], "lower-ids"), in_order_of_ids(["w</w>", "o"], "greater")
    (['l', 'o', 'w</w>'], ['w</w>', 'o'])
    """
    symbols = list(symbols)
    return sorted(symbols, key=lambda symbol: (len(symbol) > 1, symbol)) if ties == "lower-ids" else symbols


def tie_key(ties: TieRule, pieces: Sequence[AnyStr]) -> Callable[[int, int, int], Any]:
    """Return the function that orders pairs of equal count: the pair with the lowest value is merged.

    It takes the places of left and right in `pieces`, and the position of the pair's first occurrence. Places are in
    the order of ids; pieces may be appended later. With `greater` and `smaller`, a comparison takes time proportional
    to what both pieces have in common, at most what it took to write them.

    >>> key = tie_key("greater", ["l", "o", "lo"])
    >>> sorted([(0, 1, 7), (2, 1, 9), (1, 0, 3)], key=lambda pair: key(*pair))
    [(1, 0, 3), (2, 1, 9), (0, 1, 7)]
    """
    if ties == "first-seen":
        return lambda left, right, position: position
    if ties == "lower-ids":
        return lambda left, right, position: (left, right)
    keys: list[Any] = []
    key_of = {"greater": _reversed, "smaller": _as_bytes, "longest": _length}[ties]

    def key(left: int, right: int, position: int) -> Any:
        keys.extend(map(key_of, pieces[len(keys) :]))
        if ties == "longest":
            return -keys[left] - keys[right], position
        return keys[left], keys[right]

    return key


def _as_bytes(piece: str | bytes) -> bytes:
    return piece.encode() if isinstance(piece, str) else piece


def _reversed(piece: str | bytes) -> str:
    """Return a text that sorts before that of every smaller piece."""
    return _as_bytes(piece).decode("latin-1").translate(_COMPLEMENT) + _END


def _length(piece: str | bytes) -> int:
    """Return the number of characters or bytes; the mark of the end of a word does not count."""
    return len(piece.removesuffix(END_OF_WORD) if isinstance(piece, str) else piece)
