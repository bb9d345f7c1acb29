"""The blueprint of the API and its operations; the modules that declare operations import both from here."""

from __future__ import annotations

from flask import Blueprint, Response, g, request

from webapp.api.operations import Operations
from webapp.api.validation import most_bytes
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.web.problems import API, problem

blueprint = Blueprint("api", __name__, url_prefix=API)
operations = Operations(blueprint)


@blueprint.before_request
def speak_english() -> None:
    """Answer in English, and allow longer bodies than forms have: JSON may escape the text."""
    g.language_key = "en"
    request.max_content_length = most_bytes(request)


@blueprint.errorhandler(StillFetchingError)
def wait_for_vocabulary(error: StillFetchingError) -> Response:
    """Answer 503 for a vocabulary that is being downloaded."""
    of = f" of {error.total:,}" if error.total else ""
    sentence = f"The site is downloading the vocabulary: {error.received:,}{of} bytes so far. Retry in 2 seconds."
    return problem(503, sentence, headers={"Retry-After": "2"})


@blueprint.errorhandler(UnavailableVocabularyError)
def refuse_vocabulary(error: UnavailableVocabularyError) -> Response:
    """Answer the status of the failure for a vocabulary that cannot be downloaded or read."""
    found = unavailable_problem(error)
    return problem(found.status, found.message, headers={"Retry-After": "60"})


@blueprint.errorhandler(InputProblem)
def refuse(found: InputProblem) -> Response:
    """Answer an error of the input with problem details that point to its field."""
    pointers = [(f"#/{found.field}", found.message)] if found.field else []
    return problem(found.status, found.message, errors=pointers)
