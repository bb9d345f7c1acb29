"""The dictionary of maximum matching: a word list.

The lines of a word list that are no entries, which reading it skipped.

A line of a word list, `word`, `word frequency` or `word frequency tag`: its fields, and what is wrong with them.
"""

import re
import unicodedata
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

from webapp.core.models.fast.word_lengths import lengths_by_beginning, lengths_by_ending
from webapp.core.vocabulary_error import Phrase, VocabularyError, shown

Reason = Literal[
    "control-character", "empty-word", "word-too-long", "too-many-fields", "frequency-not-a-number", "quotes"
]

MOST_LISTED = 20
"""How many skipped lines are described; the others are only counted."""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that is no entry.

    `number` counts from 1, `reason` is a code for programs, `message` a translatable phrase, and `text` the beginning
    of the line.
    """

    number: int
    reason: Reason
    message: Phrase
    text: str


@dataclass(frozen=True, slots=True)
class SkippedLines:
    """The number of skipped lines, and the `first` of them, at most `MOST_LISTED`.

    >>> bool(SkippedLines())
    False
    """

    count: int = 0
    first: tuple[SkippedLine, ...] = ()

    def __bool__(self) -> bool:
        return self.count > 0

    @property
    def more(self) -> int:
        """How many skipped lines are not in `first`."""
        return self.count - len(self.first)


NONE_SKIPPED = SkippedLines()


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


_PLACES = (range(0x100), range(0x2010, 0x2060), range(0x3001, 0x3040), range(0xFF01, 0xFF66))
_MARKS = (char for char in map(chr, chain(*_PLACES)) if unicodedata.category(char)[0] in "PS")
OTHERS = (*filter(str.isspace, map(chr, range(0x3001))), *_MARKS)
"""All white space of Unicode, and the usual punctuation and signs: no words, and nothing unknown, so with ids."""


class Dictionary:
    """Words in order, optionally with a frequency and a part-of-speech tag for each.

    The id of a word is its position. `unknown_id`, one more than the last id, stands for text that is not a word. White
    space between words is not text that the dictionary lacks: each character of it has an id of its own after that, in
    `other_ids`, so that it is not unknown and decodes to itself. `skipped` are the lines of the word list that were no
    entries, if it was read from one.

    >>> dictionary = Dictionary(["研究", "研究生", "生命"], frequencies=[5, 2, 4])
    >>> dictionary.id_of("生命"), dictionary.unknown_id, "科学" in dictionary, dictionary.other_ids[" "] > 3
    (2, 3, False, True)
    """

    def __init__(
        self,
        words: Sequence[str],
        frequencies: Sequence[int] | None = None,
        tags: Sequence[str] | None = None,
        skipped: SkippedLines = NONE_SKIPPED,
    ) -> None:
        """Raises ValueError if a word is empty or occurs twice, or if a list is not as long as `words`."""
        self.words: Sequence[str] = tuple(words)
        self.frequencies: Sequence[int] | None = None if frequencies is None else tuple(frequencies)
        self.tags: Sequence[str] | None = None if tags is None else tuple(tags)
        self.skipped = skipped
        self.unknown_id = len(self.words)
        ids = dict(zip(self.words, range(len(self.words)), strict=True))
        if len(ids) != len(self.words):
            raise VocabularyError("a word occurs twice in the dictionary")
        if "" in ids:
            raise VocabularyError("an empty word is in the dictionary")
        for name, column in (("frequencies", self.frequencies), ("tags", self.tags)):
            if column is not None and len(column) != len(self.words):
                raise VocabularyError(
                    "%(words)s words, but %(count)s %(name)s", words=len(self.words), count=len(column), name=name
                )
        self.ids: Mapping[str, int] = ids
        self.other_ids: Mapping[str, int] = other_ids(ids, self.unknown_id)
        self.longest = max(map(len, self.words), default=0)

    def id_of(self, word: str) -> int | None:
        """The id of a word, or None if it is not in the dictionary."""
        return self.ids.get(word)

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def __len__(self) -> int:
        return len(self.ids)

    repeated = 0
    """The frequencies of lines that repeat a word: they count in the total, as in jieba."""

    split_words: frozenset[str] = frozenset()
    """The words that a visitor removed: the HMM does not find them either, as after jieba's `del_word`."""

    @cached_property
    def total(self) -> int:
        """The sum of the frequencies; a word without one, or with 0, counts once."""
        if self.frequencies is None:
            return len(self.words) + self.repeated
        return sum(self.frequencies) + self.frequencies.count(0) + self.repeated

    @cached_property
    def lengths_by_beginning(self) -> Mapping[str, tuple[int, ...]]:
        """For each two characters, the lengths of the words that begin with them, longest first; built on first use."""
        return lengths_by_beginning(self.words)

    @cached_property
    def lengths_by_ending(self) -> Mapping[str, tuple[int, ...]]:
        """For each two characters, the lengths of the words that end with them, longest first; built on first use."""
        return lengths_by_ending(self.words)


def other_ids(ids: Container[str], unknown_id: int) -> dict[str, int]:
    """The ids of white space and punctuation, which follow `unknown_id`; a character that is a word has none."""
    return {character: id for id, character in enumerate(OTHERS, unknown_id + 1) if character not in ids}
