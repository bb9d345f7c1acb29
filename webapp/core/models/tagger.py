"""A tagger: words from the tags that fit the characters and their surroundings best.

Every character gets one of the tags B, M, E and S, by weights of features that training adjusted until the tags of
segmented sentences came out (see `webapp.core.models.tag_weights`). Words that training never saw are found like any
other, from the characters inside and around them. Trained by `webapp.core.trainers.tagger`; as textbooks teach it:
`webapp.core.reference.tagger`.
"""

from __future__ import annotations

import re

from webapp.core.models.by_sentence import BySentence
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import runs_of
from webapp.core.models.tag_weights import TagWeights, normalized
from webapp.core.text.sentences import sentence_spans

_PARTS = re.compile(r"\s|\S+")


class Tagger(BySentence):
    """A tagger with weights, and the words of its training, which have ids; what else it finds is unknown.

    A sentence is tagged between its white space; with `keep_runs` a run of Latin letters and digits is never split.

    >>> begin, end = (1, 0, 0, 0), (0, 0, 1, 0)
    >>> weights = TagWeights({"C0": {"研": begin, "究": end, "生": begin, "命": end}}, {})
    >>> model = Tagger(weights, Dictionary(["生命"]))
    >>> model.words("研究生命"), model.segment("研究生命")
    (['研究', '生命'], ((1, 0, 2), (0, 2, 4)))
    """

    def __init__(self, weights: TagWeights, dictionary: Dictionary, keep_runs: bool = True) -> None:
        super().__init__(dictionary)
        self.weights = weights
        self.keep_runs = keep_runs

    def keeping_runs(self, keep_runs: bool) -> Tagger:
        """The same model with or without `keep_runs`."""
        return self if keep_runs == self.keep_runs else Tagger(self.weights, self.dictionary, keep_runs)

    def parts(self, text: str) -> list[tuple[int, int]]:
        """`(start, end)` of what is tagged by itself: each sentence of a text, and each part of it around white space.

        >>> Tagger(TagWeights({}, {}), Dictionary([])).parts("好。他 走")
        [(0, 2), (2, 3), (4, 5)]
        """
        return [
            (start + part.start(), start + part.end())
            for start, end in sentence_spans(text)
            for part in _PARTS.finditer(text[start:end])
            if not part[0].isspace()
        ]

    def inside_runs(self, text: str) -> list[int]:
        """The positions of a text that no word begins at."""
        return [at for start, end in runs_of(text) for at in range(start + 1, end)] if self.keep_runs else []

    def _segment(self, sentence: str, /) -> tuple[tuple[int, ...], tuple[int, ...]]:
        ids: list[int] = []
        ends: list[int] = []
        known, others, unknown = self.dictionary.ids, self.dictionary.other_ids, self.unknown_id
        for part in _PARTS.finditer(sentence):
            text, at = part[0], part.start()
            found = [1] if text.isspace() else self.weights.ends(normalized(text), self.inside_runs(text))
            ends += [at + end for end in found]
            words = (text[start:end] for start, end in zip([0, *found], found, strict=False))
            ids += [known[word] if word in known else others.get(word, unknown) for word in words]
        return tuple(ids), tuple(ends)
