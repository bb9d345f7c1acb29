"""The patterns that cut text for byte-level BPE, and equivalents of them that the standard `re` runs faster.

The originals are written for engines that know Unicode properties (`\\p{L}`); the package `regex` is one. The
standard `re` is not, but two to three times as fast, so each known pattern has a second form in which the
properties are spelt out as ranges of the Basic Multilingual Plane. Ranges above it would make `re` slow:
where a text holds letters or digits there, `regex` cuts just the stretch around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate

import regex

# Unicode's White_Space, which Python's own \s exceeds by U+001C to U+001F.
WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""Radford et al. 2019; the pattern of GPT-2's `encoder.py`."""

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of GPT-4's `cl100k_base`, as Hugging Face's files spell it."""

MARKED_WORDS = "▁+(?=▁)|▁[^▁]*|[^▁]+"
"""Words with the `▁` before them; of a run of `▁` all but the last are one match."""


@cache
def basic_ranges(properties: str) -> str:
    """The inside of a character class that holds the characters of the Basic Multilingual Plane with a property.

    `properties` is the inside of a class of `regex`, which is asked so that both engines agree on Unicode's version.

    >>> print(basic_ranges(r"\\p{Nd}")[:26])
    \\u0030-\\u0039\\u0660-\\u0669
    """
    plane = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000))))
    runs = (run[0] for run in regex.finditer(f"[{properties}]+", plane))
    # A run may step over the surrogates, which no well-formed text holds.
    return "".join(rf"\u{ord(run[0]):04x}-\u{ord(run[-1]):04x}" for run in runs)


@cache
def _fast_forms() -> dict[str, str]:
    space = WHITE_SPACE
    letter, number = basic_ranges(r"\p{L}"), basic_ranges(r"\p{N}")
    other = f"[^{space}{letter}{number}]"
    letter_run, number_run, other_run = f"[{letter}]++", f"[{number}]++", f"{other}++"
    # An optional space in front becomes two alternatives, so that each begins with a character the engine can
    # test. The order is free where alternatives begin differently: only a contraction, which begins as a run
    # of other characters does, has to stay before that.
    gpt2 = (
        f"{letter_run}| {letter_run}|'(?:[stmd]|re|ve|ll)|{other_run}| {other_run}|{number_run}| {number_run}"
        f"|[{space}]+(?![^{space}])|[{space}]+"
    )
    prefix = rf"[^\r\n{letter}{number}]"
    cl100k = (
        f"{letter_run}|(?i:'(?:[stmd]|re|ve|ll))|{prefix}{letter_run}|[{number}]{{1,3}}+"
        rf"|{other_run}[\r\n]*+| {other_run}[\r\n]*+"
        rf"|[{space}]*[\r\n]+|[{space}]+(?![^{space}])|[{space}]+"
    )
    return {GPT2: gpt2, CL100K: cl100k, MARKED_WORDS: "▁[^▁]++|▁+(?=▁)|▁|[^▁]++"}


@dataclass(frozen=True)
class SplitPattern:
    """A pattern of `regex`, run by `re` where it is a known one.

    >>> SplitPattern(GPT2).findall("I'll go,  now")
    ['I', "'ll", ' go', ',', ' ', ' now']
    """

    source: str

    @property
    def covers(self) -> bool:
        """Whether the matches of the pattern are known to leave nothing of a text out."""
        return self.source in (GPT2, CL100K, MARKED_WORDS)

    def findall(self, text: str) -> list[str]:
        """The matches, in order."""
        if self._fast is None:
            return [match[0] for match in self._exact.finditer(text)]
        if text.isascii() or not (stretches := _astral_stretches(text)):
            return self._fast.findall(text)
        matches: list[str] = []
        position = 0
        for start, end in stretches:
            matches += self._fast.findall(text, position, start)
            matches += self._exact.findall(text, start, end)
            position = end
        matches += self._fast.findall(text, position)
        return matches

    def spans(self, text: str) -> list[tuple[int, int]]:
        """`(start, end)` of each match."""
        if self.covers:
            ends = list(accumulate(map(len, self.findall(text))))
            return list(zip([0, *ends], ends, strict=False))
        return [match.span() for match in self._exact.finditer(text)]

    @cached_property
    def _exact(self) -> regex.Pattern[str]:
        return regex.compile(self.source)

    @cached_property
    def _fast(self) -> re.Pattern[str] | None:
        return _compiled_fast(self.source)


@cache
def _compiled_fast(source: str) -> re.Pattern[str] | None:
    form = _fast_forms().get(source)
    return None if form is None else re.compile(form)


# Letters and digits above the Basic Multilingual Plane: whatever else stands there is in no class of the patterns.
_ASTRAL = regex.compile(r"[\p{L}\p{N}--[\u0000-\uffff]]", regex.VERSION1)
# A place no match can cross, whatever stands on its left: a space after something that is not white space.
_SAFE_CUT = re.compile(rf"(?<=[^{WHITE_SPACE}]) ")


def _astral_stretches(text: str) -> list[tuple[int, int]]:
    """The stretches that hold astral letters or digits, from one safe cut to the next."""
    # Two bytes a character means that there is nothing above the Basic Multilingual Plane.
    if len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text):
        return []
    return list(_stretches(text))


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while found := _ASTRAL.search(text, position):
        start = _safe_cut_before(text, found.start(), position)
        cut = _SAFE_CUT.search(text, found.start())
        end = len(text) if cut is None else cut.start()
        yield start, end
        position = end


def _safe_cut_before(text: str, at: int, earliest: int) -> int:
    # Word by word to the left: `rfind` finds a space, and the place is safe when no white space stands before it.
    while (space := text.rfind(" ", earliest, at)) > earliest:
        if not _is_white_space(text[space - 1]):
            return space
        at = space
    return earliest


def _is_white_space(character: str) -> bool:
    return character.isspace() and character not in "\x1c\x1d\x1e\x1f"
