"""BERT's clean-up as llama.cpp does it, character by character (`llm_tokenizer_wpm_session::preprocess`)."""

from dataclasses import dataclass
from functools import cached_property

import regex

from webapp.core.text.alignment import AlignedText
from webapp.core.text.composition import normalized
from webapp.core.text.unicode_tables import CHINESE, WHITE_SPACE


@dataclass(frozen=True)
class WordNormalizer:
    """Replaces white space, removes control characters, puts spaces around punctuation and Chinese characters.

    `strip_accents` keeps only the first character of a canonical decomposition and removes marks. Unlike BERT's own
    clean-up, that leaves one letter of a Hangul syllable, and removes spacing marks; lower case is one character.

    >>> WordNormalizer().normalize("Café\\t東京!")
    'cafe  東  京  ! '
    >>> WordNormalizer().normalize("한") == "\\u1112"
    True
    """

    lowercase: bool = True
    strip_accents: bool = True

    def normalize(self, text: str) -> str:
        """The cleaned text."""
        return text.translate(self._table)

    def align(self, aligned: AlignedText) -> AlignedText:
        """The cleaned text, aligned; each new character has the range of the one that it replaces."""
        changes = ((at, self._table[ord(character)]) for at, character in enumerate(aligned.text))
        return aligned.edited((at, at + 1, new, [at] * len(new)) for at, new in changes)

    @cached_property
    def _table(self) -> "_Table":
        return _Table(self)


class _Table(dict[int, str]):
    """What becomes of each character, computed at its first occurrence."""

    def __init__(self, options: WordNormalizer) -> None:
        super().__init__()
        self._options = options

    def __missing__(self, code: int) -> str:
        self[code] = new = self._replaced(chr(code))
        return new

    def _replaced(self, character: str) -> str:
        if self._options.strip_accents:
            character = normalized("NFD", character)[0]
        if _SPACE.match(character):
            return " "
        if _REMOVED.match(character) or (self._options.strip_accents and _MARK.match(character)):
            return ""
        apart = _APART.match(character)
        if self._options.lowercase:
            character = character.lower()[0]
        return f" {character} " if apart else character


_SPACE = regex.compile(f"[{WHITE_SPACE}]")
_REMOVED = regex.compile(r"[\0\ufffd\p{Cc}\p{Cf}\p{Co}]")
_MARK = regex.compile(r"\p{M}")
_APART = regex.compile(rf"[\p{{P}}$+<=>^`|~{CHINESE}]")
