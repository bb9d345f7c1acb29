"""Renders the prompt of a state and counts its tokens, or says what prevents it; and what pages show of the result."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from flask import current_app
from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.chat import mistral
from webapp.chat.audit import evidence
from webapp.chat.messages import Conversation, Message
from webapp.chat.openai_rule import PublishedCount, count_by_rule
from webapp.chat.render import TemplateError, render
from webapp.chat.templates import ChatTemplate, NoTemplateError, TemplateSourceError
from webapp.core.formats.reading import FormatError
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.delimited import csv_parts
from webapp.rendering.markup import Painter, ids_html, visible
from webapp.tokenization.exports import Writer
from webapp.tokenization.forms import InputProblem, within
from webapp.tokenization.messages import joined, text_problem
from webapp.tokenization.meter import dollars
from webapp.tokenization.result import ids_of
from webapp.tokenization.state import State
from webapp.tools.messages.checks import Finding, Subject, audited
from webapp.tools.messages.counts import CountedPrompt, count_prompt
from webapp.tools.messages.inputs import OWN, MessagesInput, as_json, tools_of, whole
from webapp.vocabularies import UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.language_models import OLD
from webapp.vocabularies.library import uses
from webapp.web.json_responses import json_parts, well_formed
from webapp.web.localization import number

LONGEST_PROMPT = 2
"""A prompt may have this many times the bytes of the longest text."""
COLOURS = 5  # of messages, in turn; the sixth is that of the rest
TILES = 500  # tokens; in a longer prompt ids are not shown under the tokens
GAP = 2.0  # between bars, of 1,000


# The model that the rule is for with a vocabulary, where none is chosen.
USUAL = {"cl100k_base": "gpt-4-0613", "o200k_base": "gpt-4o-2024-08-06"}


@dataclass(frozen=True)
class PromptFigures:
    """A context window in tokens, and a price in US dollars per million tokens; None where there is none.

    `as_of` is the day of the price, `source` its address. `own` is that of earlier snapshots whose author entered it.
    """

    window: int | None = None
    price: Decimal | None = None
    own: bool = False
    as_of: date | None = None
    source: str = ""

    @property
    def is_old(self) -> bool:
        """Whether the price is of a list and more than 90 days old."""
        return not self.own and self.as_of is not None and datetime.now(UTC).date() - self.as_of > OLD


@dataclass(frozen=True)
class MessageShare:
    """The tokens of a message, of the reply prompt or of the rest, with its colour from 1 to 6 and its bar."""

    title: str
    colour: int
    content: int
    template: int
    x: float  # of 1,000
    width: float


@dataclass(frozen=True)
class ConversationResult:
    """A counted prompt, with the conversation and the template that it was made of: a new one, or a shared one."""

    state: MessagesInput
    conversation: Conversation
    template: ChatTemplate
    counted: CountedPrompt
    published: PublishedCount | None  # by a rule that the publisher of the vocabulary gives
    figures: PromptFigures
    vocabulary_title: str

    @property
    def roles(self) -> list[str]:
        """The role of each message."""
        return [message.role for message in self.conversation.messages]

    def extra(self, message: Message) -> str:
        """What a message has besides role and content, as JSON."""
        return as_json(message.extra)

    @property
    def source(self) -> str:
        """The source of the template."""
        return self.template.source_for(tools=bool(self.conversation.tools))

    @property
    def cost(self) -> str:
        """What the prompt costs; empty without a price."""
        price = self.figures.price
        return dollars(None if price is None else self.counted.total * price / 1_000_000)

    @property
    def tiled(self) -> bool:
        """Whether ids are under the tokens."""
        return self.state.view == "ids" and len(self.counted.encoding) <= TILES

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
    def injections(self) -> dict[tuple[int, bool], list[str]]:
        """The markers in messages, by the number of the message from 0 and whether they are read as special tokens."""
        found: dict[tuple[int, bool], dict[str, None]] = {}
        for one in self.counted.injected:
            found.setdefault((one.message, one.special), {})[visible(one.text)] = None
        return {place: list(texts) for place, texts in found.items()}

    @cached_property
    def shares(self) -> list[MessageShare]:
        """The tokens of each message, then those of the rest, with their bars."""
        counts = self.counted
        parts = [
            (visible(role[:40]) or _("no role"), at % COLOURS + 1, one.content, one.template)
            for at, (role, one) in enumerate(zip(self.roles, counts.messages, strict=True))
        ]
        rest = ((_("begin and tools"), counts.other), (_("reply prompt"), counts.reply))
        parts += [(title, COLOURS + 1, 0, tokens) for title, tokens in rest if tokens]
        x, shares = 0.0, []
        for title, colour, content, template in parts:
            width = 1_000 * (content + template) / max(1, counts.total)
            gap = GAP if width > 2 * GAP and x + width < 999 else 0.0
            shares.append(MessageShare(title, colour, content, template, round(x, 2), round(width - gap, 2)))
            x += width
        return shares

    @cached_property
    def checks(self) -> list[Finding]:
        """What the audit of the template finds with this conversation."""
        found = evidence(self.template, self.conversation, self.state.variables)
        return audited(Subject(found, tokenizer_of(self.state.vocabulary), self.counted))

    @property
    def prompt(self) -> Markup:
        """The prompt as text, with what the template adds in `span`s and injected markers in `mark`s."""
        text, parts = self.counted.prompt.text, []
        for span in self.counted.prompt.spans:
            cursor = span.start
            if span.kind != "content":
                parts.append(Markup('<span class="added">{}</span>').format(visible(text[cursor : span.end])))
                continue
            for one in self.counted.injected:
                if cursor <= one.offset < span.end:
                    end = min(one.offset + len(one.text), span.end)
                    parts.append(escape(visible(text[cursor : one.offset])))
                    parts.append(Markup("<mark>{}</mark>").format(visible(text[one.offset : end])))
                    cursor = end
            parts.append(escape(visible(text[cursor : span.end])))
        return Markup("").join(parts)


def count(state: MessagesInput) -> ConversationResult:
    """Render the messages of a state, of which there must be one, and count the tokens of the prompt.

    Raises InputProblem, StillFetchingError while the vocabulary or its template is being downloaded, and
    UnavailableVocabularyError for the vocabulary.
    """
    field = "source" if state.template == OWN else "template"
    entry = find(state.vocabulary)
    assert entry is not None
    advice = _("Choose another template, or paste one.")
    try:
        try:
            template = state.chosen_template
        except UnavailableVocabularyError as error:
            raise InputProblem(joined([_unavailable(error), advice]), 503, "template") from error
        conversation = Conversation(state.messages, tools_of(state.tools))
        tokenizer = tokenizer_of(state.vocabulary)
        version = mistral_version(state, tokenizer, entry.file or title_of(entry))
        if version is None:
            prompt = render(template, conversation, reply=state.reply, variables=state.variables)
        else:
            prompt = mistral.rendered(conversation, version)
        within(prompt.text, LONGEST_PROMPT * current_app.config["MAX_TEXT_BYTES"], _("The rendered prompt"), field)
        counted = count_prompt(prompt, conversation, template, tokenizer, single=state.single)
    except NoTemplateError as error:
        raise InputProblem(joined([whole(error.message), advice]), 422, "template") from None
    except TemplateSourceError as error:
        raise InputProblem(whole(error.message), 413 if "most" in error.message.values else 422, field) from None
    except TemplateError as error:
        message = whole(error.message)
        if error.line:
            message = _("Line %(line)s: %(message)s", line=number(error.line), message=message)
        raise InputProblem(message, 422, field) from None
    except TextError as error:
        problem = text_problem(State(algorithm=entry.algorithms[0], vocabulary=entry.name), error)
        raise replace(problem, field="messages") from None
    published = published_count(conversation, tokenizer, state.vocabulary, state.model)
    figures = figures_of(state, counted.total)
    return ConversationResult(state, conversation, template, counted, published, figures, title_of(entry))


def _unavailable(error: UnavailableVocabularyError) -> str:
    """Say that the template of a vocabulary cannot be fetched or read, although the vocabulary may be here."""
    if isinstance(error.why, FormatError):
        return whole(error.why)
    values = {"title": title_of(error.entry), "host": error.why.host}
    if error.why.reason == "refused":
        return _("For the chat template of “%(title)s”, %(host)s requires an account with access to it.", **values)
    return _("The chat template of “%(title)s” cannot be fetched from %(host)s at the moment.", **values)


def mistral_version(state: MessagesInput, tokenizer: Tokenizer, title: str) -> mistral.Version | None:
    """The version of Mistral's rules for its template: of the variable, or the vocabulary; raises InputProblem."""
    if state.template != "mistral":
        return None
    given = state.variables.get(mistral.VARIABLE)
    if given is not None and given not in mistral.VERSIONS:
        names = {"name": mistral.VARIABLE, "versions": ", ".join(mistral.VERSIONS)}
        raise InputProblem(_("%(name)s should be one of %(versions)s.", **names), 422, "chat_template_kwargs")
    return next((each for each in mistral.VERSIONS if each == given), mistral.version_of(tokenizer, title))


