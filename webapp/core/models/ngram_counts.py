"""How often sequences of words occur in segmented sentences: the counts of an n-gram model."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.vocabulary_error import VocabularyError, shown

HIGHEST_ORDER = 3
LONGEST_WORD = 64  # characters


class SentenceMark(str):
    """The beginning or the end of a sentence, or an unknown word; it differs from every word with the same spelling.

    >>> START == "<s>", START == START, f"{START}"
    (False, True, '<s>')
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


START: str = SentenceMark("<s>")
END: str = SentenceMark("</s>")
UNKNOWN: str = SentenceMark("<unk>")
MARKS = (END, START, UNKNOWN)
"""In the order of their numbers, which follow those of the words."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """What smoothing needs of all counts, measured before rare n-grams were removed; each by order, from 1.

    `once_and_twice`: how many n-grams occur once and twice (n1 and n2 of the literature). `continuations`: how many
    n-grams follow exactly one word and exactly two, or begin a sentence once and twice. `weights`: those of deleted
    interpolation.
    """

    once_and_twice: tuple[tuple[int, int], ...]
    continuations: tuple[tuple[int, int], ...]
    weights: tuple[float, ...]


@dataclass(eq=False, slots=True)
class Level:
    """The n-grams of one order, sorted: those with a context are next to each other.

    `words` has the last word of each n-gram, `begins` where the n-grams begin of each context, which is an n-gram of
    the order below. `continuations` says how many different words stand before each n-gram.
    """

    words: array[int]
    counts: array[int]
    begins: array[int]
    continuations: array[int]

    def children(self, context: int) -> range:
        """The n-grams with a context."""
        return range(self.begins[context], self.begins[context + 1])

    def find(self, context: int, word: int) -> int | None:
        """The n-gram of a context and a word, or None."""
        begin, end = self.begins[context], self.begins[context + 1]
        at = bisect_left(self.words, word, begin, end)
        return at if at < end and self.words[at] == word else None


class NGramCounts:
    """How often each sequence of one to `order` words occurs in sentences. Immutable.

    A sentence begins with START, which is never predicted, and ends with END, which is predicted like a word. Words are
    numbered in their order; the marks have the numbers after them. `pruned` says that rare n-grams were removed: then
    `estimates` has what all of them said.

    >>> counts = NGramCounts.of(["a", "b"], {("a",): 2, ("b",): 1, (END,): 2, (START,): 2,
    ...                                      (START, "a"): 2, ("a", "b"): 1, ("a", END): 1, ("b", END): 1})
    >>> counts.order, counts.count("a", "b"), counts.context_count("a"), counts.types_after("a"), counts.sentences
    (2, 1, 2, 2, 2)
    """

    def __init__(
        self,
        words: Sequence[str],
        levels: Sequence[Level],
        *,
        pruned: bool = False,
        estimates: Estimates | None = None,
        ids: Mapping[str, int] | None = None,
    ) -> None:
        self.words: tuple[str, ...] = tuple(words)
        self.levels = tuple(levels)
        self.pruned = pruned
        self.given_estimates = estimates
        first = len(self.words)
        self.ids: Mapping[str, int] = dict(zip(self.words, range(first), strict=True)) if ids is None else ids
        self.end, self.start, self.unknown = first, first + 1, first + 2
        self._marks = {END: self.end, START: self.start, UNKNOWN: self.unknown}
        self._totals = [sum(self.levels[0].counts) - self.levels[0].counts[self.start]]

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        counts: Mapping[tuple[str, ...], int],
        *,
        order: int = 1,
        pruned: bool = False,
        estimates: Estimates | None = None,
    ) -> NGramCounts:
        """Return the counts of n-grams up to `order` or the longest, by their words.

        Each n-gram begins with one that is one shorter and counted too.

        Raises VocabularyError for a word that is empty, too long, contains white space or occurs twice.
        """
        check_words(words)
        first = len(words)
        ids: dict[str, int] = dict(zip(words, range(first), strict=True))
        if len(ids) != first:
            raise VocabularyError("a word occurs twice in the vocabulary")
        number: dict[str, int] = {**ids, END: first, START: first + 1, UNKNOWN: first + 2}
        numbers = first + len(MARKS)
        by_order: list[dict[int, int]] = [{} for _ in range(max([order, *map(len, counts)]))]
        for ngram, count in counts.items():
            key = 0
            for word in ngram:
                key = key * numbers + number[word]
            by_order[len(ngram) - 1][key] = count
        return cls(words, levels_of(by_order, numbers), pruned=pruned, estimates=estimates)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)

    @property
    def sentences(self) -> int:
        """How many sentences were counted."""
        return self.levels[0].counts[self.start]

    @property
    def vocabulary_size(self) -> int:
        """The number of words, plus one for the end of a sentence, plus one for unknown words if they were counted."""
        return len(self.words) + 1 + bool(self.counts_unknown)

    @property
    def counts_unknown(self) -> bool:
        """Whether words outside the vocabulary were counted, as one."""
        return self.levels[0].counts[self.unknown] > 0

    def number(self, word: str) -> int:
        """The number of a word or mark; that of UNKNOWN for a word outside the vocabulary."""
        found = self._marks.get(word)
        return self.ids.get(word, self.unknown) if found is None else found

    def word(self, number: int) -> str:
        """The word or mark with a number."""
        return self.words[number] if number < len(self.words) else MARKS[number - len(self.words)]

    def find(self, numbers: Sequence[int]) -> int | None:
        """The n-gram of some words, as its place in its level, or None if it never occurs."""
        node: int | None = numbers[0]
        for level, number in zip(self.levels[1:], numbers[1:], strict=False):
            if node is None:
                return None
            node = level.find(node, number)
        return node if len(numbers) <= self.order else None

    def _find(self, words: Sequence[str]) -> int | None:
        numbers = [self._marks[word] if word in self._marks else self.ids.get(word) for word in words]
        found = [number for number in numbers if number is not None]
        return self.find(found) if len(found) == len(numbers) else None

    def count(self, *words: str) -> int:
        """How often these words, of which there is at least one, follow each other."""
        node = self._find(words)
        return 0 if node is None else self.levels[len(words) - 1].counts[node]

    def context_count(self, *context: str) -> int:
        """How many words follow a context; without one, how many words and ends of sentences there are."""
        if not context:
            return self._totals[0]
        node = self._find(context)
        return 0 if node is None or len(context) >= self.order else self.total(len(context), node)

    def total(self, length: int, node: int) -> int:
        """How many words follow the context `node` of some length, those of removed n-grams included."""
        level = self.levels[length]
        kept = sum(level.counts[level.begins[node] : level.begins[node + 1]])
        return max(kept, self.levels[length - 1].counts[node]) if self.pruned else kept

    def types_after(self, *context: str) -> int:
        """How many different words follow a context: N1+(context •)."""
        return len(self.followers(*context))

    def followers(self, *context: str) -> list[tuple[str, int]]:
        """The words that follow a context and how often, in the order of the words."""
        node = self._find(context) if context else None
        if not context:
            counts = enumerate(self.levels[0].counts)
            return [(self.word(at), count) for at, count in counts if count and at != self.start]
        if node is None or len(context) >= self.order:
            return []
        level = self.levels[len(context)]
        return [(self.word(level.words[at]), level.counts[at]) for at in level.children(node)]

    def ngrams(self, length: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield the n-grams of a length and their counts, in the order of their words; marks come last."""
        for numbers, node in self.numbered(length):
            count = self.levels[length - 1].counts[node]
            if count:
                yield tuple(map(self.word, numbers)), count

    def numbered(self, length: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the words' numbers and the place of each n-gram of a length."""
        if length == 1:
            for node in range(len(self.levels[0].counts)):
                yield (node,), node
            return
        level = self.levels[length - 1]
        for numbers, context in self.numbered(length - 1):
            for node in level.children(context):
                yield (*numbers, level.words[node]), node

    def size(self, length: int) -> int:
        """How many different n-grams of a length there are."""
        return self.types_after() + 1 if length == 1 else len(self.levels[length - 1].words)


def check_words(words: Iterable[str]) -> None:
    """Raise VocabularyError for a word that no n-gram model can have."""
    for word in words:
        if not word:
            raise VocabularyError("an empty word is in the vocabulary")
        if len(word) > LONGEST_WORD:
            raise VocabularyError(
                "the word %(word)s has %(count)s characters; at most %(most)s are allowed",
                word=shown(word[:LONGEST_WORD]),
                count=len(word),
                most=LONGEST_WORD,
            )
        if any(map(str.isspace, word)):
            raise VocabularyError("the word %(word)s contains white space", word=shown(word))


def levels_of(by_order: Sequence[Mapping[int, int]], numbers: int) -> list[Level]:
    """Return the levels of counts by n-gram, for words with numbers below `numbers`.

    An n-gram is a number too, in base `numbers`: (first · numbers + second) · numbers + third. Raises KeyError for an
    n-gram whose beginning is missing.
    """
    counts = array("Q", bytes(8 * numbers))
    for number, count in by_order[0].items():
        counts[number] = count
    levels = [Level(array("I", range(numbers)), counts, array("I", (0, numbers)), array("I", bytes(4 * numbers)))]
    shorter: list[int] = list(range(numbers))
    places: Mapping[int, int] = {}
    for length, found in enumerate(by_order[1:], 2):
        ngrams = sorted(found)
        begins = array("I")
        at = 0
        for context in shorter:
            begins.append(at)
            if at < len(ngrams) and ngrams[at] < context * numbers:
                break
            after = (context + 1) * numbers
            while at < len(ngrams) and ngrams[at] < after:
                at += 1
        begins.append(at)
        if at < len(ngrams):
            raise KeyError(ngrams[at])
        before = levels[-1].continuations
        whole = numbers ** (length - 1)
        for ngram in ngrams:
            ending = ngram % whole
            place = ending if length == 2 else places.get(ending)
            if place is not None:
                before[place] += 1
        words = array("I", [ngram % numbers for ngram in ngrams])
        in_order = array("Q", map(found.__getitem__, ngrams))
        levels.append(Level(words, in_order, begins, array("I", bytes(4 * len(words)))))
        if length < len(by_order):
            places = {ngram: at for at, ngram in enumerate(ngrams)}
        shorter = ngrams
    return levels
