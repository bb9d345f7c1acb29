"""Ambiguities of dictionary segmentation, in the two kinds of textbooks.

* Overlapping (交集型): words cross, as in 研究生命, where 研究生 and 生命 share 生. FMM and BMM decide differently.
* Combinational (组合型): a word consists of words, as 研究生 of 研究 and 生. FMM and BMM both take the whole word, so
  comparing them does not show it.

Source: Liang Nanyuan (梁南元), 书面汉语自动分词系统 CDWS, 1987.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Disagreement

Kind = Literal["overlapping", "combinational"]


@dataclass(frozen=True, slots=True)
class Divisible:
    """A word that consists of two words of the dictionary."""

    word: str
    parts: tuple[str, str]


def kind_of(disagreement: Disagreement) -> Kind:
    """The kind of ambiguity that a disagreement of FMM and BMM shows.

    >>> kind_of(Disagreement(0, 4, ("研究生", "命"), ("研究", "生命")))
    'overlapping'
    >>> kind_of(Disagreement(0, 2, ("将来",), ("将", "来")))
    'combinational'
    """
    return "combinational" if 1 in (len(disagreement.forward), len(disagreement.backward)) else "overlapping"


def crossing_words(disagreement: Disagreement) -> tuple[str, str] | None:
    """The first word of FMM and the first of BMM that share characters without one containing the other.

    >>> crossing_words(Disagreement(0, 4, ("研究生", "命"), ("研究", "生命")))
    ('研究生', '生命')
    """
    for forward, (left, right) in _spans(disagreement.forward):
        for backward, (start, end) in _spans(disagreement.backward):
            if left < start < right < end or start < left < end < right:
                return forward, backward
    return None


def divisible_words(dictionary: Dictionary, words: Iterable[str]) -> list[Divisible]:
    """The different words among `words` that consist of two words of the dictionary, in their order.

    A word with several such divisions counts once, with the one whose second part is longest.

    >>> divisible_words(Dictionary(["研究", "生", "研究生", "科学"]), ["研究生", "科学", "研究生"])
    [Divisible(word='研究生', parts=('研究', '生'))]
    """
    found = []
    known = dictionary.ids
    for word in dict.fromkeys(words):
        for cut in range(1, len(word)):
            if word[:cut] in known and word[cut:] in known:
                found.append(Divisible(word, (word[:cut], word[cut:])))
                break
    return found


def undisputed_words(text: str, spans: Iterable[tuple[int, int]], disagreements: Iterable[Disagreement]) -> list[str]:
    """The words at these spans that FMM and BMM both take: those outside every disagreement.

    >>> place = Disagreement(0, 4, ("研究生", "命"), ("研究", "生命"))
    >>> undisputed_words("研究生命科学", [(0, 3), (3, 4), (4, 6)], [place])
    ['科学']
    """
    disputed = {at for place in disagreements for at in range(place.start, place.end)}
    return [text[start:end] for start, end in spans if disputed.isdisjoint(range(start, end))]


def _spans(words: tuple[str, ...]) -> list[tuple[str, tuple[int, int]]]:
    ends = list(accumulate(map(len, words)))
    return [(word, (end - len(word), end)) for word, end in zip(words, ends, strict=True)]
