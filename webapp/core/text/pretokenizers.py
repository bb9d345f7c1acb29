"""Pre-tokenizers, which split a text before the model sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Protocol, get_args, runtime_checkable

import regex

from webapp.core.text.alignment import AlignedText
from webapp.core.text.normalizers import Prepend
from webapp.core.text.pattern_matching import TimeBudget
from webapp.core.text.split_patterns import GPT2, Behavior, SplitPattern, apply_behavior, limited, matches_and_gaps
from webapp.core.text.unicode_tables import PUNCTUATION, WHITE_SPACE, runs, texts_of_runs

Span = tuple[str, int, int]


class PreTokenizer(Protocol):
    """Splits a normalized text into pre-tokens."""

    def split(self, text: str) -> list[str]:
        """Return the pre-tokens; this is the fast method."""

    def spans(self, text: str) -> list[Span]:
        """Return `(pre-token, start, end)` for each pre-token, in characters of the text.

        If a pre-token is longer than its range, the extra characters at its beginning were inserted.
        """


@runtime_checkable
class Cutting(Protocol):
    """A pre-tokenizer whose pre-tokens may differ from the text that they cover."""

    def cut(self, aligned: AlignedText) -> list[AlignedText]:
        """Return the pre-tokens, aligned."""


@dataclass(frozen=True)
class ByteLevel:
    """GPT-2's pre-tokenizer. The pre-tokens stay text; the model turns them into bytes.

    With `add_prefix_space` a space is prepended to a text that does not begin with one. Without `use_regex` the text is
    one pre-token.

    >>> ByteLevel().split("Hello, it's me")
    ['Hello', ',', ' it', "'s", ' me']
    """

    pattern: SplitPattern = field(default=SplitPattern(GPT2), init=False)
    add_prefix_space: bool = False
    use_regex: bool = True

    def split(self, text: str) -> list[str]:
        """The matches of GPT-2's pattern, which cover the whole text."""
        if self.add_prefix_space and text and not text.startswith(" "):
            text = " " + text
        if not self.use_regex:
            return [text] if text else []
        return self.pattern.findall(text)

    def spans(self, text: str) -> list[Span]:
        """The matches with their ranges; a prepended space has no range of its own."""
        return _without_prepended(_consecutive(self.split(text)), text)

    def cut(self, aligned: AlignedText) -> list[AlignedText]:
        """The matches, aligned."""
        if self.add_prefix_space and not aligned.text.startswith(" "):
            aligned = Prepend(" ").align(aligned)
        ends = accumulate(map(len, self.split(aligned.text)))
        return [aligned.part(start, end) for start, end in pairwise(chain((0,), ends))]


@dataclass(frozen=True)
class Split:
    """Splits at the matches of a pattern (in the syntax of `regex`).

    By `behavior`, a match is a pre-token of its own (`isolated`), is dropped (`removed`), joins the pre-token before or
    after it, or forms one pre-token with adjacent matches (`contiguous`). `invert` swaps the matches and the gaps
    between them.

    >>> Split(r"-", "isolated").split("well-to-do")
    ['well', '-', 'to', '-', 'do']
    >>> Split(r"-", "merged_with_previous").split("well-to-do")
    ['well-', 'to-', 'do']
    """

    pattern: str
    behavior: Behavior = "isolated"
    invert: bool = False
    budget: TimeBudget | None = field(default=None, repr=False, compare=False)
    """The time that the pattern may take together with others of its pipeline; None: by itself."""

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown behavior, `regex.error` for an invalid pattern."""
        if self.behavior not in get_args(Behavior):
            raise ValueError(f"the behavior must be one of {', '.join(get_args(Behavior))}, not {self.behavior!r}")
        regex.compile(self.pattern)

    def split(self, text: str) -> list[str]:
        """The pre-tokens."""
        if self._covering:
            return self._pattern.findall(text)
        return [text[start:end] for start, end in self._ranges(text)]

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens with their ranges."""
        if self._covering:
            return _consecutive(self.split(text))
        return [(text[start:end], start, end) for start, end in self._ranges(text)]

    @cached_property
    def _pattern(self) -> SplitPattern:
        return limited(self.pattern, self.budget)

    @cached_property
    def _covering(self) -> bool:
        keeps_matches = (self.behavior == "isolated") or (self.behavior == "removed" and self.invert)
        return keeps_matches and self._pattern.covers

    def _ranges(self, text: str) -> list[tuple[int, int]]:
        pieces = [(start, end, matched != self.invert) for start, end, matched in matches_and_gaps(self._pattern, text)]
        return apply_behavior(pieces, self.behavior)


