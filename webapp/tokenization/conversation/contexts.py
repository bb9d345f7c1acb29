"""The context of the stage of a conversation, for the page and for shared conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.tokenization.conversation.published_rule import PublishedCount
from webapp.tokenization.conversation.state import View
from webapp.web.templates import Context


@dataclass(frozen=True)
class MessageShare:
    """The tokens of a message, of the reply prompt or of the rest, with its colour from 1 to 6 and its bar."""

    title: str
    colour: int
    total: int
    content: int
    template: int
    x: float  # of 1,000
    width: float


@dataclass(frozen=True)
class WindowFigures:
    """How much of a context window the prompt takes."""

    size: int
    used: int

    @property
    def share(self) -> float:
        """The share, from 0; above 1 if the prompt does not fit."""
        return self.used / self.size

    @property
    def left(self) -> int:
        """The tokens left for the reply; negative if the prompt does not fit."""
        return self.size - self.used


@dataclass(frozen=True)
class PriceFigures:
    """What the prompt costs: the price, and since when it is known; `old` if that is more than 90 days ago."""

    text: str
    label: str
    old: bool
    source: str  # an address, or ""


@dataclass(frozen=True)
class ViewChoice:
    """A view of the prompt: its name, its title, and its address; None if a form requests it."""

    name: View
    title: str
    address: str | None


@dataclass(frozen=True, kw_only=True)
class StageContext(Context):
    """A counted conversation: its figures, the tokens by message, and the prompt in one of three views."""

    total: int
    in_messages: int
    by_template: int
    shares: Sequence[MessageShare]
    shares_listed: int  # how many the legend names
    window: WindowFigures | None
    price: PriceFigures | None
    published: PublishedCount | None  # the count by a published rule
    published_note: str
    view: View
    views: Sequence[ViewChoice]
    tokens: Markup  # for the views of tokens and ids
    ids: Markup  # for a prompt that is too long to have ids under its tokens
    prompt: Markup  # for the view of the template
    long: bool  # whether the browser lays out the tokens chunk by chunk
    tiled: bool  # whether ids stand under the tokens
    has_special: bool
    notes: Sequence[str]
    injections: Sequence[str]
    vocabulary_title: str
    template_title: str
    provenance: str  # where the template comes from
    source: str  # of the template
    editable: bool  # whether a button makes the template the visitor's own
    is_link: bool  # whether the state is in the address of the page
    shareable: bool  # whether the page offers to share the result
    files: Sequence[tuple[str, str]]  # to export: title, address
    stage_form: str  # the form that requests views and files, "" if they have addresses
