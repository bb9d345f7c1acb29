"""What `/messages` is asked: the conversation and the choices of an address or a form.

The buttons of the form add, move and remove messages.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.resources import files
from typing import Any, ClassVar, Literal, Self, get_args
from urllib.parse import urlencode

from flask import Request, current_app, request
from flask_babel import gettext as _
from pydantic import ConfigDict
from werkzeug.datastructures import MultiDict

from webapp.chat.messages import (
    LONGEST_ROLE,
    MOST_MESSAGES,
    Conversation,
    ConversationError,
    Message,
    conversation_of,
    parsed_json,
    read_messages,
)
from webapp.chat.published import published_template
from webapp.chat.templates import BUILT_IN, ChatTemplate, NoTemplateError, TemplateSourceError, own_template
from webapp.core.algorithms import finds_words
from webapp.core.vocabulary_error import Phrase, VocabularyError, shown
from webapp.tokenization.algorithms import Text
from webapp.tokenization.forms import InputProblem, as_typed, moved, within
from webapp.tokenization.links import Groups, is_choice, is_independent, vocabulary_choices
from webapp.tokenization.messages import translated
from webapp.tools.inputs import Input
from webapp.tools.messages.variables import fields_of, variables_in
from webapp.tools.picker import DEFAULT_VOCABULARY, no_vocabulary
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError, find, title_of
from webapp.vocabularies.language_models import LanguageModel, by_family, find_models, model_of
from webapp.vocabularies.library import library, uses
from webapp.web.localization import current_key, localized, number

View = Literal["tokens", "template", "ids"]
VIEWS: tuple[View, ...] = get_args(View)
FROM_VOCABULARY, OWN = "vocabulary", "own"
"""Values of the chat template that are no names: the one of the vocabulary's file, and the visitor's own."""
DEFAULT_TEMPLATE = "chatml"


MOST_SOURCE_BYTES = 100_000
MOST_TOOLS_BYTES = 200_000
ROLES = ("system", "user", "assistant", "tool")
EXAMPLES: Sequence[tuple[Text, dict[str, Any]]] = [
    (example.pop("label"), example | {"messages": conversation_of(example["messages"]).messages})
    for example in localized(files(__package__), "examples.toml").values()
]
"""The label of each example, and its conversation, with a template of its own if it needs one."""


class MessagesInput(Input):
    """A conversation with the choices of the page, and what the form has typed that it cannot hold.

    In spite of any problem, it has the visitor's own texts, so that the page can show them again; a default replaces a
    choice that does not exist.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    files: ClassVar = {kind: f"/messages.{kind}" for kind in ("csv", "json", "txt")}

    messages: tuple[Message, ...] = ()
    tools: str = ""  # JSON, as typed
    template: str = DEFAULT_TEMPLATE
    source: str = ""  # of the visitor's own template
    vocabulary: str = DEFAULT_VOCABULARY
    reply: bool = True  # whether the prompt ends with the beginning of a reply
    single: bool = True  # whether markers that the vocabulary lacks are one token each
    model: str = ""  # the id of a language model, for its context window and price
    variables: Mapping[str, Any] = {}  # of the template, by name
    view: View = "tokens"
    pasted: str = ""  # JSON that is no conversation, or that is not to be used yet
    typed: Mapping[str, str] = {}  # what was typed into the further fields of messages, by the names of the fields

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The conversation of an address or a form; an example for an address without one."""
        values = MultiDict(request.form if request.method == "POST" else request.args)
        problems: list[InputProblem] = []
        typed: dict[str, str] = {}
        messages, tools = _messages(values, problems, typed)
        if request.method == "GET" and "messages" not in values:
            messages = EXAMPLES[0][1]["messages"]
        pasted = as_typed(values.get("json"))
        if pasted.strip() and ("paste" in values or "count" in values):
            conversation = _conversation(pasted, "json", problems)
            if conversation is not None:
                messages, pasted = conversation.messages, ""
                if conversation.tools:
                    tools = json.dumps(list(conversation.tools), ensure_ascii=False, indent=1)
        messages = _pressed(values, messages)
        problems += _limits(messages, tools)
        given = cls(
            messages=messages,
            tools=tools,
            source=as_typed(values.get("source")),
            reply=(values.getlist("reply") or ["1"])[0] == "1",
            single=(values.getlist("markers") or ["single"])[0] != "text",
            view=next((each for each in VIEWS if each == values.get("show", values.get("view"))), "tokens"),
            pasted=pasted,
            typed=typed,
            variables=_variables(values, problems),
            **_chosen(values, problems),
        )
        if "edit" in request.form and not problems:
            with suppress(NoTemplateError, UnavailableVocabularyError, StillFetchingError):
                given = given.with_own_template()
        return given, problems

    def query(self, **changes: Any) -> str:
        """The query string of the address with this conversation, without choices at their defaults."""
        one = self.model_copy(update=changes)
        chosen = {
            "template": one.template if one.template != DEFAULT_TEMPLATE else "",
            "source": one.source if one.template == OWN else "",
            "vocabulary": one.vocabulary if one.vocabulary != DEFAULT_VOCABULARY else "",
            "reply": "" if one.reply else "0",
            "markers": "" if one.single else "text",
            "model": one.model,
            "view": one.view if one.view != "tokens" else "",
            "tools": one.tools.strip(),
            "chat_template_kwargs": as_json(one.variables),
        }
        return urlencode({name: value for name, value in chosen.items() if value} | {"messages": written(one.messages)})

    @property
    def chosen_template(self) -> ChatTemplate:
        """The template; raises the exceptions of `published_template`."""
        if self.template == FROM_VOCABULARY:
            return published_template(library(), self.vocabulary)
        return own_template(self.source) if self.template == OWN else BUILT_IN[self.template]

    @property
    def template_fields(self) -> list[tuple[str, str]]:
        """The variables that the template reads, and what is given for each."""
        template = None
        with suppress(NoTemplateError, TemplateSourceError, UnavailableVocabularyError, StillFetchingError):
            template = self.chosen_template
        return fields_of(template, self.variables, tools=bool(self.tools.strip()))

    def with_own_template(self) -> Self:
        """The same with the template as the visitor's own; special tokens that it names are set at its beginning."""
        template = self.chosen_template
        tokens = [f"{{%- set {name} = {json.dumps(value)} %}}\n" for name, value in template.variables.items()]
        source = template.source_for(tools=bool(self.tools.strip()))
        return self.model_copy(update={"template": OWN, "source": "".join(tokens) + source})

    def rows(self, shares: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The boxes: message, further fields as JSON, whether there is a field for them, roles, share of the tokens."""
        rows = []
        for at, message in enumerate(self.messages[: MOST_MESSAGES + 1]):
            extra = self.typed.get(f"extra-{at + 1}") or as_json(further_fields(message))
            roles = ROLES if message.role in ROLES else (*ROLES, message.role)
            share = shares[at] if at < len(shares) else None
            rows.append((message, extra, bool(extra) or message.role == "tool", roles, share))
        return rows

    @property
    def has_room(self) -> bool:
        """Whether a message can be added."""
        return len(self.messages) < MOST_MESSAGES

    @property
    def vocabularies(self) -> Groups:
        """The vocabularies of subwords to choose from, in groups with a heading."""
        return vocabulary_choices(request, self.vocabulary, keep=_is_subword)

    @property
    def templates(self) -> list[tuple[str, str]]:
        """The chat templates to choose from: value, title."""
        built_in = [(name, template.title) for name, template in BUILT_IN.items()]
        return [*built_in, (FROM_VOCABULARY, _("From the vocabulary")), (OWN, _("Your own"))]

    @property
    def chosen_model(self) -> LanguageModel | None:
        """The chosen model."""
        return model_of(self.model) if self.model else None

    @property
    def models(self) -> dict[str, list[LanguageModel]]:
        """The models with a public tokenizer by family, and the chosen one, which the list may not name."""
        listed = [model for model in find_models("") if model.vocabulary]
        if self.chosen_model is not None and self.chosen_model.id not in {model.id for model in listed}:
            listed = [self.chosen_model, *listed]
        return by_family(listed)

    @property
    def uses_model(self) -> bool:
        """Whether the chosen model uses the chosen vocabulary."""
        return uses(self.model, self.vocabulary)

    @property
    def vocabulary_of_model(self) -> str:
        """The title of the vocabulary of the chosen model."""
        name = (self.chosen_model and self.chosen_model.vocabulary) or ""
        return title_of(entry) if (entry := find(name)) else name

    @property
    def examples(self) -> list[tuple[str, str]]:
        """The title and the query string of each example, with the same choices."""
        kept = DEFAULT_TEMPLATE if self.template == OWN else self.template
        bare = {"tools": "", "template": kept, "source": "", "view": "tokens", "variables": {}}
        return [(str(title), self.query(**bare | example)) for title, example in EXAMPLES]


def _is_subword(entry: CatalogueEntry) -> bool:
    return is_independent(entry) and not all(map(finds_words, entry.algorithms))


def written(messages: Sequence[Message]) -> str:
    """Messages as compact JSON."""
    return json.dumps([message.as_json() for message in messages], ensure_ascii=False, separators=(",", ":"))


def as_json(found: object) -> str:
    """The tools of a conversation, or what a message has besides role and content, as JSON; "" for nothing."""
    return json.dumps(found, ensure_ascii=False, default=dict) if found else ""


def further_fields(message: Message) -> dict[str, Any]:
    """What a message has that its role and text do not say: parts as its content, and null where `_message` has ""."""
    told = message.parts is None and (message.content or message.blank == bool(message.extra.get("tool_calls")))
    return {
        name: value for name, value in message.as_json().items() if name != "role" and (name != "content" or not told)
    }


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
        if len(role) > LONGEST_ROLE:
            message = _("A role has at most %(most)s characters.", most=LONGEST_ROLE)
            problems.append(InputProblem(message, 422, f"role-{index + 1}"))
            role = role[:LONGEST_ROLE]
        box = Message(role or "user", as_typed(content))
        if extra:
            typed[f"extra-{index + 1}"] = extra
            with _noted(problems, f"extra-{index + 1}"):
                box = _message(box.role, box.content, extra)
                del typed[f"extra-{index + 1}"]
        messages.append(box)
    return tuple(messages), tools


def _message(role: str, text: str, extra: str) -> Message:
    """The message of a box; its content is that of the further fields, parts or null, if that has the same text.

    Raises ConversationError.
    """
    fields = parsed_json(extra)
    if not isinstance(fields, dict):
        raise ConversationError(Phrase("the further fields should be an object, not %(value)s", value=shown(fields)))
    content = text or (None if fields.get("tool_calls") else "")
    message = read_messages(json.dumps([{"content": content, **fields, "role": role}])).messages[0]
    if message.content == text:
        return message
    return replace(message, content=text, blank=False, parts=None)


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


def whole(message: Phrase | VocabularyError) -> str:
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
    conversation = {"messages": [{"role": "user", "content": ""}], "tools": parsed_json(text)}
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


def _variables(values: MultiDict[str, str], problems: list[InputProblem]) -> dict[str, Any]:
    with _noted(problems, "chat_template_kwargs"):
        return variables_in(values)
    return {}


def _chosen(values: MultiDict[str, str], problems: list[InputProblem]) -> dict[str, str]:
    """The vocabulary, the template and the model.

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
    if not is_choice(vocabulary):
        problems.append(no_vocabulary(vocabulary))
        vocabulary = DEFAULT_VOCABULARY
    if template not in (FROM_VOCABULARY, OWN, *BUILT_IN):
        message = _("There is no chat template “%(name)s”. Choose one from the list.", name=template[:40])
        problems.append(InputProblem(message, 404, "template"))
        template = DEFAULT_TEMPLATE
    if template == OWN:
        with _noted(problems, "source"):
            within(as_typed(values.get("source")), MOST_SOURCE_BYTES, _("The template"))
    return {"model": model.id if model else "", "vocabulary": vocabulary, "template": template}
