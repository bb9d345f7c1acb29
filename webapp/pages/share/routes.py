"""Routes of snapshots: `/share` stores a result, `/s/ID` shows it; it can be embedded, reported and deleted."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from flask import Blueprint, Response, abort, g, jsonify, make_response, redirect, request, url_for
from flask.blueprints import BlueprintSetupState
from flask_babel import format_date
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.observing.report import measure
from webapp.pages.share.page_cache import PageCache
from webapp.rendering.markup import visible
from webapp.sharing.kinds import origin_of, share_form, shown_of
from webapp.sharing.results import ShownResult
from webapp.storage import LONGEST_REASON, ShareReceipt, StoredSnapshot, storage
from webapp.tokenization import snapshots
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.exports import WRITERS
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.views import ResultView
from webapp.tools.messages.result import ConversationResult
from webapp.web.assets import comes_from_elsewhere
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import REQUEST_TYPE, unstored, wants_partial
from webapp.web.json_responses import json_response, revalidated
from webapp.web.localization import current_key
from webapp.web.problems import problem
from webapp.web.rates import stores
from webapp.web.security import framed
from webapp.web.templates import Context, Page, render
from webapp.web.theme import chosen_theme

blueprint = Blueprint("share", __name__)
OEMBED_WIDTH, OEMBED_HEIGHT = 640, 320
MAX_EXCERPT = 30  # characters

ELSEWHERE: Mapping[str, Callable[..., str]] = {
    "evaluation": lambda id, **values: url_for("evaluate_pages.stored", id=id, **values),
    "sheet": lambda id, **values: url_for("homework.page", sheet=id, **values),
}
"""The addresses of the kinds of snapshots that have pages of their own."""

pages = PageCache(max_bytes=32 << 20)
cards = PageCache(max_bytes=8 << 20)
measure("cache_bytes", lambda: pages.held() + cards.held(), cache="pages")


class LinkContext(Context):
    """The link of a result that was just shared, or the problems that prevented it."""

    template = "share/_link.html"

    shared: ShareReceipt | None
    problems: Sequence[InputProblem]
    terms: snapshots.ShareTerms
    text: str  # the shared text, shown to identify the link
    token: int | None  # the token whose details are open; the link leads to it
    partial: bool  # whether the link is shown on the page of the result


class LinkPage(snapshots.SharingPage):
    """The page with the new link, or with the problems and the form to try again."""

    template = "share/link.html"

    link: LinkContext
    form: Mapping[str, str]
    origin: str  # the URL of the page that sent the form


class SnapshotPage(Page):
    """The page of a snapshot, with the content of its kind."""

    template = "share/page.html"

    about: snapshots.Shown
    result_shown: ResultView | None = None
    view: ComparisonView | None = None
    conversation: ConversationResult | None = None


class SnapshotEmbed(SnapshotPage):
    """The content of a snapshot alone, for an iframe."""

    template = "share/embed.html"


class DeletePage(Page):
    """The page that asks for confirmation before deleting."""

    template = "share/delete.html"

    stored: StoredSnapshot
    secret: str


class ReportPage(Page):
    """The form to report a snapshot, or the confirmation after it was sent."""

    template = "share/report.html"

    stored: StoredSnapshot
    sent: bool
    form: Mapping[str, str]
    max_length: int  # characters of a reason


class GonePage(Page):
    """The page that explains why a snapshot is unavailable, for one of the reasons in `GONE`."""

    template = "share/gone.html"

    reason: str
    framed: bool


@blueprint.app_template_global()
def embed_code(id: str, title: str, width: int = OEMBED_WIDTH, height: int = OEMBED_HEIGHT) -> str:
    """The HTML that embeds a snapshot in an iframe."""
    frame = Markup(
        '<iframe src="{}" width="{}" height="{}" title="{}" loading="lazy" style="border: 0; max-width: 100%"></iframe>'
    )
    address = url_for("share.embed", id=id, _external=True)
    return str(frame.format(address, width, height, title or _("A text and its tokens")))


@blueprint.app_template_global()
def excerpt(text: str) -> str:
    """The first words of a text, to identify it.

    >>> excerpt("one line   and a half of what is more than fits")
    'one line and a half of what is…'
    """
    words = " ".join(text[:1_000].split())
    return visible(words if len(words) <= MAX_EXCERPT else f"{words[:MAX_EXCERPT].rstrip()}…")


@blueprint.app_template_global()
def last_day(moment: datetime) -> str:
    """The last whole day before the moment of expiry, in the format of the reader's language."""
    return str(format_date(moment - timedelta(microseconds=1), "long"))


