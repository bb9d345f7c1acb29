"""Routes of the playground: `/` shows a text and its tokens, `/token` the details of one token.

Both take a query string (GET) or a form (POST). A plain form is redirected to its URL if the state fits into one; htmx
gets the part of the page that changes, and the URL to show.
"""

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.analysis.frequencies import slope
from webapp.core.formats import huggingface, ngram_counts, tagger_weights
from webapp.core.formats.dictionary import written_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.pages.playground import form
from webapp.rendering.markup import shown_piece, visible
from webapp.tokenization import forms, messages
from webapp.tokenization.algorithms import choice_of_names
from webapp.tokenization.answers import result_json
from webapp.tokenization.exports import FREQUENCY_WRITERS, WRITERS, Writer, download, frequencies_of
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import COMPARED_CHARACTERS, Result, tokenize_or_explain
from webapp.tokenization.state import State
from webapp.tokenization.views import TEMPLATE_GLOBALS, DetailsForm, ResultView, TokenDetails, TokenView, character_of
from webapp.vocabularies import StillFetchingError, library
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.json_responses import json_response
from webapp.web.localization import current_key
from webapp.web.problems import heading_for
from webapp.web.rates import stores_by_hash
from webapp.web.templates import ErrorPage, render

LONGEST_QUERY = 100

blueprint = Blueprint("playground", __name__)
blueprint.add_app_template_filter(visible)
blueprint.add_app_template_filter(shown_piece, "piece")
blueprint.add_app_template_filter(character_of, "character")
for function in (form.changes_of, choice_of_names, frequencies_of, slope, form.surprises, form.word_buttons):
    blueprint.add_app_template_global(function)
blueprint.record_once(lambda setup: setup.app.jinja_env.globals.update(TEMPLATE_GLOBALS))


@blueprint.get("/")
def page() -> BaseResponse:
    """Show the playground page with a result: of the text in the URL, or of the welcome text."""
    state, problems = forms.read(request)
    if "text" not in request.args:
        state = replace(state, text=form.WELCOME[current_key()])
    if request.args.get("format") == "json":
        result = _result_for_file(replace(state, token=None), problems, programs=True)
        return private(json_response(result_json(result)))
    return _respond(state, problems)


@blueprint.post("/")
def submit() -> BaseResponse:
    """Redirect the form to its URL if it fits into one, else show the result here."""
    state, problems = forms.read(request)
    state = replace(state, token=None)
    problems = [problem for problem in problems if problem.field != "token"]
    if "retry" in request.form:
        library().retry(state.vocabulary)
    if not forms.pressed(request.form, plain=not wants_partial()):
        return _respond(state, problems)
    try:
        return _respond(form.with_change(state, request.form), problems)
    except InputProblem as problem:
        return _respond(state, problems, edit_problem=problem)


@blueprint.post("/token")
def token() -> BaseResponse:
    """Show the details of one token of the form's text."""
    return _respond(*forms.read(request))


@blueprint.post("/others")
def others() -> Response:
    """Show how many tokens other tokenizers make of the form's text; htmx asks for it after each result."""
    state, problems = forms.read(request)
    if problems or not wants_partial():
        return _respond(state, problems)
    return swappable(make_response(render(form.OtherTokenizers(state=state, result=_result_for_file(state, problems)))))


@blueprint.get("/others")
@blueprint.get("/token")
@blueprint.get("/upload", endpoint="redirect_upload")
def redirect_to_page() -> BaseResponse:
    """Redirect an address that a submitted form leaves in the address bar to the page."""
    return redirect(f"{url_for('playground.page')}?{request.query_string.decode()}")


@blueprint.post("/upload")
@stores_by_hash
def upload() -> BaseResponse:
    """Check and store an uploaded vocabulary, and use it for the form's text."""
    forbid_foreign()
    request.max_content_length = messages.upload_limit()
    state, problems = forms.read(request)
    files = request.files.getlist("vocabulary_file")
    try:
        uploaded = messages.store_upload(files)
    except InputProblem as problem:
        return _respond(state, problems, upload_problem=problem)
    algorithm = state.algorithm if state.algorithm in uploaded.algorithms else uploaded.algorithms[0]
    response = _respond(replace(state, algorithm=algorithm, vocabulary=uploaded.name, token=None), problems)
    remember_upload(response, uploaded.name, files[0].filename or "", uploads_of(request))
    return response


MADE_FILES: dict[str, Writer] = {
    "tokenizer.json": ("application/json", lambda result: [huggingface.write(result.tokenizer)]),
    "ngrams.json": ("application/json", lambda result: [ngram_counts.write_json(result.tokenizer)]),
    "tagger.json": ("application/json", lambda result: [tagger_weights.write(result.tokenizer)]),
    "dictionary.txt": ("text/plain", lambda result: [written_dictionary(result.dictionary or Dictionary(()))]),
}
"""The files of what a visitor made, with their media types: trained vocabularies and models, own dictionaries."""
TRAINED_FILES = {"ngram": "ngrams.json", "tagger": "tagger.json"}
"""The files of the algorithms that have no `tokenizer.json`."""


@blueprint.route(f"/<any({', '.join(map(repr, MADE_FILES))}):name>", methods=["GET", "POST"])
def made_file(name: str) -> BaseResponse:
    """Download a trained vocabulary or model, or the dictionary with the visitor's changes."""
    state, problems = forms.read(request)
    if name == "dictionary.txt":
        state = replace(state, text="")
        if not state.has_dictionary:
            problems = problems or [InputProblem(_("This algorithm has no dictionary."), 404)]
    elif not state.trained or name != TRAINED_FILES.get(state.algorithm, "tokenizer.json"):
        sentence = _("Only a vocabulary that was trained here can be downloaded as a file.")
        problems = problems or [InputProblem(sentence, 404)]
    if problems:
        return _respond(state, problems)
    try:
        result = tokenize_or_explain(state)
    except InputProblem as problem:
        return _respond(state, [problem])
    return download(MADE_FILES[name], result, name)


