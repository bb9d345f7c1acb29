"""Routes of the playground: `/` shows a text and its tokens, `/token` the details of one token.

Both take a query string (GET) or a form (POST). A plain form is redirected to its URL if the state fits into one; htmx
gets the part of the page that changes, and the URL to show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.formats import huggingface, ngram_counts
from webapp.core.formats.dictionary import written_dictionary
from webapp.core.tokenizer import Tokenizer
from webapp.pages.playground.form import LONGEST_QUERY, WELCOME, VocabularyPicker, choices_context, page_context
from webapp.rendering.markup import visible
from webapp.serializers.json import json_response
from webapp.serializers.tokenization import result_json
from webapp.tokenization import forms
from webapp.tokenization.algorithms import choice_of_names
from webapp.tokenization.attempts import refused, store_upload, tokenize_or_explain, upload_limit
from webapp.tokenization.dictionary_editor import pressed, with_change
from webapp.tokenization.exports import WRITERS, as_file
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import is_unavailable
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.tokenization.token_details import TokenDetails, token_details
from webapp.tokenization.views import TEMPLATE_GLOBALS, DetailsForm, ResultView, TokenView, as_events, wants_events
from webapp.vocabularies import StillFetchingError, library
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.web.error_messages import heading_for
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.problems import problem
from webapp.web.rates import stores_by_hash
from webapp.web.same_origin import is_foreign
from webapp.web.templates import ErrorPage, render

blueprint = Blueprint("playground", __name__)
blueprint.add_app_template_filter(visible)
blueprint.add_app_template_global(choice_of_names)
blueprint.record_once(lambda setup: setup.app.jinja_env.globals.update(TEMPLATE_GLOBALS))


@blueprint.get("/")
def page() -> BaseResponse:
    """Show the playground page with a result: of the text in the URL, or of the welcome text."""
    state, problems = forms.read(request)
    if "text" not in request.args:
        state = replace(state, text=WELCOME)
    if request.args.get("format") == "json":
        return _json(state, problems)
    return _respond(state, problems)


@blueprint.post("/")
def submit() -> BaseResponse:
    """Redirect the form to its URL if it fits into one, else show the result here."""
    state, problems = forms.read(request)
    if "retry" in request.form:
        library().retry(state.vocabulary)
    edit_problem = None
    if pressed(request.form, plain=not wants_partial()):
        state, edit_problem = with_change(state, request.form)
    if wants_partial():
        state = replace(state, token=None)
    return _respond(state, problems, edit_problem=edit_problem, drop_token=True)


@blueprint.post("/token")
def token() -> BaseResponse:
    """Show the details of one token of the form's text."""
    state, problems = forms.read(request)
    return _respond(state, problems)


@blueprint.get("/token")
def redirect_token() -> BaseResponse:
    """Redirect `/token`, which a submitted form leaves in the address bar, to the page."""
    return redirect(f"{url_for('playground.page')}?{request.query_string.decode()}")


@blueprint.post("/upload")
@stores_by_hash
def upload() -> BaseResponse:
    """Check and store an uploaded vocabulary, and use it for the form's text."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    request.max_content_length = upload_limit()
    state, problems = forms.read(request)
    files = request.files.getlist("vocabulary_file")
    uploaded = store_upload(files)
    problem = uploaded if isinstance(uploaded, InputProblem) else None
    if not isinstance(uploaded, InputProblem):
        algorithm = state.algorithm if state.algorithm in uploaded.algorithms else uploaded.algorithms[0]
        state = replace(state, algorithm=algorithm, vocabulary=uploaded.name, token=None)
    response = _respond(state, problems, problem)
    if problem is None:
        remember_upload(response, state.vocabulary, files[0].filename or "", uploads_of(request))
    return response


@blueprint.get("/upload")
def redirect_upload() -> BaseResponse:
    """Redirect `/upload`, which a submitted form leaves in the address bar, to the page."""
    return redirect(f"{url_for('playground.page')}?{request.query_string.decode()}")


@blueprint.route("/tokenizer.json", methods=["GET", "POST"])
def trained_vocabulary() -> BaseResponse:
    """Download the vocabulary trained on the text as a file that the `tokenizers` library loads."""
    return _trained_file("tokenizer.json", huggingface.write, of_words=False)


@blueprint.route("/ngrams.json", methods=["GET", "POST"])
def trained_word_model() -> BaseResponse:
    """Download the n-grams counted in the visitor's sentences as a file that can be uploaded again."""
    return _trained_file("ngrams.json", ngram_counts.write_json, of_words=True)


def _trained_file(name: str, write: Callable[[Tokenizer], str], *, of_words: bool) -> BaseResponse:
    state, problems = forms.read(request)
    if (not state.trained or of_words != (state.family == "word model")) and not problems:
        problems = [InputProblem(_("Only a vocabulary that was trained here can be downloaded as a file."), 404)]
    result, problems = tokenize_or_explain(state, problems)
    if result is None:
        return _respond(state, problems)
    response = Response(write(result.tokenizer), mimetype="application/json")
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response


@blueprint.route("/dictionary.txt", methods=["GET", "POST"])
def word_list() -> BaseResponse:
    """Download the dictionary with the visitor's changes as a word list."""
    state, problems = forms.read(request)
    if not state.has_dictionary and not problems:
        problems = [InputProblem(_("This algorithm has no dictionary."), 404)]
    result, problems = tokenize_or_explain(replace(state, text=""), problems)
    if result is None or result.dictionary is None:
        return _respond(state, problems)
    response = Response(written_dictionary(result.dictionary), mimetype="text/plain")
    response.headers["Content-Disposition"] = "attachment; filename=dictionary.txt"
    return private(response)


