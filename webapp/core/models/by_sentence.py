"""What models have in common that find the words of a whole text, at once or by sentence, without a pre-tokenizer."""

from collections.abc import Sequence
from itertools import chain

from webapp.core.cache import Cache
from webapp.core.models.dictionary import Dictionary
from webapp.core.text.sentences import sentence_spans

Words = tuple[Sequence[int], Sequence[int]]
"""The ids and the ends of a text's words."""


class Segmenter:
    """A model of words with a `dictionary`, which has their ids; words that it lacks have `unknown_id`.

    White space separates words without being one, and has ids of its own.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.pieces: Sequence[str] = dictionary.words
        self.unknown_id: int = dictionary.unknown_id
        self._segmented = Cache(self._segment)

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a word, or None if it is not in the vocabulary."""
        return self.dictionary.id_of(piece) if isinstance(piece, str) else None

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text's words."""
        return self._segmented[pretoken][0]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each word, in characters."""
        ids, ends = self._segmented[pretoken]
        return tuple(zip(ids, [0, *ends[:-1]], ends, strict=False))

    def words(self, text: str) -> list[str]:
        """The words of a text, white space included.

        >>> from webapp.core.models.tag_weights import TagWeights
        >>> from webapp.core.models.tagger import Tagger
        >>> Tagger(TagWeights({}, {}), Dictionary(["a"])).words("a b\\na")
        ['a', ' ', 'b', '\\n', 'a']
        """
        return [text[start:end] for _, start, end in self.segment(text)]

    def _segment(self, text: str, /) -> Words:
        raise NotImplementedError


class BySentence(Segmenter):
    """A model that finds words sentence by sentence: `_segment` gets one at a time."""

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text's words."""
        sentences = self._segmented
        return list(chain.from_iterable(sentences[pretoken[start:end]][0] for start, end in sentence_spans(pretoken)))

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each word, in characters."""
        found: list[tuple[int, int, int]] = []
        for start, end in sentence_spans(pretoken):
            at = start
            for id, last in zip(*self._segmented[pretoken[start:end]], strict=True):
                found.append((id, at, start + last))
                at = start + last
        return tuple(found)
