"""Word lists: a word a line, with a frequency and a tag where there is one; jieba's dictionary among them."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from webapp.core.models.dictionary import Dictionary

Reason = Literal["empty-word", "word-too-long", "too-many-fields", "frequency-not-a-number"]

LONGEST_WORD = 64
"""Characters. Matching tries every length that words have at every place: unbounded, it would not stay linear."""
MOST_DIGITS = 18


class DictionaryError(ValueError):
    """A line that is no dictionary entry.

    `line_number` counts from 1, `reason` is a code for programs, `message` a sentence for people.
    """

    def __init__(self, line_number: int, reason: Reason, message: str) -> None:
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number
        self.reason: Reason = reason
        self.message = message


def read_dictionary(text: str) -> Dictionary:
    """Read a word list: on each line `word`, `word frequency` or `word frequency tag`.

    Fields are separated by tabs where a line has one, otherwise by white space. Blank lines and a byte order mark at
    the start are passed over. Of a word that comes twice the first line counts. A missing frequency is 0 and a missing
    tag empty, unless no line has any.

    >>> dictionary = read_dictionary("研究 5 v\\n\\n生命\\t4\\n")
    >>> dictionary.words, dictionary.frequencies, dictionary.tags
    (('研究', '生命'), (5, 4), ('v', ''))
    >>> read_dictionary("研究 often")
    Traceback (most recent call last):
    webapp.core.formats.dictionary.DictionaryError: line 1: the frequency 'often' is not a whole number of at most
    18 digits

    Raises DictionaryError for the first line that is none of these.
    """
    seen: set[str] = set()
    words: list[str] = []
    frequencies: list[int] = []
    tags: list[str] = []
    most_fields = 1
    for line_number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        fields = line.split() if "\t" not in line else _tab_separated(line)
        if not fields:
            continue
        count = len(fields)
        if count > 3:
            message = f"{count} fields; an entry is a word, a frequency and a tag at most"
            raise DictionaryError(line_number, "too-many-fields", message)
        word = fields[0]
        if not word:
            raise DictionaryError(line_number, "empty-word", "the word is empty")
        if len(word) > LONGEST_WORD:
            message = f"the word has {len(word)} characters; {LONGEST_WORD} are the most"
            raise DictionaryError(line_number, "word-too-long", message)
        if count > 1 and not (fields[1].isascii() and fields[1].isdigit() and len(fields[1]) <= MOST_DIGITS):
            message = f"the frequency {fields[1][:40]!r} is not a whole number of at most {MOST_DIGITS} digits"
            raise DictionaryError(line_number, "frequency-not-a-number", message)
        if word not in seen:
            seen.add(word)
            words.append(word)
            frequencies.append(int(fields[1]) if count > 1 else 0)
            tags.append(fields[2] if count > 2 else "")
        if count > most_fields:
            most_fields = count
    return Dictionary(words, frequencies if most_fields > 1 else None, tags if most_fields > 2 else None)


@cache
def jieba_dictionary() -> Dictionary:
    """jieba's dictionary (349,046 lines), read from the installed package without running any of it.

    Raises FileNotFoundError when jieba is not installed.
    """
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("jieba's dictionary comes with the package jieba, which is not installed")
    return read_dictionary((Path(spec.origin).parent / "dict.txt").read_text(encoding="utf-8"))


def _tab_separated(line: str) -> list[str]:
    fields = [field.strip() for field in line.split("\t")]
    while fields and not fields[-1]:
        fields.pop()
    return fields
