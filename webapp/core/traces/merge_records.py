"""The records of a trace of byte-pair encoding: words, symbols, pairs, and steps."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["piece", "byte", "unknown", "suffix", "uncovered", "unused", "user-defined"]
"""The kind of a symbol.

`byte`: a byte of a character without a piece. `suffix`: the end-of-word mark as a symbol of its own. `uncovered`: a
character without a piece, which merges into longer pieces or falls back at the end. `unused`, `user-defined`:
SentencePiece's piece types.
"""

How = Literal["beginning", "merge", "whole", "apart", "byte", "unknown"]


@dataclass(frozen=True, slots=True)
class TracedWord:
    """A part of a pre-token that is merged separately; `whole` if it is a piece, so that nothing is merged."""

    text: str
    start: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class MergeNode:
    """A symbol of a word, and a node of its merge tree.

    `number` counts the nodes of a word in order of creation; `parts` are the numbers of its children. `start` and `end`
    are in characters of the word; part of a character's bytes has the range of the whole character. `id` is None for a
    character without a piece. For the result of a merge, `rank` or `score` is that of the merge.
    """

    number: int
    piece: str | bytes
    id: int | None
    start: int
    end: int
    how: How = "beginning"
    parts: tuple[int, ...] = ()
    rank: int | None = None
    score: float | None = None
    kind: Kind = "piece"


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """The piece that two adjacent symbols would form, with the merge's rank (lowest first) or score (highest first)."""

    id: int
    rank: int | None = None
    score: float | None = None

    @property
    def order(self) -> float:
        """The sort key: the pair with the smallest is merged first."""
        return -self.score if self.score is not None else self.rank or 0


Row = tuple[MergeNode, ...]
LeftOut = tuple[tuple[int, int], ...]
"""Ranges of characters of a word that its symbols leave out."""
Seen = dict[int, tuple[MergeNode, MergeNode]]
"""The last pair that would make each piece."""


@dataclass(frozen=True, slots=True)
class BeginStep:
    """The initial symbols of a word; `left_out` holds ranges of characters that the vocabulary cannot represent."""

    symbols: Row
    left_out: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One merge: `pairs[i]` is the result of merging `symbols[i]` and `symbols[i + 1]`, or None.

    `chosen` holds the positions of the merged pair; more than one only if all occurrences merge together. `made` holds
    the resulting nodes.
    """

    symbols: tuple[MergeNode, ...]
    pairs: tuple[CandidatePair | None, ...]
    chosen: tuple[int, ...]
    made: tuple[MergeNode, ...]

    @property
    def after(self) -> tuple[MergeNode, ...]:
        """The symbols after the merge."""
        made = dict(zip(self.chosen, self.made, strict=True))
        return tuple(made.get(at, symbol) for at, symbol in enumerate(self.symbols) if at - 1 not in made or at in made)


@dataclass(frozen=True, slots=True)
class ReplaceStep:
    """A replacement of `symbols[first:last]` after the last merge.

    `why`: an unused piece is split (`"apart"`); symbols without a piece become `"bytes"` or one `"unknown"` token.
    """

    symbols: tuple[MergeNode, ...]
    first: int
    last: int
    why: Literal["apart", "bytes", "unknown"]
    made: tuple[MergeNode, ...]

    @property
    def after(self) -> tuple[MergeNode, ...]:
        """The symbols afterwards."""
        return (*self.symbols[: self.first], *self.made, *self.symbols[self.last :])


@dataclass(frozen=True, slots=True)
class EndStep:
    """The tokens of the word; each has an id."""

    symbols: tuple[MergeNode, ...]

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        return [node.id for node in self.symbols if node.id is not None]


MergingStep = BeginStep | MergeStep | ReplaceStep | EndStep
