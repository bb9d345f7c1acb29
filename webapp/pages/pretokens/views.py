"""The pre-tokens of a text as the page shows them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from webapp.core.analysis.pretoken_view import (
    PretokenStage,
    PretokenView,
    ShownPretoken,
    SplitDifference,
    differences,
    pretoken_view,
)
from webapp.core.tokenizer import Tokenizer
from webapp.pages.pretokens.contexts import (
    AlternativeRow,
    Cell,
    DifferenceRow,
    ShownPretokens,
    SplitFigures,
    StageSection,
)
from webapp.pages.pretokens.forms import PretokensRequest
from webapp.pages.pretokens.messages import meaning_of, note_of
from webapp.rendering.markup import visible

ANALYSED = 20_000  # characters of a text
CELLS_SHOWN = 1_500
EARLIER_CELLS_SHOWN = 300  # of stages before the last one
DIFFERENCES_SHOWN = 60
EXAMPLES_SHOWN = 4
LONGEST_SHOWN = 5  # pre-tokens with the most tokens
PIECE_SHOWN = 60  # characters
COLOURS = 6


def shown_pretokens(tokenizer: Tokenizer, asked: PretokensRequest) -> ShownPretokens:
    """The result for a request; raises TextError for a text that the vocabulary or the pattern cannot process."""
    text = asked.text[:ANALYSED]
    view = pretoken_view(tokenizer, text, special=asked.special)
    own = pretoken_view(tokenizer, text, special=asked.special, own=asked.pattern) if asked.pattern else None
    found = differences(view, own) if own else []
    with_pattern = next((stage for stage in reversed(view.stages) if stage.pattern), view.stages[-1])
    return ShownPretokens(
        normalized="" if view.normalized == text else visible(view.normalized[:2_000], show=True),
        stages=[_section(view, stage, asked.under, EARLIER_CELLS_SHOWN) for stage in view.stages[:-1]],
        last=_section(view, view.stages[-1], asked.under, CELLS_SHOWN, with_pattern),
        figures=_figures(view),
        own=_section(own, own.stages[-1], asked.under, CELLS_SHOWN) if own else None,
        own_figures=_figures(own) if own else None,
        differences=[_difference(view.normalized, each) for each in found[:DIFFERENCES_SHOWN]],
        number_of_differences=len(found),
        analysed=len(text) if len(text) < len(asked.text) else None,
    )


def _section(
    view: PretokenView, stage: PretokenStage, under: str, most: int, colours: PretokenStage | None = None
) -> StageSection:
    """A stage; `colours` is the stage whose pattern numbers its pre-tokens, if it has none itself."""
    colours = colours or stage
    numbers = _numbers(stage.pretokens, colours)
    cells: list[Cell] = []
    place = 0
    for pretoken, number in zip(stage.pretokens[:most], numbers, strict=False):
        if place < pretoken.start:
            cells.append(_cell(view.normalized[place : pretoken.start], "dropped"))
        kind = (
            "added" if pretoken.added else "plain" if colours.pattern is None else "gap" if number is None else "match"
        )
        cells.append(_cell(pretoken.text, kind, number, _under(pretoken, number, under, colours.pattern is not None)))
        place = max(place, pretoken.end)
    if len(stage.pretokens) <= most and place < len(view.normalized):
        cells.append(_cell(view.normalized[place:], "dropped"))
    return StageSection(
        title=stage.component,
        note=note_of(colours),
        pattern=colours.pattern.source if colours.pattern else "",
        count=len(stage.pretokens),
        cells=cells,
        more=max(0, len(stage.pretokens) - most),
        alternatives=_alternatives(stage.pretokens, numbers, colours),
        between=_between(stage.pretokens, numbers) if colours.pattern else 0,
    )


def _kind(colours: PretokenStage, number: int | None) -> str:
    if colours.pattern is None:
        return "plain"
    return "gap" if number is None else "match"


def _between(pretokens: Sequence[ShownPretoken], numbers: Sequence[int | None]) -> int:
    return sum(number is None and not each.added for each, number in zip(pretokens, numbers, strict=True))


def _numbers(pretokens: Sequence[ShownPretoken], colours: PretokenStage) -> list[int | None]:
    """The alternative that matched each pre-token, or the pre-token of an earlier stage that it is a part of."""
    starts = [pretoken.start for pretoken in colours.pretokens]
    found = []
    for pretoken in pretokens:
        at = bisect_right(starts, pretoken.start) - 1
        found.append(None if pretoken.added or at < 0 else colours.pretokens[at].alternative)
    return found if colours.pretokens is not pretokens else [pretoken.alternative for pretoken in pretokens]


def _under(pretoken: ShownPretoken, number: int | None, under: str, has_pattern: bool) -> str:
    """What stands under a pre-token: its alternative, or the number of its tokens, also where there is no pattern."""
    if under == "alternative" and has_pattern:
        return "" if number is None else str(number + 1)
    return "" if pretoken.tokens is None else str(pretoken.tokens)


def _cell(text: str, kind: str, number: int | None = None, under: str = "") -> Cell:
    colour = 1 + (number or 0) % COLOURS
    return Cell(_short(text), kind, colour, under, "\n" in text)


def _short(text: str) -> str:
    shown = visible(text[:PIECE_SHOWN], show=True).replace("\n", "").replace("\t", "")
    return f"{shown}…" if len(text) > PIECE_SHOWN else shown


def _alternatives(
    pretokens: Sequence[ShownPretoken], numbers: Sequence[int | None], stage: PretokenStage
) -> list[AlternativeRow]:
    if stage.pattern is None:
        return []
    counts = [0] * len(stage.pattern.alternatives)
    examples: list[dict[str, None]] = [{} for _ in counts]
    for pretoken, number in zip(pretokens, numbers, strict=True):
        if number is not None:
            counts[number] += 1
            if len(examples[number]) < EXAMPLES_SHOWN:
                examples[number][_short(pretoken.text)] = None
    return [
        AlternativeRow(at + 1, 1 + at % COLOURS, source, meaning_of(source), counts[at], list(examples[at]))
        for at, source in enumerate(stage.pattern.alternatives)
    ]


def _figures(view: PretokenView) -> SplitFigures:
    counts: dict[str, int] = {}
    pretokens = [pretoken for pretoken in view.pretokens if not pretoken.added]
    for pretoken in pretokens:
        counts[pretoken.text] = pretoken.tokens or 0
    most = sorted((text for text, count in counts.items() if count > 1), key=lambda text: -counts[text])
    return SplitFigures(
        len(view.pretokens),
        sum(pretoken.tokens or 0 for pretoken in view.pretokens),
        sum(pretoken.tokens == 1 for pretoken in view.pretokens),
        [(_short(text), counts[text]) for text in most[:LONGEST_SHOWN]],
    )


def _difference(text: str, found: SplitDifference) -> DifferenceRow:
    before, after = text[max(0, found.start - 12) : found.start], text[found.end : found.end + 12]
    return DifferenceRow(found.start, _short(before), _parts(found.first), _parts(found.second), _short(after))


def _parts(parts: Sequence[str]) -> list[str]:
    return [_short(part) for part in parts[:12]] + (["…"] if len(parts) > 12 else [])
