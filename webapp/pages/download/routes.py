"""`/download/tokens.…`: a result to take away, as a picture, a page or data.

The address takes what the playground's form sends, by GET or POST; what is wrong with it is told on a short page.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, request
from flask_babel import gettext as _

from webapp.tokenization import forms
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.exports import WRITERS, as_file
from webapp.vocabularies import StillFetchingError
from webapp.web.error_messages import heading_for
from webapp.web.templates import ErrorPage, render

blueprint = Blueprint("downloads", __name__)


@blueprint.route("/download/tokens.<kind>", methods=["GET", "POST"])
def tokens(kind: str) -> Response:
    """The result as a file; `kind` is one of `WRITERS`."""
    if kind not in WRITERS:
        abort(404)
    state, problems = forms.read(request)
    try:
        result, problems = tokenize_or_explain(state, [problem for problem in problems if problem.field != "token"])
    except StillFetchingError:
        response = _page(503, _("The vocabulary is being fetched. Try again in a moment."))
        response.headers["Retry-After"] = "5"
        return response
    if result is None:
        return _page(max(problem.status for problem in problems), " ".join(problem.message for problem in problems))
    return as_file(result, kind)


def _page(status: int, message: str) -> Response:
    page = ErrorPage(message=message, heading=heading_for(status), status=status)
    return make_response(render(page), status)
