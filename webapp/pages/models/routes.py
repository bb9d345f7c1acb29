"""Routes: `/models` searches the list of language models, `/models.json` sends it."""

from __future__ import annotations

from flask import Blueprint, make_response, request
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.pages.models.contexts import ModelRows, ModelsPage
from webapp.pages.models.views import groups_of
from webapp.serializers.json import json_response
from webapp.serializers.language_models import models_json
from webapp.vocabularies.language_models import find_models, model_list
from webapp.web.htmx import swappable, wants_partial
from webapp.web.templates import render

blueprint = Blueprint("models", __name__)

LONGEST_QUERY = 100


@blueprint.get("/models")
def page() -> BaseResponse:
    """Show the models that match the query, all for none."""
    query = " ".join(request.args.get("q", "").split())
    problem = ""
    if len(query) > LONGEST_QUERY:
        query = query[:LONGEST_QUERY]
        problem = _("A search has at most %(most)s characters. Shorten it.", most=LONGEST_QUERY)
    found = [] if problem else find_models(query)
    shown = ModelRows(
        groups=groups_of(found), found=len(found), total=len(model_list().models), query=query, problem=problem
    )
    body = shown if wants_partial() else ModelsPage(shown=shown, longest_query=LONGEST_QUERY)
    return swappable(make_response(render(body), 422 if problem else 200))


@blueprint.get("/models.json")
def as_json() -> BaseResponse:
    """Download the models that match the query, all for none."""
    return json_response({"models": models_json(find_models(request.args.get("q", "")[:LONGEST_QUERY]))})
