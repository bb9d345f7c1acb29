"""Splits a long text into parts with a limited number of tokens, for a context window or a passage index."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args

import regex

from webapp.core.tokenizer import Tokenizer

Boundary = Literal["sentence", "line", "token"]
BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)


@dataclass(frozen=True, slots=True)
class ChunkPart:
    """The characters from `start` to `end` (exclusive), and the number of `tokens` when they are encoded alone."""

    start: int
    end: int
    tokens: int


class PartTooSmallError(ValueError):
    """A single character has more `tokens` than a part may have."""

    def __init__(self, character: str, tokens: int) -> None:
        super().__init__(f"the character {character!r} alone has {tokens} tokens")
        self.character = character
        self.tokens = tokens


def split(
    text: str,
    tokenizer: Tokenizer,
    *,
    most: int,
    overlap: int = 0,
    boundary: Boundary = "sentence",
    special: bool = False,
    template: bool = False,
) -> Iterator[ChunkPart]:
    """Yield parts of at most `most` tokens; each begins where the one before ends, or up to `overlap` tokens earlier.

    A part ends with the last sentence or line that fits, whichever is `boundary`; if there is none, with the last of
    the other kind, so that a log without sentences is split at its lines. A sentence that ends its line is preferred to
    a later one in the middle of a line, if it leaves less than a quarter of the part empty: the messages of a log may
    have several sentences. Without either, and for the boundary
    `token`, a part ends with the last token that fits. The tokens of a part are those of the part encoded alone, with
    `special` and `template` as for `Tokenizer.encode`, because the tokens next to a split may differ from those of the
    whole text. An overlap also begins with a sentence or line if one begins within it, and is at most half a part.

    >>> from webapp.core import recipes
    >>> from webapp.core.models.wordpiece import WordPiece
    >>> words = recipes.WORDPIECE.tokenizer(WordPiece(["[UNK]", "It", "rains", ".", "Take", "an", "umbrella", "!"]))
    >>> text = "It rains. Take an umbrella! It rains."
    >>> [(text[part.start:part.end], part.tokens) for part in split(text, words, most=5)]
    [('It rains. ', 3), ('Take an umbrella! ', 4), ('It rains.', 3)]
    >>> [text[part.start:part.end] for part in split(text, words, most=4, overlap=2, boundary="token")]
    ['It rains. Take', '. Take an umbrella', 'an umbrella! It', '! It rains.']

    This takes about as long as encoding the text two or three times, for any text.

    Raises ValueError if `most` is less than 1 or `overlap` is not between 0 and half of `most`, and PartTooSmallError
    if one character has more than `most` tokens.
    """
    if most < 1:
        raise ValueError("a part must have room for one token")
    if not 0 <= overlap <= most // 2:
        raise ValueError("an overlap is at most half a part")
    return _Splitter(text, tokenizer, most, overlap, boundary, special, template).parts()


# The end of a sentence: after . ! ? … and closing quotes or brackets, if white space and then no small letter follows;
# after the full-width equivalents, which need no space; and at an empty line. "Mr. Smith" is split in two:
# abbreviations depend on the language. Possessive quantifiers and look-behinds keep the time linear.
_CLOSING = r"""["'”’»›)\]}」』）】》〉］｝]*+"""
_SENTENCE = regex.compile(
    rf"(?<![.!?…])[.!?…]++{_CLOSING}\s++(?!\p{{Ll}})|(?<![。！？｡])[。！？｡]++{_CLOSING}\s*+|\n[^\S\n]*+\n\s*+"
)
_SPACES = 4
_LINE = regex.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")


# What a part ends with, in order of preference; after these, any token.
_PREFERRED: dict[Boundary, tuple[Boundary, ...]] = {
    "sentence": ("sentence", "line"),
    "line": ("line", "sentence"),
    "token": (),
}


def boundaries_of(text: str, boundary: Boundary) -> list[int]:
    """The offsets where sentences or lines end, ascending; empty for `token`.

    >>> boundaries_of("One. Two! (Three?) Four, e.g. five", "sentence"), boundaries_of("一。二！”三", "sentence")
    ([5, 10, 19], [2, 5])
    >>> boundaries_of("one\\r\\ntwo\\nthree", "line")
    [5, 9]
    """
    if boundary == "token":
        return []
    pattern = _SENTENCE if boundary == "sentence" else _LINE
    return [match.end() for match in pattern.finditer(text)]


@dataclass
class _Splitter:
    """Splits one text."""

    text: str
    tokenizer: Tokenizer
    most: int
    overlap: int
    boundary: Boundary
    special: bool
    template: bool

    def __post_init__(self) -> None:
        whole = self.tokenizer.encode(self.text, special=self.special)
        # Characters that a normalizer reordered count in the order of the text.
        self._ends: Sequence[int] = list(accumulate(whole.ends, max))
        self._starts: Sequence[int] = list(accumulate(reversed(whole.starts), min, initial=len(self.text)))[:0:-1]
        self._boundaries = [boundaries_of(self.text, kind) for kind in _PREFERRED[self.boundary]]
        self._both = (
            sorted(set(self._boundaries[0]).intersection(self._boundaries[1])) if self.boundary == "sentence" else []
        )
        self._tried = self.most  # how many tokens of the whole text the last part has

    def parts(self) -> Iterator[ChunkPart]:
        """All parts, in order."""
        start = end = 0
        while end < len(self.text):
            part = self._part(start, end)
            if part.end <= end:  # the overlap leaves no room for new text
                part = self._part(end, end)
            yield part
            end = part.end
            start = self._overlap_start(part)

    def _part(self, start: int, overlap_end: int) -> ChunkPart:
        """The part from `start`; it ends after `overlap_end` unless no more text fits."""
        first = bisect_right(self._ends, start)
        room = min(self.most, 2 * self._tried)  # tokens of the whole text; starts near the last number that fit
        while room > 0:
            limit = self._ends[first + room - 1] if first + room < len(self._ends) else len(self.text)
            end = self._boundary_within(max(start, overlap_end), limit)
            tokens = self._count(start, end)
            if tokens <= self.most:
                self._tried = room
                return ChunkPart(start, end, tokens)
            room = _fewer(room, tokens, self.most)
            if end < limit:
                room = min(room, bisect_left(self._ends, end) - first)
        self._tried = 1
        return self._part_of_token(start, first)

    def _boundary_within(self, start: int, limit: int) -> int:
        """The last boundary after `start` and not after `limit`, of the first kind that has one; else `limit`.

        A few spaces between the limit and a boundary belong to the sentence or line that they end.
        """
        if limit == len(self.text):
            return limit
        at = bisect_right(self._both, limit)
        if at > 0 and self._both[at - 1] > max(start, limit - (limit - start) // 4):
            return self._both[at - 1]
        for boundaries in self._boundaries:
            at = bisect_right(boundaries, limit)
            following = boundaries[at] if at < len(boundaries) else limit
            if limit < following <= limit + _SPACES and self.text[limit:following].isspace():
                return following
            if at > 0 and boundaries[at - 1] > start:
                return boundaries[at - 1]
        return limit

    def _part_of_token(self, start: int, first: int) -> ChunkPart:
        """A part with only the beginning of the token `first`, halved until it fits."""
        length = (self._ends[first] if first < len(self._ends) else len(self.text)) - start
        while True:
            tokens = self._count(start, start + length)
            if tokens <= self.most:
                return ChunkPart(start, start + length, tokens)
            if length <= 1:
                raise PartTooSmallError(self.text[start], tokens)
            length //= 2

    def _overlap_start(self, part: ChunkPart) -> int:
        """The start of the part after `part`: at most `overlap` tokens before its end."""
        wanted = self.overlap
        last = bisect_left(self._starts, part.end)
        while wanted > 0:
            start = max(self._starts[max(last - wanted, 0)], part.start + 1) if last else part.end
            start = self._beginning_within(start, part.end)
            if start >= part.end:
                break
            tokens = self._count(start, part.end)
            if tokens <= self.overlap:
                return start
            wanted = _fewer(wanted, tokens, self.overlap)
        return part.end

    def _beginning_within(self, start: int, end: int) -> int:
        """The first boundary from `start` on and before `end`, of the first kind that has one; else `start`."""
        for boundaries in self._boundaries:
            at = bisect_left(boundaries, start)
            if at < len(boundaries) and boundaries[at] < end:
                return boundaries[at]
        return start

    def _count(self, start: int, end: int) -> int:
        return len(self.tokenizer.ids(self.text[start:end], special=self.special, template=self.template))


def _fewer(tried: int, tokens: int, most: int) -> int:
    """How many tokens of the whole text to try next, after `tried` of them had `tokens` alone, more than `most`.

    First subtract the excess; from half of `most` on, halve the number each time.
    """
    return min(tried - (tokens - most), tried - 1) if tried > most // 2 else tried // 2