def figures_of(state: MessagesInput, tokens: int) -> PromptFigures:
    """The figures of the chosen model for a prompt of some tokens.

    A model with another vocabulary has none here, and a price that is for shorter prompts does not count.
    """
    model = state.chosen_model
    if model is not None and model.vocabulary is not None and not uses(model.id, state.vocabulary):
        model = None
    window = model.most_input if model else None
    price = model.price(tokens) if model else None
    if model is None or price is None:
        return PromptFigures(window)
    return PromptFigures(window, price, False, model.as_of, model.source)


def published_count(
    conversation: Conversation, tokenizer: Tokenizer, vocabulary: str, model: str = ""
) -> PublishedCount | None:
    """The count by OpenAI's rule with one of its vocabularies; None for others, and for models the rule is not for."""
    if vocabulary not in USUAL:
        return None
    return count_by_rule(model or USUAL[vocabulary], conversation, lambda text: len(ids_of(tokenizer, text)))


ConversationWant = Literal["prompt", "spans", "ids", "checks"]
CONVERSATION_WANTS: tuple[ConversationWant, ...] = ("prompt", "spans", "ids")


def conversation_json(
    counted: CountedPrompt, roles: Sequence[str], want: Collection[ConversationWant] = CONVERSATION_WANTS
) -> dict[str, Any]:
    """The counts of a prompt by message, and the parts that `want` names; offsets are in characters of the prompt."""
    prompt = counted.prompt
    found: dict[str, Any] = {
        "tokens": counted.total,
        "content": counted.content,
        "added": counted.template,
        "reply": counted.reply,
        "other": counted.other,
        "messages": [
            {"role": well_formed(role), "tokens": one.total, "content": one.content, "added": one.template}
            for role, one in zip(roles, counted.messages, strict=True)
        ],
        "missing": list(counted.missing),
        "crossing": counted.crossing,
        "injected": list(counted.injected),
    }
    if "prompt" in want:
        found["prompt"] = well_formed(prompt.text)
    if "spans" in want:
        found["spans"] = list(prompt.spans)
    if "ids" in want:
        found["ids"] = list(counted.encoding.ids)
    return found


def conversation_rows(counted: CountedPrompt, roles: Sequence[str]) -> Iterator[list[object]]:
    """The header, a row for each message, and rows for what belongs to none and for the sum."""
    yield ["message", "role", "tokens", "content", "added"]
    for index, (role, one) in enumerate(zip(roles, counted.messages, strict=True), 1):
        yield [index, role, one.total, one.content, one.template]
    yield ["", "reply prompt", counted.reply, 0, counted.reply]
    yield ["", "begin and tools", counted.other, 0, counted.other]
    yield ["", "total", counted.total, counted.content, counted.template]


FILES: dict[str, Writer] = {
    "json": ("application/json", lambda result: json_parts(conversation_json(result.counted, result.roles))),
    "csv": ("text/csv", lambda result: csv_parts(conversation_rows(result.counted, result.roles))),
    "txt": ("text/plain", lambda result: [result.counted.prompt.text]),
}
"""The files of a counted conversation: its counts, or the prompt as it was rendered."""
