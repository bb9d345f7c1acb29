"""How each vocabulary splits the same short text, for the list of vocabularies."""

from __future__ import annotations

import time
from collections.abc import Iterable

from markupsafe import Markup

from webapp.core.text.split_patterns import TextError
from webapp.rendering.markup import Painter
from webapp.storage import UnavailableStorageError
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError, library, tokenizer_of

TEXT = "tokenization 分词"
SECONDS = 0.3
"""How long one page may load vocabularies for their samples; the others have theirs the next time."""
_CACHED = 1_000  # samples of a process, which are short

_samples: dict[str, Markup] = {}


def samples(entries: Iterable[CatalogueEntry]) -> dict[str, Markup]:
    """The tokens of the sample with vocabularies that need no fetching, by name.

    Vocabularies in memory come first; others are loaded as long as `SECONDS` have not passed.
    """
    found = {}
    until = time.monotonic() + SECONDS
    in_memory = library().loaded.has
    for entry in sorted(entries, key=lambda entry: entry.load is None and not in_memory(entry.name)):
        sample = _samples.get(entry.name)
        if sample is None and time.monotonic() < until:
            sample = _sample(entry.name)
        if sample is not None:
            found[entry.name] = sample
    return found


def _sample(name: str) -> Markup | None:
    """The tokens of the sample as HTML, kept for the next time; None if the vocabulary cannot be used."""
    try:
        encoding = tokenizer_of(name).encode(TEXT)
        sample = Painter(encoding).html()
    except (StillFetchingError, UnavailableVocabularyError, UnavailableStorageError, TextError, KeyError):
        return None
    if len(_samples) >= _CACHED:
        _samples.clear()
    _samples[name] = sample
    return sample
