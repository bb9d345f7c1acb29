"""Other vocabularies on the held-out text of a training, to compare with: the site's own, and fetched ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from webapp.core.models.ngram import NGram
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.by_ngrams import predicted
from webapp.core.training.ngrams import sentences
from webapp.core.training.plan import TrainingPlan
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.shipped_vocabularies import NAMES, ngram_tokenizer
from webapp.vocabularies.wellknown import WELL_KNOWN, WellKnown

MOST_FETCHED = 8
# A vocabulary that knows less of the text is no comparison: an unknown token may stand for many characters.
MOST_UNKNOWN = 0.05


def characters_per_token(text: str, folder: Path) -> dict[str, float]:
    """The characters per token of a text by vocabulary; `folder` has the fetched ones.

    One that cannot be read is left out, as is one that knows less than 95 % of its tokens.
    """
    figures = {}
    for name, load in _loaders(folder):
        with suppress(Exception):
            tokenizer = load()
            ids = tokenizer.ids(text)
            unknown = ids.count(getattr(tokenizer.model, "unknown_id", None) or 0) if _has_unknown(tokenizer) else 0
            if ids and unknown <= MOST_UNKNOWN * len(ids):
                figures[name] = len(text) / len(ids)
    return figures


def perplexities_of_the_built_in_model(held_out: str, plan: TrainingPlan) -> dict[str, Any]:
    """The perplexity of the site's own n-gram model on the held-out text of a plan by order, and its unknown words."""
    model = ngram_tokenizer().model
    texts = list(sentences(held_out, plan))
    if not texts or not isinstance(model, NGram):
        return {}
    found = {}
    for order in range(1, int(plan.order) + 1):
        value, unknown = predicted(model.with_choices(plan.smoothing, order), texts)
        found[str(order)] = round(value, 2)
    return {"perplexity": found, "unknown": round(unknown, 4)}


def _has_unknown(tokenizer: Tokenizer) -> bool:
    return getattr(tokenizer.model, "unknown_id", None) is not None


def _loaders(folder: Path) -> Iterator[tuple[str, Callable[[], Tokenizer]]]:
    for name in NAMES:
        yield name, lambda name=name: shipped_tokenizer(name)  # type: ignore[misc]
    cache = DiskCache(folder)
    here = [known for known in WELL_KNOWN.values() if cache.has(known)]
    for known in here[:MOST_FETCHED]:
        yield known.name, lambda known=known: _fetched(cache, known)  # type: ignore[misc]


def _fetched(cache: DiskCache, known: WellKnown) -> Tokenizer:
    contents = cache.get(known)
    if contents is None:
        raise KeyError(known.name)
    return known.tokenizer(contents)
