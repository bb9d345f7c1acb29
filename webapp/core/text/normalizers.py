"""Normalizers, which change characters before pre-tokenization.

Each normalizer has two methods: `normalize` returns the text alone and is fast; `align` returns the same text with the
range of every character in the original.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Protocol

import regex

from webapp.core.text import unicode_tables
from webapp.core.text.alignment import AlignedText, Edit
from webapp.core.text.composition import Form, form_edits, is_normalized, normalized
from webapp.core.text.growth import MOST_NORMALIZED, check_growth
from webapp.core.text.pattern_matching import TimeBudget
from webapp.core.text.split_patterns import SplitPattern, limited


class Normalizer(Protocol):
    """Changes a text."""

    def normalize(self, text: str) -> str:
        """Return the changed text."""

    def align(self, aligned: AlignedText) -> AlignedText:
        """Return the changed text, aligned with the original."""


_MOST_OF_ONE = 18
"""How many characters one becomes in one of Unicode's forms at most: those of U+FDFA."""


class _UnicodeForm:
    """One of Unicode's four normalization forms (Unicode Standard Annex 15).

    A composed character gets the range of the first character it was composed from, and the characters of a
    decomposition get the range of the decomposed one, as in `tokenizers`.
    """

    form: ClassVar[Form]

    def normalize(self, text: str) -> str:
        """The text in this form; raises GrowthError for a long text that grows too much, such as one of U+FDFA."""
        found = normalized(self.form, text)
        check_growth(len(text), len(found))
        return found

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text in this form, aligned; raises GrowthError like `normalize`."""
        if is_normalized(self.form, aligned.text):
            return aligned
        if len(aligned.text) * _MOST_OF_ONE > MOST_NORMALIZED:
            self.normalize(aligned.text)
        return aligned.edited(form_edits(self.form, aligned.text))


@dataclass(frozen=True)
class NFC(_UnicodeForm):
    """Characters composed: `e` and an acute accent become `é`."""

    form = "NFC"


@dataclass(frozen=True)
class NFD(_UnicodeForm):
    """Characters decomposed: `é` becomes `e` and an acute accent."""

    form = "NFD"


@dataclass(frozen=True)
class NFKC(_UnicodeForm):
    """Composed, and compatibility characters replaced: `ﬁ` becomes `fi`."""

    form = "NFKC"


@dataclass(frozen=True)
class NFKD(_UnicodeForm):
    """Decomposed, and compatibility characters replaced."""

    form = "NFKD"


@dataclass(frozen=True)
class Lowercase:
    """Converts to lower case character by character, so without a special final sigma.

    >>> Lowercase().normalize("ΣΑΣ İ")
    'σασ i̇'
    """

    def normalize(self, text: str) -> str:
        """The text in lower case."""
        # Σ is the only letter whose lower case depends on its neighbors.
        lower = text.replace("Σ", "σ").lower()
        return lower if lower.isascii() else lower.translate(unicode_tables.CAPITALS)

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text in lower case, aligned."""
        lower = self.normalize(aligned.text)
        if len(lower) == len(aligned.text):
            return aligned.same_length(lower)
        return aligned.edited(_edits(_NOT_LOWER, aligned.text, lambda found: self.normalize(found)))


