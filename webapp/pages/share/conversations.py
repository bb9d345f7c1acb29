"""Snapshots of conversations: store, show and embed them, and draw their preview card."""

from __future__ import annotations

from dataclasses import replace

from flask import Request, Response, abort, url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.share.contexts import ConversationSnapshotEmbed, ConversationSnapshotPage, SnapshotAbout
from webapp.pages.share.views import about_snapshot
from webapp.rendering import pictures
from webapp.serializers.conversation import WRITERS, conversation_file
from webapp.sharing.conversations import RestoredConversation, share_conversation
from webapp.sharing.results import ShareTerms
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization.conversation import forms
from webapp.tokenization.conversation.count import count
from webapp.tokenization.conversation.messages import template_title
from webapp.tokenization.conversation.stage import ConversationStage
from webapp.tokenization.conversation.state import VIEWS, extra_json
from webapp.tokenization.exports import picture_words
from webapp.tokenization.forms import InputProblem
from webapp.web.localization import number


def is_form(request: Request) -> bool:
    """Whether a form is that of a conversation."""
    return "content" in request.form or "messages" in request.form


def share(
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the conversation of a form, or return the problems that prevent it.

    Raises StillFetchingError, and what `share_conversation` does.
    """
    given = forms.read(request)
    problems = [*given.problems, *problems]
    if not given.state.messages and not problems:
        problems = [InputProblem(_("There are no messages yet. Add one, or paste a conversation."))]
    try:
        return (None, problems) if problems else (share_conversation(count(given.state), terms), [])
    except InputProblem as problem:
        return None, [problem]


def text_of(request: Request) -> str:
    """The first message that is not empty, to identify what a link is for."""
    messages = forms.read(request).state.messages
    return next((one.content for one in messages if one.content.strip()), "")


def page_context(stored: StoredSnapshot, view: str = "") -> ConversationSnapshotPage:
    """The context of the page of a conversation, in one of its views."""
    restored = _restored(stored)
    kinds = {"csv": _("Counts as CSV"), "txt": _("The prompt as text")}
    files = [(title, url_for("share.tokens", id=stored.id, kind=kind)) for kind, title in kinds.items()]
    stage = replace(
        _stage(restored, view),
        source=stored.snapshot.state["template"]["source"],
        address_of=lambda name: f"{url_for('share.page', id=stored.id, view=name)}#stage",
        files=[*files, (_("Everything as JSON"), url_for("share.as_json", id=stored.id))],
    )
    return ConversationSnapshotPage(
        stage=stage,
        about=_about(stored, restored),
        messages=restored.conversation.messages,
        extra_json=extra_json,
    )


def embed_context(stored: StoredSnapshot) -> ConversationSnapshotEmbed:
    """The context of the embedded page: the stage alone, without links to pages that cannot be framed."""
    restored = _restored(stored)
    return ConversationSnapshotEmbed(
        stage=_stage(restored),
        about=_about(stored, restored),
        messages=restored.conversation.messages,
        extra_json=extra_json,
    )


def as_file(stored: StoredSnapshot, kind: str) -> Response:
    """The conversation as a file; not found for a kind that there is not."""
    if kind not in WRITERS:
        abort(404)
    restored = _restored(stored)
    return conversation_file(restored.counted, [one.role for one in restored.conversation.messages], kind)


def card(stored: StoredSnapshot) -> bytes:
    """The preview card of a conversation, as PNG."""
    return pictures.card(_restored(stored).counted.encoding, title=title_of(stored), words=picture_words())


def title_of(stored: StoredSnapshot) -> str:
    """The author's title, or a generic one."""
    title: str = stored.snapshot.state.get("title", "")
    return title or _("A conversation in tokens")


def _restored(stored: StoredSnapshot) -> RestoredConversation:
    return RestoredConversation(stored.snapshot, stored.created.date())


def _stage(restored: RestoredConversation, view: str = "") -> ConversationStage:
    return ConversationStage(
        view=next((each for each in VIEWS if each == view), "tokens"),
        conversation=restored.conversation,
        counted=restored.counted,
        vocabulary_title=restored.vocabulary_title,
        template_title=template_title(restored.name, restored.title),
        provenance=restored.provenance,
        figures=restored.figures,
        published=restored.published,
    )


def _about(stored: StoredSnapshot, restored: RestoredConversation) -> SnapshotAbout:
    return about_snapshot(
        stored,
        heading=title_of(stored),
        description=describe(restored),
        differs=False,
        origin=url_for("messages.page"),
        query=restored.state.query(),
    )


def describe(restored: RestoredConversation) -> str:
    """One line about a conversation, for link previews."""
    counts = restored.counted.counts
    messages = ngettext(
        "%(count)s message", "%(count)s messages", len(counts.messages), count=number(len(counts.messages))
    )
    return _(
        "%(messages)s, %(tokens)s tokens: %(content)s in the messages, %(added)s added by the template.",
        messages=messages,
        tokens=number(counts.total),
        content=number(counts.content),
        added=number(counts.template),
    )
