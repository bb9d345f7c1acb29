"""Changes to a dictionary: words added, words removed, and other frequencies.

They are written as a text with a change in each line: `词 5` adds a word or sets its frequency, `-词` removes one.

>>> dictionary = edited(Dictionary(["研究", "研究生", "生命"]), "-研究生\\n研究生命 7")
>>> "研究生" in dictionary, dictionary.id_of("研究生命"), dictionary.unknown_id, len(dictionary)
(False, 3, 4, 3)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from webapp.core.models.dictionary import Dictionary, Reason, fields_of, other_ids, problem_of
from webapp.core.models.maximum_probability import WordGraph, joined_frequency
from webapp.core.vocabulary_error import Phrase

MOST_EDITS = 500
# White space around a line; tabs separate its fields. U+3000 is the last space of Unicode.
_SPACES = "".join(character for character in map(chr, range(0x3001)) if character.isspace() and character != "\t")

EditReason = Reason | Literal["too-many"]


class EditError(ValueError):
    """A line that is no change of a dictionary; `line_number` counts from 1, `message` is a translatable phrase."""

    def __init__(self, line_number: int, reason: EditReason, message: Phrase) -> None:
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number
        self.reason: EditReason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Edit:
    """A change: a word to remove, or to add with a frequency and a part-of-speech tag.

    Without a `frequency`, it gets the least one with which it is more probable than its parts, at least its own
    (jieba's `suggest_freq`); in a dictionary without frequencies, 0.
    """

    word: str
    removed: bool = False
    frequency: int | None = None
    tag: str = ""

    def __str__(self) -> str:
        """The line of the change, which `parse_edits` reads back."""
        if self.removed:
            return f"-{self.word}"
        frequency = "0" if self.tag and self.frequency is None else self.frequency
        fields = [self.word, "" if frequency is None else str(frequency), self.tag]
        while not fields[-1]:
            fields.pop()
        line = " ".join(fields)
        return line if fields_of(line) == fields else "\t".join([*fields, ""])


def parse_edits(text: str) -> list[Edit]:
    """The changes in a text, the last one of each word, in the order of the lines.

    White space separates word, frequency and tag; in a line with a tab, tabs do. Blank lines are skipped.

    >>> [str(edit) for edit in parse_edits("研究 5\\n\\n-生命\\n研究 7 v")]
    ['-生命', '研究 7 v']

    Raises EditError for the first line that is no change, and for more than `MOST_EDITS` lines.
    """
    lines = [(number, line.strip(_SPACES)) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > MOST_EDITS:
        message = Phrase("more than %(most)s changes; put them into a dictionary of your own", most=MOST_EDITS)
        raise EditError(lines[MOST_EDITS][0], "too-many", message)
    found: dict[str, Edit] = {}
    for number, line in lines:
        edit = _parsed(number, line)
        found.pop(edit.word, None)
        found[edit.word] = edit
    return list(found.values())


def with_edit(edits: str, edit: Edit) -> str:
    """The text with one more change, in place of an earlier one of the same word.

    >>> with_edit("研究 5\\n-生命", Edit("研究", frequency=9))
    '-生命\\n研究 9'
    """
    return "\n".join(map(str, [*_others(edits, edit.word), edit]))


def without_edit(edits: str, word: str) -> str:
    """The text without the change of a word.

    >>> without_edit("研究 5\\n-生命", "生命")
    '研究 5'
    """
    return "\n".join(map(str, _others(edits, word)))


def edited(dictionary: Dictionary, edits: str) -> Dictionary:
    """The dictionary with the changes of a text; the dictionary itself if there are none.

    Raises EditError like `parse_edits`.
    """
    changes = parse_edits(edits) if edits else []
    return EditedDictionary(dictionary, changes) if changes else dictionary


class EditedDictionary(Dictionary):
    """A dictionary with changes; `base` is the unchanged one.

    Words of `base` keep their ids and new ones follow, so `unknown_id` and the ids of white space move up by the number
    of words `added`. The id of a removed word stays vacant: `words` has the word there, `ids` does not.

    Frequencies are those of jieba's `add_word` and `del_word`, its total included: it grows by each frequency that is
    set, also of a word that had another one, and does not shrink by that of a removed word.
    """

    def __init__(self, base: Dictionary, changes: Sequence[Edit]) -> None:
        """Apply `changes` to `base`, a change for each word; jieba's 349,000 words take a hundredth of a second."""
        known = base.ids
        self.base = base
        self.changes = tuple(changes)
        self.skipped = base.skipped
        self.split_words = frozenset(edit.word for edit in changes if edit.removed)
        new = (edit.word for edit in changes if not edit.removed and edit.word not in known)
        self.added: Mapping[str, int] = {word: id for id, word in enumerate(new, len(base.words))}
        self.words = (*base.words, *self.added)
        self.unknown_id = len(self.words)
        has_tags = base.tags is not None or any(edit.tag for edit in changes)
        has_frequencies = has_tags or base.frequencies is not None or any(edit.frequency for edit in changes)
        frequencies = [*(base.frequencies or [0] * len(base.words)), *[0] * len(self.added)]
        tags = [*(base.tags or [""] * len(base.words)), *[""] * len(self.added)]
        self.frequencies = frequencies if has_frequencies else None
        self.tags = tags if has_tags else None
        ids = self.ids = dict(known)
        self.total = base.total
        for edit in changes:  # in their order, because a frequency is suggested by the dictionary so far
            word, frequency = edit.word, edit.frequency
            if edit.removed:
                ids.pop(word, None)
                continue
            if frequency is None and base.frequencies is not None:
                frequency = joined_frequency(WordGraph(self), word)
            id = ids.setdefault(word, self.added.get(word, -1))
            frequencies[id] = frequencies[id] if frequency is None else frequency
            tags[id] = edit.tag or tags[id]
            self.total += frequencies[id] or 1
        self.other_ids = other_ids(ids, self.unknown_id)
        shortened = any(len(word) == base.longest for word in self.split_words)
        self.longest = max(map(len, ids if shortened else self.added), default=0)
        if not shortened:
            self.longest = max(self.longest, base.longest)

    @cached_property
    def lengths_by_beginning(self) -> Mapping[str, tuple[int, ...]]:
        """As in `Dictionary`, for the words of `base` as well, the removed ones included: a length that does not fit is
        only tried in vain."""
        return _longer_lengths(self.base.lengths_by_beginning, ((word[:2], len(word)) for word in self.added))

    @cached_property
    def lengths_by_ending(self) -> Mapping[str, tuple[int, ...]]:
        """The same as `lengths_by_beginning`, by the last two characters."""
        return _longer_lengths(self.base.lengths_by_ending, ((word[-2:], len(word)) for word in self.added))


def unedited(dictionary: Dictionary) -> Dictionary:
    """The dictionary without its changes.

    >>> dictionary = Dictionary(["研究", "生命"])
    >>> unedited(edited(dictionary, "-研究")) is dictionary
    True
    """
    return dictionary.base if isinstance(dictionary, EditedDictionary) else dictionary


def scratch(dictionary: Dictionary) -> Dictionary:
    """The same words, frequencies and tags as a dictionary of its own; its ids have no gaps.

    >>> scratch(edited(Dictionary(["研究", "生命"]), "-研究\\n人 2")).words
    ('生命', '人')
    """
    places = list(dictionary.ids.values())
    frequencies, tags = dictionary.frequencies, dictionary.tags
    return Dictionary(
        [dictionary.words[at] for at in places],
        None if frequencies is None else [frequencies[at] for at in places],
        None if tags is None else [tags[at] for at in places],
    )


def _others(edits: str, word: str) -> list[Edit]:
    return [edit for edit in parse_edits(edits) if edit.word != word]


def _parsed(number: int, line: str) -> Edit:
    removed = line.startswith("-")
    fields = [line[1:].strip()] if removed else fields_of(line)
    problem = problem_of(fields)
    if problem is not None:
        raise EditError(number, *problem)
    word, frequency, tag = [*fields, "", ""][:3]
    return Edit(word, removed, int(frequency) if frequency else None, tag)


def _longer_lengths(lengths: Mapping[str, tuple[int, ...]], keyed: Iterator[tuple[str, int]]) -> dict[str, Any]:
    changed = dict(lengths)
    for key, length in keyed:
        before = changed.get(key, ())
        if length > 1 and length not in before:
            changed[key] = tuple(sorted((*before, length), reverse=True))
    return changed
