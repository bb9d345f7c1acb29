"""Routes: `/split` shows the parts of a text, `/split.zip` and `/split.jsonl` download them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import islice
from zipfile import ZIP_DEFLATED, ZipFile

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.analysis.chunking import PartTooSmallError, TextPart, split
from webapp.pages.split.contexts import PartsContext, SplitPage
from webapp.pages.split.forms import MAX_TOKENS, SplitRequest, read
from webapp.serializers.json import json_response
from webapp.serializers.tokenization import MOST_PARTS, parts_json
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import still_fetching_problem, unavailable_problem
from webapp.tokenization.refusal import refused
from webapp.tokenization.result import prepare
from webapp.tokenization.vocabulary_choices import vocabulary_choices
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.localization import number
from webapp.web.long_responses import long_response
from webapp.web.templates import render

blueprint = Blueprint("split", __name__)

MAX_PARTS_SHOWN = 200


@blueprint.get("/split")
def page() -> BaseResponse:
    """Show the form, and the parts of the text in the URL."""
    return _page_or_redirect()


@blueprint.post("/split")
def submit() -> BaseResponse:
    """Redirect the form to its URL if it fits into one, else show the parts here."""
    return _page_or_redirect()


@blueprint.route("/split.zip", methods=["GET", "POST"])
def as_zip() -> BaseResponse:
    """Download each part as a text file in a ZIP archive."""
    asked, parts, problems = _parts()
    if problems:
        return _respond(asked, parts, problems)
    content = BytesIO()
    width = len(str(len(parts)))
    with ZipFile(content, "w", ZIP_DEFLATED) as file:
        for index, part in enumerate(parts, 1):
            file.writestr(f"part-{index:0{width}}.txt", asked.text[part.start : part.end])
    return _download(content.getvalue(), "application/zip", "parts.zip")


@blueprint.route("/split.jsonl", methods=["GET", "POST"])
def as_json_lines() -> BaseResponse:
    """Download each part as a line of JSON."""
    asked, parts, problems = _parts()
    if problems:
        return _respond(asked, parts, problems)
    written = (json.dumps(part, ensure_ascii=False) + "\n" for part in parts_json(asked.text, parts))
    return _download(written, "application/jsonl", "parts.jsonl")


def _page_or_redirect() -> BaseResponse:
    asked, parts, problems = _parts()
    link = f"{url_for('split.page')}?{asked.query()}"
    short = len(link) <= current_app.config["MAX_LINK_CHARACTERS"]
    partial = wants_partial()
    if request.args.get("format") == "json" and request.method == "GET":
        if problems:
            return refused(problems)
        return private(json_response({"parts": parts_json(asked.text, parts)}))
    if request.method == "POST" and not partial and not problems and short:
        return redirect(link, 303)
    response = _respond(asked, parts, problems, link if short else None)
    if partial:
        response.headers["HX-Replace-Url"] = link if short else url_for("split.page")
    return response


def _parts() -> tuple[SplitRequest, Sequence[TextPart], list[InputProblem]]:
    """The request, its parts, and its problems."""
    asked, problems = read(request)
    if problems or not asked.text:
        return asked, (), problems
    try:
        tokenizer = prepare(asked.state(), corpus_limit=current_app.config["MAX_CORPUS_BYTES"]).encoder
        found = split(asked.text, tokenizer, most=asked.tokens, overlap=asked.overlap, boundary=asked.boundary)
        parts = list(islice(found, MOST_PARTS + 1))
    except UnavailableVocabularyError as error:
        return asked, (), [unavailable_problem(error)]
    except StillFetchingError:
        return asked, (), [still_fetching_problem()]
    except PartTooSmallError as error:
        message = _(
            "The character “%(character)s” alone has %(tokens)s tokens. Choose larger parts.",
            character=error.character,
            tokens=error.tokens,
        )
        return asked, (), [InputProblem(message, 422, "tokens", str(asked.tokens))]
    if len(parts) > MOST_PARTS:
        message = _("The text has more than %(most)s parts. Choose larger parts.", most=number(MOST_PARTS))
        return asked, (), [InputProblem(message, 422, "tokens", str(asked.tokens))]
    return asked, parts, []


def _respond(
    asked: SplitRequest, parts: Sequence[TextPart], problems: Sequence[InputProblem], link: str | None = None
) -> Response:
    context = PartsContext(
        parts=[(part, asked.text[part.start : part.end]) for part in parts[:MAX_PARTS_SHOWN]],
        count=len(parts),
        largest=max((part.tokens for part in parts), default=0),
        max_shown=MAX_PARTS_SHOWN,
        problems=problems,
        title_of=title_of,
        vocabulary=find(asked.vocabulary),
        link=link,
    )
    body = render(context if wants_partial() else _page_context(asked, context))
    response = make_response(body, max((problem.status for problem in problems), default=200))
    return swappable(response)


def _page_context(asked: SplitRequest, parts: PartsContext) -> SplitPage:
    return SplitPage(
        parts_shown=parts,
        asked=asked,
        invalid={problem.field: problem for problem in parts.problems if problem.field},
        groups=vocabulary_choices(request, asked.vocabulary),
        max_tokens=MAX_TOKENS,
    )


def _download(content: bytes | Iterable[str], mimetype: str, name: str) -> Response:
    if isinstance(content, bytes):
        response = Response(content, mimetype=mimetype)
    else:
        response = long_response(content, mimetype=mimetype)
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return private(response)
