"""Routes of snapshots: `/share` stores a result, `/s/ID` shows it; it can be embedded, reported and deleted."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from flask import Blueprint, Response, abort, jsonify, make_response, redirect, request, url_for
from flask.blueprints import BlueprintSetupState
from flask_babel import gettext as _

from webapp.observing.report import measure
from webapp.pages.share import commands, comparisons, conversations
from webapp.pages.share.attempts import address_of_state, origin_of, read_terms, share_form
from webapp.pages.share.cards import card_of
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
    available_or_gone,
    day,
    embed_code,
    excerpt,
    gone,
    last_day,
)
from webapp.serializers.json import json_response, revalidated
from webapp.serializers.snapshot import snapshot_json
from webapp.sharing.comparisons import is_comparison
from webapp.sharing.conversations import is_conversation
from webapp.sharing.evaluations import is_evaluation
from webapp.sharing.results import LONGEST_NOTE, LONGEST_TITLE, RestoredResult
from webapp.storage import LONGEST_REASON, StoredSnapshot, storage
from webapp.tokenization import forms
from webapp.tokenization.exports import WRITERS, as_file
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.state import view_of
from webapp.tokenization.token_details import TokenDetails, token_details
from webapp.tokenization.views import DetailsForm, ResultView, TokenView
from webapp.web.htmx import REQUEST_TYPE, wants_partial
from webapp.web.localization import current_key
from webapp.web.problems import problem
from webapp.web.rates import stores
from webapp.web.same_origin import is_foreign
from webapp.web.security import framed
from webapp.web.templates import render
from webapp.web.theme import chosen_theme

blueprint = Blueprint("share", __name__, cli_group="snapshots")
commands.add_commands(blueprint)
blueprint.add_app_template_global(embed_code)
blueprint.add_app_template_global(excerpt)
blueprint.add_app_template_global(day)
blueprint.add_app_template_global(last_day)

OEMBED_WIDTH, OEMBED_HEIGHT = 640, 320

pages = PageCache(max_bytes=32 << 20)
cards = PageCache(max_bytes=8 << 20)
measure("cache_bytes", lambda: pages.held() + cards.held(), cache="pages")


@blueprint.record_once
def set_template_limits(state: BlueprintSetupState) -> None:
    """Make the limits global, since the share form is also on pages of other blueprints."""
    limits = {"longest_title": LONGEST_TITLE, "longest_note": LONGEST_NOTE}
    state.app.jinja_env.globals |= {**limits, "days_kept": state.app.config["KEEP_SNAPSHOTS_DAYS"]}


@blueprint.post("/share")
@stores
def create() -> Response:
    """Store the form's result and show its link, and the deletion link, which is shown only here."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    terms, problems = read_terms(request)
    shared, problems = share_form(request, terms, problems)
    origin = origin_of(request)
    text = conversations.text_of(request) if origin == "messages" else as_typed(request.form.get("text"))
    partial = wants_partial()
    link = LinkContext(
        shared=shared,
        problems=problems,
        terms=terms,
        text=text,
        token=request.form.get("token", type=int) if origin == "playground" else None,
        partial=partial,
        instead=address_of_state(request) if any(problem.status == 507 for problem in problems) else None,
    )
    address = url_for(f"{origin}.page")
    body = render(link if partial else LinkPage(link=link, form=request.form, wanted=terms, origin=address))
    response = make_response(body, 201 if shared else max(problem.status for problem in problems))
    if shared:
        response.headers["Location"] = url_for("share.page", id=shared.id)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/s/<id>")
