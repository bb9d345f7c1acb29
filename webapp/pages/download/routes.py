"""`/download/tokens.…`: download a result as a picture, an HTML page or data.

It takes the fields of the playground's form, by GET or POST, and shows problems on an error page.
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

blueprint = Blueprint("download", __name__)


@blueprint.route("/download/tokens.<kind>", methods=["GET", "POST"])
def tokens(kind: str) -> Response:
    """Download the result as a file; `kind` is one of `WRITERS`."""
    if kind not in WRITERS:
        abort(404)
    state, problems = forms.read(request)
    try:
        result, problems = tokenize_or_explain(state, [problem for problem in problems if problem.field != "token"])
    except StillFetchingError:
        response = _error_page(503, _("The vocabulary is being downloaded. Try again in a moment."))
        response.headers["Retry-After"] = "5"
        return response
    if result is None:
        return _error_page(
            max(problem.status for problem in problems), " ".join(problem.message for problem in problems)
        )
    return as_file(result, kind)


def _error_page(status: int, message: str) -> Response:
    page = ErrorPage(message=message, heading=heading_for(status), status=status)
    return make_response(render(page), status)
