"""The ambiguities of a text for an API request."""

from __future__ import annotations

from typing import Any

from flask import current_app

from webapp.api.schemas.requests import AmbiguitiesBody, Choice
from webapp.api.tokenizer_choice import choose_tokenizer, refuse_for_now, within
from webapp.serializers.ambiguities import ambiguities_json
from webapp.serializers.skipped_lines import skipped_json
from webapp.tokenization.ambiguities import find_all
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError

ALGORITHM = "fmm"  # whose vocabularies are the dictionaries


def ambiguities_of(body: AmbiguitiesBody) -> dict[str, Any]:
    """The answer to a request; a problem if the text is too long or there is no such dictionary."""
    within([body.text], "MAX_TEXT_BYTES", "#/text")
    fields = body.model_dump(include={"vocabulary", "dictionary", "edits", "runs"})
    choice = Choice.model_validate({"algorithm": ALGORITHM, **fields})
    state, tokenizer = choose_tokenizer(choice, body.text)
    try:
        result = find_all(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"])
    except (UnavailableVocabularyError, StillFetchingError) as error:
        refuse_for_now(error)
    places = result.places(body.kind, body.offset, body.offset + body.limit)
    return {**ambiguities_json(result, places), **skipped_json(tokenizer)}
