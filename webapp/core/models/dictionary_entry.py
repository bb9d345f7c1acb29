"""A line of a word list, `word`, `word frequency` or `word frequency tag`: its fields, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.core.models.skipped_lines import Reason
from webapp.core.vocabulary_error import Phrase, shown

LONGEST_WORD = 64
"""In characters. Matching tries every word length at every position, so without a bound it would not stay linear."""
MOST_DIGITS = 18
"""Real counts fit in 18 digits; converting longer ones would only cost time."""
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")

# U+3000 between two characters that are not ASCII, as between the parts of a name.
_INSIDE_NAME = re.compile(r"(?<=[^\x00-\x7f])\u3000(?=[^\x00-\x7f])")
_HELD = "\ue000"


def fields_of(line: str) -> list[str]:
    r"""The fields of a line: between tabs if it has one, else between white space; none for a blank line.

    U+3000, the white space of Chinese, separates fields too, unless the second field would then be no frequency and
    there is no ASCII character beside it: inside a name it is part of the word.

    >>> fields_of("研究　5　v"), fields_of("约翰　史密斯 5"), fields_of("New York\t7\t")
    (['研究', '5', 'v'], ['约翰　史密斯', '5'], ['New York', '7'])
    """
    if "\t" in line:
        fields = [field.strip() for field in line.split("\t")]
        while fields and not fields[-1]:
            fields.pop()
        return fields
    fields = line.split()
    if len(fields) > 1 and "\u3000" in line and _HELD not in line and not is_frequency(fields[1]):
        held = [field.replace(_HELD, "\u3000") for field in _INSIDE_NAME.sub(_HELD, line).split()]
        return held if "\u3000" in held[0] and problem_of(held) is None else fields
    return fields


def is_frequency(field: str) -> bool:
    """Whether a field is a whole number of at most 18 digits."""
    return field.isascii() and field.isdigit() and len(field) <= MOST_DIGITS


def problem_of(fields: Sequence[str]) -> tuple[Reason, Phrase] | None:
    """What is wrong with the fields of a line, for programs and as a sentence; None if they are an entry.

    >>> problem_of(["研究", "5", "v"])
    >>> str(problem_of(["研究", "often"])[1])
    "the frequency 'often' is not a whole number of at most 18 digits"
    """
    control = CONTROL.search("\n".join(fields))
    if control is not None:
        return "control-character", Phrase("it has the control character %(character)s", character=shown(control[0]))
    if len(fields) > 3:
        return "too-many-fields", Phrase(
            "%(count)s fields; an entry has at most three: a word, a frequency and a tag", count=len(fields)
        )
    if not fields or not fields[0]:
        return "empty-word", Phrase("the word is empty")
    if len(fields[0]) > LONGEST_WORD:
        return "word-too-long", Phrase(
            "the word has %(count)s characters; at most %(most)s are allowed", count=len(fields[0]), most=LONGEST_WORD
        )
    if len(fields) > 1 and not is_frequency(fields[1]):
        return "frequency-not-a-number", Phrase(
            "the frequency %(frequency)s is not a whole number of at most %(most)s digits",
            frequency=shown(fields[1]),
            most=MOST_DIGITS,
        )
    return None
