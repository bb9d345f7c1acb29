"""The text to encode for a corpus if the visitor gave none: words of the corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 60  # characters
_CLAUSE = re.compile(r"[，。！？；、,.!?;:：]\s*")


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