@blueprint.route("/download/tokens.<kind>", methods=["GET", "POST"])
def tokens(kind: str) -> BaseResponse:
    """Download the result as a file; `kind` is one of `WRITERS`. Problems are shown on an error page."""
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
        return _error_page(max(one.status for one in problems), " ".join(one.message for one in problems))
    return as_file(result, kind)


def _error_page(status: int, message: str) -> Response:
    page = ErrorPage(message=message, heading=heading_for(status), status=status)
    return make_response(render(page), status)


@blueprint.get("/choices")
def choices() -> str:
    """The vocabularies that match the search: the part of the page that htmx swaps."""
    state, _problems = forms.read(request)
    return render(choices_context(_picker(state)))


def _respond(
    state: State,
    problems: list[InputProblem],
    upload_problem: InputProblem | None = None,
    *,
    edit_problem: InputProblem | None = None,
    drop_token: bool = False,
) -> Response:
    """Render the page, or the part of it that htmx asks for.

    With `drop_token`, the selected token is deselected if the edited text no longer has it.
    """
    partial = wants_partial()
    token_problems = [problem for problem in problems if problem.field == "token"]
    problems = [problem for problem in problems if problem.field != "token"]
    attempt = None
    if drop_token and state.token is not None:
        attempt = _attempt(state, [*problems, *token_problems])
        if attempt[0] is None or state.token >= len(attempt[0].encoding):
            state, attempt = replace(state, token=None), None if attempt[0] is None else attempt
    link = _link(state)
    valid = not (problems or token_problems or upload_problem or edit_problem)
    if request.method == "POST" and not partial and valid and link:
        return make_response(redirect(_with_query(link), 303))
    result, problems, pending = attempt or _attempt(state, problems)
    details, details_problems = _details(result, state.token)
    token_problems += details_problems
    stem = None if link is None else f"{url_for('playground.page')}?{state.query(token=None)}&token="
    chooser = DetailsForm(
        "playground", url_for("playground.token"), "post", url_for("playground.tokens", kind="txt").removesuffix(".txt")
    )
    all_problems = [*problems, *token_problems, *filter(None, (upload_problem, edit_problem))]
    status = max((problem.status for problem in all_problems), default=202 if pending else 200)
    json_url = None if link is None else f"{link}&format=json"
    waits = pending or any(map(is_unavailable, problems))
    of_token = partial and request.endpoint == "playground.token" and not waits
    view = (TokenView if of_token else ResultView)(
        state=state,
        result=result,
        problems=problems,
        details=details,
        token_problems=token_problems if result else [*problems, *token_problems],
        link=link,
        stem=stem,
        chooser=chooser,
        pending=pending,
        json_url=json_url,
        shareable=True,
        edit_problem=edit_problem,
    )
    if not partial:
        body = render(page_context(view, _picker(state), upload_problem))
    elif result and not of_token and wants_events(request, result):
        return _with_headers(as_events(view), view, partial)
    else:
        body = render(view)
    return _with_headers(make_response(body, status), view, partial)


def _json(state: State, problems: list[InputProblem]) -> Response:
    """The result as JSON."""
    try:
        result, problems = tokenize_or_explain(replace(state, token=None), problems)
    except StillFetchingError:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    if result is None:
        return refused(problems)
    return private(json_response(result_json(result)))


def _attempt(
    state: State, problems: list[InputProblem]
) -> tuple[Result | None, list[InputProblem], StillFetchingError | None]:
    """The result, the problems of the input, and the error of a vocabulary that is still being downloaded."""
    try:
        result, problems = tokenize_or_explain(state, problems)
    except StillFetchingError as waiting:
        return None, [], waiting
    return result, problems, None


def _details(result: Result | None, token: int | None) -> tuple[TokenDetails | None, list[InputProblem]]:
    if result is None or token is None:
        return None, []
    try:
        return token_details(result, token), []
    except IndexError:
        message = _(
            "There is no token %(index)s: the text has %(count)s, counted from 0.",
            index=token,
            count=f"{len(result.encoding):,}",
        )
        return None, [InputProblem(message, 404)]


def _picker(state: State) -> VocabularyPicker:
    query = request.values.get("find", "").strip()[:LONGEST_QUERY]
    return VocabularyPicker(state, uploads_of(request), query)


def _with_query(link: str) -> str:
    """The URL, with the picker's search text if its search button sent the form."""
    query = request.form.get("find", "").strip()[:LONGEST_QUERY]
    return f"{link}&{urlencode({'find': query})}" if query and "search" in request.form else link


def _link(state: State) -> str | None:
    """The URL with the whole state, or None if it would be too long."""
    query = state.link(current_app.config["MAX_LINK_CHARACTERS"], with_token=True)
    return None if query is None else f"{url_for('playground.page')}?{query}"


def _with_headers(response: Response, view: ResultView, partial: bool) -> Response:
    swappable(response, vary="Accept")
    if partial:
        bare = f"{url_for('playground.page')}?{view.state.query_without_texts()}"
        response.headers["HX-Replace-Url"] = view.link or bare
        if view.pending or view.lacks_vocabulary:  # the last result stays, below the message
            response.headers["HX-Retarget"], response.headers["HX-Reselect"] = "#trouble", "#trouble > *"
    return response
