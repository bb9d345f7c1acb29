"""Segmentation by maximum probability with a dictionary's frequencies, and an HMM for the words it lacks, as in jieba.

A text consists of blocks of Han characters, Latin letters, digits and a few signs; every other character is a token of
its own. In each block the most probable path through the word graph is taken. With the HMM, a run of single characters
in it is divided again; without it, Latin letters and digits in a row are joined.

The word graph of a text: every word of a dictionary that occurs in it, with its probability, and the best path.

A word has the probability frequency / total, where `total` sums the frequencies of the whole dictionary. Of all ways
to divide a text into words, the best has the highest product of probabilities; it is computed from the right as a sum
of logarithms (Manning and Schütze 1999, chapter 3; Sproat et al. 1996, "A Stochastic Finite-State Word-Segmentation
Algorithm for Chinese"). Order of sums and ties are those of jieba, so that the words are the same.

`joined_frequency` is the frequency that a word needs to be taken as a whole: jieba's `suggest_freq` compares the word
with the best path through its characters (without the HMM): the word needs a probability just above their product. Its
total is that of the dictionary before the change.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from typing import Literal, get_args

from webapp.core.cache import Cache
from webapp.core.models.by_sentence import Segmenter
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.hmm import HiddenMarkovModel, jieba_hmm

Mode = Literal["precise", "full", "search"]
MODES: tuple[Mode, ...] = get_args(Mode)
_LATIN = re.compile("[a-zA-Z0-9]")


class MaximumProbability(Segmenter):
    """Maximum probability as a model; it segments the whole text and needs no pre-tokenizer.

    A word that is not in the dictionary, found by the HMM or left over, is a token of its own with the id of unknown
    text; white space and punctuation have ids of their own. The words that
    `segment` gives are those of the precise mode, but `\\r\\n` is two tokens.

    >>> dictionary = Dictionary(["研究", "研究生", "生命", "科学"], frequencies=[50, 5, 40, 30])
    >>> model = MaximumProbability(dictionary, hmm=False)
    >>> model.words("研究生命科学"), model.segment("研究 生命!")
    (['研究', '生命', '科学'], ((0, 0, 2), (14, 2, 3), (2, 3, 5), (34, 5, 6)))
    >>> model.words("研究生命科学", "full"), model.words("研究生的", "search")
    (['研究', '研究生', '生命', '科学'], ['研究', '研究生', '的'])
    """

    def __init__(self, dictionary: Dictionary, hmm: bool = True) -> None:
        super().__init__(dictionary)
        self.graph = WordGraph(dictionary)
        self.hmm: HiddenMarkovModel | None = jieba_hmm() if hmm else None
        self._blocks = Cache(lambda block: tuple(self.block_words(block)))  # most return when a text is edited

    def words(self, text: str, mode: Mode = "precise") -> list[str]:
        """The words that jieba lists: those of `lcut`, of `lcut` with `cut_all`, or of `lcut_for_search`.

        The words of `full` and `search` overlap. As in jieba, `full` has an empty word beside white space, and one for
        characters that are in no block.
        """
        if mode == "full":
            return [text[start:end] for start, end in self._full(text)]
        found = list(self._precise(text))
        if mode == "search":
            return [part for word in found for part in self.searched(word)]
        return found

    def spans(self, text: str, mode: Mode = "precise") -> list[tuple[int, int]]:
        """Where the words of a mode start and end, in the order of `words`, without the empty ones of `full`."""
        if mode == "full":
            return [(start, end) for start, end in self._full(text) if start < end]
        found = []
        start = 0
        for word in self.words(text):
            found += [(start + left, start + right) for left, right in self._searched(word)] if mode == "search" else []
            found.append((start, start + len(word)))
            start += len(word)
        return found

    def searched(self, word: str) -> tuple[str, ...]:
        """The words of two and of three characters inside a longer word, then the word."""
        return (*(word[left:right] for left, right in self._searched(word)), word)

    def _searched(self, word: str) -> Iterator[tuple[int, int]]:
        id_of = self.graph.id_of
        for length in (2, 3):
            if len(word) > length:
                for start in range(len(word) - length + 1):
                    if id_of(word[start : start + length]) is not None:
                        yield start, start + length

    def _precise(self, text: str) -> Iterator[str]:
        for at, part in enumerate(BLOCK.split(text)):
            if at % 2:
                yield from self._blocks[part]
            else:
                yield from (piece for each in SPACE.split(part) for piece in ([each] if each == "\r\n" else each))

    def block_words(self, block: str) -> Iterator[str]:
        """The words of a block in precise mode."""
        single: list[str] = []
        joins = self.hmm is not None
        start = 0
        for end in self.graph.path(block):
            word = block[start:end]
            if len(word) == 1 and (joins or _LATIN.match(word)):
                single.append(word)
            else:
                if single:
                    yield from self.run_words("".join(single))
                    single = []
                yield word
            start = end
        if single:
            yield from self.run_words("".join(single))

    def run_words(self, run: str) -> tuple[str, ...]:
        """The words of a run of single characters: of the HMM, or joined without it.

        A run that is a word of the dictionary, though another path is more probable, stays single characters, and so
        does a word of Han characters that was removed from the dictionary.
        """
        if self.hmm is None or len(run) == 1:
            return (run,)
        if self.graph.id_of(run) is not None:
            return tuple(run)
        words, split = self.hmm.words(run), self.dictionary.split_words
        if split.isdisjoint(words):
            return words
        parts = (word if word in split and not word.isascii() else (word,) for word in words)
        return tuple(chain.from_iterable(parts))

    def _full(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the words of full mode start and end, jieba's empty ones included."""
        start = 0
        for at, part in enumerate(BLOCK.split(text)):
            if at % 2:
                yield from ((start + left, start + right) for left, right in self._every_word(part))
                start += len(part)
            elif part:
                for each in SPACE.split(part):
                    yield start, start + len(each)
                    start += len(each)

    def _every_word(self, block: str) -> Iterator[tuple[int, int]]:
        """Where the words of a block in full mode start and end: all but single characters inside other words."""
        latin: tuple[int, int] | None = None  # letters and digits that are still to be joined
        covered = 0
        for start, ends in self.graph.every_word(block):
            if latin and not _LATIN.match(block[start]):
                yield latin
                latin = None
            if len(ends) == 1 and start >= covered:
                if _LATIN.match(block[start]):
                    latin = (latin[0] if latin else start, ends[0])
                if latin is None:
                    yield start, ends[0]
                covered = ends[0]
            else:
                for end in ends:
                    if end > start + 1:
                        yield start, end
                        covered = end
        if latin:
            yield latin

    def _segment(self, text: str) -> tuple[list[int], list[int]]:
        """The ids and the ends of the words; `\\r\\n` is two tokens, since each has an id."""
        id_of, space_id_of, unknown = self.dictionary.ids.get, self.dictionary.other_ids.get, self.unknown_id
        ids, ends = [], []
        end = 0
        words = self.words(text)
        if "\r\n" in text:
            words = [piece for word in words for piece in (word if word == "\r\n" else [word])]
        for word in words:
            end += len(word)
            ends.append(end)
            id = id_of(word)
            ids.append(space_id_of(word, unknown) if id is None else id)
        return ids, ends


