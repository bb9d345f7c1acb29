"""The vocabularies and texts that API requests name."""

from __future__ import annotations

from collections.abc import Iterable

from flask import current_app

from webapp.api.schemas.requests import Texts
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import CatalogueEntry, find, tokenizer_of
from webapp.web.problems import refuse


def texts_of(body: Texts) -> list[str]:
    """The texts of a body, one or several; answers 413 if together they exceed the limit."""
    single = "text" in body.model_fields_set
    texts = [body.text] if single else body.texts
    within(texts, "MAX_TEXT_BYTES", "#/text" if single else "#/texts")
    return texts


def tokenizer_by_name(name: str) -> tuple[CatalogueEntry, Tokenizer]:
    """The entry and the tokenizer of a vocabulary; answers 404 for one that depends on the text of each request."""
    entry = find(name)
    if entry is None:
        refuse(404, f"There is no vocabulary {name[:40]!r}. GET /api/v1/vocabularies lists them.")
    if entry.origin in ("learned", "pasted"):
        refuse(404, f"The vocabulary {name!r} depends on the text of each request, so it has no description.")
    return entry, tokenizer_of(name)


def within(texts: Iterable[str], setting: str, pointer: str) -> None:
    """Answer 413 if the texts together have more bytes of UTF-8 than `setting` allows."""
    limit = current_app.config[setting]
    size = sum(len(text.encode()) for text in texts)
    if size > limit:
        sentence = f"It has {size:,} bytes of UTF-8; the limit is {limit:,}."
        refuse(413, f"The text is too long. {sentence}", errors=[(pointer, sentence)])
