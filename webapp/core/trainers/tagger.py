"""Train a tagger: the structured perceptron with averaged weights.

Collins 2002, "Discriminative Training Methods for Hidden Markov Models", figure 1 and section 2.3. The averages are
those over all sentences of all rounds, computed as Daumé 2006, "Practical Structured Learning Techniques for Natural
Language Processing", figure 2.3, does: each change also counts, times the number of the sentence, in a second table.

The features of all sentences are numbered first, so that the scores of a sentence are sums of rows of an array: 0.3 µs
per character, where looking features up in a dict took 2.2 µs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

import numpy as np
from numpy.typing import NDArray

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.tag_weights import (
    EDGE,
    GROUPS,
    HIGHEST,
    KINDS,
    SCALE,
    TAGS,
    TEMPLATES,
    TRANSITIONS,
    Features,
    TagWeights,
    Weights,
    best_tags,
    normalized,
)
from webapp.core.models.tagger import Tagger
from webapp.core.trainers.word_trie import code_points

Integers = NDArray[np.int64]
Table = NDArray[np.int32]

ROUNDS = 10
EACH = 2_000
"""Sentences between two reports."""
AT_ONCE = 1 << 16
"""Features that are averaged, and characters that are scored, at once: a line of 2 MB would take 400 MB."""
_TRANSITION = {tuple(map(TAGS.index, pair)): at for at, pair in enumerate(TRANSITIONS)}


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a training is: the `round` from 1, its `sentences` and `characters` so far, the wrong tags among them."""

    round: int
    sentences: int
    characters: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A sentence of a round, by its `number`: its normalized text, the right tags, and those that were found first."""

    round: int
    number: int
    text: str
    right: Sequence[int]
    found: Sequence[int]
    wrong: int

    def features(self, position: int) -> Iterator[tuple[str, str]]:
        """The template and the value of each feature of a character."""
        for group, values in zip(GROUPS, Features(self.text).at(position), strict=True):
            yield from zip(group, values, strict=True)


def tags_of(words: Sequence[str]) -> list[int]:
    """The numbers of the tags of a sentence's characters.

    >>> tags_of(["研究生", "来"])
    [0, 1, 2, 3]
    """
    return [tag for word in words for tag in ((3,) if len(word) == 1 else (0, *[1] * (len(word) - 2), 2))]


class NumberedFeatures:
    """The features of several texts, numbered as rows of a table.

    `rows` has the shape (templates, characters of all texts): the row of each feature of a character. The first text
    begins at character 2, and two characters are between one text and the next. `size` is the number of rows.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        padded = EDGE * 2 + "".join(text + EDGE * 2 for text in texts)
        alphabets = {"C": _numbered(padded), "T": _numbered("".join(map(KINDS.__getitem__, padded)))}
        self.rows = np.empty((len(TEMPLATES), len(padded)), np.int32)
        self.size = 0
        self._tables: list[tuple[str, int, int, str, Integers]] = []
        for group in GROUPS:
            alphabet, symbols = alphabets[group[0][0]]
            first, *others = _places(group[0])
            keys = symbols
            for place in others:
                keys = keys * len(alphabet) + np.roll(symbols, first - place)
            values, numbers = np.unique(keys, return_inverse=True)
            for template in group:
                self.rows[len(self._tables)] = self.size + np.roll(numbers, -_places(template)[0])
                self._tables.append((template, self.size, len(others), alphabet, values))
                self.size += len(values)

    def named(self, table: Table, kept: Integers) -> Weights:
        """The rows of a table with the `kept` numbers, which rise, by template and value."""
        found = {}
        for template, first, others, alphabet, values in self._tables:
            rows = kept[slice(*np.searchsorted(kept, (first, first + len(values))))]
            keys = values[rows - first]
            digits = [keys // len(alphabet) ** place % len(alphabet) for place in range(others, -1, -1)]
            names = map("".join, zip(*(map(alphabet.__getitem__, each.tolist()) for each in digits), strict=True))
            found[template] = dict(zip(names, table[rows].tolist(), strict=True))
        return found


def _numbered(text: str) -> tuple[str, Integers]:
    """The distinct characters of a text in order, and the number of each of its characters among them."""
    found, numbers = np.unique(code_points(text), return_inverse=True)
    return "".join(map(chr, found.tolist())), numbers


def _places(template: str) -> list[int]:
    return list(map(int, re.findall(r"-?\d", template)))


class Training:
    """The training of a tagger on segmented sentences, whose words are not empty.

    >>> training = Training([["研究", "生命"], ["研究生", "来"]])
    >>> moments = list(training.run(5))
    >>> training.tagger().words("研究生来")
    ['研究生', '来']
    """

    def __init__(self, sentences: Sequence[Sequence[str]], seed: int = 0) -> None:
        self._sentences = [(normalized("".join(words)), tags_of(words)) for words in sentences if words]
        self._words = dict.fromkeys(word for words in sentences for word in words)
        self._random = Random(seed)
        self.seen = 0
        """The sentences of all rounds so far."""
        self._features = NumberedFeatures(text for text, _ in self._sentences)
        self._starts = list(accumulate((len(text) + 2 for text, _ in self._sentences), initial=2))
        self._weights = np.zeros((self._features.size, 4), np.int32)
        self._sums = np.zeros((self._features.size, 4), np.int64)
        self._transitions, self._transition_sums = [0] * len(TRANSITIONS), [0] * len(TRANSITIONS)

    def run(self, rounds: int = ROUNDS) -> Iterator[Moment]:
        """Go through all sentences several times; report now and then, and after each round."""
        total = len(self._sentences)
        characters = wrong = 0
        for at, visit in enumerate(self.visits(rounds)):
            done = at % total + 1
            if done == 1:
                characters = wrong = 0
            characters += len(visit.text)
            wrong += visit.wrong
            if not done % EACH or done == total:
                yield Moment(visit.round, done, characters, wrong)

    def visits(self, rounds: int = ROUNDS) -> Iterator[Visit]:
        """Train on each sentence, in a new order in each round."""
        order = list(range(len(self._sentences)))
        for round in range(1, rounds + 1):
            self._random.shuffle(order)
            for number in order:
                text, right = self._sentences[number]
                rows = self._features.rows[:, self._starts[number] : self._starts[number] + len(text)]
                found = best_tags(self._scores(rows), self._transitions)
                wrong = self._change(rows, right, found) if found != right else 0
                self.seen += 1
                yield Visit(round, number, text, right, found, wrong)

    def averages(self, most: int | None = None) -> tuple[Weights, Mapping[str, int]]:
        """The average weights times `SCALE`, of features and of transitions.

        Of more than `most` features, those with the smallest weights are left out: what counts is the largest of four.
        """
        averages = np.empty_like(self._weights)
        for at in range(0, len(averages), AT_ONCE):
            rows = slice(at, at + AT_ONCE)
            averages[rows] = self._averaged(self._weights[rows], self._sums[rows])
        sizes = np.abs(averages).max(axis=1)
        found = sizes[sizes > 0]
        least = 1
        if most is not None and len(found) > most:
            least = int(np.partition(found, -most - 1)[-most - 1]) + 1
        transitions = self._averaged(np.array(self._transitions, np.int32), np.array(self._transition_sums)).tolist()
        kept = self._features.named(averages, np.flatnonzero(sizes >= least))
        return kept, dict(zip(TRANSITIONS, transitions, strict=True))

    def tagger(self, most: int | None = None) -> Tagger:
        """The tagger with the average weights of at most `most` features, and with the words of the sentences."""
        return Tagger(TagWeights(*self.averages(most)), Dictionary(list(self._words)))

    @property
    def weights(self) -> TagWeights:
        """The weights after the last sentence."""
        named = self._features.named(self._weights, np.flatnonzero(np.abs(self._weights).max(axis=1)))
        return TagWeights(named, dict(zip(TRANSITIONS, self._transitions, strict=True)))

    def _averaged(self, last: Table, sums: Integers) -> Table:
        seen = max(self.seen, 1)
        averages = np.rint(SCALE * (seen * last.astype(np.int64) - sums) / seen)
        return averages.clip(-HIGHEST, HIGHEST).astype(np.int32)

    def _scores(self, rows: Table) -> Iterator[int]:
        """The scores of B, M, E and S at the first character, the second, and so on."""
        for at in range(0, rows.shape[1], AT_ONCE):
            weights = self._weights.take(rows[:, at : at + AT_ONCE], axis=0)
            yield from weights.sum(axis=0, dtype=np.int32).ravel().tolist()

    def _change(self, rows: Table, right: Sequence[int], found: Sequence[int]) -> int:
        """Add 1 to the weights of the right tags and take 1 from those of the found ones; return how many are wrong."""
        wrong = []
        for at, (tag, other) in enumerate(zip(right, found, strict=True)):
            if tag != other:
                wrong.append(at)
            if at and (tag != other or right[at - 1] != found[at - 1]):
                for step, by in ((_TRANSITION[right[at - 1], tag], 1), (_TRANSITION[found[at - 1], other], -1)):
                    self._transitions[step] += by
                    self._transition_sums[step] += by * self.seen
        for start in range(0, len(wrong), AT_ONCE):
            some = wrong[start : start + AT_ONCE]
            features = 4 * rows[:, some].astype(np.int64)
            for tags, by in ((right, 1), (found, -1)):
                cells = (features + np.array([tags[at] for at in some])).ravel()
                np.add.at(self._weights.reshape(-1), cells, np.int32(by))
                np.add.at(self._sums.reshape(-1), cells, by * self.seen)
        return len(wrong)
