"""Finds the tokenizer that an API request chooses, in the same way as the pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from flask import current_app

from webapp.api.language_models import model_named
from webapp.api.schemas.requests import Choice, InferredTexts, Texts
from webapp.core.algorithms import CHOICES, DEFAULT, inferences_of
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.inference.records import OWN
from webapp.core.models.dictionary_edits import EditError
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.forms import MAX_EDITS_BYTES, fits
from webapp.tokenization.messages import dictionary_problem, edit_problem, unavailable_problem
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
    """The texts of a body, one or several; answers 413 if together they exceed the limit."""
    single = "text" in body.model_fields_set
    texts = [body.text] if single else body.texts
    within(texts, "MAX_TEXT_BYTES", "#/text" if single else "#/texts")
    return texts


def choose_tokenizer(choice: Choice, text: str = "") -> tuple[State, Tokenizer]:
    """The state and the tokenizer for the options of a request; `text` is the default corpus for training."""
    within([choice.dictionary], "MAX_TEXT_BYTES", "#/dictionary")
    within([choice.corpus], "MAX_CORPUS_BYTES", "#/corpus")
    if len(choice.edits.encode()) > MAX_EDITS_BYTES:
        refuse(
            413, "The list of changes is too long.", errors=[("#/edits", f"The limit is {MAX_EDITS_BYTES:,} bytes.")]
        )
    model = model_named(choice.model, choice.vocabulary) if choice.model is not None else None
    if model is not None and choice.vocabulary is None:
        choice = choice.model_copy(update={"vocabulary": model.vocabulary})
    algorithm, vocabulary = _names(choice)
    limits = LIMITS.get(vocabulary)
    if limits and choice.size is not None and not limits.least <= choice.size <= limits.most:
        sentence = f"For {vocabulary} it must be from {limits.least} to {limits.most}."
        refuse(409, f"The size is out of range. {sentence}", errors=[("#/size", sentence)])
    if choice.edits.strip() and not State(algorithm=algorithm).has_dictionary:
        sentence = f"There is no dictionary to change: {algorithm} uses none. Leave out `edits`."
        refuse(409, sentence, errors=[("#/edits", sentence)])
    _check_names(choice)
    state = State(
        algorithm=algorithm,
        vocabulary=vocabulary,
        text=text,
        size=choice.size,
        corpus=choice.corpus,
        dictionary=choice.dictionary,
        edits=choice.edits,
        runs=choice.runs,
        lowercase=choice.lowercase,
        special=choice.special,
        template=choice.template,
        hmm=choice.hmm,
        **{each.name: getattr(choice, each.name) for each in CHOICES},
        model=choice.model or "",
        prefix=" ".join(choice.prefix),
        suffix=" ".join(choice.suffix),
        added="\n".join(choice.added),
        **_inference(choice, algorithm),
    )
    if state.affixes and not state.relevant().affixes:
        field = next(name for name in ("prefix", "suffix", "added") if getattr(choice, name))
        sentence = f"Tokens cannot be added for {algorithm}: it has words. Leave out `{field}`."
        refuse(409, sentence, errors=[(f"#/{field}", sentence)])
    state = state.relevant()
    try:
        ready = prepare(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"])
        if ready.affixed is not None and ready.affixed.missing:
            _no_token(choice, ready.affixed.missing[0])
        return state, ready.encoder
    except (DictionaryError, EditError) as error:
        problem = dictionary_problem(error) if isinstance(error, DictionaryError) else edit_problem(error)
        refuse(problem.status, problem.message, errors=[(f"#/{problem.field}", problem.message)])
    except (UnavailableVocabularyError, StillFetchingError) as error:
        refuse_for_now(error)


def _check_names(choice: Choice) -> None:
    """Answer 409 for a token around the text with white space in its name, and for one to add that is no single line.

    White space is what Python takes for it; the schema's patterns would mean another set of characters.
    """
    for field in ("prefix", "suffix"):
        for at, name in enumerate(getattr(choice, field)):
            if name.split() != [name]:
                sentence = f"The name {name!r} has white space or is empty. Write `#` and the token's id instead."
                refuse(409, sentence, errors=[(f"#/{field}/{at}", sentence)])
    for at, text in enumerate(choice.added):
        if "\n" in text or not text.strip():
            sentence = f"The text {text!r} cannot be added: it is empty, or it has a line end."
            refuse(409, sentence, errors=[(f"#/added/{at}", sentence)])


def _no_token(choice: Choice, name: str) -> NoReturn:
    field = "prefix" if name in choice.prefix else "suffix"
    sentence = f"The vocabulary has no token {name!r}."
    refuse(409, sentence, errors=[(f"#/{field}/{getattr(choice, field).index(name)}", sentence)])


def _inference(choice: Choice, algorithm: str) -> dict[str, Any]:
    """How the vocabulary is applied; answers 409 for an inference that the algorithm does not have."""
    if not isinstance(choice, InferredTexts) or choice.inference == OWN:
        return {}
    allowed = inferences_of(algorithm)
    if choice.inference not in allowed:
        names = " or ".join(f"`{each}`" for each in allowed)
        sentence = f"A vocabulary of {algorithm} has no inference {choice.inference!r}. Use {names}."
        refuse(409, sentence, errors=[("#/inference", sentence)])
    return {name: getattr(choice, name) for name in ("inference", "dropout", "alpha", "seed")}


def tokenizer_by_name(name: str) -> tuple[CatalogueEntry, Tokenizer]:
    """The entry and the tokenizer of a vocabulary; answers 404 for one that depends on the text of each request."""
    entry = find(name)
    if entry is None:
        _no_vocabulary(name)
    if entry.origin in ("learned", "pasted"):
        refuse(404, f"The vocabulary {name!r} depends on the text of each request, so it has no description.")
    try:
        return entry, tokenizer_of(name)
    except (UnavailableVocabularyError, StillFetchingError) as error:
        refuse_for_now(error)


def within(texts: Iterable[str], setting: str, pointer: str) -> None:
    """Answer 413 if the texts together have more bytes of UTF-8 than `setting` allows."""
    limit = current_app.config[setting]
    size = sum(len(text.encode()) for text in texts)
    if size > limit:
        sentence = f"It has {size:,} bytes of UTF-8; the limit is {limit:,}."
        refuse(413, f"The text is too long. {sentence}", errors=[(pointer, sentence)])


def _names(choice: Choice) -> tuple[str, str]:
    """The algorithm and the vocabulary; if the request names only one, the default for the other."""
    if choice.vocabulary is None:
        algorithm = choice.algorithm or DEFAULT
        vocabulary = default_for(algorithm)
        if not vocabulary:
            sentence = f"There is no default vocabulary for {algorithm!r}. Choose one with `vocabulary`."
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
    sentence = f"There is no vocabulary {name[:40]!r}. GET /api/v1/vocabularies lists them."
    refuse(404, sentence, errors=[(pointer, sentence) for pointer in pointers])


def refuse_for_now(error: UnavailableVocabularyError | StillFetchingError) -> NoReturn:
    """Answer 503, or the status of the failure, for a vocabulary that is being downloaded or cannot be downloaded."""
    if isinstance(error, StillFetchingError):
        of = f" of {error.total:,}" if error.total else ""
        sentence = f"The site is downloading the vocabulary: {error.received:,}{of} bytes so far. Retry in 2 seconds."
        refuse(503, sentence, headers={"Retry-After": "2"})
    problem = unavailable_problem(error)
    refuse(problem.status, problem.message, headers={"Retry-After": "60"})
