"""Other vocabularies on the held-out text of a training, to compare with: the site's own, and fetched ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from webapp.core.analysis.measures import MeasureId, measures_of
from webapp.core.analysis.words import TextWords, words_of
from webapp.core.encoding import Encoding
from webapp.core.models.ngram import NGram
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.ngrams import predicted, sentences
from webapp.core.training.plan import TrainingPlan
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.shipped_vocabularies import NAMES, chinese_words, ngram_tokenizer
from webapp.vocabularies.uploads import number_of_ids
from webapp.vocabularies.wellknown import WELL_KNOWN, VocabularySource, WellKnown

MOST_FETCHED = 8
# A vocabulary that knows less of the text is no comparison: an unknown token may stand for many characters.
MOST_UNKNOWN = 0.05


MEASURED: tuple[MeasureId, ...] = ("fertility", "whole-words", "unknown", "renyi-efficiency", "vocabulary-used")
"""The measures of each vocabulary besides characters per token."""


def compared(text: str, own: Tokenizer, folder: Path) -> dict[str, Any]:
    """The held-out text in figures: characters per token of `others` by vocabulary, and `MEASURED` of all.

    `folder` has the fetched vocabularies. One that cannot be read is left out, as is one that knows less than 95 % of
    its tokens. `own_measures` are those of the trained vocabulary, `measures` those of the others.
    """
    others: dict[str, float] = {}
    measures: dict[str, dict[str, float | None]] = {}
    words = _words(text)
    for name, load in _loaders(folder):
        with suppress(Exception):
            tokenizer = load()
            encoding = tokenizer.encode(text)
            if encoding and len(encoding.unknown) <= MOST_UNKNOWN * len(encoding):
                others[name] = len(text) / len(encoding)
                measures[name] = _measures(tokenizer, encoding, words)
    found: dict[str, Any] = {"others": others}
    with suppress(Exception):
        found["own_measures"] = _measures(own, own.encode(text), words)
        found["measures"] = measures
    return found


def _words(text: str) -> TextWords:
    try:
        return words_of(text, chinese_words)
    except MemoryError:  # a training may have little; without words there is no fertility
        return TextWords([], [])


def _measures(tokenizer: Tokenizer, encoding: Encoding, words: TextWords) -> dict[str, float | None]:
    found = measures_of(encoding, words, number_of_ids(tokenizer))
    return {measure: found.value(measure) for measure in MEASURED}


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


def _loaders(folder: Path) -> Iterator[tuple[str, Callable[[], Tokenizer]]]:
    for name in NAMES:
        yield name, lambda name=name: shipped_tokenizer(name)  # type: ignore[misc]
    cache = DiskCache(folder)
    here: dict[VocabularySource, WellKnown] = {}  # encodings with the same ranks have the same figures
    for known in WELL_KNOWN.values():
        if cache.has(known):
            here.setdefault(known.source, known)
    for known in list(here.values())[:MOST_FETCHED]:
        yield known.name, lambda known=known: _fetched(cache, known)  # type: ignore[misc]


def _fetched(cache: DiskCache, known: WellKnown) -> Tokenizer:
    contents = cache.get(known)
    if contents is None:
        raise KeyError(known.name)
    return known.tokenizer(contents)
