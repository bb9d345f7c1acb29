"""Which show belongs to which model. Whoever adds one says so here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from flask_babel import gettext as _

from webapp.core.models.bpe import BPE
from webapp.core.models.matching import Matching
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.sentencepiece_word_char import SentencePieceCharacters, SentencePieceWords
from webapp.core.models.subword_nmt import SubwordBPE
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordlevel import WordLevel
from webapp.core.models.wordpiece import WordPiece
from webapp.pages.steps import lattice, matching, merging, wordpiece
from webapp.pages.walkthrough.preparation import PreparedWalkthrough
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.tokenization.result import Result


class _Maker(Protocol):
    def __call__(self, result: Result, options: Mapping[str, str]) -> Walkthrough:
        """The show of a result; raises NoStepsError where the vocabulary has none."""


WALKTHROUGHS: dict[type[Any], _Maker] = {
    Matching: matching.walkthrough,
    WordPiece: wordpiece.walkthrough,
    **dict.fromkeys((BPE, RankBPE, ScoredBPE, SubwordBPE), merging.walkthrough),
    Unigram: lattice.walkthrough,
    SentencePieceUnigram: lattice.walkthrough,
}
"""The model of a tokenizer → what makes its show."""

OPTIONS: dict[str, tuple[str, ...]] = {"bpe": ("longest", "pieces"), "unigram": ("n", "temperature", "seed")}
"""The algorithm of the address → further parameters that its show reads."""


def walkthrough_of(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The show of a result, with the opening in front that tells what came before the model.

    Raises NoStepsError where there is nothing to follow.
    """
    model = result.tokenizer.model
    make = WALKTHROUGHS.get(type(model))
    if isinstance(model, WordLevel | SentencePieceWords | SentencePieceCharacters):
        raise NoStepsError(_("Words, or characters, are looked up as they are: there are no steps to follow."))
    if make is None:
        message = _("With this vocabulary there is nothing to follow step by step.")
        raise NoStepsError(message, instead=True)
    return PreparedWalkthrough(result, make(result, options))
