"""Ambiguities of dictionary segmentation, in the two kinds of textbooks.

* Overlapping (交集型): words cross, as in 研究生命, where 研究生 and 生命 share 生. FMM and BMM differ only there.
* Combinational (组合型): a word that some sentences need split into words, as 将来 into 将 and 来. FMM and BMM
  both take the whole word, so comparing them does not show it. A dictionary alone gives candidates: words that consist
  of two words or more. With jieba's dictionary, which has every character, nearly all words do, so what shows them
  leaves out those of which a part is a single character, unless it is asked for them.

`find_ambiguities` finds all of both kinds by looking up every word that occurs in a text.

Sources: Liang Nanyuan (梁南元), 书面汉语自动分词系统 CDWS, 1987, for the kinds; Sun Maosong and Zuo Zhengping
(孙茂松、左正平), 汉语真实文本中的交集型切分歧义, 1998, for maximal overlapping strings; Zong Chengqing (宗成庆),
统计自然语言处理, chapter 7, for the length of a chain.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Literal

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import runs_of

Kind = Literal["overlapping", "combinational"]


# --- all ambiguities of a text ---------------------------------------------------------------------------------------

MOST_COMBINATIONAL = 500_000
"""How many places of combinational ambiguities are stored; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Chain:
    """An overlapping ambiguity: all words between `start` and `end` that cross each other, directly or through others.

    Two words cross if they share characters and neither contains the other. `length` (链长) is the number of different
    places that two crossing words share (交集字串): 3 for 为人民工作, where 为人 and 人民 share 人, 人民 and 民工 share
    民, 民工 and 工作 share 工.
    """

    start: int
    end: int
    length: int


@dataclass(frozen=True, slots=True)
class Combination:
    """A combinational ambiguity: a word, and the fewest words of the dictionary that it consists of."""

    start: int
    end: int
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Ambiguities:
    """All ambiguities of a text: the chains in order of their starts, and the words that consist of words.

    `combinational` counts those, `different` the different words among them.
    """

    chains: tuple[Chain, ...]
    combinational: int
    different: int
    _starts: array[int] = field(repr=False)
    _ends: array[int] = field(repr=False)
    _text: str = field(repr=False)
    _parts: dict[str, tuple[str, ...] | None] = field(repr=False)

    @property
    def listed(self) -> int:
        """How many combinational ambiguities can be listed: all, up to `MOST_COMBINATIONAL`."""
        return len(self._starts)

    def combinations(self, first: int = 0, last: int | None = None) -> Iterator[Combination]:
        """The combinational ambiguities in order of their starts, the longest word of a start first."""
        for start, end in zip(self._starts[first:last], self._ends[first:last], strict=True):
            yield Combination(start, end, self._parts[self._text[start:end]] or ())


def find_ambiguities(dictionary: Dictionary, text: str, keep_runs: bool = True, shortest: int = 1) -> Ambiguities:
    """All ambiguities of a text. With `keep_runs`, no word begins or ends inside a run of Latin letters and digits.

    `shortest` is the least length of the words that another consists of, in characters.

    >>> dictionary = Dictionary(["研究", "研究生", "生命", "生", "命"])
    >>> found = find_ambiguities(dictionary, "研究生命")
    >>> found.chains, list(found.combinations())
    ((Chain(start=0, end=4, length=1),), [Combination(start=0, end=3, parts=('研究', '生')), \
Combination(start=2, end=4, parts=('生', '命'))])

    The time is linear in the text, times the longest word that occurs.
    """
    parts: dict[str, tuple[str, ...] | None] = {}
    starts, ends = array("I"), array("I")
    combinational = 0
    longest_end = array("I", range(len(text) + 1))
    longest_start = array("I", range(len(text) + 1))
    for start, end in _occurrences(dictionary, text, keep_runs):
        if end > longest_end[start]:
            longest_end[start] = end
        if start < longest_start[end]:
            longest_start[end] = start
        word = text[start:end]
        if word not in parts:
            parts[word] = _fewest_parts(dictionary, word, shortest)
        if parts[word] is not None:
            combinational += 1
            if len(starts) < MOST_COMBINATIONAL:
                starts.append(start)
                ends.append(end)
    different = sum(found is not None for found in parts.values())
    chains = tuple(_chains(_occurrences(dictionary, text, keep_runs), longest_end, longest_start))
    return Ambiguities(chains, combinational, different, starts, ends, text, parts)


def words_of_chain(
    dictionary: Dictionary, text: str, chain: Chain, keep_runs: bool = True, most: int = 50
) -> list[tuple[int, int]]:
    """The spans of the words of a chain in order, at most `most`: those between its ends that cross another one.

    >>> text, dictionary = "研究生命", Dictionary(["研究", "研究生", "生命"])
    >>> words_of_chain(dictionary, text, find_ambiguities(dictionary, text).chains[0])
    [(0, 3), (2, 4)]
    """
    # No word that crosses one inside reaches outside: it would belong to the chain.
    part = text[chain.start : chain.end]
    inside = _inside_run(text, chain.start, chain.end, keep_runs)
    spans = [(start, end) for start, end in _lookups(dictionary, part) if not (inside[start] or inside[end])][
        : 20 * most
    ]
    crossing = [
        (start, end)
        for start, end in spans
        if any(left < start < right < end or start < left < end < right for left, right in spans)
    ]
    return [(chain.start + start, chain.start + end) for start, end in sorted(crossing)[:most]]


