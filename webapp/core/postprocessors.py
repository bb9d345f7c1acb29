"""Post-processors: special tokens around the tokens of a text, and offsets without white space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from webapp.core.text.split_patterns import WHITE_SPACE_CHARACTERS

Item = TypeVar("Item")

# The number of spaces at the beginning and at the end of a token.
Spaces = tuple[int, int]

_SPACES = "Ġ" + WHITE_SPACE_CHARACTERS


@dataclass(frozen=True)
class Template:
    """The token ids around those of a text; None stands for the text's own.

    >>> Template((101, None, 102)).ids([7, 8])
    [101, 7, 8, 102]
    """

    parts: tuple[int | None, ...]

    def ids(self, ids: Sequence[int]) -> list[int]:
        """Return the template with the text's ids filled in."""
        filled: list[int] = []
        for part in self.parts:
            filled += ids if part is None else (part,)
        return filled

    def filled(self, items: Sequence[Item], added: Item) -> list[Item]:
        """Return the template with one item for each token of the text and `added` for every other token."""
        filled: list[Item] = []
        for part in self.parts:
            filled += items if part is None else (added,)
        return filled


@dataclass(frozen=True)
class Trim:
    """Excludes leading and trailing spaces of a token from its offsets.

    With `add_prefix_space` a single space at the beginning of the text counts as inserted by the pre-tokenizer.

    >>> Trim(add_prefix_space=False).offsets([0, 5], [5, 9], [(0, 0), (1, 0)])
    ([0, 6], [5, 9])
    """

    add_prefix_space: bool = True

    def offsets(
        self, starts: Sequence[int], ends: Sequence[int], spaces: Sequence[Spaces]
    ) -> tuple[list[int], list[int]]:
        """Return the trimmed starts and ends; `spaces` holds one entry for each token."""
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
    """Trims offsets always and adds the template's tokens on request.

    If a template contains the text twice or not at all, `tokenizers` returns two texts or none even without special
    tokens; here, encoding without the template returns the text's own tokens unchanged.
    """

    trims: tuple[Trim, ...] = ()
    template: Template | None = None


def spaces_of(piece: str | bytes) -> Spaces:
    """Return the number of spaces at the beginning and at the end of a piece.

    >>> spaces_of(b" low"), spaces_of("Ġ low"), spaces_of(b"  ")
    ((1, 0), (2, 0), (2, 2))
    """
    if isinstance(piece, bytes):
        return len(piece) - len(piece.lstrip(b" ")), len(piece) - len(piece.rstrip(b" "))
    return len(piece) - len(piece.lstrip(_SPACES)), len(piece) - len(piece.rstrip(_SPACES))
