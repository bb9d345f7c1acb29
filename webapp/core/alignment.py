"""A normalized text that remembers where in the original each of its characters comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Edit = tuple[int, int, str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text, and for each of its characters the range of the original that it stands for.

    `starts` and `ends` are as long as `text`; both count characters of the original. A normalizer changes one with
    `edited`, where each new character names the old one whose place it takes:

    >>> aligned = Aligned.of("a\\x00b").edited([(1, 2, "", ())])
    >>> aligned.text, list(aligned.starts), list(aligned.ends)
    ('ab', [0, 2], [1, 3])
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Aligned:
        """`text` as it is, each character standing for itself."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    @property
    def identity(self) -> bool:
        """Whether every character still stands for itself."""
        return isinstance(self.starts, range)

    def same_length(self, text: str) -> Aligned:
        """The text replaced by another in which each character takes the place of the one at its index."""
        return Aligned(text, self.starts, self.ends)

    def edited(self, edits: Iterable[Edit]) -> Aligned:
        """The text with stretches replaced, each edit a `(start, end, replacement, sources)`.

        Edits come in order and do not overlap. `sources` holds for each character of the replacement the index (in
        this text) of the character whose range it takes over.
        """
        pieces: list[str] = []
        sources: list[int] = []
        position = 0
        for start, end, replacement, origin in edits:
            pieces += (self.text[position:start], replacement)
            sources.extend(range(position, start))
            sources.extend(origin)
            position = end
        if not pieces:
            return self
        pieces.append(self.text[position:])
        sources.extend(range(position, len(self.text)))
        starts, ends = self.starts.__getitem__, self.ends.__getitem__
        return Aligned("".join(pieces), list(map(starts, sources)), list(map(ends, sources)))