def _inside_run(text: str, first: int, last: int, keep_runs: bool) -> bytearray:
    """For each boundary from `first` to `last`, whether it lies inside a run of Latin letters and digits."""
    inside = bytearray(last - first + 1)
    if keep_runs:
        begin = max(0, first - 1)
        for start, end in runs_of(text[begin : last + 1]):
            for at in range(begin + start + 1, begin + end):
                if first <= at <= last:
                    inside[at - first] = 1
    return inside


def _lookups(dictionary: Dictionary, text: str) -> Iterator[tuple[int, int]]:
    """Each word of two characters or more that occurs in a text, by start, longest first."""
    known = dictionary.ids.get
    size = len(text)
    # The lengths of the words that begin at each place, looked up for the whole text at once.
    lengths_at = map(dictionary.lengths_by_beginning.get, map(add, text, text[1:]))
    for start, lengths in enumerate(lengths_at):
        for length in lengths or ():
            end = start + length
            if end <= size and known(text[start:end]) is not None:
                yield start, end


def _occurrences(dictionary: Dictionary, text: str, keep_runs: bool) -> Iterator[tuple[int, int]]:
    inside = _inside_run(text, 0, len(text), keep_runs)
    for start, end in _lookups(dictionary, text):
        if not (inside[start] or inside[end]):
            yield start, end


def _fewest_parts(dictionary: Dictionary, word: str, shortest: int) -> tuple[str, ...] | None:
    """The fewest words, at least two, that a word consists of; of those, the ones whose first words are shortest.

    >>> _fewest_parts(Dictionary(["研", "究生", "研究", "生", "研究生"]), "研究生", 1)
    ('研', '究生')
    """
    size = len(word)
    # For each place, the number of words from there to the end, and where the first of them ends.
    best: list[tuple[int, int] | None] = [None] * size + [(0, size)]
    for start in reversed(range(size)):
        for end in range(start + shortest, size + (start > 0)):
            rest = best[end]
            if rest is not None and word[start:end] in dictionary:
                here = best[start]
                if here is None or rest[0] + 1 < here[0]:
                    best[start] = rest[0] + 1, end
    if best[0] is None:
        return None
    parts = []
    at = 0
    while at < size:
        found = best[at]
        assert found is not None
        parts.append(word[at : found[1]])
        at = found[1]
    return tuple(parts)


def _chains(
    words: Iterable[tuple[int, int]], longest_end: Sequence[int], longest_start: Sequence[int]
) -> Iterator[Chain]:
    """The chains of crossing words, in order of their starts.

    `words` are the spans of all words, `longest_end` has the end of the longest word that starts at each place, and
    `longest_start` the start of the longest that ends there.

    Words that start at one place and cross a word before them all belong to one chain, as the longest of them crosses
    all those words; so do words that end at one place and cross a word after them. A chain is therefore a set of such
    starts and ends, joined by the places that words share, which are a start and an end, and by words that cross both.
    """
    size = len(longest_end) - 1
    sets = _Sets()
    counts: dict[int, int] = {}  # a start → how many places that words share begin there
    first_shared = array("i", [size]) * (size + 1)  # for a start, the first end of a word that words from there cross
    last_shared = array("i", [-1]) * (size + 1)  # for an end, the last start of a word that words to there cross
    for start in range(1, size):
        for end in range(start + 1, longest_end[start]):
            if longest_start[end] < start:
                counts[start] = counts.get(start, 0) + 1
                first_shared[start] = min(first_shared[start], end)
                last_shared[end] = start
                sets.join(2 * start, 2 * end + 1)
    for start, end in words if counts else ():
        if first_shared[start] < end and last_shared[end] > start:
            sets.join(2 * start, 2 * end + 1)
    begins: dict[int, int] = {}
    finishes: dict[int, int] = {}
    lengths: dict[int, int] = {}
    for start, count in counts.items():
        root = sets.root(2 * start)
        lengths[root] = lengths.get(root, 0) + count
        finishes[root] = max(finishes.get(root, 0), longest_end[start])
    for end, start in enumerate(last_shared):
        if start >= 0:
            root = sets.root(2 * end + 1)
            begins[root] = min(begins.get(root, size), longest_start[end])
    found = [Chain(begins[root], finishes[root], length) for root, length in lengths.items()]
    yield from sorted(found, key=lambda chain: (chain.start, -chain.end))


class _Sets:
    """Disjoint sets of numbers."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def root(self, member: int) -> int:
        parents = self._parents
        while (parent := parents.setdefault(member, member)) != member:
            parents[member] = member = parents[parent]
        return member

    def join(self, one: int, other: int) -> None:
        self._parents[self.root(one)] = self.root(other)
