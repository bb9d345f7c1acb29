"""The frequency that a word needs so that maximum probability takes it as a whole; as jieba suggests.

jieba's `suggest_freq` compares the word with the best path through its characters (without the HMM): the word needs a
probability just above their product. Its total is that of the dictionary before the change.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.models.maximum_probability import MaximumProbability, WordGraph


def joined_frequency(graph: WordGraph, word: str) -> int:
    """The least frequency with which a word is more probable than the words it consists of.

    A word that is already frequent enough keeps its frequency.

    >>> from webapp.core.models.dictionary import Dictionary
    >>> joined_frequency(WordGraph(Dictionary(["台", "中", "台中"], [40, 50, 1])), "台中")
    22
    """
    probability = _product(graph, MaximumProbability(graph.dictionary, hmm=False).words(word))
    return max(int(probability * graph.total) + 1, graph.frequency_of(word) or 1)


def _product(graph: WordGraph, words: Sequence[str]) -> float:
    # In jieba's order: the sums of rounding errors can decide the last digit.
    total = float(graph.total)
    probability = 1.0
    for word in words:
        probability *= (graph.frequency_of(word) or 1) / total
    return probability
