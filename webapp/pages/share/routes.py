"""The addresses of snapshots: `/share` keeps a result, `/s/ID` shows it; it can be embedded, reported and deleted."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from flask import Blueprint, Response, abort, jsonify, make_response, redirect, request, url_for
from flask.blueprints import BlueprintSetupState
from flask_babel import gettext as _

from webapp.pages.share import commands, comparisons
from webapp.pages.share import forms as sharing
from webapp.pages.share.contexts import (
    DeletePage,
    FrameContext,
    LinkContext,
    LinkPage,
    ReportPage,
    SnapshotEmbed,
    SnapshotPage,
)
from webapp.pages.share.page_cache import PageCache
from webapp.pages.share.views import (
    about,
    card,
    day,
    day_before,
    embed_code,
    first_words,
    gone,
    kept_or_gone,
)
from webapp.serializers.json import json_response
from webapp.serializers.snapshot import snapshot_json
from webapp.sharing.capture import UnshareableError, share_result
from webapp.sharing.comparisons import is_comparison
from webapp.sharing.restored import RestoredResult
from webapp.sharing.terms import LONGEST_NOTE, LONGEST_TITLE, ShareTerms
from webapp.storage import LONGEST_REASON, RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, storage
from webapp.tokenization import forms
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.contexts import DetailsForm
from webapp.tokenization.exports import WRITERS, as_file
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.messages import unavailable_problem, wrong_file
from webapp.tokenization.token_details import TokenDetails, token_details
from webapp.tokenization.views import ResultView
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.web.htmx import REQUEST_TYPE, wants_partial
from webapp.web.localization import current_key
from webapp.web.problems import problem
from webapp.web.rates import stores
from webapp.web.same_origin import is_foreign
from webapp.web.security import framed
from webapp.web.templates import render

blueprint = Blueprint("snapshots", __name__, cli_group="snapshots")
commands.add_to(blueprint)
blueprint.add_app_template_global(embed_code)
blueprint.add_app_template_global(first_words)
blueprint.add_app_template_global(day)
blueprint.add_app_template_global(day_before)

OEMBED_WIDTH, OEMBED_HEIGHT = 640, 320

pages = PageCache(most_bytes=32 << 20)
cards = PageCache(most_bytes=8 << 20)


@blueprint.record_once
def tell_limits(state: BlueprintSetupState) -> None:
    """The share form stands on pages of other blueprints too."""
    state.app.jinja_env.globals |= {"longest_title": LONGEST_TITLE, "longest_note": LONGEST_NOTE}


@blueprint.post("/share")
@stores
def share() -> Response:
    """Keep the form's result; answer with its link, and the secret to delete it with, which is shown only here."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    wanted, problems = sharing.read(request)
    shared, problems = _shared(wanted, problems)
    origin = "compare" if "with" in request.form else "playground"
    partial = wants_partial()
    link = LinkContext(
        shared=shared, problems=problems, wanted=wanted, text=as_typed(request.form.get("text")), partial=partial
    )
    address = url_for(f"{origin}.page")
    body = render(link if partial else LinkPage(link=link, form=request.form, wanted=wanted, origin=address))
    response = make_response(body, 201 if shared else max(problem.status for problem in problems))
    if shared:
        response.headers["Location"] = url_for("share.page", id=shared.id)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/s/<id>")
def page(id: str) -> Response:
    """A kept result, exactly as it was."""
    partial = wants_partial()
    if not partial and request.args.keys() <= {"lang"}:  # the page repeats whatever else stands in its address
        return _whole_page(id)
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if is_comparison(stored.snapshot):
        return make_response(redirect(url_for("share.page", id=id)))  # it has no tokens to ask for
    kept = RestoredResult(stored.snapshot)
    view = _view(stored, kept)
    body = render(view.details_context() if partial else _page_context(view, stored, kept))
    status = max((problem.status for problem in view.token_problems), default=200)
    response = make_response(body, status)
    response.vary.add(REQUEST_TYPE)
    return _noindex(response)


