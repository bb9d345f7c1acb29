"""All ambiguities of a text with a dictionary, and what each method of word segmentation chooses there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from webapp.core.algorithms import ALGORITHMS
from webapp.core.analysis.ambiguity import Ambiguities, Chain, Combination, Kind, find_ambiguities, words_of_chain
from webapp.core.encoding import Encoding
from webapp.core.models.dictionary import Dictionary
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.encoding import encode
from webapp.tokenization.forms import fits
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import default_for, offered_algorithms

WORD_FAMILIES = ("dictionary", "word model")
"""The families of algorithms that split a text into words."""
MOST_SEGMENTED = 100_000
"""How many characters of a text each method segments; the ambiguities are those of the whole text."""
KINDS: tuple[Kind, ...] = ("overlapping", "combinational")


@dataclass(frozen=True)
class Method:
    """A method of word segmentation, and its words: the offsets where they start and end."""

    algorithm: str
    name: str
    vocabulary: str
    starts: Sequence[int]
    ends: Sequence[int]

    def words_at(self, start: int, end: int) -> list[tuple[int, int]]:
        """The spans of the words that share characters with a place."""
        first = bisect_right(self.ends, start)
        last = bisect_left(self.starts, end)
        return list(zip(self.starts[first:last], self.ends[first:last], strict=True))


@dataclass(frozen=True)
class AmbiguousPlace:
    """A place of a text with an ambiguity.

    `words` are the spans of the words that cross, or of those that a word consists of; `chosen` those that each method
    takes there, empty for a place after the part of the text that the methods segmented. `chain_length` is None for a
    combinational ambiguity.
    """

    kind: Kind
    start: int
    end: int
    chain_length: int | None
    words: Sequence[tuple[int, int]]
    chosen: Sequence[Sequence[tuple[int, int]]]

    @property
    def differs(self) -> bool:
        """Whether two methods split the place differently."""
        return len({tuple(each) for each in self.chosen}) > 1


@dataclass(frozen=True)
class AmbiguityResult:
    """The ambiguities of a text, and the methods, which segmented its first `segmented` characters."""

    state: State
    text: str
    dictionary: Dictionary
    found: Ambiguities
    methods: Sequence[Method]
    segmented: int

    def count(self, kind: Kind | None) -> int:
        """How many ambiguities of a kind, or of both, can be listed."""
        numbers = {"overlapping": len(self.found.chains), "combinational": self.found.listed}
        return sum(numbers.values()) if kind is None else numbers[kind]

    def places(self, kind: Kind | None, first: int = 0, last: int | None = None) -> Iterator[AmbiguousPlace]:
        """The places of a kind, or of both, the overlapping ones first, from number `first` up to `last`."""
        last = self.count(kind) if last is None else min(last, self.count(kind))
        chains = 0 if kind == "combinational" else len(self.found.chains)
        if kind != "combinational":
            yield from map(self._of_chain, self.found.chains[first : min(last, chains)])
        if kind != "overlapping" and last > chains:
            yield from map(self._of_word, self.found.combinations(max(first - chains, 0), last - chains))

    def _of_chain(self, chain: Chain) -> AmbiguousPlace:
        words = words_of_chain(self.dictionary, self.text, chain, self.state.runs)
        return AmbiguousPlace("overlapping", chain.start, chain.end, chain.length, words, self._chosen(chain))

    def _of_word(self, word: Combination) -> AmbiguousPlace:
        spans = []
        at = word.start
        for part in word.parts:
            spans.append((at, at + len(part)))
            at += len(part)
        return AmbiguousPlace("combinational", word.start, word.end, None, spans, self._chosen(word))

    def _chosen(self, place: Chain | Combination) -> list[list[tuple[int, int]]]:
        if place.end > self.segmented:
            return []
        return [method.words_at(place.start, place.end) for method in self.methods]


def find_all(state: State, *, corpus_limit: int) -> AmbiguityResult:
    """The ambiguities of a state's text with its dictionary; raises the exceptions of `prepare`.

    Methods that cannot use the dictionary, because they have a vocabulary of their own, use their default one. They
    segment at most `MOST_SEGMENTED` characters.
    """
    ready = prepare(state, corpus_limit=corpus_limit)
    assert ready.dictionary is not None
    names = algorithm_names()
    segmented = _end_of_part(state.text)
    part = state.text[:segmented]
    methods = []
    for id in offered_algorithms():
        if ALGORITHMS[id].family in WORD_FAMILIES:
            vocabulary = state.vocabulary if fits(state.vocabulary, id) else default_for(id)
            one = replace(state, algorithm=id, vocabulary=vocabulary)
            encoding = encode(prepare(one, corpus_limit=corpus_limit).tokenizer, part, algorithm=id)
            methods.append(Method(id, names[id], vocabulary, *_spans(encoding)))
    found = find_ambiguities(ready.dictionary, state.text, state.runs)
    return AmbiguityResult(state, state.text, ready.dictionary, found, methods, segmented)


def _end_of_part(text: str) -> int:
    """Where the part that the methods segment ends: after a sentence if one ends shortly before the limit."""
    if len(text) <= MOST_SEGMENTED:
        return len(text)
    first = MOST_SEGMENTED - 1_000
    return next((at for at in reversed(range(first, MOST_SEGMENTED + 1)) if text[at - 1] in "\n。！？"), MOST_SEGMENTED)


def _spans(encoding: Encoding) -> tuple[Sequence[int], Sequence[int]]:
    return list(encoding.starts), list(encoding.ends)