CLASS = "\u4e00-\u9fd5a-zA-Z0-9+#&._%\\-"
"""The characters that words consist of, as in jieba: Han, ASCII letters and digits, and seven signs."""
BLOCK = re.compile(f"([{CLASS}]+)")
SPACE = re.compile(r"(\r\n|\s)")


@dataclass(frozen=True, slots=True)
class WordArc:
    """A word in the graph: where it starts and ends, its frequency, and its log-probability.

    A character where no word starts is an arc as well, `known` is false then; it counts as often as a word of
    frequency 1.
    """

    start: int
    end: int
    frequency: int
    score: float
    known: bool


@dataclass(frozen=True, slots=True)
class Best:
    """The best path from a position to the end: its log-probability, and where its first word ends."""

    score: float
    end: int


class WordGraph:
    """The words of a dictionary with their frequencies.

    A word without a frequency, or with 0, counts once. A character that starts no word is a word of frequency 1.

    >>> graph = WordGraph(Dictionary(["研究", "研究生", "生命", "命"], frequencies=[50, 5, 40, 5]))
    >>> [(arc.start, arc.end, arc.frequency) for arc in graph.arcs("研究生命", 0)]
    [(0, 3, 5), (0, 2, 50)]
    >>> graph.path("研究生命")
    [2, 4]
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.total = max(dictionary.total, 1)
        self.log_total = log(self.total)
        self.id_of = dictionary.ids.get
        self.lengths_of = dictionary.lengths_by_beginning.get
        self.frequencies = dictionary.frequencies

    def frequency_of(self, word: str) -> int:
        """The frequency of a word, at least 1; 0 if it is not in the dictionary."""
        id = self.id_of(word)
        return 0 if id is None else self.frequencies[id] or 1 if self.frequencies is not None else 1

    def score_of(self, word: str) -> float:
        """The log-probability of a word; what is not in the dictionary counts once."""
        return log(self.frequency_of(word) or 1) - self.log_total

    def arcs(self, block: str, start: int) -> list[WordArc]:
        """The words that start at a position of a block, the longest first; a single character if there are none."""
        found = []
        for length in (*(self.lengths_of(block[start : start + 2]) or ()), 1):
            end = start + length
            frequency = self.frequency_of(block[start:end]) if end <= len(block) else 0
            if frequency:
                found.append(WordArc(start, end, frequency, log(frequency) - self.log_total, True))
        return found or [WordArc(start, start + 1, 1, log(1) - self.log_total, False)]

    def best(self, block: str) -> list[Best]:
        """The best path from each position of a block to its end; the last entry is the end itself, with a sum of 0."""
        ends, scores = self._filled(block)
        return [*map(Best, scores, ends), Best(0.0, 0)] if block else [Best(0.0, 0)]

    def path(self, block: str) -> list[int]:
        """The ends of the words of a block's best path."""
        ends, _scores = self._filled(block)
        path = []
        at = 0
        while at < len(block):
            at = ends[at]
            path.append(at)
        return path

    def _filled(self, block: str) -> tuple[list[int], list[float]]:
        """For each position the end of the first word of its best path, and the log-probability of that path."""
        length = len(block)
        scores = [0.0] * (length + 1)
        ends = [0] * length
        id_of, lengths_of, frequencies, log_total = self.id_of, self.lengths_of, self.frequencies, self.log_total
        for start in range(length - 1, -1, -1):
            best, best_end = 0.0, 0
            for word_length in (*(lengths_of(block[start : start + 2]) or ()), 1):
                end = start + word_length
                if end > length:
                    continue
                id = id_of(block[start:end])
                if id is None:
                    continue
                frequency = 1 if frequencies is None else frequencies[id] or 1
                score = log(frequency) - log_total + scores[end]
                if score > best or not best_end:  # of equal scores the longest word wins, which comes first
                    best, best_end = score, end
            if not best_end:
                best, best_end = 0.0 - log_total + scores[start + 1], start + 1
            scores[start], ends[start] = best, best_end
        scores.pop()
        return ends, scores

    def every_word(self, block: str) -> Iterator[tuple[int, list[int]]]:
        """For each position the ends of the words that start there, the shortest first; a single character if none."""
        id_of, lengths_of = self.id_of, self.lengths_of
        for start in range(len(block)):
            ends = [start + 1] if id_of(block[start]) is not None else []
            for length in reversed(lengths_of(block[start : start + 2]) or ()):
                word = block[start : start + length]
                if len(word) == length and id_of(word) is not None:
                    ends.append(start + length)
            yield start, ends or [start + 1]


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