def _whole_page(id: str) -> Response:
    """The page as everybody gets it: made once in a language, as long as it is remembered."""
    head = kept_or_gone(storage().snapshots.head(id))
    if not isinstance(head, StoredSnapshot):
        return head
    key = (id, head.created, head.expires, request.host_url, current_key())
    remembered = pages.get(key)
    if remembered is None:
        stored = _stored(id)
        if not isinstance(stored, StoredSnapshot):
            return stored
        if is_comparison(stored.snapshot):
            body = render(comparisons.page_context(stored))
        else:
            kept = RestoredResult(stored.snapshot)
            body = render(_page_context(_view(stored, kept), stored, kept))
        remembered = pages.keep(key, body.encode())
    response = Response(remembered.body, mimetype="text/html")
    response.set_etag(remembered.etag)
    response.vary.add(REQUEST_TYPE)
    return _noindex(response)


@blueprint.get("/s/<id>/embed")
@framed
def embed(id: str) -> Response:
    """The tokens alone, for a frame in somebody's blog or slides."""
    stored = _stored(id, in_frame=True)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if is_comparison(stored.snapshot):
        body = render(comparisons.embed_context(stored))
    else:
        kept = RestoredResult(stored.snapshot)
        view = _frame(stored, kept)
        body = render(SnapshotEmbed(result_shown=view.result_context(), about=about(view, stored, kept)))
    return _noindex(make_response(body))


@blueprint.get("/s/<id>/tokens.<kind>")
def tokens(id: str, kind: str) -> Response:
    """The kept result as a file."""
    if kind not in WRITERS:
        abort(404)
    stored = _stored_for_programs(id) if kind == "json" else _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if is_comparison(stored.snapshot):
        abort(404)
    return _noindex(as_file(RestoredResult(stored.snapshot).result, kind))