@blueprint.route("/download/tokens.<kind>", methods=["GET", "POST"])
def tokens(kind: str) -> BaseResponse:
    """Download the result as a file; `kind` is one of `WRITERS`."""
    if kind not in WRITERS:
        abort(404)
    return download(WRITERS[kind], _result_for_file(*forms.read(request)), f"tokens.{kind}")


@blueprint.route("/frequencies", methods=["GET", "POST"])
@blueprint.route("/frequencies.<kind>", methods=["GET", "POST"])
def frequency_files(kind: str = "") -> BaseResponse:
    """Download how often each token occurs, or lead to the panel of the page."""
    kind = kind or request.args.get("format", "")
    if not kind:
        query = "&".join(filter(None, (request.query_string.decode("ascii", "replace"), "frequencies=1")))
        return redirect(f"{url_for('playground.page')}?{query}#frequencies", 307)
    if kind not in FREQUENCY_WRITERS:
        abort(404)
    result = _result_for_file(*forms.read(request), programs=kind == "json")
    if kind in ("svg", "png") and not len(result.encoding):
        abort(_error_page([InputProblem(_("Type or paste text to see its tokens."), 404)]))
    return download(FREQUENCY_WRITERS[kind], frequencies_of(result), f"frequencies.{kind}")


def _result_for_file(state: State, problems: Sequence[InputProblem], *, programs: bool = False) -> Result:
    """The result; without one, the request ends with an error page, or with problem details for programs."""
    problems = [problem for problem in problems if problem.field != "token"]
    if not problems:
        with messages.noted(problems):
            return tokenize_or_explain(state)
    return abort(messages.refused(problems) if programs else _error_page(problems))


def _error_page(problems: Sequence[InputProblem]) -> Response:
    status = max(one.status for one in problems)
    page = ErrorPage(message=" ".join(one.message for one in problems), heading=heading_for(status), status=status)
    headers = {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return make_response(render(page), status, headers)


@blueprint.get("/choices")
def choices() -> str:
    """The vocabularies that match the search: the part of the page that htmx swaps."""
    state, _problems = forms.read(request)
    return render(form.ChoicesContext(picker=_picker(state)))


def _respond(
    state: State,
    problems: list[InputProblem],
    *,
    upload_problem: InputProblem | None = None,
    edit_problem: InputProblem | None = None,
) -> Response:
    """Render the page, or the part of it that htmx asks for."""
    partial = wants_partial()
    token_problems = [problem for problem in problems if problem.field == "token"]
    problems = [problem for problem in problems if problem.field != "token"]
    query = state.link(current_app.config["MAX_LINK_CHARACTERS"], with_token=True)
    link = None if query is None else f"{url_for('playground.page')}?{query}"
    valid = not (problems or token_problems or upload_problem or edit_problem)
    if request.method == "POST" and not partial and link and valid:
        return make_response(redirect(_with_search(link), 303))
    result = details = pending = None
    if not problems:
        try:
            result = tokenize_or_explain(state)
        except InputProblem as problem:
            problems = [problem]
        except StillFetchingError as waiting:
            pending = waiting
    if result is not None and state.token is not None:
        with messages.noted(token_problems):
            details = TokenDetails(result, state.token)
    all_problems = [*problems, *token_problems, *filter(None, (upload_problem, edit_problem))]
    status = max((problem.status for problem in all_problems), default=202 if pending else 200)
    waits = pending or any(map(messages.is_unavailable, problems))
    of_token = partial and request.endpoint == "playground.token" and not waits
    files = url_for("playground.tokens", kind="txt").removesuffix(".txt")
    view = (TokenView if of_token else ResultView)(
        state=state,
        result=result,
        problems=problems,
        details=details,
        token_problems=token_problems if result else [*problems, *token_problems],
        link=link,
        stem=None if link is None else f"{url_for('playground.page')}?{state.query(token=None)}&token=",
        chooser=DetailsForm("playground", url_for("playground.token"), "post", files),
        pending=pending,
        json_url=None if link is None else f"{link}&format=json",
        shareable=True,
        edit_problem=edit_problem,
        others_follow=partial and not of_token and len(state.text) <= COMPARED_CHARACTERS,
        typed_change=request.values if edit_problem or not forms.pressed(request.values, plain=False) else {},
    )
    if not partial:
        shown = render(form.PlaygroundPage(result_shown=view, picker=_picker(state), upload_problem=upload_problem))
        return swappable(make_response(shown, status))
    response = make_response(render(view), status)
    bare = f"{url_for('playground.page')}?{state.query_without_texts()}"
    response = swappable(response, link or bare)
    if (problems or pending) and not of_token:  # the last result stays, below the message
        response.headers["HX-Retarget"], response.headers["HX-Reselect"] = "#trouble", "#trouble > *"
    return response


def _picker(state: State) -> form.VocabularyPicker:
    query = request.values.get("find", "").strip()[:LONGEST_QUERY]
    return form.VocabularyPicker(state, uploads_of(request), query)


def _with_search(link: str) -> str:
    """The URL, with the picker's search text if its search button sent the form, or the panel of frequencies."""
    if "frequencies" in request.values:
        return f"{link}&frequencies=1#frequencies"
    query = request.form.get("find", "").strip()[:LONGEST_QUERY]
    return f"{link}&{urlencode({'find': query})}" if query and "search" in request.form else link
