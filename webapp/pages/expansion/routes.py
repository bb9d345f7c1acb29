"""Routes: `/vocabularies/expand` previews an expansion, `…/expand/FILE` downloads it, `…/expand/store` stores it."""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.expansion import ExpansionError
from webapp.core.formats.fields import FormatError
from webapp.pages.expansion import snippets
from webapp.pages.expansion.contexts import ExpansionContext, ExpansionPage
from webapp.pages.expansion.forms import ExpansionRequest, is_expandable, read
from webapp.pages.expansion.messages import file_notes, passage_names, reason_names, rule_of
from webapp.pages.expansion.preview import MOST_ADDED, ExpansionPreview, contents_of, preview_of
from webapp.rendering.markup import visible
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem, wrong_file
from webapp.tokenization.vocabulary_choices import vocabulary_choices
from webapp.vocabularies import (
    StillFetchingError,
    StorageFullError,
    UnavailableVocabularyError,
    find,
    library,
    title_of,
)
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.rates import stores_by_hash
from webapp.web.same_origin import is_foreign
from webapp.web.templates import render

blueprint = Blueprint("expansion", __name__)


@blueprint.get("/vocabularies/expand")
def page() -> BaseResponse:
    """Show the form, and the preview of the expansion in the URL."""
    return _page_or_redirect()


@blueprint.post("/vocabularies/expand")
def submit() -> BaseResponse:
    """Redirect the form to its URL if it fits into one, else show the preview here."""
    return _page_or_redirect()


@blueprint.route(
    "/vocabularies/expand/<any('tokenizer.json','tokenizer.model','ranks.tiktoken',"
    "'tokens_and_scores.json','old_ids.json'):file>",
    methods=["GET", "POST"],
)
def download(file: str) -> BaseResponse:
    """Download a file of the expanded vocabulary."""
    asked, contents, problems = _contents()
    if problems:
        return _respond(asked, None, problems)
    if file not in contents:
        abort(404)
    kind = "application/json" if file.endswith(".json") else "application/octet-stream"
    response = Response(contents[file], mimetype=kind)
    response.headers["Content-Disposition"] = f"attachment; filename={file}"
    return private(response)


@blueprint.post("/vocabularies/expand/store")
@stores_by_hash
def store() -> BaseResponse:
    """Store the expanded vocabulary as an upload, and show its page."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    asked, contents, problems = _contents()
    if not problems:
        try:
            uploaded = library().store(next(iter(contents.values())))
        except FormatError as error:
            message = _("The expanded vocabulary cannot be stored: %(why)s", why=wrong_file(error))
            problems = [InputProblem(message, 422)]
        except StorageFullError:
            message = _("This site has no storage left for vocabularies. Download the files instead.")
            problems = [InputProblem(message, 507)]
        except UnavailableStorageError:
            message = _("The site’s storage cannot be reached at the moment. Try again in a minute.")
            problems = [InputProblem(message, 503)]
    if problems:
        return _respond(asked, None, problems)
    response = make_response(redirect(url_for("vocabularies.vocabulary", name=uploaded.name), 303))
    file = f"{asked.base}+{asked.addition or 'tokens'}"
    remember_upload(response, uploaded.name, file, uploads_of(request))
    return response


def _page_or_redirect() -> BaseResponse:
    asked, problems = read(request)
    link = _link(asked)
    partial = wants_partial()
    if request.method == "POST" and not partial and not problems and link:
        return redirect(link, 303)
    preview = None
    if not problems and asked.complete:
        try:
            preview = preview_of(asked)
        except (ExpansionError, FormatError, UnavailableVocabularyError, StillFetchingError) as error:
            problems = [_problem(error)]
    response = _respond(asked, preview, problems)
    if partial:
        response.headers["HX-Replace-Url"] = link or url_for("expansion.page")
    return response


def _contents() -> tuple[ExpansionRequest, dict[str, bytes], list[InputProblem]]:
    """The request, its files, and its problems."""
    asked, problems = read(request)
    if not problems and not asked.complete:
        problems = [InputProblem(_("Choose the vocabulary whose pieces to add."), 422, "addition")]
    if problems:
        return asked, {}, problems
    try:
        return asked, contents_of(asked), []
    except (ExpansionError, FormatError, UnavailableVocabularyError, StillFetchingError) as error:
        return asked, {}, [_problem(error)]


def _problem(error: ExpansionError | FormatError | UnavailableVocabularyError | StillFetchingError) -> InputProblem:
    match error:
        case StillFetchingError():
            message = _(
                "“%(title)s” is being downloaded from its publisher. Try again in a moment.",
                title=title_of(error.entry),
            )
            return InputProblem(message, 503)
        case UnavailableVocabularyError():
            told = unavailable_problem(error)
            return InputProblem(told.message, told.status)
        case ExpansionError():
            field = "tokens" if error.field == "addition" and request.values.get("source") == "tokens" else error.field
            return InputProblem(_("It cannot be expanded: %(why)s.", why=wrong_file(FormatError.of(error))), 422, field)
    return InputProblem(_("It cannot be expanded: %(why)s.", why=wrong_file(error)), 422)


def _respond(asked: ExpansionRequest, preview: ExpansionPreview | None, problems: list[InputProblem]) -> Response:
    entry = find(asked.base)
    notes = file_notes()
    link = _link(asked) if asked.complete else None
    tokenizer = preview.expansion.tokenizer if preview else None
    context = ExpansionContext(
        asked=asked,
        preview=preview,
        problems=problems,
        title=title_of(entry) if entry else asked.base,
        rule=rule_of(preview.kind) if preview else "",
        reasons=reason_names(),
        passage_names=passage_names(),
        files=[(name, notes[name]) for name in preview.file_names] if preview else [],
        loading=snippets.loading(tokenizer, preview.file_names[0]) if preview and tokenizer else "",
        embeddings=snippets.embeddings(preview.expansion.first_id) if preview else "",
        link=link,
        query=asked.query(),
        hidden=asked.pairs(),
        visible=visible,
    )
    body = render(context if wants_partial() else _page_context(asked, context))
    return swappable(make_response(body, max((problem.status for problem in problems), default=200)))


def _page_context(asked: ExpansionRequest, context: ExpansionContext) -> ExpansionPage:
    chosen = (asked.base, asked.addition)
    bases, additions = vocabulary_choices(request, *chosen, keep=is_expandable), vocabulary_choices(request, *chosen)
    return ExpansionPage(
        form_id="expand",
        preview_shown=context,
        invalid={problem.field: problem for problem in context.problems if problem.field},
        bases=bases,
        additions=additions,
        most_added=MOST_ADDED,
    )


def _link(asked: ExpansionRequest) -> str | None:
    """The URL of a request, None if it would be too long."""
    link = f"{url_for('expansion.page')}?{asked.query()}"
    return link if len(link) <= current_app.config["MAX_LINK_CHARACTERS"] else None