@blueprint.get("/s/<id>.json")
def twin(id: str) -> Response:
    """The same for programs."""
    stored = _stored_for_programs(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    return _noindex(json_response(snapshot_json(stored)))


@blueprint.get("/s/<id>.png")
def picture(id: str) -> Response:
    """The picture that a link unfolds to: 1200 by 630 pixels."""
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    key = (stored.id, stored.created, current_key())
    remembered = cards.get(key)
    if remembered is None:
        drawn = comparisons.card(stored) if is_comparison(stored.snapshot) else card(stored)
        remembered = cards.keep(key, drawn)
    response = Response(remembered.body, mimetype="image/png")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return _noindex(response)


@blueprint.get("/oembed")
def oembed() -> Response:
    """What a blog or chat asks for to unfold a link: https://oembed.com, type `rich`."""
    if request.args.get("format", "json") != "json":
        return problem(HTTPStatus.NOT_IMPLEMENTED, _("Only JSON is available."))
    stem = url_for("share.page", id="", _external=True)
    address = request.args.get("url", "")
    stored = storage().snapshots.get(address.removeprefix(stem)) if address.startswith(stem) else None
    if stored is None or stored.condition != "kept":
        abort(404)
    width, height = _at_most("maxwidth", OEMBED_WIDTH), _at_most("maxheight", OEMBED_HEIGHT)
    title = stored.snapshot.state.get("title", "Tokenscope")
    return jsonify(
        version="1.0",
        type="rich",
        provider_name="Tokenscope",
        provider_url=url_for("playground.page", _external=True),
        title=title,
        width=width,
        height=height,
        html=render(FrameContext(id=stored.id, title=title, width=width, height=height)),
    )


def _at_most(name: str, usual: int) -> int:
    """The length that an address allows, if it is one and below the usual."""
    wanted = request.args.get(name, usual, int)
    return min(wanted, usual) if wanted > 0 else usual


@blueprint.route("/s/<id>/delete/<secret>", methods=["GET", "POST"])
def delete(id: str, secret: str) -> Response:
    """The page behind the secret link: it asks once more, then deletes."""
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if request.method == "GET":
        return _private(make_response(render(DeletePage(stored=stored, secret=secret))))
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    if not storage().snapshots.delete(id, secret):
        return _private(gone("wrong secret"))
    after = storage().snapshots.get(id)
    return _private(gone("still shared" if after and after.condition == "kept" else "just deleted"))


@blueprint.route("/s/<id>/report", methods=["GET", "POST"])
@stores
def report(id: str) -> Response:
    """Tell whoever runs the site that a snapshot should not be there."""
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    wrong, sent = "", False
    if request.method == "POST":
        if is_foreign(request):
            abort(HTTPStatus.FORBIDDEN)
        reason = forms.as_typed(request.form.get("reason")).strip()
        if not reason or len(reason) > LONGEST_REASON:
            wrong = _("Describe the problem in up to %(most)s characters.", most=f"{LONGEST_REASON:,}")
        else:
            storage().snapshots.report(id, reason)
            sent = True
    status = 422 if wrong else 200
    page = ReportPage(stored=stored, sent=sent, problem=wrong, form=request.form, longest=LONGEST_REASON, status=status)
    return _private(make_response(render(page), status))


def _shared(wanted: ShareTerms, problems: list[InputProblem]) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Keep the result of the form, with its vocabulary; or say why it cannot be kept."""
    try:
        if "with" in request.form:
            return comparisons.share(request, wanted, problems)
        state, wrong = forms.read(request)
        result, problems = tokenize_or_explain(state, [*(each for each in wrong if each.field != "token"), *problems])
        return (None, problems) if result is None else (share_result(result, wanted), [])
    except StillFetchingError:
        message = _("The vocabulary is still being fetched. Share again when the tokens appear.")
        return None, [InputProblem(message, 503)]
    except UnavailableVocabularyError as error:
        return None, [unavailable_problem(error)]
    except UnshareableError as error:
        message = _(
            "This result cannot be shared because its vocabulary cannot be stored: %(why)s.", why=wrong_file(error.why)
        )
        return None, [InputProblem(message)]
    except StorageFullError:
        message = _(
            "The result was not shared: this site has no storage left for vocabularies. Results with a vocabulary "
            "that ships with the site can still be shared; please tell the site's operator."
        )
        return None, [InputProblem(message, 507)]
    except RemovedSnapshotError:
        return None, [
            InputProblem(_("The site's operator has removed this result, so it cannot be shared again."), 410)
        ]


def _stored(id: str, *, in_frame: bool = False) -> StoredSnapshot | Response:
    """The snapshot, or the page that says why there is none."""
    return kept_or_gone(storage().snapshots.get(id), in_frame=in_frame)


def _stored_for_programs(id: str) -> StoredSnapshot | Response:
    """The snapshot, or problem details that say why there is none."""
    stored = storage().snapshots.get(id)
    if stored is None:
        return problem(404, _("There is no snapshot with this id, and there never was one."))
    return stored if stored.condition == "kept" else problem(410, _("This snapshot is no longer available."))


def _page_context(view: ResultView, stored: StoredSnapshot, kept: RestoredResult) -> SnapshotPage:
    return SnapshotPage(result_shown=view.result_context(), about=about(view, stored, kept))


def _frame(stored: StoredSnapshot, kept: RestoredResult) -> ResultView:
    """For a frame: tokens lead nowhere, since the pages they would lead to cannot be framed."""
    return replace(_view(stored, kept), stem=None)


def _view(stored: StoredSnapshot, kept: RestoredResult) -> ResultView:
    details, problems = _details(kept)
    address = url_for("share.page", id=stored.id)
    return ResultView(
        state=kept.state,
        result=kept.result,
        problems=[],
        details=details,
        token_problems=problems,
        link=address,
        stem=f"{address}?token=",
        chooser=DetailsForm("snapshot", address, "get", f"{address}/tokens"),
        twin=url_for("share.as_json", id=stored.id),
    )


def _details(kept: RestoredResult) -> tuple[TokenDetails | None, list[InputProblem]]:
    if "token" not in request.args:
        return None, []
    index = request.args.get("token", -1, int)
    try:
        return token_details(kept.result, index), []
    except IndexError:
        count = f"{len(kept.encoding):,}"
        message = _(
            "There is no token %(index)s: the text has %(count)s, counted from 0.",
            index=request.args["token"][:20],
            count=count,
        )
        return None, [InputProblem(message, 404)]


def _noindex(response: Response) -> Response:
    """A snapshot does not change, but may be deleted: it is asked for again, and never in a search engine."""
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "public, no-cache"
    response.add_etag()  # unless it has one
    response.make_conditional(request)
    return response


def _private(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "no-store"
    return response
