"""Word lists such as jieba's dictionary: one word per line, optionally with a frequency and a tag.

Word lists with commas between the fields, as spreadsheets save them: `word,frequency` or `word,frequency,tag`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from webapp.core.formats.reading import FormatError
from webapp.core.models.dictionary import (
    CONTROL,
    LONGEST_WORD,
    MOST_DIGITS,
    MOST_LISTED,
    Dictionary,
    Reason,
    SkippedLine,
    SkippedLines,
    fields_of,
    problem_of,
)
from webapp.core.models.dictionary_edits import scratch
from webapp.core.vocabulary_error import Phrase, shown

# A file with more control characters than these, and more than this share of them, is not text.
_MOST_CONTROLS = 32
_CONTROL_SHARE = 0.05


class DictionaryError(ValueError):
    """A text that is no word list: more than half of its lines are no entries.

    `wrong` of `lines` lines are none; the first of them has the number `line_number`, which counts from 1. `reason` is
    a code for programs, and `message`, a translatable phrase, says what is wrong with that line.
    """

    def __init__(self, first: SkippedLine, wrong: int = 1, lines: int = 1) -> None:
        super().__init__(f"line {first.number}: {first.message}")
        self.line_number = first.number
        self.reason: Reason = first.reason
        self.message = first.message
        self.wrong = wrong
        self.lines = lines


def read_dictionary(text: str) -> Dictionary:
    """Read a word list whose lines are `word`, `word frequency` or `word frequency tag`.

    Tabs separate the fields of a line that has one; otherwise white space does, except U+3000 inside a name
    (`fields_of`); commas do in a list that is CSV, which may have a header and quotes. Blank lines
    and a leading byte order mark are ignored. For a word that occurs twice, the first line counts. A missing frequency
    is 0 and a missing tag is empty; if no line has frequencies or tags, the dictionary has none.

    Lines that have another form are skipped, and described in `Dictionary.skipped`.

    >>> dictionary = read_dictionary("研究 5 v\\n\\n生命\\t4\\n人 often\\n")
    >>> dictionary.words, dictionary.frequencies, dictionary.tags
    (('研究', '生命'), (5, 4), ('v', ''))
    >>> [(line.number, line.reason) for line in dictionary.skipped.first]
    [(4, 'frequency-not-a-number')]
    >>> read_dictionary("word,frequency\\n研究,5\\n").words
    ('研究',)
    >>> read_dictionary("研究 often")
    Traceback (most recent call last):
    webapp.core.formats.dictionary.DictionaryError: line 1: the frequency 'often' is not a whole number of at most
    18 digits

    Raises DictionaryError if more than half of the lines have another form, or if the text is binary.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    rows = comma_rows(lines)
    read = _read(lines, rows or map(_split, lines))
    if rows is None and read.skipped and (tolerant := comma_rows(lines, tolerant=True)):
        # Only now: a list that reads without commas keeps them in its words.
        read = _read(lines, tolerant)
    if read.skipped and (2 * read.count > read.entries + read.count or _is_binary(text)):
        raise DictionaryError(read.skipped[0], read.count, read.entries + read.count)
    return Dictionary(
        read.words,
        read.frequencies if read.most_fields > 1 else None,
        read.tags if read.most_fields > 2 else None,
        SkippedLines(read.count, tuple(read.skipped)),
    )


@dataclass
class _Lines:
    """What the lines of a list hold: columns of the words, and the lines that are no entries."""

    words: list[str] = field(default_factory=list)
    frequencies: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    most_fields: int = 1
    entries: int = 0
    skipped: list[SkippedLine] = field(default_factory=list)  # the first ones
    count: int = 0  # of the skipped lines


