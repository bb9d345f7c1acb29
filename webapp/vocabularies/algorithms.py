"""The algorithms of the site, and the algorithms that can use a given vocabulary."""

from __future__ import annotations

from typing import Literal

from webapp.core.models.matching import Matching
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.sentencepiece_word_char import SentencePieceCharacters, SentencePieceWords
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordlevel import WordLevel
from webapp.core.models.wordpiece import WordPiece
from webapp.core.tokenizer import Tokenizer

Algorithm = Literal["fmm", "bmm", "bpe", "wordpiece", "unigram", "words"]

ALGORITHMS: tuple[Algorithm, ...] = ("fmm", "bmm", "bpe", "wordpiece", "unigram")
"""The five algorithms that the site explains. `words`, the sixth, is for vocabularies that only look up whole words or
characters. The site has no such vocabulary of its own; the page offers `words` for uploaded ones."""


def algorithms_of(tokenizer: Tokenizer) -> tuple[Algorithm, ...]:
    """The algorithms that can use the vocabulary of a tokenizer: two for a dictionary, else one."""
    match tokenizer.model:
        case Matching():
            return ("fmm", "bmm")
        case WordPiece():
            return ("wordpiece",)
        case Unigram() | SentencePieceUnigram():
            return ("unigram",)
        case WordLevel() | SentencePieceWords() | SentencePieceCharacters():
            return ("words",)
    return ("bpe",)  # all other models: with ranks, scores or merges
