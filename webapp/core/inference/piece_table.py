"""The pieces of a vocabulary as a plain set, applied by another rule than the model's own."""

from collections.abc import Mapping, Sequence
from sys import maxsize
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from webapp.core.cache import Cache
from webapp.core.models import Model
from webapp.core.models.fast.word_lengths import lengths_by_beginning

LONGEST = 128
"""In bytes, or in characters for pieces of characters; longer pieces are left out. This bounds what is tried at a
position: a megabyte of one letter takes seconds even if the vocabulary has a piece of every length."""

Text = TypeVar("Text", str, bytes)
Part = tuple[int | None, int]
"""An id and where its span ends; None for a unit that no piece covers."""


class PieceTable(Generic[Text]):
    """Pieces with their ids, for slices of a text.

    >>> table = PieceTable({"a": 0, "ab": 1, "abcd": 2, "x" * 200: 3})
    >>> table.lengths("abcx"), table.lengths("b")
    ((4, 2, 1), (1,))
    """

    def __init__(self, pieces: Mapping[Text, int]) -> None:
        self.ids: dict[Text, int] = {piece: id for piece, id in pieces.items() if 0 < len(piece) <= LONGEST}
        self._lengths: dict[Text, tuple[int, ...]] = _with_one(lengths_by_beginning(self.ids))  # type: ignore[arg-type]

    def lengths(self, text: Text, at: int = 0) -> tuple[int, ...]:
        """The lengths of the pieces that may start at a position of a text, longest first; 1 is always among them."""
        return self._lengths.get(text[at : at + 2], (1,))


def _with_one(table: Any) -> Any:
    """The table with the length 1 at the end of each row."""
    return {beginning: (*found, 1) for beginning, found in table.items()}


def longest_parts(text: Text, first: PieceTable[Text], inner: PieceTable[Text], mark: int = -1) -> list[Part]:
    """Take the longest piece at each position, from the left.

    `first` has the pieces for the beginning of the text, `inner` those after it. `mark` is where an end-of-word mark
    that belongs to the character before it begins: no part ends there.

    >>> table = PieceTable({"a": 0, "ab": 1, "bcd": 2, "c": 3})
    >>> longest_parts("abcd", table, table)
    [(1, 2), (3, 3), (None, 4)]
    """
    parts: list[Part] = []
    at, length, table = 0, len(text), first
    while at < length:
        ids = table.ids
        for tried in table.lengths(text, at):
            end = at + tried
            if end <= length and end != mark and (id := ids.get(text[at:end])) is not None:
                parts.append((id, end))
                break
        else:
            end = at + 1 + (at + 1 == mark)
            parts.append((None, end))
        at, table = end, inner
    return parts


_UNCOVERED = 1 << 40  # what a unit without a piece costs: more than the pieces of any text


def fewest_parts(text: Text, first: PieceTable[Text], inner: PieceTable[Text], mark: int = -1) -> list[Part]:
    """Cover the text with the fewest pieces; among equals, the longest piece first, from the left.

    A unit is left without a piece only if no way covers it: first the units without a piece are minimized, then the
    pieces. Arguments are those of `longest_parts`.

    >>> table = PieceTable({piece: id for id, piece in enumerate(["a", "b", "c", "ab", "abc", "bcc", "cc"])})
    >>> fewest_parts("abcc", table, table), longest_parts("abcc", table, table)
    ([(4, 3), (2, 4)], [(4, 3), (2, 4)])
    >>> fewest_parts("abccc", table, table)
    [(4, 3), (6, 5)]
    """
    _, ends = fewest_costs(text, first, inner, mark)
    parts: list[Part] = []
    at, ids = 0, first.ids
    while at < len(text):
        end = ends[at]
        parts.append((ids.get(text[at:end]), end))
        at, ids = end, inner.ids
    return parts


def fewest_costs(
    text: Text, first: PieceTable[Text], inner: PieceTable[Text], mark: int = -1
) -> tuple[list[int], list[int]]:
    """For each position what the best way from there to the end costs, and where its first part ends.

    A piece costs 1, a unit without a piece more than the pieces of any text. Arguments are those of `longest_parts`.

    >>> table = PieceTable({"a": 0, "b": 1, "ab": 2})
    >>> fewest_costs("abb", table, table)
    ([2, 2, 1, 0], [2, 2, 3, 0])
    """
    length = len(text)
    costs = [0] * (length + 1)
    ends = [0] * (length + 1)
    ids, lengths_of = inner.ids, inner.lengths
    for at in range(length - 1, -1, -1):
        if not at:
            ids, lengths_of = first.ids, first.lengths
        best, chosen = maxsize, length
        for tried in lengths_of(text, at):
            end = at + tried
            if end <= length and costs[end] + 1 < best and end != mark and text[at:end] in ids:
                best, chosen = costs[end] + 1, end
        alone = at + 1 + (at + 1 == mark)
        if _UNCOVERED + costs[alone] < best:  # among equals, a piece goes before a unit without one
            best, chosen = _UNCOVERED + costs[alone], alone
        costs[at], ends[at] = best, chosen
    return costs, ends


Segment = tuple[int, int, int]


class Rule(Protocol):
    """Splits a text into pieces: `longest_parts` or `fewest_parts`."""

    def __call__(self, text: Any, first: PieceTable[Any], inner: PieceTable[Any], mark: int = -1, /) -> list[Part]:
        """The parts of a text."""


class Lookup(NamedTuple):
    """A text whose pieces are looked up: the arguments of a rule."""

    text: str | bytes
    first: PieceTable[Any]
    inner: PieceTable[Any]
    mark: int = -1


class AppliedModel:
    """A model with the pieces of `model`, to which `rule` is applied; a subclass implements `segment`."""

    def __init__(self, model: Model, rule: Rule) -> None:
        self.model = model
        self._rule = rule
        self.pieces: Sequence[str] | Sequence[bytes] = model.pieces
        self.unknown_id: int | None = model.unknown_id
        self.id_of = model.id_of
        self.ids = Cache(self._compute_ids).__getitem__

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The texts in a pre-token to which the rule is applied."""
        raise NotImplementedError

    def segment(self, pretoken: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a pre-token, in characters."""
        raise NotImplementedError

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        return tuple(id for id, _, _ in self.segment(pretoken))