def _read(lines: Sequence[str], rows: Iterable[list[str] | None]) -> _Lines:
    """Read the fields of each line; None stands for a line with quotes that do not match."""
    read = _Lines()
    seen: set[str] = set()
    has_controls = CONTROL.search("\n".join(lines)) is not None
    for at, row in enumerate(rows):
        if row is not None and not row:
            continue
        fields = row or [""]
        count, word = len(fields), fields[0]
        # Here for speed; `problem_of` says what is wrong.
        if (
            count > 3
            or not word
            or len(word) > LONGEST_WORD
            or (count > 1 and not (fields[1].isascii() and fields[1].isdigit() and len(fields[1]) <= MOST_DIGITS))
            or (has_controls and CONTROL.search(lines[at]))
        ):
            problem = problem_of(fields) if row else ("quotes", Phrase("a quotation mark is missing"))
            if problem is not None:
                read.count += 1
                if len(read.skipped) < MOST_LISTED:
                    read.skipped.append(SkippedLine(at + 1, *problem, lines[at].strip()[:_SHOWN]))
                continue
        read.entries += 1
        if word not in seen:
            seen.add(word)
            read.words.append(word)
            read.frequencies.append(int(fields[1]) if count > 1 else 0)
            read.tags.append(fields[2] if count > 2 else "")
        if count > read.most_fields:
            read.most_fields = count
    return read


def _is_binary(text: str) -> bool:
    controls = sum(text.count(character) for character in map(chr, range(32)) if CONTROL.match(character))
    return controls > max(_MOST_CONTROLS, _CONTROL_SHARE * len(text))


def write_dictionary(dictionary: Dictionary, *, separator: Literal[" ", "\t"] = " ") -> str:
    """Return a dictionary as a word list that `read_dictionary` reads back.

    Tags without frequencies get a frequency of 0. With tabs as separator, words may contain spaces. A list of words
    alone that would read as CSV ends its first line with a tab, which CSV never has.

    >>> write_dictionary(Dictionary(["研究", "New York"], [5, 7], ["v", ""]), separator="\\t")
    '研究\\t5\\tv\\nNew York\\t7\\n'
    >>> write_dictionary(Dictionary(["New York"]))
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: the word 'New York' cannot be written with ' ' between the fields

    Raises FormatError for a word, frequency or tag that would not read back unchanged.
    """
    frequencies = dictionary.frequencies or (0,) * len(dictionary.words)
    tags = dictionary.tags or ("",) * len(dictionary.words)
    columns = 1 + (dictionary.frequencies is not None or dictionary.tags is not None) + (dictionary.tags is not None)
    lines: list[str] = []
    for word, id in dictionary.ids.items():  # a removed word has its place in `words`, but no id
        frequency, tag = frequencies[id], tags[id]
        fields = [word, str(frequency), tag][:columns]
        while not fields[-1]:
            fields.pop()
        line = separator.join(fields)
        is_first_mark = not lines and line.startswith("\ufeff")
        if "\n" in line or CONTROL.search(line) or fields_of(line) != fields or is_first_mark:
            raise _unwritable(word, separator)
        if columns > 1 and not _FREQUENCY.fullmatch(str(frequency)):
            raise FormatError(
                "the frequency %(frequency)s of %(word)s is not a whole number of at most 18 digits",
                frequency=shown(frequency),
                word=shown(word),
            )
        lines.append(line)
    if comma_rows(lines) is not None:
        if separator != "\t":
            raise _unwritable(dictionary.words[0], separator)
        lines[0] += "\t"
    return "".join(line + "\n" for line in lines)


def _unwritable(word: str, separator: str) -> FormatError:
    return FormatError(
        "the word %(word)s cannot be written with %(separator)s between the fields",
        word=shown(word),
        separator=shown(separator),
    )


def written_dictionary(dictionary: Dictionary) -> str:
    """A dictionary, with its changes if it has any, as a word list; with tabs if a word contains white space."""
    plain = scratch(dictionary)
    try:
        return write_dictionary(plain)
    except FormatError:
        return write_dictionary(plain, separator="\t")


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


_FREQUENCY = re.compile(r"[0-9]{1,18}")
_SHOWN = 60  # characters of a skipped line