def page(id: str) -> Response:
    """Show a shared result exactly as it was."""
    partial = wants_partial()
    if not partial and request.args.keys() <= {"lang"}:  # other parameters appear in the page, which is then not cached
        return _cached_page(id)
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if is_comparison(stored.snapshot):
        if "layout" not in request.args:  # a comparison has no single tokens to select
            return make_response(redirect(url_for("share.page", id=id)))
        return _noindex(make_response(render(comparisons.page_context(stored, request.args["layout"]))))
    if is_conversation(stored.snapshot):
        return _noindex(make_response(render(conversations.page_context(stored, request.args.get("view", "")))))
    restored = RestoredResult(stored.snapshot)
    view = _view(stored, restored, TokenView if partial else ResultView)
    body = render(view if partial else SnapshotPage(result_shown=view, about=about(view, stored, restored)))
    status = max((problem.status for problem in view.token_problems), default=200)
    response = make_response(body, status)
    response.vary.add(REQUEST_TYPE)
    return _noindex(response)


def _cached_page(id: str) -> Response:
    """The page without a selected token, rendered once in each language and cached."""
    head = available_or_gone(storage().snapshots.head(id))
    if not isinstance(head, StoredSnapshot):
        return head
    key = (id, head.created, head.expires, request.host_url, current_key(), chosen_theme())
    cached = pages.get(key)
    if cached is None:
        stored = _stored(id)
        if not isinstance(stored, StoredSnapshot):
            return stored
        if is_comparison(stored.snapshot):
            body = render(comparisons.page_context(stored))
        elif is_conversation(stored.snapshot):
            body = render(conversations.page_context(stored))
        else:
            restored = RestoredResult(stored.snapshot)
            view = _view(stored, restored)
            body = render(SnapshotPage(result_shown=view, about=about(view, stored, restored)))
        cached = pages.store(key, body.encode())
    response = Response(cached.body, mimetype="text/html")
    response.set_etag(cached.etag)
    response.vary.add(REQUEST_TYPE)
    return _noindex(response)


@blueprint.get("/s/<id>/embed")
@framed
def embed(id: str) -> Response:
    """Show the tokens alone, for an iframe in a blog or slides."""
    stored = _stored(id, in_frame=True)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if is_comparison(stored.snapshot):
        body = render(comparisons.embed_context(stored))
    elif is_conversation(stored.snapshot):
        body = render(conversations.embed_context(stored))
    else:
        restored = RestoredResult(stored.snapshot)
        view = _embedded_view(stored, restored)
        body = render(SnapshotEmbed(result_shown=view, about=about(view, stored, restored)))
    return _noindex(make_response(body))


@blueprint.get("/s/<id>/tokens.<kind>")
def tokens(id: str, kind: str) -> Response:
    """Download the shared result as a file; `kind` is one of `WRITERS`."""
    if kind not in WRITERS:
        abort(404)
    stored = _stored_for_json(id) if kind == "json" else _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    if is_comparison(stored.snapshot):
        return _noindex(comparisons.as_file(stored, kind))
    if is_conversation(stored.snapshot):
        return _noindex(conversations.as_file(stored, kind))
    return _noindex(as_file(RestoredResult(stored.snapshot).result, kind))


