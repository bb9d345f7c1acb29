"""The words that a sentence may have: those of a dictionary, runs of Latin letters, and unknown words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from webapp.core.models.character_model import LONGEST_UNKNOWN, CharacterModel
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import runs_of

Arc = tuple[int, int, float]
"""A word of the lattice: its end, its number, and what its spelling adds to its score; white space has number -1."""


class WordLattice:
    """The arcs of a sentence by the position where they start, computed when asked for, in the order of the text."""

    __slots__ = (
        "_characters",
        "_first",
        "_id_of",
        "_inside",
        "_lengths_at",
        "_reached",
        "_runs",
        "_sentence",
        "_spelled",
        "_unknown",
        "unknown_lengths",
    )

    def __init__(
        self, sentence: str, dictionary: Dictionary, characters: CharacterModel | None, unknown: int, keep_runs: bool
    ) -> None:
        self._sentence = sentence
        self._id_of = dictionary.ids.get
        self._lengths_at = dictionary.lengths_by_beginning.get
        self._characters = characters
        self._unknown = unknown
        self._runs = dict(runs_of(sentence)) if keep_runs else {}
        self._inside = {at for start, end in self._runs.items() for at in range(start + 1, end)}
        # The scores of the unknown characters from `_first` to `_reached`.
        self._spelled: Sequence[float] = ()
        self._first = self._reached = 0
        self.unknown_lengths = [] if characters is None else characters.length_scores(LONGEST_UNKNOWN)
        """The score of each length of an unknown word; none where each unknown character stands alone."""

    def arcs(self, at: int) -> list[Arc]:
        """The words that start at a position, longest first; where white space is, it alone."""
        sentence, id_of = self._sentence, self._id_of
        length, character = len(sentence), sentence[at]
        here: list[Arc] = []
        for word_length in self._lengths_at(sentence[at : at + 2], ()):
            end = at + word_length
            if end <= length:
                word = id_of(sentence[at:end])
                if word is not None and end not in self._inside:
                    here.append((end, word, 0.0))
        word = id_of(character)
        end = self._runs.get(at, at + 1)
        if end > at + 1:
            if not here or here[-1][0] != end:
                spelled = 0.0 if self._characters is None else self._characters.score(sentence[at:end])
                here.append((end, self._unknown, spelled))
        elif word is not None:
            here.append((end, word, 0.0))
        elif character.isspace():
            here = [(end, -1, 0.0)]
        elif self._characters is None:
            here.append((end, self._unknown, 0.0))
        else:
            if self._reached <= at:
                self._first, self._reached = at, self._end_of_unknown(at)
                self._spelled = self._characters.character_scores(sentence[at : self._reached])
            sums = accumulate(self._spelled[at - self._first : at - self._first + LONGEST_UNKNOWN])
            lengths, unknown = self.unknown_lengths, self._unknown
            here += [(at + size, unknown, lengths[size - 1] + each) for size, each in enumerate(sums, 1)][::-1]
        return here

    def _end_of_unknown(self, at: int) -> int:
        """The end of the characters from `at` that are no words, white space or the beginning of a run."""
        sentence, id_of, runs, end = self._sentence, self._id_of, self._runs, at + 1
        while end < len(sentence) and end not in runs and id_of(sentence[end]) is None and not sentence[end].isspace():
            end += 1
        return end
