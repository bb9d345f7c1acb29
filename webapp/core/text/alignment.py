"""Normalized texts with the range of the original for each of their characters, and how far two texts agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Edit = tuple[int, int, str, Sequence[int]]
Change = tuple[str, int]


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A text, and for each of its characters the range of the original that it represents.

    `starts` and `ends` are as long as `text`; both are in characters of the original. A normalizer changes a text with
    `edited`, which gives each new character the range of an old one:

    >>> aligned = AlignedText.of("a\\x00b").edited([(1, 2, "", ())])
    >>> aligned.text, list(aligned.starts), list(aligned.ends)
    ('ab', [0, 2], [1, 3])
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    origin: int = 0
    """Where in the original this text begins: the position of characters inserted before all others."""

    @classmethod
    def of(cls, text: str) -> AlignedText:
        """Return a text in which each character represents itself."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    @property
    def identity(self) -> bool:
        """Whether every character represents itself."""
        return isinstance(self.starts, range)

    def same_length(self, text: str) -> AlignedText:
        """Return a text of the same length with the ranges of this one."""
        return AlignedText(text, self.starts, self.ends, self.origin)

    def part(self, start: int, end: int) -> AlignedText:
        """Return the text from one index to another."""
        starts = self.starts[start:end]
        return AlignedText(self.text[start:end], starts, self.ends[start:end], starts[0] if starts else self.origin)

    def transformed(self, changes: Iterable[Change], removed: int = 0) -> AlignedText:
        """Return the text after changes character by character, as in `tokenizers`, without the first `removed` ones.

        A change is a new character with a number: 0 if it replaces an old character, -n if it also replaces the n
        characters after that one, and 1 if it is inserted with the range of the old character before it.

        >>> aligned = AlignedText.of("ab").transformed([("A", 0), ("!", 1), ("B", 0)])
        >>> aligned.text, list(aligned.starts), list(aligned.ends)
        ('A!B', [0, 0, 1], [1, 1, 2])
        """
        characters: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = removed
        for character, change in changes:
            characters.append(character)
            source = at - 1 if change > 0 else at
            starts.append(self.starts[source] if source >= 0 else self.origin)
            ends.append(self.ends[source] if source >= 0 else self.origin)
            if change <= 0:
                at += 1 - change
        return AlignedText("".join(characters), starts, ends, self.origin)

    def edited(self, edits: Iterable[Edit]) -> AlignedText:
        """Return the text with spans replaced; each edit is `(start, end, replacement, sources)`.

        Edits are in order and do not overlap. `sources` holds for each character of the replacement the index (in this
        text) of the character whose range it gets, or -1 for one without a range.
        """
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        position = 0
        for start, end, replacement, sources in edits:
            pieces += (self.text[position:start], replacement)
            starts += self.starts[position:start]
            ends += self.ends[position:start]
            count = len(sources)
            if count > 1 and sources.count(sources[0]) == count:
                # One number in many places takes a fifth of the memory of as many numbers.
                source = sources[0]
                starts += [self.starts[source] if source >= 0 else self.origin] * count
                ends += [self.ends[source] if source >= 0 else self.origin] * count
            else:
                starts += [self.starts[source] if source >= 0 else self.origin for source in sources]
                ends += [self.ends[source] if source >= 0 else self.origin for source in sources]
            position = end
        if not pieces:
            return self
        pieces.append(self.text[position:])
        starts += self.starts[position:]
        ends += self.ends[position:]
        return AlignedText("".join(pieces), starts, ends, self.origin)


def equal_beginning(one: str, other: str) -> int:
    """The number of characters with which both texts begin; of different texts, the offset of the first difference.

    >>> equal_beginning("abcd", "abxd"), equal_beginning("ab", "abc"), equal_beginning("", "a")
    (2, 2, 0)
    """
    low, high = 0, min(len(one), len(other))
    while low < high:  # by halving: comparing slices is fast
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