@blueprint.record_once
def set_template_limits(state: BlueprintSetupState) -> None:
    """Make the limits global, since the share form is also on pages of other blueprints."""
    limits = {"longest_title": snapshots.LONGEST_TITLE, "longest_note": snapshots.LONGEST_NOTE}
    state.app.jinja_env.globals |= {**limits, "days_kept": state.app.config["KEEP_SNAPSHOTS_DAYS"]}


@blueprint.post("/share")
@stores
def create() -> Response:
    """Store the form's result and show its link, and the deletion link, which is shown only here."""
    forbid_foreign()
    terms, problems = snapshots.read_terms(request.form)
    shared, problems = share_form(request, terms, problems)
    origin = origin_of(request)
    partial = wants_partial()
    texts = [request.form.get("text", ""), *request.form.getlist("content")]
    link = LinkContext(
        shared=shared,
        problems=problems,
        terms=terms,
        text=next(filter(str.strip, texts), ""),
        token=request.form.get("token", type=int) if origin == "playground" else None,
        partial=partial,
    )
    address = url_for(f"{origin}.page")
    body = render(link if partial else LinkPage(link=link, form=request.form, wanted=terms, origin=address))
    response = make_response(body, 201 if shared else max(problem.status for problem in problems))
    if shared:
        response.headers["Location"] = url_for("share.page", id=shared.id)
    return unstored(response)


@blueprint.get("/s/<id>")
def page(id: str) -> Response:
    """Show a shared result exactly as it was."""
    partial = wants_partial()
    if not partial and request.args.keys() <= {"lang"}:  # other parameters appear in the page, which is then not cached
        return _cached_page(id)
    shown = shown_of(_stored(id))
    status = 200
    if isinstance(shown, ShownResult):
        status = max((problem.status for problem in shown.view.token_problems), default=200)
    context = shown.part() if partial and isinstance(shown, ShownResult) else _page(shown)
    response = make_response(render(context), status)
    response.vary.add(REQUEST_TYPE)
    return _noindex(response)


def _page(shown: snapshots.Shown) -> SnapshotPage:
    return SnapshotPage(about=shown, **shown.content())


def _cached_page(id: str) -> Response:
    """The page without a selected token, rendered once in each language and cached."""
    head = _available(storage().snapshots.head(id))
    key = (id, head.created, head.expires, request.host_url, current_key(), chosen_theme(), comes_from_elsewhere())
    cached = pages.get(key)
    if cached is None:
        body = render(_page(shown_of(_stored(id)))).encode()
        cached = pages.store(key, body, g.get("inlined_styles", ()))
    g.inlined_styles = cached.styles
    response = Response(cached.body, mimetype="text/html")
    response.set_etag(cached.etag)
    response.vary.add(REQUEST_TYPE)
    return _noindex(response)


@blueprint.get("/s/<id>/embed")
@framed
def embed(id: str) -> Response:
    """Show the tokens alone, for an iframe in a blog or slides."""
    shown = shown_of(_stored(id, in_frame=True))
    return _noindex(make_response(render(SnapshotEmbed(about=shown, **shown.content(embedded=True)))))


@blueprint.get("/s/<id>/tokens.<kind>")
def tokens(id: str, kind: str) -> Response:
    """Download the shared result as a file; `kind` is one of `WRITERS`."""
    if kind not in WRITERS:
        abort(404)
    return _noindex(shown_of(_stored_for_json(id) if kind == "json" else _stored(id)).file(kind))


@blueprint.get("/s/<id>.json")
def as_json(id: str) -> Response:
    """The snapshot as JSON."""
    return _noindex(json_response(shown_of(_stored_for_json(id)).as_json()))


