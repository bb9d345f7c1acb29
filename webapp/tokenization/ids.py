"""Read ids from text: whole numbers, decimal or hexadecimal (0x1F), in brackets of any kind or in none.

White space, commas and semicolons separate numbers, so `1,234` are two ids. Of a JSON object, the
list `ids` or `input_ids` counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase

MOST_IDS = 100_000
PLACES_SHOWN = 20
LONGEST_SHOWN = 40

TOO_LARGE = 1 << 63  # stands for any number from there on
_NUMBER = re.compile(r"(-?)(?:0[xX]([0-9a-fA-F]+)|([0-9]+))(?![\w.])")
_BETWEEN = re.compile(r"[\s,;、，；\[\](){}<>]*")
_LIST = re.compile(r"""["'](?:input_)?ids["']\s*:\s*(?=\[)""")
_WRITTEN = re.compile(r"""[^\s,;、，；\[\](){}<>]+""")


class IdsError(ValueError):
    """Text that is no list of ids: what is wrong, and the line and the column, counted from 1."""

    def __init__(self, text: str, offset: int, phrase: Phrase, *, too_many: bool = False) -> None:
        """Create an error at an offset of the text; `too_many` if the list is correct but too long."""
        super().__init__(str(phrase))
        self.phrase = phrase
        self.too_many = too_many
        self.line, self.column = _line_and_column(text, offset)


@dataclass(frozen=True)
class ReadIds:
    """Ids and where each begins in the text."""

    text: str
    ids: Sequence[int]
    offsets: Sequence[int]

    def place(self, index: int) -> IdPlace:
        """Return the place of an id, with what is written there."""
        offset = self.offsets[index]
        return IdPlace(index, *_line_and_column(self.text, offset), _written(self.text, offset))


@dataclass(frozen=True)
class IdPlace:
    """The index of an id, its line and column, counted from 1, and what is written there."""

    index: int
    line: int
    column: int
    written: str


def read_ids(text: str, most: int | None = MOST_IDS) -> ReadIds:
    """Return the ids in a text; raises IdsError for what is none, and for more than `most` ids.

    >>> list(read_ids("[[101, 0x1F]]").ids), list(read_ids('{"text": "a", "ids": [5]}').ids)
    ([101, 31], [5])
    >>> read_ids("12 x 13")
    Traceback (most recent call last):
    webapp.tokenization.ids.IdsError: “x” is not an id

    Numbers may be outside every vocabulary: see `ids_outside`. Those from 2⁶³ on are read as 2⁶³.
    """
    ids: list[int] = []
    offsets: list[int] = []
    keyed = _LIST.search(text) if text.lstrip()[:1] == "{" else None
    at = keyed.end() if keyed else 0
    depth = 0
    while between := _BETWEEN.match(text, at):  # it may be empty
        at = between.end()
        depth += between[0].count("[") - between[0].count("]")
        if at == len(text) or (keyed and depth <= 0):
            break
        number = _NUMBER.match(text, at)
        if number is None:
            raise IdsError(text, at, _not_an_id(_written(text, at)))
        if len(ids) == most:
            phrase = Phrase("there are more than %(limit)s ids", limit=f"{most:,}")
            raise IdsError(text, at, phrase, too_many=True)
        size = _bounded(number[2], 16) if number[2] else _bounded(number[3])
        ids.append(-size if number[1] else size)
        offsets.append(at)
        at = number.end()
    return ReadIds(text, ids, offsets)


@dataclass(frozen=True)
class OutsideIds:
    """The number of ids that a vocabulary does not have, and the places of the first ones."""

    count: int
    places: Sequence[IdPlace]


def ids_outside(read: ReadIds, tokenizer: Tokenizer) -> OutsideIds:
    """Return the ids that the vocabulary does not have."""
    outside = {id for id in set(read.ids) if not tokenizer.has_id(id)}
    indexes = [index for index, id in enumerate(read.ids) if id in outside] if outside else []
    return OutsideIds(len(indexes), [read.place(index) for index in indexes[:PLACES_SHOWN]])


def _not_an_id(written: str) -> Phrase:
    if written in ("...", "…"):
        return Phrase("the list is shortened with “%(dots)s”, so ids are missing", dots=written)
    if re.fullmatch(r"-?[0-9]+\.[0-9]+", written):
        return Phrase("“%(written)s” is not a whole number", written=written)
    if re.fullmatch("[0-9a-fA-F]+", written):
        return Phrase("“%(written)s” is not an id; write a hexadecimal number as 0x%(written)s", written=written)
    return Phrase("“%(written)s” is not an id", written=written)


def _bounded(digits: str, base: int = 10) -> int:
    digits = digits.lstrip("0")
    if len(digits) > 19:  # without converting: it takes quadratic time
        return TOO_LARGE
    return min(int(digits or "0", base), TOO_LARGE)


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    line = text.count("\n", 0, offset)
    return line + 1, offset - text.rfind("\n", 0, offset)


def _written(text: str, offset: int) -> str:
    found = _WRITTEN.match(text, offset)
    written = found[0] if found else ""
    return written if len(written) <= LONGEST_SHOWN else f"{written[:LONGEST_SHOWN]}…"
