"""Post-processors: special tokens around those of a text, and offsets without white space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from webapp.core.text.split_patterns import WHITE_SPACE_CHARACTERS

Item = TypeVar("Item")

# How many spaces a token begins and ends with.
Spaces = tuple[int, int]

_SPACES = "Ġ" + WHITE_SPACE_CHARACTERS


@dataclass(frozen=True)
class Template:
    """Which tokens stand around those of a text: ids, and None where the text's own go.

    >>> Template((101, None, 102)).ids([7, 8])
    [101, 7, 8, 102]
    """

    parts: tuple[int | None, ...]

    def ids(self, ids: Sequence[int]) -> list[int]:
        """The text's ids with the others around them."""
        filled: list[int] = []
        for part in self.parts:
            filled += ids if part is None else (part,)
        return filled

    def filled(self, items: Sequence[Item], added: Item) -> list[Item]:
        """What belongs to the text's tokens, with `added` for each of the others."""
        filled: list[Item] = []
        for part in self.parts:
            filled += items if part is None else (added,)
        return filled


@dataclass(frozen=True)
class Trim:
    """Takes the spaces that a token begins and ends with out of its range.

    With `add_prefix_space` one space at the very beginning is taken for one that the pre-tokenizer put there.

    >>> Trim(add_prefix_space=False).offsets([0, 5], [5, 9], [(0, 0), (1, 0)])
    ([0, 6], [5, 9])
    """

    add_prefix_space: bool = True

    def offsets(
        self, starts: Sequence[int], ends: Sequence[int], spaces: Sequence[Spaces]
    ) -> tuple[list[int], list[int]]:
        """The trimmed starts and ends; `spaces` are those of each token."""
        trimmed_starts, trimmed_ends = list(starts), list(ends)
        for at, (leading, trailing) in enumerate(spaces):
            if not leading and not trailing:
                continue
            start, end = starts[at], ends[at]
            if leading:
                if self.add_prefix_space and leading == 1 and (at == 0 or start == 0):
                    leading = 0
                start = min(start + leading, end)
            if trailing and end >= trailing:
                end = max(end - trailing, start)
            trimmed_starts[at], trimmed_ends[at] = start, end
        return trimmed_starts, trimmed_ends


@dataclass(frozen=True)
class PostProcessor:
    """What becomes of a text's tokens: offsets are trimmed always, the template is filled where it is asked for.

    A template with the text in it twice, or not at all, gives `tokenizers` two texts or none even where no special
    tokens are asked for. Here the text's own tokens then are what they are.
    """

    trims: tuple[Trim, ...] = ()
    template: Template | None = None


def spaces_of(piece: str | bytes) -> Spaces:
    """How many spaces a piece begins and ends with.

    >>> spaces_of(b" low"), spaces_of("Ġ low"), spaces_of(b"  ")
    ((1, 0), (2, 0), (2, 2))
    """
    if isinstance(piece, bytes):
        return len(piece) - len(piece.lstrip(b" ")), len(piece) - len(piece.rstrip(b" "))
    return len(piece) - len(piece.lstrip(_SPACES)), len(piece) - len(piece.rstrip(_SPACES))
