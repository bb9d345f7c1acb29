"""Builds the context of the stage of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from flask_babel import format_date
from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.chat.messages import Conversation
from webapp.rendering.markup import Painter, ids_html, visible
from webapp.tokenization.conversation import messages
from webapp.tokenization.conversation.contexts import (
    MessageShare,
    PriceFigures,
    StageContext,
    ViewChoice,
    WindowFigures,
)
from webapp.tokenization.conversation.counts import CountedPrompt
from webapp.tokenization.conversation.figures import PromptFigures
from webapp.tokenization.conversation.published_rule import PublishedCount
from webapp.tokenization.conversation.state import ConversationState, View
from webapp.tokenization.meter import dollars

COLOURS = 5  # of messages, in turn; the sixth is that of the rest
LISTED = 12  # messages that the legend names
LONG = 2_500  # tokens; a longer prompt is laid out chunk by chunk as it comes into view
TILES = 500  # tokens; in a longer prompt ids are not shown under the tokens
GAP = 2.0  # between bars, of 1,000


@dataclass(frozen=True)
class ConversationView:
    """A counted prompt with what the stage says about it.

    `views` gives the address of a view, or None if a form requests it; without it there is no choice. `files` are
    (title, address).
    """

    state: ConversationState
    conversation: Conversation
    counted: CountedPrompt
    vocabulary_title: str
    template_title: str
    provenance: str
    figures: PromptFigures
    views: Callable[[View], str | None] | None = None
    files: Sequence[tuple[str, str]] = ()
    source: str = ""
    published: PublishedCount | None = None
    editable: bool = False
    form: str = ""
    is_link: bool = True
    shareable: bool = False

    def context(self) -> StageContext:
        """The context of the stage."""
        counted, counts, view = self.counted, self.counted.counts, self.state.view
        encoding = counted.encoding
        tiled = view == "ids" and len(encoding) <= TILES
        painter = Painter(encoding, under=(lambda index: str(encoding.ids[index])) if tiled else None)
        titles: dict[View, str] = {"tokens": _("Tokens"), "template": _("Template"), "ids": _("Ids")}
        notes = [messages.missing_note(counted, self.vocabulary_title), messages.crossing_note(counted)]
        notes += [*messages.prompt_notes(counted), messages.unwritten_note(self.conversation, counted.prompt)]
        return StageContext(
            total=counts.total,
            in_messages=counts.content,
            by_template=counts.template,
            shares=self.shares(),
            shares_listed=LISTED,
            window=WindowFigures(self.figures.window, counts.total) if self.figures.window else None,
            price=self._price(),
            published=self.published,
            published_note=messages.published_note(self.published) if self.published else "",
            view=view,
            views=[ViewChoice(name, title, self.views(name)) for name, title in titles.items()] if self.views else [],
            tokens=painter.html() if view == "tokens" or tiled else Markup(),
            ids=ids_html(encoding, painter.chunks) if view == "ids" and not tiled else Markup(),
            prompt=prompt_html(counted) if view == "template" else Markup(),
            long=len(encoding) > LONG,
            tiled=tiled,
            has_special=bool(encoding.special),
            notes=[note for note in notes if note],
            injections=messages.injection_notes(counted),
            vocabulary_title=self.vocabulary_title,
            template_title=self.template_title,
            provenance=self.provenance,
            source=self.source,
            editable=self.editable,
            is_link=self.is_link,
            shareable=self.shareable,
            files=self.files,
            stage_form=self.form,
        )

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
            shares.append(
                MessageShare(title, colour, content + template, content, template, round(x, 2), round(width - gap, 2))
            )
            x += width
        return shares

    def _price(self) -> PriceFigures | None:
        figures = self.figures
        if figures.price is None:
            return None
        if figures.as_of is not None:
            label = _("price, as of %(day)s", day=_day(figures.as_of))
        else:
            label = _("price, as you entered it") if figures.own else _("price")
        text = dollars(self.counted.counts.total, figures.price)
        return PriceFigures(text, label, figures.is_old, figures.source)


def _day(day: date) -> str:
    return str(format_date(day, "medium"))


def prompt_html(counted: CountedPrompt) -> Markup:
    """The rendered prompt as text, with what the template adds in `span`s and injected markers in `mark`s."""
    text, parts = counted.prompt.text, []
    injected = {one.offset: one.offset + len(one.text) for one in counted.counts.injected}
    offsets = sorted(injected)
    at = 0
    for span in counted.prompt.spans:
        body = escape(visible(text[span.start : span.end]))
        if span.kind != "content":
            parts.append(Markup('<span class="added">{}</span>').format(body))
            continue
        cursor = span.start
        while at < len(offsets) and offsets[at] < span.end:
            if offsets[at] >= cursor:
                end = min(injected[offsets[at]], span.end)
                parts.append(escape(visible(text[cursor : offsets[at]])))
                parts.append(Markup("<mark>{}</mark>").format(visible(text[offsets[at] : end])))
                cursor = end
            at += 1
        parts.append(escape(visible(text[cursor : span.end])))
    return Markup("").join(parts)