@dataclass(frozen=True)
class BertNormalizer:
    """BERT's clean-up (Devlin et al. 2019, `BasicTokenizer` of the published code).

    `clean_text` removes control characters and replaces white space with plain spaces; `handle_chinese_chars` puts
    spaces around Chinese characters; `strip_accents` (None: the value of `lowercase`) removes accents.

    >>> BertNormalizer(lowercase=True).normalize("Café\\t東京")
    'cafe  東  京 '
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def normalize(self, text: str) -> str:
        """The cleaned text."""
        if self.clean_text:
            text = _BERT_SPACE.sub(" ", _BERT_CONTROL.sub("", text))
        if self.handle_chinese_chars and not text.isascii():
            text = " ".join(_CHINESE.split(text))
        if self._strips and not text.isascii():
            text = _ACCENT.sub("", normalized("NFD", text))
        return Lowercase().normalize(text) if self.lowercase else text

    def align(self, aligned: AlignedText) -> AlignedText:
        """The cleaned text, aligned."""
        if self.clean_text:
            aligned = aligned.edited(_edits(_BERT_CONTROL, aligned.text, lambda found: ""))
            aligned = aligned.same_length(_BERT_SPACE.sub(" ", aligned.text))
        if self.handle_chinese_chars:
            aligned = aligned.edited(_edits(_CHINESE, aligned.text, lambda found: f" {found} "))
        if self._strips:
            aligned = NFD().align(aligned)
            aligned = aligned.edited(_edits(_ACCENT, aligned.text, lambda found: ""))
        return Lowercase().align(aligned) if self.lowercase else aligned

    def words(self, text: str) -> list[str]:
        """Return the unnormalized text between white space, and single Chinese characters.

        Each can be normalized separately, because the normalizer never looks across such a boundary.
        """
        # str.split() is fastest, but also splits at a few control characters.
        if self.clean_text and text.isascii() and not _SPLIT_BY_PYTHON_ONLY.search(text):
            return text.split()
        return self._word.findall(text)

    def word_spans(self, text: str) -> list[tuple[str, int, int]]:
        """Return `words` with their ranges."""
        return [(found[0], *found.span()) for found in self._word.finditer(text)]

    @property
    def _word(self) -> re.Pattern[str]:
        return _BETWEEN_SPACE_AND_CHINESE if self.handle_chinese_chars else _BETWEEN_SPACE

    @property
    def _strips(self) -> bool:
        return self.lowercase if self.strip_accents is None else self.strip_accents


@dataclass(frozen=True)
class Replace:
    """Replaces every match of a pattern (in the syntax of `regex`) with `content`.

    The new characters get the range of the last one they replace. Raises PatternTimeoutError for a pattern that times
    out.

    >>> Replace("''|``", '"').normalize("``yes''")
    '"yes"'
    """

    pattern: str
    content: str
    budget: TimeBudget | None = field(default=None, repr=False, compare=False)
    """The time that the pattern may take together with others of its pipeline; None: by itself."""

    def normalize(self, text: str) -> str:
        """The text with the matches replaced."""
        if self._is_character:
            if len(self.content) > 1:
                check_growth(len(text), len(text) + text.count(self.pattern) * (len(self.content) - 1))
            return text.replace(self.pattern, self.content)
        pieces: list[str] = []
        position = 0
        for start, end in self._found(text):
            pieces += (text[position:start], self.content)
            position = end
        pieces.append(text[position:])
        check_growth(len(text), sum(map(len, pieces)))
        return "".join(pieces)

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text with the matches replaced, aligned."""
        if self._is_character and len(self.content) == 1:
            return aligned.same_length(self.normalize(aligned.text))
        found = list(self._found(aligned.text))
        replaced = sum(end - start for start, end in found)
        check_growth(len(aligned.text), len(aligned.text) - replaced + len(found) * len(self.content))
        return aligned.edited((start, end, self.content, [end - 1] * len(self.content)) for start, end in found)

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the matches; no empty match directly after another or in an empty text, as in `tokenizers`."""
        last = -1
        for start, end in self._pattern.spans(text):
            if text and (start < end or start != last):
                yield start, end
            last = end

    @cached_property
    def _pattern(self) -> SplitPattern:
        return limited(self.pattern, self.budget)

    @cached_property
    def _is_character(self) -> bool:
        return len(self.pattern) == 1 and regex.escape(self.pattern, literal_spaces=True) == self.pattern


@dataclass(frozen=True)
class Prepend:
    """Prepends characters to a text that is not empty; they get the range of its first character.

    >>> Prepend("▁").normalize("Hello")
    '▁Hello'
    """

    prepend: str

    def normalize(self, text: str) -> str:
        """The text with the characters prepended."""
        check_growth(len(text), len(text) + len(self.prepend))
        return self.prepend + text if text else text

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text with the characters prepended, aligned."""
        if not aligned.text:
            return aligned
        return aligned.edited([(0, 0, self.prepend, [0] * len(self.prepend))])


@dataclass(frozen=True)
class NormalizerSequence:
    """Applies several normalizers in order.

    >>> NormalizerSequence((NFD(), Lowercase())).normalize("É") == "e\\u0301"
    True
    """

    normalizers: tuple[Normalizer, ...]

    def normalize(self, text: str) -> str:
        """The text after the last normalizer."""
        for normalizer in self.normalizers:
            text = normalizer.normalize(text)
        return text

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text after the last normalizer, aligned."""
        for normalizer in self.normalizers:
            aligned = normalizer.align(aligned)
        return aligned


def keeps_beginning(normalizer: Normalizer | None) -> bool:
    """Whether the first character of a normalized text always represents the first of the original."""
    if isinstance(normalizer, NormalizerSequence):
        return all(map(keeps_beginning, normalizer.normalizers))
    return normalizer is None or isinstance(normalizer, _UnicodeForm | Lowercase | Prepend)


def _edits(pattern: re.Pattern[str], text: str, change: Callable[[str], str]) -> Iterator[Edit]:
    """Yield edits that replace single characters; the replacement gets the character's range."""
    for found in pattern.finditer(text):
        replacement = change(found[0])
        yield found.start(), found.end(), replacement, [found.start()] * len(replacement)


_NOT_LOWER = re.compile(r"[^\x00-@\[-\x7f]")
_BERT_CONTROL = re.compile(f"[{unicode_tables.CONTROL}]")
_BERT_SPACE = re.compile(r"[\t\n\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BETWEEN_SPACE = re.compile(r"[^ \t\n\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]++")
_SPLIT_BY_PYTHON_ONLY = re.compile(r"[\x0b\x0c\x1c-\x1f]")
# The few Chinese characters above the Basic Multilingual Plane would slow this down; they stay in longer spans.
_BASIC_CHINESE = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BETWEEN_SPACE_AND_CHINESE = re.compile(
    rf"[{_BASIC_CHINESE}]|[^ \t\n\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000{_BASIC_CHINESE}]++"
)
_CHINESE = re.compile(f"([{unicode_tables.CHINESE}])")
_ACCENT = re.compile(f"[{unicode_tables.ACCENT}]")
