"""The symbols of a word in a row, with the rank or score of each pair between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from webapp.core.traces.merging import CandidatePair, MergeNode, MergeStep, MergingModel, MergingStep, ReplaceStep
from webapp.pages.walkthrough.merge_tree import score
from webapp.rendering.markup import shown_piece
from webapp.web.localization import number


@dataclass(frozen=True)
class RowSymbol:
    """A symbol in a row: its piece, its id (None if it has none), and CSS classes."""

    text: str
    id: int | None
    kinds: str


@dataclass(frozen=True)
class SymbolGap:
    """The label between two symbols: a rank or a score, "" if the pair cannot be merged."""

    figure: str


@dataclass(frozen=True)
class SymbolGroup:
    """The chosen pair, with `inner` between its symbols, or one symbol; `gap` follows the group, None at the end."""

    symbols: tuple[RowSymbol, ...]
    inner: SymbolGap | None
    gap: SymbolGap | None


@dataclass(frozen=True)
class PairRow:
    """An adjacent pair, as a row of the table below the symbols."""

    left: str
    right: str
    figure: str
    made: str
    id: int | None
    chosen: bool


def symbol_groups(step: MergingStep, new: Collection[int] = ()) -> list[SymbolGroup]:
    """The symbols of a step, the chosen pairs grouped; nodes in `new` are marked."""
    pairs = step.pairs if isinstance(step, MergeStep) else None
    chosen = step.chosen if isinstance(step, MergeStep) else ()
    replaced = range(step.first, step.last) if isinstance(step, ReplaceStep) else ()
    symbols = step.symbols
    found = []
    at = 0
    while at < len(symbols):
        width = 2 if at in chosen else 1
        gap = _gap(pairs[at + width - 1]) if pairs is not None and at + width < len(symbols) else None
        inner = _gap(pairs[at]) if pairs is not None and width == 2 else None
        found.append(
            SymbolGroup(
                tuple(
                    symbol(node, "given" if place in replaced else "", new=new)
                    for place, node in enumerate(symbols[at : at + width], at)
                ),
                inner,
                gap,
            )
        )
        at += width
    return found


def symbol_row(nodes: Sequence[MergeNode], new: Collection[int]) -> list[RowSymbol]:
    """Symbols without gaps; nodes in `new` are marked."""
    return [symbol(node, new=new) for node in nodes]


def symbol(node: MergeNode, *kinds: str, new: Collection[int] = ()) -> RowSymbol:
    """A node as a symbol of a row."""
    marks = ["" if node.kind == "piece" else node.kind.replace("-", ""), *kinds, "new" if node.number in new else ""]
    return RowSymbol(shown_piece(node.piece), node.id, " ".join(mark for mark in marks if mark))


def pair_rows(model: MergingModel, step: MergeStep) -> list[PairRow]:
    """The table of the adjacent pairs of a merge step."""
    return [
        PairRow(
            shown_piece(step.symbols[at].piece),
            shown_piece(step.symbols[at + 1].piece),
            figure_of(pair),
            "" if pair is None else shown_piece(model.pieces[pair.id]),
            None if pair is None else pair.id,
            at in step.chosen,
        )
        for at, pair in enumerate(step.pairs)
    ]


def figure_of(pair: CandidatePair | None) -> str:
    """The rank or the score of a pair, as text."""
    if pair is None:
        return ""
    return score(pair.score) if pair.score is not None else number(pair.rank or 0)


def _gap(pair: CandidatePair | None) -> SymbolGap:
    return SymbolGap(figure_of(pair))
