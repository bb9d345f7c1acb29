"""Searches the vocabularies by common names for them."""

from __future__ import annotations

from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.language_models import models_using
from webapp.vocabularies.titles import title_of

# Other names of vocabularies, besides their titles.
ALSO = {
    "cl100k_base": "ChatGPT OpenAI GPT-4-turbo embedding ada-002",
    "o200k_base": "ChatGPT OpenAI GPT-4.1 GPT-5 o1 o3 o4-mini",
    "o200k_harmony": "OpenAI gpt-oss",
    "mistral-7b-v0-1": "Mixtral",
    "bpe-bytes": "GPT byte-level BPE 字节级",
    "bpe-characters": "Sennrich subword-nmt",
    "wordpiece": "BERT",
    "unigram": "T5 SentencePiece",
    "jieba": "结巴 Chinese dictionary",
}


def matches(entry: CatalogueEntry, query: str) -> bool:
    """Whether the names of a vocabulary contain all words of the query, ignoring case and punctuation.

    >>> entry = CatalogueEntry("cl100k_base", ("bpe",), "fetched", title="GPT-4, GPT-3.5: cl100k_base", family="OpenAI")
    >>> [matches(entry, query) for query in ("gpt4", "chat gpt", "CL100K-base", "bert")]
    [True, True, True, False]

    The models that use a vocabulary find it too.

    >>> matches(entry, "text-embedding-3-small")
    True
    """
    origin = "Hugging Face" if "/" in entry.source else ""
    names = (title_of(entry), entry.name, entry.family, entry.licence, entry.source, origin, *entry.algorithms)
    models = [name for model in models_using(entry.recognized or entry.name) for name in (model.title, *model.names)]
    searchable = letters(" ".join((*names, ALSO.get(entry.name, ""), *models)))
    return all(letters(word) in searchable for word in query.split())


def letters(text: str) -> str:
    """The letters and digits of a text, case-folded: `GPT-3.5 → gpt35`."""
    return "".join(filter(str.isalnum, text.casefold()))
