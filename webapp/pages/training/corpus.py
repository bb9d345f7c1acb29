"""What a corpus says: its words and counts if it has them, and words of it to encode.

A corpus may be given as words and their counts, as textbooks print it: `low 5 lower 2 newest 6 widest 3`.

Separators between a word and its count are spaces, tabs, `×`, `x`, `*`, `:`, `=`, a comma or a dash with spaces around
it. Entries stand one per line, or several on a line; quotes and brackets around them are ignored, so that a Python
list or dictionary can be pasted. Lists with the count first (`5 low`, as from `uniq -c`) are read too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

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
_AROUND = re.compile(r"""["“”„«»「」『』()（）\[\]{}]|(?<!\w)['‘’]|['‘’](?!\w)""")


def read_counts(corpus: str) -> dict[str, int] | None:
    """Return the words of a corpus with their counts, or None if it is a plain text: if anything else is in it.

    >>> read_counts("low 5 lower 2 newest 6 widest 3")
    {'low': 5, 'lower': 2, 'newest': 6, 'widest': 3}
    >>> read_counts("low×5\\nlower x 2\\nnewest*6\\nwidest: 3") == read_counts("5 low\\n2 lower\\n6 newest\\n3 widest")
    True
    >>> read_counts("I have 5 apples"), read_counts("low low lower"), read_counts("low 5\\nlower")
    (None, None, None)
    """
    lines = [_AROUND.sub(" ", line) for line in corpus.splitlines()]
    for pattern, fewest in ((_ENTRY, 1), (_REVERSED, 2)):
        entries = [entry for line in lines for entry in _entries(line, pattern)]
        if len(entries) >= fewest and all(1 <= count <= MOST_COUNT for _word, count in entries):
            counts: Counter[str] = Counter()
            for word, count in entries:
                counts[word] += count
            return dict(counts)
    return None


def _entries(line: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """The words of a line with their counts; the count is 0 for what is no entry."""
    at = 0
    while at < len(line):
        if between := _BETWEEN.match(line, at):
            at = between.end()
            continue
        entry = pattern.match(line, at)
        digits = entry["count"].replace(",", "") if entry else ""
        yield entry["word"] if entry else "", int(digits) if digits.isdecimal() and len(digits) < 9 else 0
        at = entry.end() if entry else len(line)


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