class Runs:
    """Base class of the pre-tokenizers that return the matches of a pattern and drop the gaps between them."""

    def _compiled(self, text: str) -> re.Pattern[str] | regex.Pattern[str]:
        raise NotImplementedError

    def split(self, text: str) -> list[str]:
        """The pre-tokens."""
        return self._compiled(text).findall(text)

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens with their ranges."""
        return [(found[0], *found.span()) for found in self._compiled(text).finditer(text)]


@dataclass(frozen=True)
class Whitespace:
    r"""Splits into runs of word characters and runs of all other characters except white space: `\w+|[^\w\s]+`.

    >>> Whitespace().split("Let's go ... 東京へ")
    ['Let', "'", 's', 'go', '...', '東京へ']
    """

    def split(self, text: str) -> list[str]:
        """The runs."""
        return texts_of_runs(text)

    def spans(self, text: str) -> list[Span]:
        """The runs with their ranges."""
        return [(text[start:end], start, end) for start, end in runs(text)]


@dataclass(frozen=True)
class WhitespaceSplit(Runs):
    """Splits at white space.

    >>> WhitespaceSplit().split("Let's go ...")
    ["Let's", 'go', '...']
    """

    def _compiled(self, text: str) -> re.Pattern[str]:
        return _BETWEEN_WHITE_SPACE


@dataclass(frozen=True)
class BertPreTokenizer(Runs):
    """Splits at white space, and isolates each punctuation character.

    >>> BertPreTokenizer().split("Let's go...")
    ['Let', "'", 's', 'go', '.', '.', '.']
    """

    def _compiled(self, text: str) -> re.Pattern[str]:
        return _BERT


@dataclass(frozen=True)
class Punctuation:
    """Splits at punctuation characters: those of ASCII, and Unicode's category P.

    >>> Punctuation().split("Hey... you")
    ['Hey', '.', '.', '.', ' you']
    """

    behavior: Behavior = "isolated"

    def split(self, text: str) -> list[str]:
        """The pre-tokens."""
        return [pretoken for pretoken, _, _ in self.spans(text)]

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens with their ranges."""
        pieces = list(matches_and_gaps(SplitPattern(f"[{PUNCTUATION}]"), text))
        return [(text[start:end], start, end) for start, end in apply_behavior(pieces, self.behavior)]


@dataclass(frozen=True)
class Metaspace:
    """Replaces spaces with `▁`, each of which begins a pre-token; with `prepend` the text gets one at its beginning.

    Nothing is prepended to a text that begins with a space, as in `tokenizers`, or with `only_first` to any span but
    the first of the whole text. Without `splits` the text is one pre-token.

    >>> Metaspace().split("Hey my  friend")
    ['▁Hey', '▁my', '▁', '▁friend']
    """

    replacement: str = "▁"
    prepend: bool = True
    only_first: bool = False
    splits: bool = True

    @property
    def for_later_spans(self) -> Metaspace:
        """The pre-tokenizer for spans after the first of a text."""
        return replace(self, prepend=False, only_first=False) if self.only_first else self

    def split(self, text: str) -> list[str]:
        """The pre-tokens."""
        marked = self._marked(text)
        if not self.splits:
            return [marked] if marked else []
        return self._pattern.findall(marked)

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens with their ranges; a prepended `▁` has no range of its own."""
        return _without_prepended(_consecutive(self.split(text)), text)

    def cut(self, aligned: AlignedText) -> list[AlignedText]:
        """The pre-tokens, aligned."""
        if self.only_first and aligned.text and aligned.starts[0]:
            return self.for_later_spans.cut(aligned)
        marked = self._marked(aligned.text)
        if len(marked) > len(aligned.text):
            aligned = Prepend(self.replacement).align(aligned)
        aligned = aligned.same_length(marked)
        ends = accumulate(map(len, self.split(marked)))
        return [aligned.part(start, end) for start, end in pairwise(chain((0,), ends))]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        mark = re.escape(self.replacement)
        return re.compile(f"{mark}[^{mark}]*+|[^{mark}]++")

    def _marked(self, text: str) -> str:
        marked = text.replace(" ", self.replacement)
        if self.prepend and marked and not marked.startswith(self.replacement):
            return self.replacement + marked
        return marked


@dataclass(frozen=True)
class PreTokenizerSequence:
    """Applies several pre-tokenizers in order, each to the pre-tokens of the one before.

    >>> PreTokenizerSequence((WhitespaceSplit(), Punctuation())).split("Let's go!")
    ['Let', "'", 's', 'go', '!']
    """

    pretokenizers: tuple[PreTokenizer, ...]

    @property
    def first(self) -> PreTokenizer:
        """The first pre-tokenizer, which splits the whole text."""
        return self.pretokenizers[0]

    @property
    def rest(self) -> PreTokenizerSequence:
        """All others, which see only pre-tokens of the first one, so that their results can be cached for each."""
        return PreTokenizerSequence(self.pretokenizers[1:])

    @property
    def for_later_spans(self) -> PreTokenizerSequence:
        """The pre-tokenizer for spans after the first of a text."""
        return PreTokenizerSequence(tuple(map(for_later_spans, self.pretokenizers)))

    def split(self, text: str) -> list[str]:
        """The pre-tokens of the last pre-tokenizer."""
        pretokens = [text]
        for pretokenizer in self.pretokenizers:
            pretokens = [piece for pretoken in pretokens for piece in pretokenizer.split(pretoken)]
        return pretokens

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens of the last pre-tokenizer, with their ranges."""
        spans: list[Span] = [(text, 0, len(text))] if text else []
        for pretokenizer in self.pretokenizers:
            spans = [inner for outer in spans for inner in _within(outer, pretokenizer)]
        return spans

    def cut(self, aligned: AlignedText) -> list[AlignedText]:
        """The pre-tokens of the last pre-tokenizer, aligned."""
        pieces = [aligned] if aligned.text else []
        for pretokenizer in self.pretokenizers:
            pieces = [inner for outer in pieces for inner in cut(pretokenizer, outer)]
        return pieces


