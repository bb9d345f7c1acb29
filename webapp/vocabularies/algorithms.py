"""The algorithms of the page, and which of them a vocabulary is for."""

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
"""The five that the site is about. `words`, the sixth, stands for vocabularies without an algorithm: whole words or
characters are looked up. None ships; the page offers it where a visitor has brought one."""


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
    return ("bpe",)  # by ranks, by scores, by merges: all the rest