def _split(line: str) -> list[str]:
    return fields_of(line) if "\t" in line or "\u3000" in line else line.split()


# A field, in quotes or not, up to a comma (ASCII or full-width) or the end of the line. Possessive: linear on any line.
_FIELD = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+|([^"，,]*+))([，,]|$)')
_NOTHING = re.compile(r"[，,\s]*+")
# More are not read: a word list has three.
_MOST_FIELDS = 50
# What a frequency column holds. Fractions and negative numbers are evidence of one too; reading refuses them by line.
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")
# The names of the columns, in a first line.
_WORD_NAMES = frozenset(("word", "words", "term", "token", "词", "词语", "单词", "词汇", "詞", "詞語"))
_FREQUENCY_NAMES = frozenset(
    ("frequency", "freq", "count", "weight", "词频", "频率", "频次", "频数", "次数", "出现次数", "詞頻", "頻率", "次數")
)


def comma_rows(lines: Sequence[str], *, tolerant: bool = False) -> list[list[str] | None] | None:
    r"""The fields of each line if the lines are CSV, else None; a blank line and a header have no fields.

    They are CSV if every line that is not blank has two or three fields with commas between them, and at least half of
    the second fields are numbers; the others are then mistakes that are worth reporting. With `tolerant`, up to half of
    the lines may have another form: one without a comma is read as in any word list, and one whose quotation marks do
    not match is None.

    >>> comma_rows(["word,frequency", "研究,100", "", '"a, b"，3，n'])
    [[], ['研究', '100'], [], ['a, b', '3', 'n']]
    >>> comma_rows(["研究,100", "生命"]), comma_rows(["Washington, D. C."])
    (None, None)
    >>> comma_rows(["研究,100", "人", "a,b,c,d", "生命,90", '"x,3', "科学,2"], tolerant=True)
    [['研究', '100'], ['人'], ['a', 'b', 'c', 'd'], ['生命', '90'], None, ['科学', '2']]
    """
    rows: list[list[str] | None] = []
    written = numbers = 0
    for line in lines:
        if not line.strip():
            rows.append([])
            continue
        has_comma = "\t" not in line and ("," in line or "，" in line)
        fields = _fields(line) if has_comma else fields_of(line) if tolerant else []
        while len(fields) > 3 and not fields[-1]:  # spreadsheets end every line with the same number of commas
            fields.pop()
        is_row = has_comma and 2 <= len(fields) <= 3
        if not (is_row or tolerant):
            return None
        if not written and is_row and _is_header(fields):
            rows.append([])
            continue
        written += 1
        numbers += is_row and _NUMBER.fullmatch(fields[1]) is not None
        unmatched = not fields
        while fields and not fields[-1]:
            fields.pop()
        rows.append(None if unmatched else fields)
    return rows if 0 < written <= 2 * numbers else None


def _fields(line: str) -> list[str]:
    r"""The fields of a line without the white space around them; none if it is not CSV.

    Of a line of commas, no more is read than tells that it is one: empty fields after the third become one.

    >>> _fields('"a ""b"", c", 5,'), _fields('a "b",3')
    (['a "b", c', '5', ''], [])
    """
    fields = []
    at = 0
    while match := _FIELD.match(line, at):
        quoted, plain, separator = match.groups()
        fields.append(plain.strip() if quoted is None else quoted.replace('""', '"').strip())
        at = match.end()
        if not separator:
            return fields
        if len(fields) == 3 and _NOTHING.fullmatch(line, at):
            return [*fields, ""]
        if len(fields) == _MOST_FIELDS:
            return fields
    return []


def _is_header(fields: Sequence[str]) -> bool:
    """Whether the fields of the first line are names of columns."""
    if fields[1].casefold() in _FREQUENCY_NAMES:
        return True
    return fields[0].casefold() in _WORD_NAMES and _NUMBER.fullmatch(fields[1]) is None