def cut(pretokenizer: PreTokenizer, aligned: AlignedText) -> list[AlignedText]:
    """Return the pre-tokens of any pre-tokenizer, aligned."""
    if isinstance(pretokenizer, Cutting):
        return pretokenizer.cut(aligned)
    return [aligned.part(start, end) for _, start, end in pretokenizer.spans(aligned.text)]


def steps_of(pretokenizer: PreTokenizer | None) -> list[PreTokenizer]:
    """Return the steps of a pre-tokenizer in order, with sequences flattened."""
    if isinstance(pretokenizer, PreTokenizerSequence):
        return [step for inner in pretokenizer.pretokenizers for step in steps_of(inner)]
    return [] if pretokenizer is None else [pretokenizer]


def for_later_spans(pretokenizer: PreTokenizer) -> PreTokenizer:
    """Return the pre-tokenizer for spans after the first of a text."""
    return pretokenizer.for_later_spans if isinstance(pretokenizer, Metaspace | PreTokenizerSequence) else pretokenizer


def needs_places(pretokenizer: PreTokenizer | None) -> bool:
    """Whether a pre-tokenizer depends on positions in the text that only the alignment has."""
    return isinstance(pretokenizer, PreTokenizerSequence) and any(
        needs_places(inner) or (at > 0 and for_later_spans(inner) != inner)
        for at, inner in enumerate(pretokenizer.pretokenizers)
    )


def changes_text(pretokenizer: PreTokenizer | None) -> bool:
    """Whether pre-tokens may differ from the text that they cover in more than inserted characters at the beginning."""
    if isinstance(pretokenizer, PreTokenizerSequence):
        return any(map(changes_text, pretokenizer.pretokenizers))
    return isinstance(pretokenizer, Cutting) and not isinstance(pretokenizer, Metaspace | ByteLevel)


def _within(outer: Span, pretokenizer: PreTokenizer) -> list[Span]:
    """The spans inside a pre-token, in characters of the text."""
    pretoken, start, end = outer
    shift = end - len(pretoken)  # less than start if the pre-token begins with inserted characters
    return [
        (piece, max(start, left + shift), max(start, right + shift))
        for piece, left, right in pretokenizer.spans(pretoken)
    ]


def _consecutive(pretokens: list[str]) -> list[Span]:
    ends = list(accumulate(map(len, pretokens)))
    return list(zip(pretokens, [0, *ends], ends, strict=False))


def _without_prepended(spans: list[Span], text: str) -> list[Span]:
    """The ranges in a text of spans that may have one character before it."""
    if not spans or spans[-1][2] <= len(text):
        return spans
    return [(pretoken, max(start - 1, 0), end - 1) for pretoken, start, end in spans]


_BETWEEN_WHITE_SPACE = re.compile(f"[^{WHITE_SPACE}]++")
_BERT = re.compile(f"[{PUNCTUATION}]|[^{WHITE_SPACE}{PUNCTUATION}]++")
