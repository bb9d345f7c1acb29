"""Traces of the inferences of a vocabulary: what fitted at each position, which merges were dropped, what was drawn.

They repeat `webapp.core.inference` with the same random numbers; the tests verify that they end with its ids.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from webapp.core.inference.dropout import Drops, Join, MergesWithDropout
from webapp.core.inference.piece_table import Lookup, Segment, fewest_costs


@dataclass(frozen=True, slots=True)
class FittingPiece:
    """A piece that fits at a position, from there to `end`; `rest` is how many pieces the best way after it has.

    `rest` is None where that does not matter, and where no way of pieces leads to the end.
    """

    id: int
    end: int
    rest: int | None = None


@dataclass(frozen=True, slots=True)
class PieceDecision:
    """The pieces that fit at `start`, longest first, and the index of the one that is taken; None if none fits."""

    start: int
    end: int
    fitting: tuple[FittingPiece, ...]
    taken: int | None


_MOST = 1 << 30  # a cost above this has units without a piece


def piece_decisions(lookup: Lookup, *, fewest: bool) -> Iterator[PieceDecision]:
    """Yield the decisions of a text from the left: by longest match, or with `fewest` by the fewest pieces.

    >>> from webapp.core.inference.piece_table import PieceTable
    >>> table = PieceTable({"a": 0, "ab": 1, "bcd": 2, "c": 3, "d": 4})
    >>> for decision in piece_decisions(Lookup("abcd", table, table), fewest=True):
    ...     print(decision.start, [(piece.id, piece.rest) for piece in decision.fitting], decision.taken)
    0 [(1, 2), (0, 1)] 1
    1 [(2, 0)] 0
    """
    text, first, inner, mark = lookup
    costs, ends = fewest_costs(text, first, inner, mark)
    at, table = 0, first
    while at < len(text):
        fitting = tuple(
            FittingPiece(table.ids[text[at:end]], end, costs[end] if fewest and costs[end] < _MOST else None)
            for end in (at + length for length in table.lengths(text, at))
            if end <= len(text) and end != mark and text[at:end] in table.ids
        )
        taken = next((index for index, piece in enumerate(fitting) if not fewest or piece.end == ends[at]), None)
        end = at + 1 + (at + 1 == mark) if taken is None else fitting[taken].end
        yield PieceDecision(at, end, fitting, taken)
        at, table = end, inner


@dataclass(frozen=True, slots=True)
class PossibleMerge:
    """A merge of the symbols at `at` and after it into `made`, and whether it was dropped in this step."""

    at: int
    made: int
    dropped: bool


@dataclass(frozen=True, slots=True)
class DropStep:
    """The symbols before a step, the possible merges in their order, and the indexes of those that are made.

    Merges after the first that is made were not drawn, because they do not matter. None is made in a last step in
    which all were dropped.
    """

    symbols: tuple[int, ...]
    possible: tuple[PossibleMerge, ...]
    made: tuple[int, ...]


@dataclass(frozen=True)
class TracedDropout:
    """The tokens of a pre-token, and the steps of each of the words that are merged apart."""

    segments: Sequence[Segment]
    words: Sequence[Sequence[DropStep]]
    ends: Sequence[tuple[int, ...]]  # the symbols of each word after its last step


def dropout_steps(merges: MergesWithDropout, pretoken: str, random: Random) -> TracedDropout:
    """Return the steps of BPE-dropout on a pre-token; `random` is left as `MergesWithDropout.draw` leaves it.

    >>> from webapp.core.models.bpe import BPE
    >>> merges = MergesWithDropout(BPE(["a", "b", "c", "ab", "abc"], [(0, 1), (3, 2)], byte_level=False), 0.6)
    >>> traced = dropout_steps(merges, "abc", Random(1))
    >>> [(step.symbols, [one.dropped for one in step.possible], step.made) for step in traced.words[0]], traced.ends
    ([((0, 1, 2), [True], ())], [(0, 1, 2)])
    """
    words: list[list[DropStep]] = []
    ends: list[tuple[int, ...]] = []

    def merge(
        symbols: Sequence[int], join: Join, drops: Drops, *, together: bool = False
    ) -> tuple[list[int], list[int]]:
        row, widths = list(symbols), [1] * len(symbols)
        steps: list[DropStep] = []
        words.append(steps)
        while True:
            found = [(pair, at) for at, (left, right) in enumerate(pairwise(row)) if (pair := join(left, right))]
            found.sort(key=lambda one: (one[0][0], one[1]))
            step = _step(row, found, drops, together) if found else None
            if step is not None:
                steps.append(step)
            if step is None or not step.made:
                break
            gone: set[int] = set()
            for one in (step.possible[index] for index in step.made):
                if not gone & {one.at, one.at + 1}:
                    row[one.at] = one.made
                    widths[one.at] += widths[one.at + 1]
                    gone |= {one.at + 1}
                    row[one.at + 1] = -2
            widths = [width for width, symbol in zip(widths, row, strict=True) if symbol != -2]
            row = [symbol for symbol in row if symbol != -2]
        ends.append(tuple(row))
        return row, widths

    segments = merges.draw(pretoken, random, merge)
    return TracedDropout(segments, words, ends)


def _step(row: Sequence[int], found: Sequence[tuple[tuple[int, int], int]], drops: Drops, together: bool) -> DropStep:
    index = drops.count()
    made: list[int] = []
    dropped = set(range(min(index, len(found))))
    if index < len(found):
        made.append(index)
        rank = found[index][0][0]
        while together:
            following = index + 1 + drops.count()
            dropped |= {at for at in range(index + 1, min(following, len(found))) if found[at][0][0] == rank}
            index = following
            if index >= len(found) or found[index][0][0] != rank:
                break
            made.append(index)
    possible = tuple(PossibleMerge(at, pair[1], place in dropped) for place, (pair, at) in enumerate(found))
    return DropStep(tuple(row), possible, tuple(made))
