"""Names of vocabularies, families and formats in the visitor's language, and the search by these and other names."""

from collections.abc import Iterable

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l

from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.language_models import models_using
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.wellknown import WELL_KNOWN

SAME_CORPUS = _l("Same corpus, same size")
"""The heading of the site's own subword vocabularies."""


def title_of(entry: CatalogueEntry) -> str:
    """The display name of a vocabulary: the site's or the publisher's name for it.

    For an upload, the name of the visitor's file, or its format, and the first digits of its hash: `my.model ·
    9e556afd`; for one that is a well-known vocabulary, the name of that and of the file: `Llama 2 · my.model`.
    """
    if entry.recognized:
        return " · ".join(filter(None, (WELL_KNOWN[entry.recognized].title, entry.file)))
    if entry.origin == "uploaded":
        return f"{entry.file or formats()[entry.title]} · {entry.name.removeprefix('upload-')[:8]}"
    return entry.title or str(entry.label)


def short_title(entry: CatalogueEntry) -> str:
    """The first model that a title names: `GPT-4, GPT-3.5: cl100k_base → GPT-4`."""
    return title_of(entry).partition(":")[0].partition(",")[0]


def grouped(entries: Iterable[CatalogueEntry]) -> list[tuple[str, list[CatalogueEntry]]]:
    """Vocabularies with a heading for each group, as every list to choose from shows them.

    First the visitor's uploads, then each family of published ones, the site's own, those for teaching, and those of
    the visitor's text; in a group they keep their order.
    """
    groups: dict[tuple[int, str], list[CatalogueEntry]] = {}
    for entry in entries:
        groups.setdefault(_group(entry), []).append(entry)
    return [(heading, groups[place, heading]) for place, heading in sorted(groups, key=lambda group: group[0])]


def _group(entry: CatalogueEntry) -> tuple[int, str]:
    """The place and the heading of a vocabulary's group."""
    if entry.origin == "uploaded":
        return 0, _("Uploaded")
    if entry.family:
        return 1, entry.family
    if entry.name in NAMES:
        return 3, str(SAME_CORPUS)
    return (2, _("Shipped with this site")) if entry.origin == "shipped" else (4, _("From your text"))


def formats() -> dict[str, str]:
    """The display name of each file format."""
    return {
        "tiktoken": ".tiktoken",
        "tekken": "tekken.json",
        "huggingface": "tokenizer.json",
        "sentencepiece": "SentencePiece",
        "gguf": "GGUF",
        "scores": _("Tokens and scores"),
        "minimal-bpe": _("Merges as nested lists"),
        "vocab.json": "vocab.json + merges.txt",
        "vocab.txt": "vocab.txt",
        "subword-nmt": "subword-nmt",
        "rwkv": "RWKV World",
        "dictionary": _("Dictionary"),
        "arpa": "ARPA",  # uploads to earlier versions
        "ngram-counts": _("N-gram counts, JSON"),
        "ngram-text": _("N-gram counts, text"),
        "tagger-weights": _("Weights of a tagger"),
    }


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
