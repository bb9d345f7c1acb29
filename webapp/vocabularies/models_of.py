"""The language models that use a vocabulary, also where it was uploaded."""

from __future__ import annotations

from webapp.vocabularies.language_models import LanguageModel, model_of, models_using
from webapp.vocabularies.library import find


def well_known_name(vocabulary: str) -> str:
    """Return the name of a vocabulary in `well_known.toml`; for an upload, of the one that its checksum names."""
    if models_using(vocabulary):
        return vocabulary
    entry = find(vocabulary)
    return (entry.recognized or entry.name) if entry else vocabulary


def models_of(vocabulary: str) -> list[LanguageModel]:
    """Return the models of the list that use a vocabulary, or the well-known one that an upload is."""
    return models_using(well_known_name(vocabulary))


def uses(model: str, vocabulary: str) -> bool:
    """Whether the model of this name uses a vocabulary."""
    found = model_of(model)
    return found is not None and found.vocabulary is not None and found.vocabulary == well_known_name(vocabulary)
