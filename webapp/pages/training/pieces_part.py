"""The data of `training/_pieces.html`: a step of a Unigram training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.pages.training.rows import PieceLine, WordSymbol
from webapp.pages.walkthrough.cells import StepCell


@dataclass(frozen=True)
class PieceTableLine:
    """A longer piece in a table; a table sets only the fields that it shows."""

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
    """A word and its current segmentation."""

    symbols: list[WordSymbol]
    count: int


@dataclass(frozen=True, kw_only=True)
class PiecesPart:
    """A step; a view sets only the fields that it shows."""

    view: Literal["start", "estimate", "prune", "end"]
    words: Sequence[WordReadingLine] = ()  # of the corpus, with their segmentations
    single: Sequence[WordSymbol] = ()  # the single characters, which are always kept
    read: Sequence[StepCell]  # the text to encode, as tokens
    read_text: str
    lines: Sequence[PieceTableLine] = ()  # the longer pieces, at the start and when estimating
    more: int = 0  # lines that are not shown
    going: Sequence[PieceTableLine] = ()  # the removed pieces next to the cut
    more_going: int = 0
    staying: Sequence[PieceTableLine] = ()  # the kept pieces next to the cut
    more_staying: int = 0
    vocabulary: Sequence[tuple[PieceLine, float | None]] = ()  # last step: each piece with its log-probability