@blueprint.get("/s/<id>.json")
def as_json(id: str) -> Response:
    """The snapshot as JSON."""
    stored = _stored_for_json(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    return _noindex(json_response(snapshot_json(stored)))


@blueprint.get("/s/<id>.png")
def picture(id: str) -> Response:
    """The preview card of the link: a PNG of 1200 by 630 pixels."""
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    key = (stored.id, stored.created, current_key())
    cached = cards.get(key)
    if cached is None:
        cached = cards.store(key, card_of(stored))
    response = Response(cached.body, mimetype="image/png")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return _noindex(response)


@blueprint.get("/oembed")
def oembed() -> Response:
    """The oEmbed response (https://oembed.com, type `rich`) with which blogs and chats preview a link."""
    if request.args.get("format", "json") != "json":
        return problem(HTTPStatus.NOT_IMPLEMENTED, _("Only JSON is available."))
    stem = url_for("share.page", id="", _external=True)
    address = request.args.get("url", "")
    stored = storage().snapshots.get(address.removeprefix(stem)) if address.startswith(stem) else None
    if stored is None or stored.condition != "kept" or is_evaluation(stored.snapshot):
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


def _at_most(name: str, default: int) -> int:
    """The maximum length in a URL parameter, if valid and smaller than the default."""
    allowed = request.args.get(name, default, int)
    return min(allowed, default) if allowed > 0 else default


@blueprint.route("/s/<id>/delete/<secret>", methods=["GET", "POST"])
def delete(id: str, secret: str) -> Response:
    """Ask for confirmation, then delete the snapshot; the secret comes from the deletion link."""
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
    """Report a snapshot to the site's operator."""
    stored = _stored(id)
    if not isinstance(stored, StoredSnapshot):
        return stored
    message, sent = "", False
    if request.method == "POST":
        if is_foreign(request):
            abort(HTTPStatus.FORBIDDEN)
        reason = forms.as_typed(request.form.get("reason")).strip()
        if not reason or len(reason) > LONGEST_REASON:
            message = _("Describe the problem in up to %(most)s characters.", most=f"{LONGEST_REASON:,}")
        else:
            storage().snapshots.report(id, reason)
            sent = True
    status = 422 if message else 200
    page = ReportPage(
        stored=stored, sent=sent, problem=message, form=request.form, max_length=LONGEST_REASON, status=status
    )
    return _private(make_response(render(page), status))


def _stored(id: str, *, in_frame: bool = False) -> StoredSnapshot | Response:
    """The snapshot, or the page that explains why it is unavailable; for an evaluation, a redirect to its page."""
    stored = available_or_gone(storage().snapshots.get(id), in_frame=in_frame)
    if not isinstance(stored, StoredSnapshot) or not is_evaluation(stored.snapshot):
        return stored
    if request.endpoint in ("share.delete", "share.report"):
        return stored
    return make_response(redirect(url_for("evaluate.stored", id=id)))


def _stored_for_json(id: str) -> StoredSnapshot | Response:
    """The snapshot, or problem details as JSON that explain why it is unavailable."""
    stored = storage().snapshots.get(id)
    if stored is None:
        return problem(404, _("There is no snapshot with this id, and there never was one."))
    if is_evaluation(stored.snapshot):
        return make_response(redirect(url_for("evaluate.stored", id=id, format="json")))
    return stored if stored.condition == "kept" else problem(410, _("This snapshot is no longer available."))


def _embedded_view(stored: StoredSnapshot, restored: RestoredResult) -> ResultView:
    """The view for an iframe: its tokens have no links, since the linked pages cannot be framed."""
    return replace(_view(stored, restored), stem=None)


def _view(stored: StoredSnapshot, restored: RestoredResult, kind: type[ResultView] = ResultView) -> ResultView:
    details, problems = _details(restored)
    address = url_for("share.page", id=stored.id)
    state = replace(restored.state, view=view_of(request.args.get("view")) or restored.state.view)
    chosen = f"view={state.view}&" if "view" in request.args else ""
    return kind(
        state=state,
        result=restored.result,
        details=details,
        token_problems=problems,
        link=address,
        stem=f"{address}?{chosen}token=",
        chooser=DetailsForm("snapshot", address, "get", f"{address}/tokens"),
        json_url=url_for("share.as_json", id=stored.id),
    )


def _details(restored: RestoredResult) -> tuple[TokenDetails | None, list[InputProblem]]:
    if not request.args.get("token"):  # empty: the form of a page without a selected token, or its button to close
        return None, []
    index = request.args.get("token", -1, int)
    try:
        return token_details(restored.result, index), []
    except IndexError:
        count = f"{len(restored.encoding):,}"
        message = _(
            "There is no token %(index)s: the text has %(count)s, counted from 0.",
            index=request.args["token"][:20],
            count=count,
        )
        return None, [InputProblem(message, 404)]


def _noindex(response: Response) -> Response:
    """Keep search engines out, and let caches revalidate: a snapshot never changes, but may be deleted."""
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "public, no-cache"
    return revalidated(response)


def _private(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "no-store"
    return response
