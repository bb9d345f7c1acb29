"""A tagger that finds words: the structured perceptron, as textbooks teach it.

Each character gets a tag: B begins a word, M is in the middle, E ends it, S is a word by itself. Features describe a
character and its surroundings, each feature with a tag has a weight, and so has each pair of neighboring tags; the
Viterbi algorithm (Viterbi 1967) finds the tags with the highest sum. Training goes through segmented sentences: where
the best tags are wrong, the weights of the right ones grow by 1, and those of the wrong ones shrink by 1. The average
of all weights on the way is better than the last ones.

Source: Collins 2002, "Discriminative Training Methods for Hidden Markov Models", figure 1 and section 2.3 (averages);
Ng and Low 2004, "Chinese Part-of-Speech Tagging: One-at-a-Time or All-at-Once?", for the features.

>>> weights = train([["研究", "生命"], ["研究生", "来"]], rounds=5)
>>> words("研究生来", weights), words("研究生命", weights)
(['研究生', '来'], ['研究', '生命'])
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

BEFORE = {"B": "ES", "M": "BM", "E": "BM", "S": "ES"}
EDGE = "\n"
NUMERALS, UNITS = "〇○零一二三四五六七八九十百千万亿两", "年月日时分"

Feature = tuple[str, ...]
"""A template, a value and a tag, or two tags that follow each other."""


def kind(character: str) -> str:
    """Return the kind of a character: Chinese numeral, unit of time, digit, letter, Chinese character, punctuation.

    >>> "".join(map(kind, "二年8a书，"))
    'NYDLCP'
    """
    if character == EDGE:
        return EDGE
    if character in NUMERALS:
        return "N"
    if character in UNITS:
        return "Y"
    if character.isalpha():
        return "L" if character < "\u2e80" else "C"
    return "D" if character.isdecimal() else "P"


def features(text: str, position: int) -> list[tuple[str, str]]:
    """Return the template and the value of each feature of a character.

    >>> for template, value in features("我的书", 1)[:6]:
    ...     print(template, repr(value))
    C-2 '\\n'
    C-1 '我'
    C0 '的'
    C1 '书'
    C2 '\\n'
    C-2C-1 '\\n我'
    """
    c = {away: text[at] if 0 <= (at := position + away) < len(text) else EDGE for away in range(-2, 3)}
    found = [(f"C{away}", c[away]) for away in c]
    found += [(f"C{away}C{away + 1}", c[away] + c[away + 1]) for away in range(-2, 2)]
    found += [("C-1C1", c[-1] + c[1]), ("T-1T0T1", kind(c[-1]) + kind(c[0]) + kind(c[1]))]
    return found


def fired(text: str, tags: Sequence[str]) -> Iterable[Feature]:
    """Yield the features that a text has with its tags: those of each character, and each pair of tags.

    >>> [feature for feature in fired("我的", "SS") if feature[0] == "C0"], list(fired("我的", "SS"))[-1]
    ([('C0', '我', 'S'), ('C0', '的', 'S')], ('S', 'S'))
    """
    for position, tag in enumerate(tags):
        yield from ((template, value, tag) for template, value in features(text, position))
    yield from pairwise(tags)


def score(text: str, position: int, tag: str, weights: Mapping[Feature, float]) -> float:
    """Return the sum of the weights of a character's features for a tag.

    >>> score("我的", 1, "S", {("C0", "的", "S"): 2, ("C-1", "我", "S"): 1, ("C0", "的", "E"): 9})
    3
    """
    return sum(weights.get((*feature, tag), 0) for feature in features(text, position))


def viterbi(text: str, weights: Mapping[Feature, float]) -> list[str]:
    """Return the tags with the highest sum of weights; the first tag is B or S, the last one E or S.

    For each tag of a character: the best of the sums of the tags before it, plus the transition, plus the features'
    weights. Of equal sums, the tag that comes first in BMES wins.

    >>> viterbi("我的", {("C0", "的", "S"): 2, ("C0", "的", "E"): 1})
    ['S', 'S']
    """
    best = {tag: (score(text, 0, tag, weights), [tag]) for tag in "BS"}
    for position in range(1, len(text)):
        longer = {}
        for tag, possible in BEFORE.items():
            before = [(best[each][0] + weights.get((each, tag), 0), best[each][1]) for each in possible if each in best]
            if before:
                total, path = max(before, key=lambda one: one[0])
                longer[tag] = (total + score(text, position, tag, weights), [*path, tag])
        best = longer
    return max((best[tag] for tag in "ES" if tag in best), key=lambda one: one[0])[1]


def words(text: str, weights: Mapping[Feature, float]) -> list[str]:
    """Cut a text after each E and each S.

    >>> words("他来了", {("C0", "来", "E"): 1, ("C0", "他", "B"): 1})
    ['他来', '了']
    """
    found = [""]
    for character, tag in zip(text, viterbi(text, weights), strict=True):
        found[-1] += character
        if tag in "ES":
            found.append("")
    return found[:-1]


def tags_of(sentence: Sequence[str]) -> list[str]:
    """Return the tags of a sentence's words.

    >>> "".join(tags_of(["研究生", "来", "了"]))
    'BMESS'
    """
    return [tag for word in sentence for tag in ("S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E")]


def correct(weights: Counter[Feature], text: str, right: Sequence[str]) -> None:
    """Where the best tags are wrong, add 1 to the weights of the right ones, and take 1 from those of the others.

    >>> weights = Counter()
    >>> correct(weights, "我的书", "SSS")
    >>> weights["C0", "我", "S"], weights["C0", "的", "S"], weights["C0", "的", "B"], weights["S", "B"]
    (0, 1, -1, -1)
    """
    found = viterbi(text, weights)
    if found != list(right):
        weights.update(fired(text, right))
        weights.subtract(fired(text, found))


def train(
    sentences: Sequence[Sequence[str]], rounds: int, shuffle: Callable[[list[int]], None] | None = None
) -> Mapping[Feature, Fraction]:
    """Return the average of the weights after each sentence of each round; `shuffle` orders the sentences of a round.

    >>> train([["的"]], rounds=1)
    {}
    """
    order, shuffled = list(range(len(sentences))), shuffle or Random(0).shuffle
    weights: Counter[Feature] = Counter()
    total: Counter[Feature] = Counter()
    for _ in range(rounds):
        shuffled(order)
        for number in order:
            correct(weights, "".join(sentences[number]), tags_of(sentences[number]))
            total.update(weights)
    return {feature: Fraction(sum, rounds * len(order)) for feature, sum in total.items() if sum}
