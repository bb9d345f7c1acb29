"""Train a tagger: the structured perceptron with averaged weights.

Collins 2002, "Discriminative Training Methods for Hidden Markov Models", figure 1 and section 2.3. The averages are
those over all sentences of all rounds, computed as Daumé 2006, "Practical Structured Learning Techniques for Natural
Language Processing", figure 2.3, does: each change also counts, times the number of the sentence, in a second table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.tag_weights import (
    GROUPS,
    HIGHEST,
    LANE,
    SCALE,
    TAGS,
    TEMPLATES,
    TRANSITIONS,
    Features,
    TagWeights,
    Weights,
    normalized,
    pack,
    unpacked,
)
from webapp.core.models.tagger import Tagger

ROUNDS = 10
EACH = 2_000
"""Sentences between two reports."""
_SUM_LANE = 64
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
        self.weights = TagWeights({}, {})
        """The weights after the last sentence."""
        self.seen = 0
        """The sentences of all rounds so far."""
        self._sums: tuple[dict[str, int], ...] = tuple({} for _ in GROUPS)
        self._transition_sums = [0] * len(TRANSITIONS)

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
                found = self.weights.tags(text)
                wrong = self._change(text, right, found) if found != right else 0
                self.seen += 1
                yield Visit(round, number, text, right, found, wrong)

    def averages(self, most: int | None = None) -> tuple[Weights, Mapping[str, int]]:
        """The average weights times `SCALE`, of features and of transitions.

        Of more than `most` features, those with the smallest weights are left out: what counts is the largest of four.
        """
        kept: dict[str, dict[str, list[int]]] = {template: {} for template in TEMPLATES}
        for group, packed, sums in zip(GROUPS, self.weights.groups, self._sums, strict=True):
            count = 4 * len(group)
            for value, number in packed.items():
                averages = self._averaged(unpacked(number, count), unpacked(sums[value], count, _SUM_LANE))
                for block, template in enumerate(group):
                    if any(four := averages[4 * block : 4 * block + 4]):
                        kept[template][value] = four
        sizes = [max(map(abs, four)) for table in kept.values() for four in table.values()]
        if most is not None and len(sizes) > most:
            least = sorted(sizes, reverse=True)[most] + 1
            for template, table in kept.items():
                kept[template] = {value: four for value, four in table.items() if max(map(abs, four)) >= least}
        return kept, dict(
            zip(TRANSITIONS, self._averaged(self.weights.transitions, self._transition_sums), strict=True)
        )

    def tagger(self, most: int | None = None) -> Tagger:
        """The tagger with the average weights of at most `most` features, and with the words of the sentences."""
        return Tagger(TagWeights(*self.averages(most)), Dictionary(list(self._words)))

    def _averaged(self, last: Sequence[int], sums: Sequence[int]) -> list[int]:
        seen = max(self.seen, 1)
        scaled = (round(SCALE * (seen * weight - sum) / seen) for weight, sum in zip(last, sums, strict=True))
        return [min(max(weight, -HIGHEST), HIGHEST) for weight in scaled]

    def _change(self, text: str, right: Sequence[int], found: Sequence[int]) -> int:
        """Add 1 to the weights of the right tags and take 1 from those of the found ones; return how many are wrong."""
        features = Features(text)
        wrong = 0
        for at, (tag, other) in enumerate(zip(right, found, strict=True)):
            if tag != other:
                wrong += 1
                change, summed = _CHANGES[tag][other]
                summed *= self.seen
                for values, weights, sums in zip(features.at(at), self.weights.groups, self._sums, strict=True):
                    shift = 0
                    for value in values:
                        weights[value] = weights.get(value, 0) + (change << shift)
                        sums[value] = sums.get(value, 0) + (summed << 2 * shift)
                        shift += 4 * LANE
            if at and (tag != other or right[at - 1] != found[at - 1]):
                for step, by in ((_TRANSITION[right[at - 1], tag], 1), (_TRANSITION[found[at - 1], other], -1)):
                    self.weights.transitions[step] += by
                    self._transition_sums[step] += by * self.seen
        return wrong


def _packed_change(tag: int, other: int) -> tuple[int, int]:
    by = [(each == tag) - (each == other) for each in range(4)]
    return pack(by), pack(by, _SUM_LANE)


_CHANGES = [[_packed_change(tag, other) for other in range(4)] for tag in range(4)]
