"""SentencePiece's two simplest models: one token for each word, and one for each character."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

from webapp.core.models.literals import Literals
from webapp.core.models.scored_pieces import SPACE, Part, ScoredModel, ScoredPieces


class SentencePieceWords(ScoredModel):
    """Each space begins a word; a word is a piece or unknown.

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> vocabulary = ScoredPieces(["<unk>", "▁low"], [0.0, 0.0], [PieceKind.UNKNOWN, PieceKind.NORMAL])
    >>> SentencePieceWords(vocabulary).segment("▁low▁high▁low")
    [(1, 0, 4), (0, 4, 9), (1, 9, 13)]

    SentencePiece splits before spaces even if `treat_whitespace_as_suffix` made the trainer produce pieces that end in
    spaces. Such a model finds hardly any word; this one matches that.
    """

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text; its words are cached."""
        words = _WORD.findall(pretoken)
        return self.vocabulary.fused([id for word in words for id in self._word_ids[word]])

    def _all_parts(self, text: str) -> list[Part]:
        return [(self.vocabulary.ids.get(found[0]), found.end()) for found in _WORD.finditer(text)]

    def _parts(self, word: str) -> list[Part]:
        return [(self.vocabulary.ids.get(word), len(word))]


class SentencePieceCharacters(ScoredModel):
    """Each character is a token, and so is each user-defined piece (the longest at a position).

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.USER_DEFINED]
    >>> SentencePieceCharacters(ScoredPieces(["<unk>", "a", "<a>"], [0.0] * 3, kinds)).segment("a<a>b")
    [(1, 0, 1), (2, 1, 4), (0, 4, 5)]
    """

    def __init__(self, vocabulary: ScoredPieces) -> None:
        super().__init__(vocabulary)
        self._symbols = symbols_of(vocabulary)

    def _parts(self, word: str) -> list[Part]:
        symbols = self._symbols(word)
        return list(zip(map(self.vocabulary.ids.get, symbols), accumulate(map(len, symbols)), strict=True))


def symbols_of(vocabulary: ScoredPieces) -> Callable[[str], list[str]]:
    """Return a function that splits a text as SentencePiece first does: into user-defined pieces, the longest at each
    position, and characters.

    Raises VocabularyError for user-defined pieces that `Literals` rejects.
    """
    pieces = Literals(vocabulary.user_defined)

    def symbols(text: str) -> list[str]:
        found: list[str] = []
        position = 0
        for start, end in pieces.spans(text):
            found += text[position:start]
            found.append(text[start:end])
            position = end
        found += text[position:]
        return found

    return symbols if pieces else list


_WORD = re.compile(f"^[^{SPACE}]++|{SPACE}[^{SPACE}]*+")
