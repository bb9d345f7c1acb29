"""What a corpus says: its words and counts if it has them, and words of it to encode.

A corpus may be given as words and their counts, as textbooks print it: `low 5 lower 2 newest 6 widest 3`.

Separators between a word and its count are spaces, tabs, `×`, `x`, `*`, `:`, `=`, a comma or a dash with spaces around
it. Entries stand one per line, or several on a line; quotes and brackets around them are ignored, so that a Python
list or dictionary can be pasted. Lists with the count first (`5 low`, as from `uniq -c`) are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_COUNT = 1_000_000
LONGEST = 60  # characters
_CLAUSE = re.compile(r"[，。！？；、,.!?;:：]\s*")
_NUMBER = r"\d{1,3}(?:,\d{3})+(?!\d)|[-−+]?\d+(?:\.\d+)?"
_WORD = r"(?=\S*[^\W\d_])[^\s,;，；、]\S*?"  # with at least one letter
_BETWEEN = re.compile(r"[\s,;，；、]+")
_ENTRY = re.compile(
    rf"(?P<word>{_WORD})(?:\s*[×✕*＊:：=＝,，]\s*|\s+(?:[xX]\s*|[-–—]\s+)|\s+)(?P<count>{_NUMBER})(?=[\s,;，；、]|$)"
)
_REVERSED = re.compile(rf"(?P<count>{_NUMBER})(?:\s*[×✕*＊]\s*|\s+(?:[xX]\s+)?)(?P<word>{_WORD})(?=[\s,;，；、]|$)")
_ALONE = re.compile(r"[^\s,;，；、]+")
_AROUND = re.compile(r"""["“”„«»「」『』()（）\[\]{}]|(?<!\w)['‘’]|['‘’](?!\w)""")


@dataclass(frozen=True)
class CountProblem:
    """A line that is not a word with its count: `count` as written, or None where there is none."""

    line: int
    word: str
    count: str | None


@dataclass(frozen=True)
class CountedWords:
    """The words of a corpus with their counts, and the lines that could not be read."""

    counts: dict[str, int]
    problems: tuple[CountProblem, ...] = ()


def read_counts(corpus: str) -> CountedWords | None:
    """Return the counts of a corpus, or None if it is a plain text.

    A corpus is a list of counts if at least two thirds of it are: a single entry without a count is then an error.

    >>> read_counts("low 5 lower 2 newest 6 widest 3").counts
    {'low': 5, 'lower': 2, 'newest': 6, 'widest': 3}
    >>> read_counts("low×5\\nlower x 2\\nnewest*6\\nwidest: 3") == read_counts("5 low\\n2 lower\\n6 newest\\n3 widest")
    True
    >>> read_counts("low 5\\nlower\\nnewest 6").problems
    (CountProblem(line=2, word='lower', count=None),)
    >>> read_counts("I have 5 apples"), read_counts("low low lower")
    (None, None)
    """
    lines = [_AROUND.sub(" ", line) for line in corpus.splitlines()]
    entries = [(number, *entry) for number, line in enumerate(lines, start=1) for entry in _entries(line, _ENTRY)]
    without = sum(count is None for _line, _word, count in entries)
    if without:
        reversed_ = [(number, *entry) for number, line in enumerate(lines, 1) for entry in _entries(line, _REVERSED)]
        if len(reversed_) > 1 and all(count is not None for _line, _word, count in reversed_):
            entries, without = reversed_, 0
    if len(entries) - without < max(1, 2 * without):
        return None
    counts: dict[str, int] = {}
    problems = []
    for line, word, written in entries:
        count = _value(written)
        if count is None:
            problems.append(CountProblem(line, word, written))
        else:
            counts[word] = counts.get(word, 0) + count
    return CountedWords(counts, tuple(problems))


def _entries(line: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str | None]]:
    """The words of a line with their counts as written; None for a word without one."""
    at = 0
    while at < len(line):
        if between := _BETWEEN.match(line, at):
            at = between.end()
        elif entry := pattern.match(line, at):
            yield entry["word"], entry["count"]
            at = entry.end()
        elif word := _ALONE.match(line, at):
            yield word[0], None
            at = word.end()


def _value(written: str | None) -> int | None:
    """A count from 1 to `MOST_COUNT`, or None."""
    digits = (written or "").replace(",", "")
    if not digits.isdecimal() or len(digits) > len(str(MOST_COUNT)):
        return None
    return int(digits) if 1 <= int(digits) <= MOST_COUNT else None


def first_words(words: Iterable[str]) -> str:
    """Return the first different words, up to `LONGEST` characters.

    >>> first_words("low low lower newest low".split())
    'low lower newest'
    >>> first_words(["学而时习之，" * 20])
    '学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，'
    """
    chosen = ""
    for word in dict.fromkeys(words):
        longer = f"{chosen} {word}" if chosen else word
        if len(longer) > LONGEST:
            return chosen or _beginning(word)
        chosen = longer
    return chosen


def first_sentence(corpus: str) -> str:
    """Return the words of the first line without the spaces between them: the input of word segmentation.

    >>> first_sentence("the table down there\\nthe men own the table")
    'thetabledownthere'
    """
    line = next((line for line in corpus.splitlines() if line.strip()), "")
    sentence = ""
    for word in line.split():
        if sentence and len(sentence) + len(word) > LONGEST:
            break
        sentence += word
    return sentence[:LONGEST]


def _beginning(word: str) -> str:
    """The clauses at the beginning of a word that is too long, or else its first characters."""
    ends = [found.end() for found in _CLAUSE.finditer(word[:LONGEST])]
    return word[: ends[-1] if ends else LONGEST]
