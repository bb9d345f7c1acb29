"""A visitor's choices on `/messages` as one value, which comes from an address or a form and becomes an address.

The buttons of the form add, move and remove messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from webapp.chat.messages import LONGEST_ROLE, MOST_MESSAGES, Conversation, ConversationError, Message, read_messages
from webapp.chat.templates import BUILT_IN
from webapp.core.algorithms import DEFAULT
from webapp.core.vocabulary_error import Phrase, shown
from webapp.tokenization.forms import InputProblem, as_typed, moved, within
from webapp.tokenization.messages import translated
from webapp.vocabularies import default_for, find
from webapp.vocabularies.language_models import model_of
from webapp.web.localization import current_key, number

View = Literal["tokens", "template", "ids"]
VIEWS: tuple[View, ...] = get_args(View)
FROM_VOCABULARY, OWN = "vocabulary", "own"
"""Values of the chat template that are no names: the one of the vocabulary's file, and the visitor's own."""
DEFAULT_TEMPLATE = "chatml"
DEFAULT_VOCABULARY = default_for(DEFAULT)


@dataclass(frozen=True)
class ConversationState:
    """All choices that determine what the page shows. Addresses omit the defaults."""

    messages: tuple[Message, ...] = ()
    tools: str = ""  # JSON, as typed
    template: str = DEFAULT_TEMPLATE
    source: str = ""  # of the visitor's own template
    vocabulary: str = DEFAULT_VOCABULARY
    reply: bool = True  # whether the prompt ends with the beginning of a reply
    single: bool = True  # whether markers that the vocabulary lacks are one token each
    model: str = ""  # the id of a language model, for its context window and price
    view: View = "tokens"

    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of an address, without those at their defaults."""
        chosen = [
            ("template", self.template if self.template != DEFAULT_TEMPLATE else ""),
            ("source", self.source if self.template == OWN else ""),
            ("vocabulary", self.vocabulary if self.vocabulary != DEFAULT_VOCABULARY else ""),
            ("reply", "" if self.reply else "0"),
            ("markers", "" if self.single else "text"),
            ("model", self.model),
            ("view", self.view if self.view != "tokens" else ""),
            ("tools", self.tools.strip()),
        ]
        return [*((name, value) for name, value in chosen if value), ("messages", written(self.messages))]

    def query(self, **changes: Any) -> str:
        """The query string of this state, with `changes`."""
        return urlencode(replace(self, **changes).pairs())

    def link(self, most: int, **changes: Any) -> str | None:
        """The query string, or None if it would have more than `most` characters."""
        if sum(len(one.content) for one in self.messages) + len(self.source) + len(self.tools) > most:
            return None  # without building the query string
        query = self.query(**changes)
        return query if len(query) <= most else None


def written(messages: Sequence[Message]) -> str:
    """Messages as compact JSON."""
    return json.dumps([message.as_json() for message in messages], ensure_ascii=False, separators=(",", ":"))


def as_json(found: object) -> str:
    """The tools of a conversation, or what a message has besides role and content, as JSON; "" for nothing."""
    return json.dumps(found, ensure_ascii=False, default=dict) if found else ""


MOST_SOURCE_BYTES = 100_000
MOST_TOOLS_BYTES = 200_000
ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True)
class ConversationForm:
    """The request: its state, its problems, the pasted JSON if it is wrong, and the fields whose values are wrong."""

    state: ConversationState
    problems: list[InputProblem]
    pasted: str
    typed: Mapping[str, str]  # what was typed into fields whose value the state cannot hold


def read(request: Request, first: tuple[Message, ...] = ()) -> ConversationForm:
    """The conversation of a request; `first` are the messages of an address that has none.

    In spite of any problem, the state has the visitor's own texts, so that the page can show them again; a default
    replaces a choice that does not exist.
    """
    values = MultiDict(request.form if request.method == "POST" else request.args)
    problems: list[InputProblem] = []
    typed: dict[str, str] = {}
    messages, tools = _messages(values, problems, typed)
    if request.method == "GET" and "messages" not in values:
        messages = first
    pasted = as_typed(values.get("json"))
    if "paste" in values and pasted.strip():
        conversation = _conversation(pasted, "json", problems)
        if conversation is not None:
            messages, pasted = conversation.messages, ""
            tools = json.dumps(list(conversation.tools), ensure_ascii=False, indent=1) if conversation.tools else tools
    elif "paste" not in values:
        pasted = ""
    messages = _pressed(values, messages)
    problems += _limits(messages, tools)
    state = ConversationState(
        messages=messages,
        tools=tools,
        source=as_typed(values.get("source")),
        reply=(values.getlist("reply") or ["1"])[0] == "1",
        single=(values.getlist("markers") or ["single"])[0] != "text",
        view=next((each for each in VIEWS if each == values.get("show", values.get("view"))), "tokens"),
    )
    state = _chosen(values, state, problems)
    return ConversationForm(state, problems, pasted, typed)


