"""Pre-tokenizers that split by single characters: digits, scripts, a delimiter, a fixed length."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex

from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_normalizers import ByteCharacters
from webapp.core.text.pretokenizers import ByteLevel, Runs, Span, cut
from webapp.core.text.unicode_tables import scripts


@dataclass(frozen=True)
class Digits(Runs):
    """Isolates runs of digits (Unicode's category N), or with `individual` each digit.

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
    """Splits at a delimiter and drops it.

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
    """Splits into pre-tokens of a fixed number of characters; the last one may be shorter.

    >>> FixedLength(3).split("universe")
    ['uni', 'ver', 'se']
    """

    length: int = 5

    def _compiled(self, text: str) -> re.Pattern[str]:
        return re.compile(f".{{1,{self.length}}}", re.DOTALL)


@dataclass(frozen=True)
class UnicodeScripts:
    """Splits where the script changes; spaces fit any script, and Japanese syllables count as Chinese characters.

    >>> UnicodeScripts().split("Apples are りんご 林檎。")
    ['Apples are ', 'りんご 林檎', '。']

    Leading spaces are dropped, as in `tokenizers`.
    """

    def split(self, text: str) -> list[str]:
        """Return the pre-tokens."""
        return [pretoken for pretoken, _, _ in self.spans(text)]

    def spans(self, text: str) -> list[Span]:
        """Return the pre-tokens with their ranges."""
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
class ByteLevelCharacters:
    """GPT-2's pre-tokenizer as in `tokenizers`, which spells the bytes of pre-tokens as printable characters.

    It is for models other than byte-level BPE over all 256 bytes; for those, `ByteLevel` keeps pre-tokens as text.

    >>> ByteLevelCharacters(ByteLevel()).split("naïve me")
    ['naÃ¯ve', 'Ġme']
    """

    byte_level: ByteLevel

    def split(self, text: str) -> list[str]:
        """Return the spelled pre-tokens."""
        return list(map(ByteCharacters().normalize, self.byte_level.split(text)))

    def spans(self, text: str) -> list[Span]:
        """Return the spelled pre-tokens with their ranges in the text."""
        return [(ByteCharacters().normalize(pretoken), *span) for pretoken, *span in self.byte_level.spans(text)]  # type: ignore[misc]

    def cut(self, aligned: AlignedText) -> list[AlignedText]:
        """Return the spelled pre-tokens, aligned."""
        return [ByteCharacters().align(piece) for piece in cut(self.byte_level, aligned)]
