"""Pre-tokenizers that look at one character after the other: digits, scripts, a delimiter, a fixed length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex

from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_normalizers import ByteCharacters
from webapp.core.text.pretokenizers import ByteLevel, Runs, Span, cut
from webapp.core.text.unicode_scripts import scripts


@dataclass(frozen=True)
class Digits(Runs):
    """Runs of digits (Unicode's category N) stand alone, or with `individual` each digit does.

    >>> Digits().split("in 1813."), Digits(individual=True).split("in 1813.")
    (['in ', '1813', '.'], ['in ', '1', '8', '1', '3', '.'])
    """

    individual: bool = False

    def _compiled(self, text: str) -> regex.Pattern[str]:
        return _EACH_DIGIT if self.individual else _DIGITS


# Without those of Unicode 17 and later.
_NUMBER = r"[\p{N}--[\U0001246f\U00012475-\U0001247f\U00012550-\U00012686]]"
_DIGITS = regex.compile(rf"{_NUMBER}++|(?:(?!{_NUMBER}).)++", regex.VERSION1 | regex.DOTALL)
_EACH_DIGIT = regex.compile(rf"{_NUMBER}|(?:(?!{_NUMBER}).)++", regex.VERSION1 | regex.DOTALL)


@dataclass(frozen=True)
class CharacterDelimiter(Runs):
    """What stands between a delimiter.

    >>> CharacterDelimiter("-").split("well--to-do")
    ['well', 'to', 'do']
    """

    delimiter: str

    def _compiled(self, text: str) -> regex.Pattern[str]:
        return _between(self.delimiter)


@lru_cache(maxsize=64)
def _between(delimiter: str) -> regex.Pattern[str]:
    return regex.compile(f"[^{regex.escape(delimiter)}]++")


@dataclass(frozen=True)
class FixedLength(Runs):
    """Pieces of so many characters; the last one may be shorter.

    >>> FixedLength(3).split("universe")
    ['uni', 'ver', 'se']
    """

    length: int = 5

    def split(self, text: str) -> list[str]:
        """The pre-tokens."""
        return [text[at : at + self.length] for at in range(0, len(text), self.length)]

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens with their ranges."""
        return [
            (text[at : at + self.length], at, min(at + self.length, len(text)))
            for at in range(0, len(text), self.length)
        ]


@dataclass(frozen=True)
class UnicodeScripts:
    """Cuts where the script changes; a space belongs to any, and Japanese syllables count as Chinese characters.

    >>> UnicodeScripts().split("Apples are りんご 林檎。")
    ['Apples are ', 'りんご 林檎', '。']

    Spaces at the very beginning are left out, as in `tokenizers`.
    """

    def split(self, text: str) -> list[str]:
        """The pre-tokens."""
        return [pretoken for pretoken, _, _ in self.spans(text)]

    def spans(self, text: str) -> list[Span]:
        """The pre-tokens with their ranges."""
        cuts = []
        last = None
        for at, script in enumerate(scripts(text)):
            if script is None:
                continue
            if script != last:
                cuts.append(at)
            last = script
        return [(text[start:end], start, end) for start, end in pairwise((*cuts, len(text)))]


@dataclass(frozen=True)
class SpeltByteLevel:
    """GPT-2's pre-tokenizer as `tokenizers` has it: the pre-tokens' bytes are spelt as printable characters.

    For models that are no byte-level BPE of all 256 bytes, for which `ByteLevel` leaves the text as it is.

    >>> SpeltByteLevel(ByteLevel()).split("naïve me")
    ['naÃ¯ve', 'Ġme']
    """

    byte_level: ByteLevel

    def split(self, text: str) -> list[str]:
        """The spelt pre-tokens."""
        return list(map(ByteCharacters().normalize, self.byte_level.split(text)))

    def spans(self, text: str) -> list[Span]:
        """The spelt pre-tokens with their ranges in the text, where their own characters have no places."""
        return [(ByteCharacters().normalize(pretoken), *span) for pretoken, *span in self.byte_level.spans(text)]  # type: ignore[misc]

    def cut(self, aligned: AlignedText) -> list[AlignedText]:
        """The spelt pre-tokens with the place of each of their characters."""
        return [ByteCharacters().align(piece) for piece in cut(self.byte_level, aligned)]
