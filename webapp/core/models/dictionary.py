"""The dictionary of maximum matching: a word list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from functools import cached_property

from webapp.core.models.fast.word_lengths import lengths_by_beginning, lengths_by_ending
from webapp.core.models.skipped_lines import NONE_SKIPPED, SkippedLines
from webapp.core.vocabulary_error import VocabularyError

WHITE_SPACE = tuple(filter(str.isspace, map(chr, range(0x3001))))
"""All white space of Unicode, from the tab to U+3000, in the order of its ids."""


class Dictionary:
    """Words in order, optionally with a frequency and a part-of-speech tag for each.

    The id of a word is its position. `unknown_id`, one more than the last id, stands for text that is not a word. White
    space between words is not text that the dictionary lacks: each character of it has an id of its own after that, in
    `space_ids`, so that it is not unknown and decodes to itself. `skipped` are the lines of the word list that were no
    entries, if it was read from one.

    >>> dictionary = Dictionary(["研究", "研究生", "生命"], frequencies=[5, 2, 4])
    >>> dictionary.id_of("生命"), dictionary.unknown_id, "科学" in dictionary, dictionary.space_ids[" "] > 3
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
        self.space_ids: Mapping[str, int] = space_ids(ids, self.unknown_id)
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

    @cached_property
    def words_of_length(self) -> Mapping[int, int]:
        """How many words have each length in characters; built on first use."""
        return Counter(map(len, self.words))


def space_ids(ids: Container[str], unknown_id: int) -> dict[str, int]:
    """The ids of white space, which follow `unknown_id`; a character that is a word has none."""
    return {character: id for id, character in enumerate(WHITE_SPACE, unknown_id + 1) if character not in ids}
