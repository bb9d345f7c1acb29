"""The frequency that a word needs so that maximum probability takes it as a whole, or divides it, as jieba suggests.

jieba's `suggest_freq` compares the word with the best path through its characters (without the HMM): the word needs a
probability just above their product. Its total is that of the dictionary before the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.word_graph import WordGraph


def joined_frequency(graph: WordGraph, word: str) -> int:
    """The least frequency with which a word is more probable than the words it consists of.

    A word that is already frequent enough keeps its frequency.

    >>> from webapp.core.models.dictionary import Dictionary
    >>> joined_frequency(WordGraph(Dictionary(["台", "中", "台中"], [40, 50, 1])), "台中")
    22
    """
    probability = _product(graph, MaximumProbability(graph.dictionary, hmm=False).words(word))
    return max(int(probability * graph.total) + 1, graph.frequency_of(word) or 1)


def split_frequency(graph: WordGraph, parts: Sequence[str]) -> int:
    """The highest frequency with which the word that the parts form is less probable than the parts.

    A word that is already rare enough keeps its frequency; 0 for one that is not in the dictionary.

    >>> from webapp.core.models.dictionary import Dictionary
    >>> split_frequency(WordGraph(Dictionary(["台", "中", "台中"], [40, 50, 90])), ["台", "中"])
    11
    """
    return min(int(_product(graph, parts) * graph.total), graph.frequency_of("".join(parts)))


def log_probability(graph: WordGraph, words: Sequence[str], frequency: int | None = None) -> float:
    """The sum of the log-probabilities of words; with `frequency`, of one word that has this frequency.

    >>> from webapp.core.models.dictionary import Dictionary
    >>> round(log_probability(WordGraph(Dictionary(["台", "中"], [40, 60])), ["台", "中"]), 3)
    -1.427
    """
    if frequency is not None:
        return log(frequency or 1) - graph.log_total
    return sum(map(graph.score_of, words))


def _product(graph: WordGraph, words: Sequence[str]) -> float:
    # In jieba's order: the sums of rounding errors can decide the last digit.
    total = float(graph.total)
    probability = 1.0
    for word in words:
        probability *= (graph.frequency_of(word) or 1) / total
    return probability
