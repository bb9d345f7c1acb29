"""BERT's classes, scripts, words, and characters that `tokenizers` and `tiktoken` treat unlike `regex` and Python.

Their tables are of different versions of Unicode. `unicode_tables.txt` holds them; `python -m
tests.core.text.unicode_tables` writes it, by asking the libraries. Each class is the inside of a character class for
the standard `re`.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

import regex

PATH = Path(__file__).with_name("unicode_tables.txt")
TABLES = dict(line.split(": ", 1) for line in PATH.read_text(encoding="utf-8").splitlines())


def pairs(name: str) -> list[tuple[int, int]]:
    """The first and the last code point of each range of a table."""
    ends = (part.partition("-") for part in TABLES[name].split())
    return [(int(first, 16), int(last or first, 16)) for first, _, last in ends]


def members(name: str) -> str:
    """The characters of a table.

    >>> members("not decomposed").startswith(r"\\U")
    True
    """
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in pairs(name))


CONTROL = members("control")
"""Characters that BERT removes: control, format and private-use characters except tab and line ends; U+FFFD."""

PUNCTUATION = members("punctuation")
"""Unicode's category P and the symbols of ASCII."""

ACCENT = members("accent")
"""Nonspacing marks (category Mn)."""

COMBINING = members("combining")
"""Combining marks of all kinds (category M)."""

CHINESE = (
    "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)
"""Chinese characters, each a token of its own. (`tokenizers` begins one block at U+2B920, BERT's code at U+2B820.)"""

SCRIPTS = tuple(TABLES["scripts"].split())
"""The scripts that `tokenizers` knows, as `regex` names them; the most common first."""

CAPITALS = dict(pairs("lower case"))
"""The small letters of capitals that Python's tables may lack."""

_UNASSIGNED = "\u0378"
# A small letter in Unicode 16, a letter without case since.
_FORMER = {"\u0295": "\u0250"}
_CHANGED = re.compile(f"[{''.join(_FORMER)}{members('after Unicode 16')}]")


def as_unicode_16(text: str) -> str:
    """Return the text with a substitute for every character that had other properties in Unicode 16.

    `tiktoken` and `tokenizers` have that version: to them, a later letter is an unassigned code point and splits a text
    differently. The length of the text stays the same, so offsets remain valid.

    >>> as_unicode_16("naïve"), as_unicode_16("a\\U000323b0b") == "a\\u0378b"
    ('naïve', True)
    """
    if text.isascii():
        return text
    return _CHANGED.sub(lambda found: _FORMER.get(found[0], _UNASSIGNED), text)


# Unicode's White_Space, which Python's own \s exceeds by U+001C to U+001F.
WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE_CHARACTERS = "".join(filter(re.compile(f"[{WHITE_SPACE}]").match, map(chr, range(0x3001))))


@cache
def basic_ranges(properties: str) -> str:
    """Return the inside of a character class with the characters of the Basic Multilingual Plane that have a property.

    `properties` is the inside of a character class of `regex`. `regex` evaluates it for Unicode 16, so that both
    engines agree.

    >>> print(basic_ranges(r"\\p{Nd}")[:26])
    \\u0030-\\u0039\\u0660-\\u0669
    """
    plane = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000))))
    runs = (run.span() for run in regex.finditer(f"[{properties}]+", as_unicode_16(plane), regex.VERSION1))
    # A run may include the surrogates, which no well-formed text contains.
    return "".join(rf"\u{ord(plane[start]):04x}-\u{ord(plane[end - 1]):04x}" for start, end in runs)


def is_basic(text: str) -> bool:
    """Whether a text is within the Basic Multilingual Plane, so that `re` alone can split it.

    >>> is_basic("naïve 研究"), is_basic("🙂")
    (True, False)
    """
    return text.isascii() or len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)


def ranges_of(characters: Iterable[str]) -> str:
    """Return the inside of a class of these characters, as ranges.

    >>> ranges_of("ecdbax")
    'a-ex-x'
    """
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)


def scripts(text: str) -> list[str | None]:
    """The script of each character; None for a space and for a character outside the table.

    >>> scripts("aя ー研")
    ['Latin', 'Cyrillic', None, 'Han', 'Han']
    """
    return list(map(_script, text))


@lru_cache(1 << 16)
def _script(character: str) -> str | None:
    if _unknown().match(character):
        return None
    if character in _OTHERWISE:
        return _OTHERWISE[character]
    name = script_of(character)
    return "Han" if name in ("Hiragana", "Katakana") else name


@cache
def _unknown() -> regex.Pattern[str]:
    return regex.compile(f"[{members('without script')}]")


def script_of(character: str) -> str | None:
    """The script of a character in Unicode's own table, of those in `SCRIPTS`.

    >>> script_of("я"), script_of("。"), script_of("\\u0378")
    ('Cyrillic', 'Common', None)
    """
    found = _any_script().match(character)
    return SCRIPTS[found.lastindex - 1] if found and found.lastindex else None


@cache
def _any_script() -> regex.Pattern[str]:
    return regex.compile("|".join(rf"(\p{{Script={name}}})" for name in SCRIPTS))


# The long vowel mark counts as Japanese; the script of the others has changed since.
_OTHERWISE = {
    "ー": "Han",
    "\u0589": "Common",
    "\u061c": "Common",
    "\u0953": "Devanagari",
    "\u0954": "Devanagari",
}


WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"
"""Unicode's definition of a word character (Technical Standard 18, annex C), wider than that of Python's `re`."""


def runs(text: str) -> list[tuple[int, int]]:
    r"""The ranges of runs of word characters, and of runs of all other characters except white space: `\w+|[^\w\s]+`.

    >>> runs("Let's go")
    [(0, 3), (3, 4), (4, 5), (6, 8)]
    """
    if is_basic(text):
        return [run.span() for run in _fast_runs().finditer(text)]
    # Above the Basic Multilingual Plane the standard `re` would need ranges that make it slow.
    return [run.span() for run in _EXACT_RUNS.finditer(as_unicode_16(text))]


def texts_of_runs(text: str) -> list[str]:
    """The texts of `runs`."""
    return _fast_runs().findall(text) if is_basic(text) else [text[start:end] for start, end in runs(text)]


def is_word(character: str) -> bool:
    """Whether a character is a word character; False for the empty string.

    >>> is_word("é"), is_word("-"), is_word("")
    (True, False, False)
    """
    return _CHARACTER.match(as_unicode_16(character)) is not None


_EXACT_RUNS = regex.compile(rf"[{WORD}]++|[^{WORD}{WHITE_SPACE}]++")
_CHARACTER = regex.compile(f"[{WORD}]")


@cache
def _fast_runs() -> re.Pattern[str]:
    word = basic_ranges(WORD)
    return re.compile(f"[{word}]++|[^{word}{WHITE_SPACE}]++")
