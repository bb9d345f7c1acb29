"""The walkthrough that belongs to each model class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import SentencePieceCharacters, SentencePieceWords
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.pages.steps import inference, lattice, matching, maximum_probability, merging, ngram, wordpiece
from webapp.pages.walkthrough.engine import NoStepsError, Walkthrough
from webapp.pages.walkthrough.preparation import preparation
from webapp.tokenization.result import Result


@dataclass(frozen=True)
class WalkthroughKind:
    """What makes the walkthrough of a model, and the further parameters of the address that it reads."""

    make: Callable[[Result, Mapping[str, str]], Walkthrough]  # raises NoStepsError if the vocabulary has no steps
    options: tuple[str, ...] = ()


_MERGING = WalkthroughKind(merging.walkthrough, ("longest", "pieces"))
_LATTICE = WalkthroughKind(lattice.walkthrough, ("n", "temperature", "seed"))

WALKTHROUGHS: dict[type[Any], WalkthroughKind] = {
    Matching: WalkthroughKind(matching.walkthrough),
    MaximumProbability: WalkthroughKind(maximum_probability.walkthrough, ("want",)),
    NGram: WalkthroughKind(ngram.walkthrough, ("n",)),
    WordPiece: WalkthroughKind(wordpiece.walkthrough),
    **dict.fromkeys((BPE, RankBPE, ScoredBPE, SubwordBPE), _MERGING),
    **dict.fromkeys((Unigram, SentencePieceUnigram), _LATTICE),
}
"""The walkthrough of each model class. Register new ones here."""


def options_of(algorithm: str) -> list[str]:
    """The further parameters that the walkthroughs of an algorithm read."""
    kinds = [WALKTHROUGHS[model] for model in ALGORITHMS[algorithm].models if model in WALKTHROUGHS]
    return list(dict.fromkeys(option for kind in kinds for option in kind.options))


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
    return WALKTHROUGHS[type(model)].make(result, options)
