"""Word lists with commas between the fields, as spreadsheets save them: `word,frequency` or `word,frequency,tag`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.core.models.dictionary_entry import fields_of

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


def comma_rows(lines: Sequence[str]) -> list[list[str]] | None:
    r"""The fields of each line if the lines are CSV, else None; a blank line and a header have no fields.

    They are CSV if no line has a tab, every line that is not blank has two or three fields with commas between them,
    and at least half of the second fields are numbers; the others are then mistakes that are worth reporting.

    >>> comma_rows(["word,frequency", "研究,100", "", '"a, b"，3，n'])
    [[], ['研究', '100'], [], ['a, b', '3', 'n']]
    >>> comma_rows(["研究,100", "生命"]), comma_rows(["Washington, D. C."])
    (None, None)
    """
    rows: list[list[str]] = []
    written = numbers = 0
    for line in lines:
        if not line.strip():
            rows.append([])
            continue
        fields = _fields(line)
        while len(fields) > 3 and not fields[-1]:  # spreadsheets end every line with the same number of commas
            fields.pop()
        if not 2 <= len(fields) <= 3:
            return None
        if not written and _is_header(fields):
            fields = []
        else:
            numbers += _NUMBER.fullmatch(fields[1]) is not None
        while fields and not fields[-1]:
            fields.pop()
        rows.append(fields)
        written += 1
    counted = sum(map(bool, rows))
    return rows if 0 < counted <= 2 * numbers else None


def tolerant_comma_rows(lines: Sequence[str]) -> tuple[list[list[str] | None], int] | None:
    r"""As `comma_rows`, for lines of which up to half are mistakes; with the number of the first that is no CSV.

    At least half of the lines that are not blank have commas between two or three fields, the second a number. Of the
    others, one without a comma is read as in any word list, and one whose quotation marks do not match is None.

    >>> tolerant_comma_rows(["研究,100", "人", "a,b,c,d", "生命,90", '"x,3', "科学,2"])
    ([['研究', '100'], ['人'], ['a', 'b', 'c', 'd'], ['生命', '90'], None, ['科学', '2']], 2)
    >>> tolerant_comma_rows(["研究,100", "生命", "人"])
    """
    rows: list[list[str] | None] = []
    written = counted = first = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            rows.append([])
            continue
        has_comma = "," in line or "，" in line
        fields = _fields(line) if has_comma and "\t" not in line else fields_of(line)
        while len(fields) > 1 and not fields[-1]:
            fields.pop()
        if not written and has_comma and len(fields) > 1 and _is_header(fields):
            rows.append([])
            continue
        written += 1
        is_row = has_comma and "\t" not in line and 2 <= len(fields) <= 3
        counted += is_row and _NUMBER.fullmatch(fields[1]) is not None
        first = first or (0 if is_row else number)
        rows.append(fields or None)
    return (rows, first) if 0 < written <= 2 * counted else None


def first_comma_row(lines: Sequence[str]) -> int:
    """The number of the first line that looks like CSV, a word, a comma and a frequency; 0 if there is none.

    >>> first_comma_row(["研究 5", "2,3-丁二醇", "1,000", "生命,10,n"]), first_comma_row(["研究,的"])
    (4, 0)
    """
    for number, line in enumerate(lines, 1):
        if "," in line or "，" in line:
            fields = _fields(line)
            if 2 <= len(fields) <= 3 and _NUMBER.fullmatch(fields[1]) and not _NUMBER.fullmatch(fields[0]):
                return number
    return 0


def _fields(line: str) -> list[str]:
    r"""The fields of a line without the white space around them; none if it is not CSV.

    Of a line of commas, no more is read than tells that it is one: empty fields after the third become one.

    >>> _fields('"a ""b"", c", 5,'), _fields("研究\t5,3"), _fields('a "b",3')
    (['a "b", c', '5', ''], [], [])
    """
    if "\t" in line:
        return []
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
