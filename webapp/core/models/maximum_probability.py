"""Segmentation by maximum probability with a dictionary's frequencies, and an HMM for the words it lacks, as in jieba.

A text consists of blocks of Han characters, Latin letters, digits and a few signs; every other character is a token of
its own. In each block the most probable path through the word graph is taken. With the HMM, a run of single characters
in it is divided again; without it, Latin letters and digits in a row are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from webapp.core.cache import Cache
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.hmm import HiddenMarkovModel, jieba_hmm
from webapp.core.models.word_graph import BLOCK, SPACE, WordGraph

Mode = Literal["precise", "full", "search"]
MODES: tuple[Mode, ...] = get_args(Mode)
_LATIN = re.compile("[a-zA-Z0-9]")


class MaximumProbability:
    """Maximum probability as a model; it segments the whole text and needs no pre-tokenizer.

    A word that is not in the dictionary, found by the HMM or left over, is a token of its own with the id of unknown
    text; white space has ids of its own.

    >>> dictionary = Dictionary(["研究", "研究生", "生命", "科学"], frequencies=[50, 5, 40, 30])
    >>> model = MaximumProbability(dictionary, hmm=False)
    >>> model.words("研究生命科学"), model.segment("研究 生命!")
    (['研究', '生命', '科学'], ((0, 0, 2), (14, 2, 3), (2, 3, 5), (4, 5, 6)))
    >>> model.words("研究生命科学", "full"), model.words("研究生的", "search")
    (['研究', '研究生', '生命', '科学'], ['研究', '研究生', '的'])
    """

    def __init__(self, dictionary: Dictionary, hmm: bool = True) -> None:
        self.dictionary = dictionary
        self.graph = WordGraph(dictionary)
        self.hmm: HiddenMarkovModel | None = jieba_hmm() if hmm else None
        self.pieces: Sequence[str] = dictionary.words
        self.unknown_id: int = dictionary.unknown_id
        self._blocks = Cache(lambda block: tuple(self.block_words(block)))  # most return when a text is edited
        self._segmented = Cache(self._segment)

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a word, or None if it is not in the dictionary."""
        return self.dictionary.id_of(piece) if isinstance(piece, str) else None

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text's words."""
        return self._segmented[pretoken][0]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each word, in characters; the words of the precise mode, but `\\r\\n` as two tokens."""
        ids, ends = self._segmented[pretoken]
        return tuple(zip(ids, [0, *ends[:-1]], ends, strict=False))

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

        A run that is a word of the dictionary, though another path is more probable, stays single characters.
        """
        if self.hmm is None or len(run) == 1:
            return (run,)
        return tuple(run) if self.graph.id_of(run) is not None else self.hmm.words(run)

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
        id_of, space_id_of, unknown = self.dictionary.ids.get, self.dictionary.space_ids.get, self.unknown_id
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
