"""The blueprint of the API and its operations; the modules that declare operations import both from here."""

from __future__ import annotations

from flask import Blueprint, g, request

from webapp.api.operations import Operations
from webapp.api.validation import most_bytes
from webapp.web.problems import API

blueprint = Blueprint("api", __name__, url_prefix=API)
operations = Operations(blueprint)


@blueprint.before_request
def speak_english() -> None:
    """Answer in English, and allow longer bodies than forms have: JSON may escape the text."""
    g.language_key = "en"
    request.max_content_length = most_bytes(request)
