"""Routes: `/messages` counts a conversation; `/messages.json`, `.csv` and `.txt` export its counts and its prompt.

Addresses (GET) and forms (POST) have the same fields. A plain form is redirected to its address if that is short
enough; htmx gets the form and the stage, and the address to show.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.chat.templates import NoTemplateError
from webapp.pages.messages import views
from webapp.pages.messages.examples import EXAMPLES
from webapp.serializers.conversation import WRITERS, conversation_file
from webapp.tokenization.attempts import refused
from webapp.tokenization.conversation import forms
from webapp.tokenization.conversation.count import ConversationResult, count, with_own_template
from webapp.tokenization.conversation.forms import ConversationForm
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("messages", __name__)


@blueprint.get("/messages")
def page() -> BaseResponse:
    """Show the conversation in the address, or an example, with its prompt."""
    if request.args.get("format") == "json":
        return files("json")
    return _answer(_read())


@blueprint.post("/messages")
def submit() -> BaseResponse:
    """Redirect the form to its address if it is short enough, else show the result here."""
    asked = _read()
    if "edit" in request.form and not asked.problems:
        with suppress(NoTemplateError, UnavailableVocabularyError, StillFetchingError):
            asked = replace(asked, state=with_own_template(asked.state))
    return _answer(asked)


@blueprint.route("/messages.<kind>", methods=["GET", "POST"])
def files(kind: str) -> BaseResponse:
    """Download the counts as JSON or CSV, or the prompt as text."""
    if kind not in WRITERS:
        abort(404)
    asked = _read()
    result, problems, pending = _counted(asked)
    if result is None:
        return _no_conversation(problems, pending)
    roles = [message.role for message in result.conversation.messages]
    return private(conversation_file(result.counted, roles, kind))


def _read() -> ConversationForm:
    return forms.read(request, EXAMPLES[0].messages)


def _counted(
    asked: ConversationForm,
) -> tuple[ConversationResult | None, list[InputProblem], StillFetchingError | None]:
    """The result, the problems, and the error of a vocabulary that is still being downloaded."""
    try:
        return *count(asked.state, asked.problems), None
    except StillFetchingError as waiting:
        return None, [], waiting


def _answer(asked: ConversationForm) -> BaseResponse:
    query = asked.state.link(current_app.config["MAX_LINK_CHARACTERS"])
    link = None if query is None else f"{url_for('messages.page')}?{query}"
    partial = wants_partial()
    if request.method == "POST" and not partial and not asked.problems and link:
        return redirect(f"{link}#stage" if "show" in request.form else link, 303)
    result, problems, pending = _counted(asked)
    context = views.conversation_context(asked, result, problems, pending, link)
    body = render(context if partial else views.page_context(context))
    response = make_response(body, max((one.status for one in problems), default=202 if pending else 200))
    swappable(response)
    if partial:
        response.headers["HX-Replace-Url"] = link or url_for("messages.page")
    return response


def _no_conversation(problems: list[InputProblem], pending: StillFetchingError | None) -> Response:
    if pending:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    if not problems:
        problems = [InputProblem(_("There are no messages yet. Add one, or paste a conversation."), 422, "messages")]
    return refused(problems)
