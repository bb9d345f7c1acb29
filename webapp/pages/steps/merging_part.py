"""What `steps/_merging.html` draws: a step of merging, or of the longest piece first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.pages.steps.greedy_vs_merges import GreedyVsMerges
from webapp.pages.steps.merge_tree import MergeTree
from webapp.pages.steps.rows import PairRow, RowSymbol, SymbolGroup
from webapp.pages.walkthrough.cells import StepCell


@dataclass(frozen=True)
class FitRow:
    """A piece that stands somewhere in what is left, as a row of the table."""

    piece: str
    length: int
    id: int
    places: int
    taken: bool


@dataclass(frozen=True, kw_only=True)
class MergingPart:
    """A step; what it does not have is empty."""

    longest: bool  # whether the longest piece goes first, as in tutorials
    tutorial: bool = False  # whether with the pieces of the tutorials' example
    example: Mapping[str, str]  # that example, and a text on which the two ways differ
    ended: bool  # whether this is the last step
    cells: Sequence[StepCell]  # the words, or in the end the tokens
    compared: GreedyVsMerges | None = None  # the two ways in the end

    # Merging
    scored: bool = False  # whether merges have scores instead of ranks
    legend: str = ""  # what the figures mean
    leftwards: bool = False  # whether the text is written from right to left
    cut: bool = False  # whether the algorithm gets longer parts of the text than the words that are shown
    groups: Sequence[SymbolGroup] = ()  # the symbols of the word
    pairs: Sequence[PairRow] = ()
    after: Sequence[RowSymbol] = ()  # the symbols after the merge
    trees: Sequence[MergeTree] = ()  # of the word, or in the end of all

    # The longest piece first
    stretches: Sequence[StepCell] = ()  # the word after the round
    fits: Sequence[FitRow] = ()  # the pieces in what was left
    more_fits: int = 0  # how many of them are not shown
