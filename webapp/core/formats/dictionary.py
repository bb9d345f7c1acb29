"""Word lists such as jieba's dictionary: one word per line, optionally with a frequency and a tag."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from webapp.core.formats.dictionary_csv import comma_rows
from webapp.core.formats.fields import FormatError
from webapp.core.models.dictionary import Dictionary
from webapp.core.vocabulary_error import Phrase, shown

Reason = Literal["empty-word", "word-too-long", "too-many-fields", "frequency-not-a-number"]

LONGEST_WORD = 64
"""In characters. Matching tries every word length at every position, so without a bound it would not stay linear."""
MOST_DIGITS = 18


class DictionaryError(ValueError):
    """A line that is not a dictionary entry.

    `line_number` counts from 1, `reason` is a code for programs, and `message` is a translatable phrase.
    """

    def __init__(self, line_number: int, reason: Reason, message: Phrase) -> None:
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number
        self.reason: Reason = reason
        self.message = message


def read_dictionary(text: str) -> Dictionary:
    """Read a word list whose lines are `word`, `word frequency` or `word frequency tag`.

    Tabs separate the fields of a line that has one; otherwise white space does; commas do in a list that is CSV, which
    may have a header and quotes (`dictionary_csv`). Blank lines and a leading byte order mark are skipped. For a word
    that occurs twice, the first line counts. A missing frequency is 0 and a missing tag is empty; if no line has
    frequencies or tags, the dictionary has none.

    >>> dictionary = read_dictionary("研究 5 v\\n\\n生命\\t4\\n")
    >>> dictionary.words, dictionary.frequencies, dictionary.tags
    (('研究', '生命'), (5, 4), ('v', ''))
    >>> read_dictionary("word,frequency\\n研究,5\\n").words
    ('研究',)
    >>> read_dictionary("研究 often")
    Traceback (most recent call last):
    webapp.core.formats.dictionary.DictionaryError: line 1: the frequency 'often' is not a whole number of at most
    18 digits

    Raises DictionaryError for the first line that has another form.
    """
    seen: set[str] = set()
    words: list[str] = []
    frequencies: list[int] = []
    tags: list[str] = []
    most_fields = 1
    lines = text.removeprefix("\ufeff").split("\n")
    for line_number, fields in enumerate(comma_rows(lines) or map(_fields, lines), start=1):
        if not fields:
            continue
        count = len(fields)
        if count > 3:
            message = Phrase("%(count)s fields; an entry has at most three: a word, a frequency and a tag", count=count)
            raise DictionaryError(line_number, "too-many-fields", message)
        word = fields[0]
        if not word:
            raise DictionaryError(line_number, "empty-word", Phrase("the word is empty"))
        if len(word) > LONGEST_WORD:
            message = Phrase(
                "the word has %(count)s characters; at most %(most)s are allowed", count=len(word), most=LONGEST_WORD
            )
            raise DictionaryError(line_number, "word-too-long", message)
        if count > 1 and not (fields[1].isascii() and fields[1].isdigit() and len(fields[1]) <= MOST_DIGITS):
            message = Phrase(
                "the frequency %(frequency)s is not a whole number of at most %(most)s digits",
                frequency=shown(fields[1]),
                most=MOST_DIGITS,
            )
            raise DictionaryError(line_number, "frequency-not-a-number", message)
        if word not in seen:
            seen.add(word)
            words.append(word)
            frequencies.append(int(fields[1]) if count > 1 else 0)
            tags.append(fields[2] if count > 2 else "")
        if count > most_fields:
            most_fields = count
    return Dictionary(words, frequencies if most_fields > 1 else None, tags if most_fields > 2 else None)


def write_dictionary(dictionary: Dictionary, *, separator: Literal[" ", "\t"] = " ") -> str:
    """Return a dictionary as a word list that `read_dictionary` reads back.

    Tags without frequencies get a frequency of 0. With tabs as separator, words may contain spaces. A list of words
    alone that would read as CSV ends its first line with a tab, which CSV never has.

    >>> write_dictionary(Dictionary(["研究", "New York"], [5, 7], ["v", ""]), separator="\\t")
    '研究\\t5\\tv\\nNew York\\t7\\n'
    >>> write_dictionary(Dictionary(["New York"]))
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: the word 'New York' cannot be written with ' ' between the fields

    Raises FormatError for a word, frequency or tag that would not read back unchanged.
    """
    frequencies = dictionary.frequencies or (0,) * len(dictionary)
    tags = dictionary.tags or ("",) * len(dictionary)
    columns = 1 + (dictionary.frequencies is not None or dictionary.tags is not None) + (dictionary.tags is not None)
    lines: list[str] = []
    for word, frequency, tag in zip(dictionary.words, frequencies, tags, strict=True):
        fields = [word, str(frequency), tag][:columns]
        while not fields[-1]:
            fields.pop()
        line = separator.join(fields)
        if "\n" in line or _fields(line) != fields or (not lines and line.startswith("\ufeff")):
            raise FormatError(
                "the word %(word)s cannot be written with %(separator)s between the fields",
                word=shown(word),
                separator=shown(separator),
            )
        if columns > 1 and not _FREQUENCY.fullmatch(str(frequency)):
            raise FormatError(
                "the frequency %(frequency)s of %(word)s is not a whole number of at most 18 digits",
                frequency=shown(frequency),
                word=shown(word),
            )
        lines.append(line)
    if comma_rows(lines) is not None:
        if separator != "\t":
            raise FormatError(
                "the word %(word)s cannot be written with %(separator)s between the fields",
                word=shown(dictionary.words[0]),
                separator=shown(separator),
            )
        lines[0] += "\t"
    return "".join(line + "\n" for line in lines)


@cache
def jieba_dictionary() -> Dictionary:
    """Return jieba's dictionary (349,046 lines), read from the installed package without importing it.

    Raises FileNotFoundError if jieba is not installed.
    """
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("jieba's dictionary comes with the package jieba, which is not installed")
    text = (Path(spec.origin).parent / "dict.txt").read_text(encoding="utf-8")
    dictionary = read_dictionary(text)
    assert dictionary.frequencies is not None
    dictionary.repeated = sum(map(int, text.split()[1::3])) - sum(dictionary.frequencies)
    return dictionary


# Real counts fit in 18 digits; converting longer ones would only cost time.
_FREQUENCY = re.compile(r"[0-9]{1,18}")


def _fields(line: str) -> list[str]:
    return line.split() if "\t" not in line else _tab_separated(line)


def _tab_separated(line: str) -> list[str]:
    fields = [field.strip() for field in line.split("\t")]
    while fields and not fields[-1]:
        fields.pop()
    return fields
