"""Changes to a dictionary: words added, words removed, and other frequencies, as a layer over the dictionary.

They are written as a text with a change in each line: `词 5` adds a word or sets its frequency, `-词` removes one.

>>> dictionary = edited(Dictionary(["研究", "研究生", "生命"]), "-研究生\\n研究生命 7")
>>> "研究生" in dictionary, dictionary.id_of("研究生命"), dictionary.unknown_id, len(dictionary)
(False, 3, 4, 3)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeVar, overload

from webapp.core.models.dictionary import Dictionary, Reason, fields_of, problem_of, space_ids
from webapp.core.vocabulary_error import Phrase

MOST_EDITS = 500
# White space around a line; tabs separate its fields. U+3000 is the last space of Unicode.
_SPACES = "".join(character for character in map(chr, range(0x3001)) if character.isspace() and character != "\t")

EditReason = Reason | Literal["too-many"]
Value = TypeVar("Value")
_MISSING: Any = object()


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

    Without a `frequency`, a word that the dictionary has keeps its own, and a new one gets 0, as in a word list.
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
    """A dictionary with changes, which shares the tables of the unchanged one, its `base`.

    Words of `base` keep their ids and new ones follow, so `unknown_id` and the ids of white space move up by the number
    of words `added`. The id of a removed word stays vacant: `words` has the word there, `ids` does not. `changed` has
    the words of `base` with another frequency.
    """

    def __init__(self, base: Dictionary, changes: Sequence[Edit]) -> None:
        """Layer `changes` over `base`, a change for each word; the time does not depend on the size of `base`."""
        known = base.ids
        self.base = base
        self.changes = tuple(changes)
        self.skipped = base.skipped
        self.removed = frozenset(edit.word for edit in changes if edit.removed and edit.word in known)
        new = [edit for edit in changes if not edit.removed and edit.word not in known]
        kept = [edit for edit in changes if not edit.removed and edit.word in known]
        self.added: Mapping[str, int] = {edit.word: id for id, edit in enumerate(new, len(base.words))}
        self.changed: Mapping[str, int] = {edit.word: edit.frequency for edit in kept if edit.frequency is not None}
        self.words = _LongerSequence(base.words, list(self.added), {})
        self.unknown_id = len(self.words)
        self.ids = _Layer(known, self.added, self.removed)
        self.space_ids = space_ids(self.ids, self.unknown_id)
        self.frequencies = self._column(
            base.frequencies,
            0,
            [edit.frequency or 0 for edit in new],
            {known[word]: frequency for word, frequency in self.changed.items()},
        )
        self.tags = self._column(
            base.tags, "", [edit.tag for edit in new], {known[edit.word]: edit.tag for edit in kept if edit.tag}
        )
        if self.tags is not None and self.frequencies is None:
            self.frequencies = (0,) * len(self.words)
        self.longest = max([_longest(base, self.removed), *map(len, self.added)])

    @cached_property
    def lengths_by_beginning(self) -> Mapping[str, tuple[int, ...]]:
        """As in `Dictionary`, for the words of `base` as well, the removed ones included: a length that does not fit is
        only tried in vain."""
        lengths = self.base.lengths_by_beginning
        return _Layer(lengths, _longer_lengths(lengths, ((word[:2], len(word)) for word in self.added)))

    @cached_property
    def lengths_by_ending(self) -> Mapping[str, tuple[int, ...]]:
        """The same as `lengths_by_beginning`, by the last two characters."""
        lengths = self.base.lengths_by_ending
        return _Layer(lengths, _longer_lengths(lengths, ((word[-2:], len(word)) for word in self.added)))

    def _column(
        self, column: Sequence[Value] | None, missing: Value, new: Sequence[Value], changed: Mapping[int, Value]
    ) -> Sequence[Value] | None:
        """The frequencies or tags of all words; None if `base` has none and the changes name none."""
        if column is None:
            if not (changed or any(value != missing for value in new)):
                return None
            column = _Repeated(missing, len(self.base.words))
        return _LongerSequence(column, new, changed)


def unedited(dictionary: Dictionary) -> Dictionary:
    """The dictionary without its changes.

    >>> dictionary = Dictionary(["研究", "生命"])
    >>> unedited(edited(dictionary, "-研究")) is dictionary
    True
    """
    return dictionary.base if isinstance(dictionary, EditedDictionary) else dictionary


def scratch(dictionary: Dictionary) -> Dictionary:
    """The same words, frequencies and tags as a dictionary without a layer; its ids have no gaps.

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


