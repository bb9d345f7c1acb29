"""Contexts of the templates of snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat.messages import Message
from webapp.sharing.results import ShareTerms, SharingPage
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.conversation.stage import ConversationStage
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.views import ResultView
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class SnapshotAbout(Context):
    """Facts about a snapshot, of a result or of a comparison."""

    stored: StoredSnapshot
    title: str  # the author's title, or ""
    shown_title: str  # the author's title, or a generic one
    note: str  # the author's note, or ""
    description: str  # one line for link previews
    core_version: str  # the version that made the result
    differs: bool  # whether the same text has different ids today
    vocabulary_gone: bool  # whether the file of its vocabulary was deleted
    address: str  # the URL of its page
    origin: str  # the URL of the page that opens a copy
    open_copy: str  # the label of the button that opens a copy
    fields: Sequence[tuple[str, str]]  # what that button sends


@dataclass(frozen=True, kw_only=True)
class SnapshotPage(Page):
    """The page of a shared result."""

    template = "share/page.html"
    chosen_templates = ("share/_open_copy.html",)

    result_shown: ResultView
    about: SnapshotAbout


@dataclass(frozen=True, kw_only=True)
class SnapshotEmbed(SnapshotPage):
    """The tokens of a shared result alone, for an iframe."""

    template = "share/embed.html"


@dataclass(frozen=True, kw_only=True)
class ComparisonSnapshotPage(Page):
    """The page of a shared comparison."""

    template = "share/comparison.html"

    view: ComparisonView
    about: SnapshotAbout


@dataclass(frozen=True, kw_only=True)
class ComparisonSnapshotEmbed(ComparisonSnapshotPage):
    """The rows of a shared comparison alone, for an iframe."""

    template = "share/embed_comparison.html"


@dataclass(frozen=True, kw_only=True)
class ConversationSnapshotPage(Page):
    """The page of a shared conversation."""

    template = "share/conversation.html"

    stage: ConversationStage
    about: SnapshotAbout
    messages: Sequence[Message]
    extra_json: Callable[[Mapping[str, Any]], str]  # further fields of a message as JSON


@dataclass(frozen=True, kw_only=True)
class ConversationSnapshotEmbed(ConversationSnapshotPage):
    """The stage of a shared conversation alone, for an iframe."""

    template = "share/embed_conversation.html"


@dataclass(frozen=True, kw_only=True)
class LinkContext(Context):
    """The link of a result that was just shared, or the problems that prevented it."""

    template = "share/_link.html"

    shared: ShareReceipt | None
    problems: Sequence[InputProblem]
    terms: ShareTerms
    text: str  # the shared text, shown to identify the link
    token: int | None  # the token whose details are open; the link leads to it
    partial: bool  # whether the link is shown on the page of the result
    instead: str | None = None  # the address with the whole state, if nothing could be stored and it is short enough


@dataclass(frozen=True, kw_only=True)
class LinkPage(SharingPage):
    """The page with the new link, or with the problems and the form to try again."""

    template = "share/link.html"

    link: LinkContext
    form: Mapping[str, str]
    origin: str  # the URL of the page that sent the form


@dataclass(frozen=True, kw_only=True)
class FrameContext(Context):
    """The HTML that embeds a snapshot in an iframe."""

    template = "share/_frame.html"

    id: str
    title: str
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class DeletePage(Page):
    """The page that asks for confirmation before deleting."""

    template = "share/delete.html"

    stored: StoredSnapshot
    secret: str


@dataclass(frozen=True, kw_only=True)
class ReportPage(Page):
    """The form to report a snapshot, or the confirmation after it was sent."""

    template = "share/report.html"

    stored: StoredSnapshot
    sent: bool
    problem: str  # "" if there is none
    form: Mapping[str, str]
    max_length: int  # characters of a reason


@dataclass(frozen=True, kw_only=True)
class GonePage(Page):
    """The page that explains why a snapshot is unavailable."""

    template = "share/gone.html"

    title: str
    sentence: str
