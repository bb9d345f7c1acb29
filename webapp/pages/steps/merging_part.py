"""The values for `steps/_merging.html`: a step of merging, or of longest piece first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.pages.steps.greedy_vs_merges import GreedyVsMerges
from webapp.pages.steps.rows import PairRow, RowSymbol, SymbolGroup
from webapp.pages.walkthrough.cells import StepCell
from webapp.pages.walkthrough.merge_tree import MergeTree


@dataclass(frozen=True)
class FitRow:
    """A piece that occurs in the rest of the word, as a row of the table."""

    piece: str
    length: int
    id: int
    occurrences: int
    taken: bool


@dataclass(frozen=True, kw_only=True)
class MergingPart:
    """A step; fields that do not apply are empty."""

    longest: bool  # whether this is longest piece first, as in tutorials
    tutorial: bool = False  # whether the pieces are those of the tutorials' example
    example: Mapping[str, str]  # that example, and a text for which the two methods differ
    ended: bool  # whether this is the last step
    cells: Sequence[StepCell]  # the words, or at the end the tokens
    compared: GreedyVsMerges | None = None  # the two methods, at the end

    # Merging
    scored: bool = False  # whether merges have scores instead of ranks
    legend: str = ""  # what the numbers between the symbols mean
    right_to_left: bool = False  # whether some of the text is written from right to left
    longer_pretokens: bool = False  # whether the pre-tokens are longer than the words that are shown
    groups: Sequence[SymbolGroup] = ()  # the symbols of the word
    pairs: Sequence[PairRow] = ()
    after: Sequence[RowSymbol] = ()  # the symbols after the merge
    trees: Sequence[MergeTree] = ()  # of the word, or at the end of all words

    # Longest piece first
    spans: Sequence[StepCell] = ()  # the word after the round
    fits: Sequence[FitRow] = ()  # the pieces found in the rest of the word
    more_fits: int = 0  # how many of them are not shown