def _messages(
    values: MultiDict[str, str], problems: list[InputProblem], typed: dict[str, str]
) -> tuple[tuple[Message, ...], str]:
    """The messages and the tools: of the boxes of a form, or of the parameter `messages`."""
    tools = as_typed(values.get("tools"))
    if "content" not in values:
        text = values.get("messages", "")
        conversation = _conversation(text, "messages", problems) if text.strip() else None
        if conversation is None:
            return (), tools
        return conversation.messages, tools or as_json(conversation.tools)
    roles, extras = values.getlist("role"), values.getlist("extra")
    messages = []
    for index, content in enumerate(values.getlist("content")):
        role = roles[index].strip() if index < len(roles) else ""
        extra = extras[index].strip() if index < len(extras) else ""
        fields: dict[str, Any] = {}
        if extra:
            typed[f"extra-{index + 1}"] = extra
            with _noted(problems, f"extra-{index + 1}"):
                fields = _fields(extra)
                del typed[f"extra-{index + 1}"]
        if len(role) > LONGEST_ROLE:
            message = _("A role has at most %(most)s characters.", most=LONGEST_ROLE)
            problems.append(InputProblem(message, 422, f"role-{index + 1}"))
            role = role[:LONGEST_ROLE]
        text = as_typed(content)
        messages.append(Message(role or "user", text, fields, blank=not text and bool(fields.get("tool_calls"))))
    return tuple(messages), tools


def _fields(text: str) -> dict[str, Any]:
    """A JSON object without role and content; raises ConversationError for anything else."""
    found = _json(text)
    if not isinstance(found, dict):
        raise ConversationError(Phrase("the further fields should be an object, not %(value)s", value=shown(found)))
    fields = {name: value for name, value in found.items() if name not in ("role", "content")}
    read_messages(json.dumps([{"role": "user", "content": "", **fields}]))
    return fields


def _json(text: str) -> Any:
    """The value of a JSON text; raises ConversationError, which says where it is wrong."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        read_messages(text)
        raise


def _conversation(text: str, field: str, problems: list[InputProblem]) -> Conversation | None:
    with _noted(problems, field):
        within(text, current_app.config["MAX_TEXT_BYTES"], _("The conversation"))
        return read_messages(text, most_bytes=current_app.config["MAX_TEXT_BYTES"])
    return None


@contextmanager
def _noted(problems: list[InputProblem], field: str) -> Iterator[None]:
    """Add what is wrong with a conversation or too long to the problems, and go on after the block."""
    try:
        yield
    except InputProblem as problem:
        problems.append(replace(problem, field=field))
    except ConversationError as error:
        problems.append(InputProblem(whole(error.message), status_of(error), field))


def whole(message: Phrase) -> str:
    """A message of the core as a sentence, with a capital and a full stop."""
    text = translated(message)
    stop = "。" if current_key() == "zh" else "."
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "。", "!", "?")) else stop)


def status_of(error: ConversationError) -> int:
    """The status for a conversation that cannot be read: 413 beyond a limit, else 422."""
    return 413 if "most" in error.problem.values and "deep" not in error.problem.sentence else 422


def tools_of(text: str) -> tuple[Mapping[str, Any], ...]:
    """The tools of a JSON list, none for an empty text; raises ConversationError for anything else."""
    if not text.strip():
        return ()
    conversation = {"messages": [{"role": "user", "content": ""}], "tools": _json(text)}
    return read_messages(json.dumps(conversation)).tools


def _pressed(values: MultiDict[str, str], messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages after a button: `add`, or `up`, `down` or `remove` with the number of a message from 1."""
    rows = list(messages)
    if "add" in values and len(rows) <= MOST_MESSAGES:
        rows.append(Message("assistant" if rows and rows[-1].role == "user" else "user", ""))
    return tuple(moved(values, rows))


def _limits(messages: tuple[Message, ...], tools: str) -> list[InputProblem]:
    """The problems of a conversation that is too long, or of tools that are not JSON."""
    problems: list[InputProblem] = []
    if len(messages) > MOST_MESSAGES:
        message = _(
            "These are %(count)s messages; the limit is %(most)s. Remove some of them.",
            count=number(len(messages)),
            most=number(MOST_MESSAGES),
        )
        problems.append(InputProblem(message, 413, "messages"))
    with _noted(problems, "messages"):
        within(written(messages), current_app.config["MAX_TEXT_BYTES"], _("The conversation"))
    with _noted(problems, "tools"):
        within(tools, MOST_TOOLS_BYTES, _("The list of tools"))
        tools_of(tools)
    return problems


def _chosen(values: MultiDict[str, str], state: ConversationState, problems: list[InputProblem]) -> ConversationState:
    """The state with its vocabulary, template and model.

    In a form, a newly chosen model brings its vocabulary and its template; a newly chosen vocabulary drops the model.
    """
    id = values.get("model", "")
    model = model_of(id) if id else None
    if id and model is None:
        problems.append(InputProblem(_("There is no model “%(name)s” in the list.", name=id[:40]), 404, "model"))
    vocabulary = values.get("vocabulary") or (model and model.vocabulary) or DEFAULT_VOCABULARY
    template = values.get("template") or (model and model.template) or DEFAULT_TEMPLATE
    if model is not None and "model_before" in values and values["model_before"] != model.id:
        vocabulary, template = model.vocabulary or vocabulary, model.template or template
    elif model is not None and values.get("vocabulary_before", vocabulary) != vocabulary:
        model = None
    entry = find(vocabulary)
    if entry is None or entry.origin in ("learned", "pasted"):
        message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=vocabulary[:40])
        problems.append(InputProblem(message, 404, "vocabulary"))
        vocabulary = DEFAULT_VOCABULARY
    if template not in (FROM_VOCABULARY, OWN, *BUILT_IN):
        message = _("There is no chat template “%(name)s”. Choose one from the list.", name=template[:40])
        problems.append(InputProblem(message, 404, "template"))
        template = DEFAULT_TEMPLATE
    if template == OWN:
        with _noted(problems, "source"):
            within(state.source, MOST_SOURCE_BYTES, _("The template"))
    return replace(state, model=model.id if model else "", vocabulary=vocabulary, template=template)
