"""The patterns that split text for byte-level BPE, and equivalents of them that the standard `re` runs faster.

- Exploits: the originals need an engine that knows Unicode properties (`\\p{L}`), such as the package `regex`. The
  standard `re` does not know them, but is faster with the properties written as ranges of the Basic Multilingual Plane.
- Invariant: both forms give the same matches on text without letters, digits and marks above that plane, where ranges
  would make `re` slow. Where a text has any, `regex` splits only the span around them, from one safe boundary to the
  next.
- Proved by: the original pattern, run by `regex` over every code point and random text.
- Bought: 2.2 times (cl100k) to 2.8 times (GPT-2, o200k) on English.

`apply_behavior` has the split behaviors of Hugging Face's `tokenizers`: how matches and the gaps between them form
pre-tokens.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from time import thread_time
from typing import Literal

import regex

from webapp.core.text.pattern_matching import TimeBudget, compiled, exceeds, matched_spans
from webapp.core.text.unicode_tables import WHITE_SPACE, as_unicode_16, basic_ranges, is_basic

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""Radford et al. 2019; the pattern of GPT-2's `encoder.py`."""

R50K_BASE = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
"""GPT-2's pattern as `tiktoken` spells it, for `r50k_base`, `p50k_base` and `p50k_edit`. It splits identically."""

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of GPT-4's `cl100k_base`, as Hugging Face's files and Llama 3 spell it."""

CL100K_BASE = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""The same pattern in `tiktoken` since version 0.8. It differs only at the end of a text: there it keeps white space
together (`\\s++$`), where Hugging Face's splits after the last line end."""

QWEN = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
"""Qwen's pattern: each digit is a match of its own."""

_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"

O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of GPT-4o's `o200k_base`: words are split where a capital follows a small letter."""

TEKKEN = O200K.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace(r"\p{N}{1,3}", r"\p{N}")
"""The pattern of Mistral's `tekken.json`: contractions and digits are split."""

_NO_HAN = r"&&[^\p{Han}]]"

KIMI_K2 = r"(?V1)[\p{Han}]+|" + (
    O200K.replace(rf"[{_UPPER}]", rf"[{_UPPER}{_NO_HAN}").replace(rf"[{_LOWER}]", rf"[{_LOWER}{_NO_HAN}")
).replace(r"[\r\n/]*", r"[\r\n]*")
"""The pattern of Kimi K2's `tokenization_kimi.py`: that of `o200k_base`, with runs of Chinese characters apart. `(?V1)`
makes `&&` mean in `regex` what it means to the original's engine."""

MARKED_WORDS = "▁+(?=▁)|▁[^▁]*|[^▁]+"
"""Words, each with the `▁` before it; of a run of `▁`, all but the last form one match."""

_BREAKS = r"\t-\r\u0085\u2028\u2029"

MARKED_CLASSES = (
    rf"▁?\p{{N}}+|▁?(?:(?!▁)[\p{{P}}\p{{S}}])+|[{_BREAKS}]+"
    rf"|(?:[^\p{{N}}\p{{P}}\p{{S}}{_BREAKS}]|▁(?!\p{{N}}|(?!▁)[\p{{P}}\p{{S}}]))+"
)
"""Runs of digits, of punctuation and symbols, of line breaks and tabs, and of all other characters, mostly letters; the
first two include a `▁` before them. Unicode classifies `▁` as a symbol; the pattern does not."""

UNSPACED, _BETWEEN = r"\p{Han}\p{Hiragana}\p{Katakana}ー々〇", "、-〟！-／：-？“”‘’…—·"
_CLAUSES = f"[{_BETWEEN}]*+[{{unspaced}}][{{unspaced}}{_BETWEEN}]*+(?:\\n(?!\\n))?+"

MARKED_CLAUSES = f"▁?{_CLAUSES.format(unspaced=UNSPACED)}|{MARKED_CLASSES}"
"""The same, but words of Chinese and Japanese stay together with the punctuation between and a line break after."""

