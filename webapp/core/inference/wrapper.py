"""What all inferences have in common: a model with the pieces of another one, applied by a rule of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from webapp.core.cache import Cache
from webapp.core.inference.piece_table import Part, PieceTable
from webapp.core.models import Model

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
