"""Finding vocabularies by the words that people use for them."""

from __future__ import annotations

from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.titles import title_of

# What a vocabulary is called beside its title.
ALSO = {
    "cl100k_base": "ChatGPT OpenAI GPT-4-turbo embedding ada-002",
    "o200k_base": "ChatGPT OpenAI GPT-4.1 GPT-5 o1 o3 o4-mini",
    "o200k_harmony": "OpenAI gpt-oss",
    "mistral-7b-v0.1": "Mixtral",
    "jieba": "结巴 Chinese dictionary",
}


def matches(entry: CatalogueEntry, query: str) -> bool:
    """Whether all words of a query stand in what a vocabulary is called; only letters and digits count, in any case.

    >>> entry = CatalogueEntry("cl100k_base", ("bpe",), "fetched", title="GPT-4, GPT-3.5: cl100k_base", family="OpenAI")
    >>> [matches(entry, query) for query in ("gpt4", "chat gpt", "CL100K-base", "bert")]
    [True, True, True, False]
    """
    origin = "Hugging Face" if "/" in entry.source else ""
    said = (title_of(entry), entry.name, entry.family, entry.licence, entry.source, origin, *entry.algorithms)
    named = letters(" ".join((*said, ALSO.get(entry.name, ""))))
    return all(letters(word) in named for word in query.split())


def letters(text: str) -> str:
    """The letters and digits of a text, folded: `GPT-3.5 → gpt35`."""
    return "".join(filter(str.isalnum, text.casefold()))