class _Layer(Mapping[str, Value]):
    """A mapping with other entries in front of it and without some keys."""

    def __init__(
        self, base: Mapping[str, Value], front: Mapping[str, Value], removed: frozenset[str] = frozenset()
    ) -> None:
        self._base, self._front, self._removed = base, front, removed
        in_front: dict[str, Any] = {**front, **dict.fromkeys(removed, _MISSING)}
        of_front, of_base = in_front.get, base.get

        def get(key: str, default: Any = None) -> Any:
            found = of_front(key)
            if found is None:
                return of_base(key, default)
            return default if found is _MISSING else found

        # A closure: as a method it takes half again as long, and matching calls it for every character of the text.
        self.get = get  # type: ignore[method-assign]

    def __getitem__(self, key: str) -> Value:
        found: Value = self.get(key, _MISSING)
        if found is _MISSING:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return key not in self._removed and (key in self._front or key in self._base)

    def __iter__(self) -> Iterator[str]:
        yield from (key for key in self._base if key not in self._removed)
        yield from (key for key in self._front if key not in self._base)

    def __len__(self) -> int:
        return len(self._base) - len(self._removed) + sum(key not in self._base for key in self._front)


class _LongerSequence(Sequence[Value]):
    """A sequence with other values at some places, and more values after it."""

    def __init__(self, base: Sequence[Value], new: Sequence[Value], changed: Mapping[int, Value]) -> None:
        self._base, self._new, self._changed = base, new, changed
        self._known = len(base)

    @overload
    def __getitem__(self, at: int) -> Value: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Value]: ...

    def __getitem__(self, at: int | slice) -> Value | Sequence[Value]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        if at < 0:
            at += len(self)
        if at < 0:
            raise IndexError(at)
        if at >= self._known:
            return self._new[at - self._known]
        return self._changed[at] if at in self._changed else self._base[at]

    def __len__(self) -> int:
        return self._known + len(self._new)

    def __iter__(self) -> Iterator[Value]:
        if not self._changed:
            return chain(self._base, self._new)
        values = list(self._base)
        for at, value in self._changed.items():
            values[at] = value
        return chain(values, self._new)


class _Repeated(Sequence[Value]):
    """One value, many times."""

    def __init__(self, value: Value, count: int) -> None:
        self._value, self._count = value, count

    @overload
    def __getitem__(self, at: int) -> Value: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Value]: ...

    def __getitem__(self, at: int | slice) -> Value | Sequence[Value]:
        if isinstance(at, slice):
            return [self._value] * len(range(*at.indices(self._count)))
        if not -self._count <= at < self._count:
            raise IndexError(at)
        return self._value

    def __len__(self) -> int:
        return self._count


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
    changed: dict[str, tuple[int, ...]] = {}
    for key, length in keyed:
        before = changed.get(key) or lengths.get(key, ())
        if length > 1 and length not in before:
            changed[key] = tuple(sorted((*before, length), reverse=True))
    return changed


def _longest(base: Dictionary, removed: frozenset[str]) -> int:
    """The length of the longest word of `base` that is not removed."""
    if not any(len(word) == base.longest for word in removed):
        return base.longest
    gone = [len(word) for word in removed]
    left = (length for length, count in base.words_of_length.items() if count > gone.count(length))
    return max(left, default=0)
