"""From what a request chose to the tokenizer for it: the same way that the pages take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from flask import current_app

from webapp.api.schemas.requests import Choice, Texts
from webapp.core.algorithms import DEFAULT
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.forms import fits
from webapp.tokenization.messages import dictionary_problem, unavailable_problem
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import (
    LIMITS,
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    default_for,
    find,
    tokenizer_of,
)
from webapp.web.problems import refuse


def texts_of(body: Texts) -> list[str]:
    """The texts of a body, one or several, which together must be within the limit."""
    single = "text" in body.model_fields_set
    texts = [body.text] if single else body.texts
    within(texts, "MAX_TEXT_BYTES", "#/text" if single else "#/texts")
    return texts


def choose_tokenizer(choice: Choice, text: str = "") -> tuple[State, Tokenizer]:
    """The state that a request asks for, and its tokenizer; `text` is learned from where nothing else is given."""
    within([choice.dictionary], "MAX_TEXT_BYTES", "#/dictionary")
    within([choice.corpus], "MAX_CORPUS_BYTES", "#/corpus")
    algorithm, vocabulary = _names(choice)
    limits = LIMITS.get(vocabulary)
    if limits and choice.size is not None and not limits.least <= choice.size <= limits.most:
        sentence = f"For {vocabulary} it is from {limits.least} to {limits.most}."
        refuse(409, f"The size does not go with the vocabulary. {sentence}", errors=[("#/size", sentence)])
    state = State(
        algorithm=algorithm,
        vocabulary=vocabulary,
        text=text,
        size=choice.size,
        corpus=choice.corpus,
        dictionary=choice.dictionary,
        runs=choice.runs,
        lowercase=choice.lowercase,
        special=choice.special,
        template=choice.template,
    ).relevant()
    try:
        return state, prepare(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"]).tokenizer
    except DictionaryError as error:
        problem = dictionary_problem(error)
        refuse(problem.status, problem.message, errors=[("#/dictionary", problem.message)])
    except (UnavailableVocabularyError, StillFetchingError) as error:
        refuse_for_now(error)


def tokenizer_by_name(name: str) -> tuple[CatalogueEntry, Tokenizer]:
    """A vocabulary that has a page of its own, and its tokenizer."""
    entry = find(name)
    if entry is None:
        _no_vocabulary(name)
    if entry.origin in ("learned", "pasted"):
        refuse(404, f"The vocabulary {name!r} is made of each asker's own text: there is nothing to tell of it.")
    try:
        return entry, tokenizer_of(name)
    except (UnavailableVocabularyError, StillFetchingError) as error:
        refuse_for_now(error)


def within(texts: Iterable[str], setting: str, pointer: str) -> None:
    """Refuse texts that together have more bytes of UTF-8 than a setting allows."""
    limit = current_app.config[setting]
    size = sum(len(text.encode()) for text in texts)
    if size > limit:
        sentence = f"It has {size:,} bytes of UTF-8; the limit is {limit:,}."
        refuse(413, f"That is too long. {sentence}", errors=[(pointer, sentence)])


def _names(choice: Choice) -> tuple[str, str]:
    """The algorithm and the vocabulary, each chosen or found by the other."""
    if choice.vocabulary is None:
        algorithm = choice.algorithm or DEFAULT
        vocabulary = default_for(algorithm)
        if not vocabulary:
            sentence = f"No vocabulary ships for {algorithm!r}: name one."
            refuse(409, sentence, errors=[("#/vocabulary", sentence)])
        return algorithm, vocabulary
    entry = find(choice.vocabulary)
    if entry is None:
        _no_vocabulary(choice.vocabulary, "#/vocabulary")
    algorithm = choice.algorithm or entry.algorithms[0]
    if not fits(entry.name, algorithm):
        sentence = f"The vocabulary {entry.name!r} is for {' and '.join(entry.algorithms)}, not for {algorithm}."
        refuse(409, sentence, errors=[("#/algorithm", sentence)])
    return algorithm, entry.name


def _no_vocabulary(name: str, *pointers: str) -> NoReturn:
    sentence = f"There is no vocabulary {name[:40]!r}; GET /api/v1/vocabularies lists what there is."
    refuse(404, sentence, errors=[(pointer, sentence) for pointer in pointers])


def refuse_for_now(error: UnavailableVocabularyError | StillFetchingError) -> NoReturn:
    """Refuse what needs a vocabulary that cannot be had yet, or not now."""
    if isinstance(error, StillFetchingError):
        of = f" of {error.total:,}" if error.total else ""
        sentence = f"The vocabulary is being fetched: {error.received:,}{of} bytes are here. Ask again in 2 seconds."
        refuse(503, sentence, headers={"Retry-After": "2"})
    problem = unavailable_problem(error)
    refuse(problem.status, problem.message, headers={"Retry-After": "60"})
