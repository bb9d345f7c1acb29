"""What the templates of snapshots are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.sharing.contexts import SharingPage
from webapp.sharing.terms import ShareTerms
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization.comparison.contexts import ComparisonContext
from webapp.tokenization.contexts import ResultContext
from webapp.tokenization.forms import InputProblem
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class SnapshotAbout(Context):
    """What is told about a snapshot, whatever it is of."""

    stored: StoredSnapshot
    title: str  # its author's, "" where there is none
    shown_title: str  # the same, or what the snapshot is
    note: str  # its author's, "" where there is none
    description: str  # one line for those to whom its link is sent
    core_version: str  # that made the result
    differs: bool  # whether the same text has other ids today
    address: str  # of its page
    origin: str  # the address of the page that opens a copy
    open_copy: str  # the words of that button
    fields: Sequence[tuple[str, str]]  # what that button sends


@dataclass(frozen=True, kw_only=True)
class SnapshotPage(Page):
    """A result as it was shared."""

    template = "share/page.html"

    result_shown: ResultContext
    about: SnapshotAbout


@dataclass(frozen=True, kw_only=True)
class SnapshotEmbed(SnapshotPage):
    """Its tokens alone, for a frame."""

    template = "share/embed.html"


@dataclass(frozen=True, kw_only=True)
class ComparisonSnapshotPage(Page):
    """A comparison as it was shared."""

    template = "share/comparison.html"

    comparison_shown: ComparisonContext
    about: SnapshotAbout
    twin: str  # the address of the same as JSON


@dataclass(frozen=True, kw_only=True)
class ComparisonSnapshotEmbed(ComparisonSnapshotPage):
    """Its rows alone, for a frame."""

    template = "share/embed_comparison.html"


@dataclass(frozen=True, kw_only=True)
class LinkContext(Context):
    """The link of a result that has just been shared, or why it was not."""

    template = "share/_link.html"

    shared: ShareReceipt | None
    problems: Sequence[InputProblem]
    wanted: ShareTerms
    text: str  # the text that was shared, to tell the link from another
    partial: bool  # whether the link stands on the page of the result


@dataclass(frozen=True, kw_only=True)
class LinkPage(SharingPage):
    """The same as a page, with the form to try again."""

    template = "share/link.html"

    link: LinkContext
    form: Mapping[str, str]
    origin: str  # the address of the page that the form came from


@dataclass(frozen=True, kw_only=True)
class FrameContext(Context):
    """The HTML that shows a snapshot in a frame."""

    template = "share/_frame.html"

    id: str
    title: str
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class DeletePage(Page):
    """Asks once more, then deletes."""

    template = "share/delete.html"

    stored: StoredSnapshot
    secret: str


@dataclass(frozen=True, kw_only=True)
class ReportPage(Page):
    """The form to report a snapshot, or the thanks for it."""

    template = "share/report.html"

    stored: StoredSnapshot
    sent: bool
    problem: str  # "" where there is none
    form: Mapping[str, str]
    longest: int  # characters of a reason


@dataclass(frozen=True, kw_only=True)
class GonePage(Page):
    """Why there is no snapshot."""

    template = "share/gone.html"

    title: str
    sentence: str
