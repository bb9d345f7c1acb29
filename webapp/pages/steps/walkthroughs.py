"""The walkthrough that belongs to each model class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import SentencePieceCharacters, SentencePieceWords
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.pages.steps import inference, lattice, matching, maximum_probability, merging, wordpiece
from webapp.pages.walkthrough import ngrams
from webapp.pages.walkthrough.engine import NoStepsError, Walkthrough
from webapp.pages.walkthrough.preparation import preparation
from webapp.tokenization.result import Result

WALKTHROUGHS: dict[type[Any], tuple[Callable[[Result, Mapping[str, str]], Walkthrough], Sequence[str]]] = {
    Matching: (matching.walkthrough, ()),
    MaximumProbability: (maximum_probability.walkthrough, ()),
    NGram: (ngrams.walkthrough, ("n",)),
    WordPiece: (wordpiece.walkthrough, ()),
    **dict.fromkeys((BPE, RankBPE, ScoredBPE, SubwordBPE), (merging.walkthrough, ("longest", "pieces"))),
    **dict.fromkeys((Unigram, SentencePieceUnigram), (lattice.walkthrough, ("n",))),
}
"""What makes the walkthrough of each model class, and the further parameters of the address that it reads."""


def options_of(algorithm: str) -> list[str]:
    """The further parameters that the walkthroughs of an algorithm read."""
    models = [model for model in ALGORITHMS[algorithm].models if model in WALKTHROUGHS]
    return list(dict.fromkeys(option for model in models for option in WALKTHROUGHS[model][1]))


def walkthrough_of(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The walkthrough of a result; its first step shows what happens before the model.

    Raises NoStepsError if there are no steps to show.
    """
    return replace(_steps(result, options), preparation=partial(preparation, result))


def _steps(result: Result, options: Mapping[str, str]) -> Walkthrough:
    model = result.tokenizer.model
    drawn = "seed" in result.state.inference_options  # whether the tokens are random
    if drawn or (result.inferred is not None and result.inferred.model is not model):
        return inference.walkthrough(result)
    if isinstance(model, WordLevel | SentencePieceWords | SentencePieceCharacters):
        raise NoStepsError(
            _("This vocabulary is only looked up, word by word or character by character, so there are no steps.")
        )
    if type(model) not in WALKTHROUGHS:
        raise NoStepsError(_("There is no step-by-step view for this kind of vocabulary."), instead=True)
    make, _options = WALKTHROUGHS[type(model)]
    return make(result, options)