_MARK = r"[^\s\p{L}\p{M}\p{N}]"

SUPERWORDS = (
    rf" ?\p{{N}}{{1,3}}| ?{_MARK}{_MARK}++[\r\n/]*+"
    rf"|(?: ?[\p{{L}}\p{{M}}]++| ?(?!:){_MARK}(?!{_MARK}))++"
    r"| ?:|\s*[\r\n]++|\s+(?!\S)|\s"
)
"""Spans of several words for the second phase of SuperBPE (Liu et al. 2025): words and single punctuation marks, each
after at most one space. Line ends, numbers, several punctuation marks and colons end a span, as in the pattern of the
authors' scripts and their limits."""

KNOWN = (GPT2, R50K_BASE, CL100K, CL100K_BASE, QWEN, O200K, TEKKEN, MARKED_WORDS, MARKED_CLASSES, MARKED_CLAUSES)
"""The patterns with a fast form; their matches cover the whole text."""


@dataclass(frozen=True)
class SplitPattern:
    """A split pattern in the syntax of the `regex` library.

    Patterns in `KNOWN` run on the faster `re`; character properties follow Unicode 16.

    >>> SplitPattern(GPT2).findall("I'll go,  now")
    ['I', "'ll", ' go', ',', ' ', ' now']
    """

    source: str
    budget: TimeBudget = field(default_factory=TimeBudget, repr=False, compare=False)
    """The time that the pattern may take, perhaps together with others."""

    @property
    def covers(self) -> bool:
        """Whether the matches of the pattern are known to cover the whole text."""
        return self.source in KNOWN

    def findall(self, text: str) -> list[str]:
        """The matches, in order; raises PatternTimeoutError if an unknown pattern times out."""
        if self._fast is None:
            return [text[start:end] for start, end in self._exact_spans(text, 0, len(text))]
        if self.source == MARKED_WORDS or is_basic(text):
            return self._fast.findall(text)
        spans = [(0, len(text))] if self.source in (MARKED_CLASSES, MARKED_CLAUSES) else _astral_spans(text)
        matches: list[str] = []
        position = 0
        for start, end in spans:
            matches += self._fast.findall(text, position, start)
            matches += [text[left:right] for left, right in self._exact_spans(text, start, end)]
            position = end
        matches += self._fast.findall(text, position)
        return matches

    def spans(self, text: str) -> list[tuple[int, int]]:
        """`(start, end)` of each match; raises PatternTimeoutError as `findall` does."""
        if self.covers:
            ends = list(accumulate(map(len, self.findall(text))))
            return list(zip([0, *ends], ends, strict=False))
        return self._exact_spans(text, 0, len(text))

    def _exact_spans(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        span = as_unicode_16(text[start:end])
        if self.covers:
            return matched_spans(self._exact, span, start, lambda: None)
        left = self.budget.seconds(len(span))
        if not left or exceeds(self._exact, len(span)):
            raise PatternTimeoutError(self.source, len(span))
        began = thread_time()
        deadline = began + left
        try:
            return matched_spans(self._exact, span, start, lambda: max(deadline - thread_time(), 0.001))
        except (TimeoutError, MemoryError):
            raise PatternTimeoutError(self.source, len(span)) from None
        finally:
            self.budget.spend(thread_time() - began, len(span))

    @cached_property
    def _exact(self) -> regex.Pattern[str]:
        return compiled(self.source)

    @cached_property
    def _fast(self) -> re.Pattern[str] | None:
        return _fast_form(self.source) if self.covers else None


def limited(source: str, budget: TimeBudget | None) -> SplitPattern:
    """Return the pattern with a time budget that it shares, or one of its own."""
    return SplitPattern(source) if budget is None else SplitPattern(source, budget)


class TextError(ValueError):
    """A text that a vocabulary's pipeline cannot process."""


class PatternTimeoutError(TextError):
    """A split pattern that times out on a text, or needs too much memory for it."""

    def __init__(self, source: str, length: int) -> None:
        shown = source if len(source) <= 60 else source[:57] + "..."
        super().__init__(f"the split pattern {shown!r} times out on a text of {length} characters")
        self.source = source


# --- fast forms -------------------------------------------------------------------------------------------------------
# An optional first character becomes two alternatives, so that each begins with characters that the engine can test
# before it tries the rest. Alternatives with different beginnings may come in any order. Quantifiers are possessive
# where backtracking cannot lead to a match.

# White space up to the last line end of a run; up to the end of the text; and all but the last character of a run,
# because that one may begin a word.
_LINES = r"|[{blank}]*+[\r\n]++(?:[{blank}]*+[\r\n]++)*+"
_END = r"|[{space}]++\Z"
_SPACES = r"|[{space}]+(?=[{space}])|[{space}]"

_GPT2 = (
    r" [{letter}]++|[{letter}]++|'(?:[stmd]|re|ve|ll)|[^{space}{letter}{number}]++| [^{space}{letter}{number}]++"
    r"|[{number}]++| [{number}]++" + _END + _SPACES
)
# A word after a space is tried first because it is the most frequent match.
_CL100K = (
    r" [{letter}]++|[{letter}]++|'(?i:[stmd]|re|ve|ll)|[^\r\n{letter}{number}][{letter}]++|{digits}"
    r"|[^{space}{letter}{number}]++[\r\n]*+| [^{space}{letter}{number}]++[\r\n]*+"
)
# A word ends before a capital that follows a small letter. A word whose capitals include no caseless letter or mark is
# simple: capitals, then small letters. Otherwise the original pattern backtracks to the last caseless letter, so its
# own two alternatives are used, after a look-ahead.
_O200K = (
    r" [{small}][{lower}]*+(?!')"
    r"|[{small}][{lower}]*+{contraction}"
    r"|[{capital}]++(?:[{small}][{lower}]*+|(?![{caseless}])){contraction}"
    r"|{prefix}(?:[{small}][{lower}]*+|[{capital}]++(?:[{small}][{lower}]*+|(?![{caseless}]))){contraction}"
    r"|{digits}"
    r"|(?={prefix}?+[{capital}]*+[{caseless}])"
    r"(?:[^\r\n{letter}{number}]?[{upper}]*[{lower}]+|[^\r\n{letter}{number}]?[{upper}]+[{lower}]*){contraction}"
    r"|[^{space}{letter}{number}]++[\r\n/]*+| [^{space}{letter}{number}]++[\r\n/]*+"
)
_MARKED_CLASSES = (
    "(?:[^▁{number}{symbol}{breaks}]++|▁(?![{number}{symbol}]))++|▁?+[{number}]++|▁?+[{symbol}]++|[{breaks}]++"
)
_CONTRACTION = "(?:'(?i:[stmd]|re|ve|ll))?+"

_FAST_FORMS = {
    GPT2: (_GPT2, {}),
    R50K_BASE: (_GPT2, {}),
    CL100K: (_CL100K + _LINES + _END + _SPACES, {"digits": "[{number}]{{1,3}}+"}),
    CL100K_BASE: (_CL100K + _END + _LINES + _SPACES, {"digits": "[{number}]{{1,3}}+"}),
    QWEN: (_CL100K + _LINES + _END + _SPACES, {"digits": "[{number}]"}),
    O200K: (_O200K + _LINES + _END + _SPACES, {"digits": "[{number}]{{1,3}}+", "contraction": _CONTRACTION}),
    TEKKEN: (_O200K + _LINES + _END + _SPACES, {"digits": "[{number}]", "contraction": ""}),
    MARKED_WORDS: ("▁[^▁]++|▁+(?=▁)|▁|[^▁]++", {}),
    MARKED_CLASSES: (_MARKED_CLASSES, {}),
    MARKED_CLAUSES: (f"▁{_CLAUSES}|{_CLAUSES}|{_MARKED_CLASSES}", {}),
}


@cache
def _fast_form(source: str) -> re.Pattern[str]:
    """The pattern for `re` that splits like a known pattern any text without astral letters, digits and marks."""
    form, parts = _FAST_FORMS[source]
    letter, number, mark = basic_ranges(r"\p{L}"), basic_ranges(r"\p{N}"), basic_ranges(r"\p{M}")
    classes = {
        "space": WHITE_SPACE,
        "blank": WHITE_SPACE.replace(r"\t-\r", r"\t\x0b\x0c"),
        "letter": letter,
        "number": number,
        "small": basic_ranges(r"\p{Ll}"),
        "capital": basic_ranges(r"\p{Lu}\p{Lt}"),
        "caseless": basic_ranges(r"\p{Lm}\p{Lo}\p{M}"),
        "lower": basic_ranges(_LOWER),
        "upper": basic_ranges(_UPPER),
        "symbol": basic_ranges(r"\p{P}\p{S}--▁"),
        "breaks": _BREAKS,
        "unspaced": basic_ranges(UNSPACED),
        "prefix": rf"[^\r\n{letter}{number}{mark}]",
    }
    parts = {name: part.format(**classes) for name, part in parts.items()}
    return re.compile(form.format(**classes, **parts))


# --- above the Basic Multilingual Plane -------------------------------------------------------------------------------

# Letters, digits and marks: no other character of those planes is in a class of the patterns.
_ASTRAL = regex.compile(r"[\p{L}\p{N}\p{M}--[\u0000-\uffff]]", regex.VERSION1)
# A boundary that no match crosses, whatever precedes it: a space after a character that is not white space.
_SAFE_CUT = re.compile(rf"(?<=[^{WHITE_SPACE}]) ")


def _astral_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans with astral letters, digits or marks, from one safe boundary to the next."""
    position = 0
    while found := _ASTRAL.search(text, position):
        start = _safe_cut_before(text, found.start(), position)
        cut = _SAFE_CUT.search(text, found.start())
        end = len(text) if cut is None else cut.start()
        yield start, end
        position = end


def _safe_cut_before(text: str, at: int, earliest: int) -> int:
    # Word by word to the left: a space is a safe boundary if the character before it is not white space.
    while (space := text.rfind(" ", earliest, at)) > earliest:
        if not _is_white_space(text[space - 1]):
            return space
        at = space
    return earliest


def _is_white_space(character: str) -> bool:
    return character.isspace() and character not in "\x1c\x1d\x1e\x1f"


Behavior = Literal["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]


def matches_and_gaps(pattern: SplitPattern, text: str) -> list[tuple[int, int, bool]]:
    """Return `(start, end, matched)` for the matches and the gaps between them, which together cover the text."""
    pieces = []
    position = 0
    for start, end in pattern.spans(text):
        if position < start:
            pieces.append((position, start, False))
        if start < end:
            pieces.append((start, end, True))
        position = end
    if position < len(text):
        pieces.append((position, len(text), False))
    return pieces


def apply_behavior(pieces: list[tuple[int, int, bool]], behavior: Behavior) -> list[tuple[int, int]]:
    """Return the ranges of the pre-tokens that a behavior forms from matches and gaps.

    >>> apply_behavior([(0, 1, False), (1, 2, True), (2, 3, True), (3, 4, False)], "merged_with_next")
    [(0, 1), (1, 2), (2, 4)]
    """
    if behavior == "isolated":
        return [(start, end) for start, end, _ in pieces]
    if behavior == "removed":
        return [(start, end) for start, end, matched in pieces if not matched]
    ranges: list[tuple[int, int]] = []
    before: bool | None = None
    for start, end, matched in pieces:
        joins = {
            "merged_with_previous": matched and before is False,
            "merged_with_next": not matched and before is True,
            "contiguous": matched == before,
        }[behavior]
        if joins:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
        before = matched
    return ranges
