"""What `training/_pieces.html` draws: a step of a Unigram training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.pages.training.rows import PieceLine, WordSymbol
from webapp.pages.walkthrough.cells import StepCell


@dataclass(frozen=True)
class PieceTableLine:
    """A longer piece in a table. What a table does not show of it is left out."""

    piece: str
    percent: float = 0.0
    frequency: int | None = None
    probability: float | None = None
    before: float | None = None
    expected: float | None = None
    used: int | None = None
    instead: str = ""
    loss: float | None = None
    removed: bool = False


@dataclass(frozen=True)
class WordReadingLine:
    """A word as it is read now."""

    symbols: list[WordSymbol]
    count: int


@dataclass(frozen=True, kw_only=True)
class PiecesPart:
    """A step; what its view does not have is empty."""

    view: Literal["start", "estimate", "prune", "end"]
    words: Sequence[WordReadingLine] = ()  # of the corpus, as they are read now
    single: Sequence[WordSymbol] = ()  # the single characters, which always stay
    read: Sequence[StepCell]  # the text to encode, as tokens
    read_text: str
    lines: Sequence[PieceTableLine] = ()  # the longer pieces, at the start and when estimating
    more: int = 0  # of them that are not shown
    going: Sequence[PieceTableLine] = ()  # those that are pruned, next to the cut
    more_going: int = 0
    staying: Sequence[PieceTableLine] = ()  # those that are not
    more_staying: int = 0
    vocabulary: Sequence[tuple[PieceLine, float | None]] = ()  # in the end: each piece with its log-probability
