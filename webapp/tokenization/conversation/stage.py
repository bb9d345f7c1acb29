"""What the stage of a conversation shows: its figures, the tokens by message, and the prompt in one of three views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import format_date
from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.chat.messages import Conversation
from webapp.rendering.markup import Painter, ids_html, visible
from webapp.tokenization.conversation import messages
from webapp.tokenization.conversation.counts import CountedPrompt
from webapp.tokenization.conversation.figures import PromptFigures, PublishedCount
from webapp.tokenization.conversation.state import View
from webapp.tokenization.meter import dollars

COLOURS = 5  # of messages, in turn; the sixth is that of the rest
LONG = 2_500  # tokens; a longer prompt is laid out chunk by chunk as it comes into view
TILES = 500  # tokens; in a longer prompt ids are not shown under the tokens
GAP = 2.0  # between bars, of 1,000


@dataclass(frozen=True)
class MessageShare:
    """The tokens of a message, of the reply prompt or of the rest, with its colour from 1 to 6 and its bar."""

    title: str
    colour: int
    content: int
    template: int
    x: float  # of 1,000
    width: float

    @property
    def total(self) -> int:
        """All its tokens."""
        return self.content + self.template


@dataclass(frozen=True, kw_only=True)
class ConversationStage:
    """A counted conversation with what its stage says about it, for the page and for shared conversations.

    `address_of` gives the address of a view, or None if a form requests it; without it there is no choice of views.
    `files` are (title, address). `form` is the id of the form that requests views and files, "" if they have addresses.
    """

    conversation: Conversation
    counted: CountedPrompt
    view: View
    vocabulary_title: str
    template_title: str
    provenance: str  # where the template comes from
    figures: PromptFigures
    published: PublishedCount | None  # the count by a published rule
    address_of: Callable[[View], str | None] | None = None
    files: Sequence[tuple[str, str]] = ()
    source: str = ""  # of the template
    editable: bool = False  # whether a button makes the template the visitor's own
    form: str = ""
    is_link: bool = True  # whether the state is in the address of the page
    shareable: bool = False  # whether the page offers to share the result

    @property
    def views(self) -> list[tuple[View, str, str | None]]:
        """The views to choose from: name, title and address."""
        titles: dict[View, str] = {"tokens": _("Tokens"), "template": _("Template"), "ids": _("Ids")}
        return [(name, title, self.address_of(name)) for name, title in titles.items()] if self.address_of else []

    @property
    def left(self) -> int | None:
        """The tokens left for the reply, negative if the prompt does not fit; None without a context window."""
        return self.figures.window - self.counted.counts.total if self.figures.window else None

    @property
    def price(self) -> tuple[str, str] | None:
        """A label with the day of the price, and the price."""
        figures = self.figures
        if figures.price is None:
            return None
        if figures.as_of is not None:
            label = _("price, as of %(day)s", day=format_date(figures.as_of, "medium"))
        else:
            label = _("price, as you entered it") if figures.own else _("price")
        return label, dollars(self.counted.counts.total, figures.price)

    @property
    def tiled(self) -> bool:
        """Whether ids are under the tokens."""
        return self.view == "ids" and len(self.counted.encoding) <= TILES

    @property
    def long(self) -> bool:
        """Whether the browser lays out the tokens chunk by chunk."""
        return len(self.counted.encoding) > LONG

    @property
    def tokens(self) -> Markup:
        """The tokens as HTML."""
        ids = self.counted.encoding.ids
        return Painter(self.counted.encoding, under=(lambda index: str(ids[index])) if self.tiled else None).html()

    @property
    def ids(self) -> Markup:
        """The ids alone as HTML."""
        return ids_html(self.counted.encoding, Painter(self.counted.encoding).chunks)

    @property
    def notes(self) -> list[str]:
        """What is to be said about the counts; see `published_note` and `injections` too."""
        counted = self.counted
        notes = [messages.missing_note(counted, self.vocabulary_title), messages.crossing_note(counted)]
        notes += [*messages.prompt_notes(counted), messages.unwritten_note(self.conversation, counted.prompt)]
        return [note for note in notes if note]

    @property
    def published_note(self) -> str:
        """The count by a published rule in words; empty for none."""
        return messages.published_note(self.published) if self.published else ""

    @property
    def injections(self) -> list[str]:
        """A sentence for each message with a marker."""
        return messages.injection_notes(self.counted)

    @cached_property
    def shares(self) -> list[MessageShare]:
        """The tokens of each message, then those of the rest, with their bars."""
        counts = self.counted.counts
        roles = [message.role for message in self.conversation.messages]
        parts = [
            (messages.role_title(role), at % COLOURS + 1, one.content, one.template)
            for at, (role, one) in enumerate(zip(roles, counts.messages, strict=True))
        ]
        if counts.other:
            parts.append((_("begin and tools"), COLOURS + 1, 0, counts.other))
        if counts.reply:
            parts.append((_("reply prompt"), COLOURS + 1, 0, counts.reply))
        total, x, shares = max(1, counts.total), 0.0, []
        for title, colour, content, template in parts:
            width = 1_000 * (content + template) / total
            gap = GAP if width > 2 * GAP and x + width < 999 else 0.0
            shares.append(MessageShare(title, colour, content, template, round(x, 2), round(width - gap, 2)))
            x += width
        return shares

    @property
    def prompt(self) -> Markup:
        """The prompt as text, with what the template adds in `span`s and injected markers in `mark`s."""
        text, parts = self.counted.prompt.text, []
        for span in self.counted.prompt.spans:
            cursor = span.start
            if span.kind != "content":
                parts.append(Markup('<span class="added">{}</span>').format(visible(text[cursor : span.end])))
                continue
            for one in self.counted.counts.injected:
                if cursor <= one.offset < span.end:
                    end = min(one.offset + len(one.text), span.end)
                    parts.append(escape(visible(text[cursor : one.offset])))
                    parts.append(Markup("<mark>{}</mark>").format(visible(text[one.offset : end])))
                    cursor = end
            parts.append(escape(visible(text[cursor : span.end])))
        return Markup("").join(parts)