@blueprint.get("/s/<id>.png")
def picture(id: str) -> Response:
    """The preview card of the link: a PNG of 1200 by 630 pixels."""
    stored = _stored(id)
    key = (stored.id, stored.created, current_key())
    cached = cards.get(key)
    if cached is None:
        cached = cards.store(key, shown_of(stored).card())
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
    if stored is None or stored.condition != "kept" or snapshots.kind_of(stored.snapshot) in ELSEWHERE:
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
        html=embed_code(stored.id, title, width, height),
    )


def _at_most(name: str, default: int) -> int:
    """The maximum length in a URL parameter, if valid and smaller than the default."""
    allowed = request.args.get(name, default, int)
    return min(allowed, default) if allowed > 0 else default


@blueprint.route("/s/<id>/delete/<secret>", methods=["GET", "POST"])
def delete(id: str, secret: str) -> Response:
    """Ask for confirmation, then delete the snapshot; the secret comes from the deletion link."""
    stored = _stored(id)
    if request.method == "GET":
        return _private(make_response(render(DeletePage(stored=stored, secret=secret))))
    forbid_foreign()
    if not storage().snapshots.delete(id, secret):
        return _private(gone("wrong secret"))
    after = storage().snapshots.get(id)
    return _private(gone("still shared" if after and after.condition == "kept" else "just deleted"))


@blueprint.route("/s/<id>/report", methods=["GET", "POST"])
@stores
def report(id: str) -> Response:
    """Report a snapshot to the site's operator."""
    stored, status, sent = _stored(id), 200, False
    if request.method == "POST":
        forbid_foreign()
        reason = as_typed(request.form.get("reason")).strip()
        sent = 0 < len(reason) <= LONGEST_REASON
        if sent:
            storage().snapshots.report(id, reason)
        else:
            status = 422
    page = ReportPage(stored=stored, sent=sent, form=request.form, max_length=LONGEST_REASON, status=status)
    return _private(make_response(render(page), status))


def _stored(id: str, *, in_frame: bool = False) -> StoredSnapshot:
    """The snapshot; ends with the page that explains why it is unavailable, or that of a kind with pages elsewhere."""
    stored = _available(storage().snapshots.get(id), in_frame=in_frame)
    kind = snapshots.kind_of(stored.snapshot)
    if kind in ELSEWHERE and request.endpoint not in ("share.delete", "share.report"):
        abort(make_response(redirect(ELSEWHERE[kind](id))))
    return stored


def _stored_for_json(id: str) -> StoredSnapshot:
    """The snapshot; ends with problem details as JSON that explain why it is unavailable."""
    stored = storage().snapshots.get(id)
    if stored is None:
        abort(problem(404, _("There is no snapshot with this id, and there never was one.")))
    if (kind := snapshots.kind_of(stored.snapshot)) in ELSEWHERE:
        abort(make_response(redirect(ELSEWHERE[kind](id, format="json"))))
    if stored.condition != "kept":
        abort(problem(410, _("This snapshot is no longer available.")))
    return stored


def _available(stored: StoredSnapshot | None, *, in_frame: bool = False) -> StoredSnapshot:
    """The snapshot if it is available; ends with the page that explains why it is not."""
    if stored is not None and stored.condition == "kept":
        return stored
    reason: str = "unknown" if stored is None else stored.condition
    if stored and reason == "expired" and (stored.expires is None or stored.expires > datetime.now(UTC)):
        reason = "outdated"
    return abort(gone(reason, in_frame=in_frame))


GONE = {"unknown": 404, "wrong secret": 403, "just deleted": 200, "still shared": 200}
"""The statuses of the reasons for which a snapshot is unavailable; that of the others is 410."""


def gone(reason: str, *, in_frame: bool = False) -> Response:
    """A page that explains why a snapshot is unavailable, with the status for the reason."""
    status = GONE.get(reason, 410)
    body = render(GonePage(reason=reason, framed=in_frame, status=status))
    return _private(make_response(body, status))  # not cached: shared again, the same link works again


def _noindex(response: Response) -> Response:
    """Keep search engines out, and let caches revalidate: a snapshot never changes, but may be deleted."""
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "public, no-cache"
    return revalidated(response)


def _private(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex"
    return unstored(response)
