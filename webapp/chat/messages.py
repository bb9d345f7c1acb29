"""Conversations as chat APIs take them: JSON in, messages with a role and a text out.

Accepted are OpenAI's form (a list of messages, or an object with `messages` and `tools`) and Anthropic's (an object
with `system` and `messages`, and calls among the parts of a content); each message has a role, and its content is a
text, null, or a list of parts of the type text. In Anthropic's form (https://docs.anthropic.com/en/api/messages), calls
of tools, their results and thoughts are parts of a content, and a tool's schema is beside its name: such messages
become those of OpenAI's form, which templates expect.
What a message has besides (name, tool_calls, tool_call_id) is kept as it stands for the template.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webapp.chat.templates import is_well_formed
from webapp.core.vocabulary_error import Phrase, shown

_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def has_blocks(item: Any) -> bool:
    """Whether a message has parts that only this form has.

    >>> has_blocks({"role": "assistant", "content": [{"type": "tool_use"}]}), has_blocks({"content": "x"})
    (True, False)
    """
    content = item.get("content") if isinstance(item, dict) else None
    return isinstance(content, list) and any(isinstance(part, dict) and part.get("type") in _BLOCKS for part in content)


def as_messages(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A message with such parts as one or several messages in OpenAI's form; results come before what follows them.

    >>> as_messages({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "4"}]})
    [{'role': 'tool', 'tool_call_id': '1', 'content': '4'}]
    >>> call = {"type": "tool_use", "id": "1", "name": "add", "input": {"a": 2}}
    >>> as_messages({"role": "assistant", "content": [call]})[0]["tool_calls"]
    [{'id': '1', 'type': 'function', 'function': {'name': 'add', 'arguments': {'a': 2}}}]
    """
    parts = [part for part in item["content"] if isinstance(part, dict)]
    results = [
        {"role": "tool", "tool_call_id": part.get("tool_use_id"), "content": part.get("content") or ""}
        for part in parts
        if part.get("type") == "tool_result"
    ]
    calls = [
        {
            "id": part.get("id"),
            "type": "function",
            "function": {"name": part.get("name"), "arguments": part.get("input") or {}},
        }
        for part in parts
        if part.get("type") == "tool_use"
    ]
    thoughts = [part["thinking"] for part in parts if part.get("type") == "thinking" and "thinking" in part]
    rest = [part for part in item["content"] if not isinstance(part, dict) or part.get("type") not in _BLOCKS]
    if results and not (rest or calls or thoughts):
        return results
    message = dict(item) | {"content": rest or None}
    if calls:
        message["tool_calls"] = calls
    if thoughts and all(isinstance(thought, str) for thought in thoughts):
        message["reasoning_content"] = "\n".join(thoughts)
    return [*results, message]


def as_tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool in OpenAI's form; one that is in it already stays as it is.

    >>> as_tool({"name": "add", "input_schema": {"type": "object"}})
    {'type': 'function', 'function': {'name': 'add', 'parameters': {'type': 'object'}}}
    """
    if "input_schema" not in tool or "function" in tool:
        return tool
    named = {name: tool[name] for name in ("name", "description") if name in tool}
    return {"type": "function", "function": {**named, "parameters": tool["input_schema"]}}


MOST_MESSAGES = 500
MOST_TOOLS = 128
MOST_LEVELS = 24
MOST_BYTES = 1_000_000
LONGEST_ROLE = 100

# Fields that stand in for the content: such a message may have none.
_INSTEAD = ("tool_calls", "function_call", "refusal", "audio", "reasoning_content", "reasoning", "thinking")
# The names of a message's reasoning: transformers copies whichever is there to the first, and to "thinking".
_REASONING = ("reasoning_content", "thinking", "reasoning")


class ConversationError(ValueError):
    """A conversation that cannot be read; `message` is the sentence to translate, `place` the message's number.

    >>> error = ConversationError(Phrase("the role is missing"), place=3)
    >>> str(error), error.place
    ('message 3: the role is missing', 3)
    """

    def __init__(self, problem: Phrase, place: int | None = None) -> None:
        """Create an error from its sentence; `place` counts messages from 1, None is the whole."""
        whole = Phrase("message %(number)s: %(problem)s", number=place, problem=problem) if place else problem
        super().__init__(str(whole))
        self.message = whole
        self.problem = problem
        self.place = place


@dataclass(frozen=True)
class Message:
    """One message: `extra` has what its JSON has besides role and content, `blank` says that it has no content.

    Where the content is a list of parts, `parts` has them, and `content` their texts, joined with line breaks.
    """

    role: str
    content: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    blank: bool = False
    parts: Sequence[Mapping[str, Any]] | None = None

    @property
    def texts(self) -> list[str]:
        """The texts of the content: one for each part, or the whole.

        >>> Message("user", "a", parts=[{"type": "text", "text": "a"}]).texts, Message("user", "b").texts
        (['a'], ['b'])
        """
        return [self.content] if self.parts is None else [part["text"] for part in self.parts]

    def as_json(self) -> dict[str, Any]:
        """The message as a chat API takes it.

        >>> Message("user", "Hi", {"name": "Ann"}).as_json()
        {'role': 'user', 'content': 'Hi', 'name': 'Ann'}
        """
        content = self.content if self.parts is None else [dict(part) for part in self.parts]
        return {"role": self.role, "content": None if self.blank else content, **self.extra}

    def for_template(self, *, parse_arguments: bool) -> dict[str, Any]:
        """The message as `apply_chat_template` of transformers hands it to a template.

        Fields that are null are left out, and reasoning gets all of its names. Chat APIs have the arguments of a call
        as a text of JSON: `parse_arguments` makes it the object that some templates expect, as vLLM does.
        """
        found = {name: value for name, value in self.as_json().items() if value is not None}
        if parse_arguments and isinstance(found.get("tool_calls"), list):
            found["tool_calls"] = [_with_parsed_arguments(call) for call in found["tool_calls"]]
        reasoning = next((found[name] for name in _REASONING if found.get(name) is not None), None)
        if reasoning is not None:
            found = {"thinking": reasoning, **found, "reasoning_content": reasoning}
        return found


@dataclass(frozen=True)
class Conversation:
    """Messages in their order, and the tools that the model may call, each a JSON schema."""

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The conversation as a chat API takes it: `messages`, and `tools` if there are any."""
        whole: dict[str, Any] = {"messages": [message.as_json() for message in self.messages]}
        return whole | ({"tools": [dict(tool) for tool in self.tools]} if self.tools else {})

    def joined(self) -> "Conversation":
        """The conversation with texts in place of parts, for templates that expect texts."""
        return replace(self, messages=tuple(replace(message, parts=None) for message in self.messages))


def read_messages(text: str, *, most_bytes: int = MOST_BYTES) -> Conversation:
    """The conversation in a JSON text.

    >>> read_messages('[{"role": "user", "content": "Hi"}]').messages
    (Message(role='user', content='Hi', extra={}, blank=False, parts=None),)
    >>> read_messages('[{"content": "Hi"}]')
    Traceback (most recent call last):
    webapp.chat.messages.ConversationError: message 1: the role is missing

    Raises ConversationError, with the number of the message where one is to blame.
    """
    if len(text) > most_bytes or len(text.encode("utf-8", "surrogatepass")) > most_bytes:
        raise ConversationError(Phrase("the messages have more than the allowed %(most)s bytes", most=most_bytes))
    if not text.strip():
        raise ConversationError(Phrase("there is no message"))
    return conversation_of(parsed_json(text))


def conversation_of(value: Any) -> Conversation:
    """The conversation in parsed JSON; raises ConversationError as `read_messages` does."""
    system: list[Message] = []
    tools: Any = None
    if isinstance(value, dict):
        if "messages" not in value:
            raise ConversationError(Phrase('"messages" is missing'))
        tools = value.get("tools")
        if value.get("system") is not None:
            message = _message({"role": "system", "content": value["system"]}, None)
            system = [message] if message.content else []
        value = value["messages"]
    if not isinstance(value, list):
        raise ConversationError(Phrase("the messages should be a list, not %(value)s", value=shown(value)))
    if not value:
        raise ConversationError(Phrase("there is no message"))
    if len(value) + len(system) > MOST_MESSAGES:
        raise ConversationError(
            Phrase("there are %(count)s messages; %(most)s are allowed", count=len(value), most=MOST_MESSAGES)
        )
    messages = [message for number, item in enumerate(value, 1) for message in _messages(item, number)]
    return Conversation((*system, *messages), _tools(tools))


def parsed_json(text: str) -> Any:
    """The value of a JSON text of bounded depth; raises ConversationError, which says where it is wrong."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ConversationError(
            Phrase("not JSON: line %(line)s, column %(column)s", line=error.lineno, column=error.colno)
        ) from None
    except RecursionError:
        raise ConversationError(_too_deep()) from None
    except ValueError:  # NaN, or a number of thousands of digits
        raise ConversationError(Phrase("not JSON: a number in it cannot be read")) from None
    _check(value)
    return value


def _refuse(name: str) -> None:
    raise ValueError(name)


def _check(value: Any) -> None:
    """Refuse what is nested too deeply, and halves of surrogate pairs, which no text can contain."""
    left = [(value, 0)]
    while left:
        item, level = left.pop()
        if level > MOST_LEVELS:
            raise ConversationError(_too_deep())
        if isinstance(item, dict):
            left += [(part, level + 1) for pair in item.items() for part in pair]
        elif isinstance(item, list):
            left += [(part, level + 1) for part in item]
        elif isinstance(item, str) and not item.isascii() and not is_well_formed(item):
            raise ConversationError(Phrase("half of a surrogate pair stands alone in a text"))


def _too_deep() -> Phrase:
    return Phrase("the JSON is nested more than %(most)s levels deep", most=MOST_LEVELS)


def _messages(item: Any, number: int) -> list[Message]:
    return [_message(part, number) for part in (as_messages(item) if has_blocks(item) else [item])]


def _message(item: Any, number: int | None) -> Message:
    if not isinstance(item, dict):
        raise ConversationError(Phrase("should be an object, not %(value)s", value=shown(item)), number)
    role = item.get("role")
    if role is None:
        raise ConversationError(Phrase("the role is missing"), number)
    if not isinstance(role, str) or not 0 < len(role) <= LONGEST_ROLE:
        raise ConversationError(
            Phrase("the role should be a word such as user, not %(value)s", value=shown(role)), number
        )
    extra = {name: value for name, value in item.items() if name not in ("role", "content")}
    content = item.get("content")
    if content is None:
        if "content" in item or any(item.get(name) for name in _INSTEAD):
            return Message(role, "", extra, blank=True)
        raise ConversationError(Phrase("the content is missing"), number)
    if isinstance(content, str):
        return Message(role, content, extra)
    if not isinstance(content, list):
        raise ConversationError(
            Phrase("the content should be a text or a list of parts, not %(value)s", value=shown(content)), number
        )
    parts = [_part(part, at, number) for at, part in enumerate(content, 1)]
    return Message(role, "\n".join(part["text"] for part in parts), extra, parts=parts)


def _part(part: Any, at: int, number: int | None) -> Mapping[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, dict):
        raise ConversationError(
            Phrase("part %(at)s should be an object, not %(value)s", at=at, value=shown(part)), number
        )
    kind, text = part.get("type", "text"), part.get("text")
    if kind not in ("text", "input_text", "output_text"):
        raise ConversationError(
            Phrase("part %(at)s is of the type %(type)s; only text can be rendered", at=at, type=shown(kind)), number
        )
    if not isinstance(text, str):
        raise ConversationError(Phrase("part %(at)s has no text", at=at), number)
    return part if part.get("type") == "text" else {**part, "type": "text"}


def _tools(value: Any) -> tuple[Mapping[str, Any], ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(tool, dict) for tool in value):
        raise ConversationError(Phrase('"tools" should be a list of objects'))
    if len(value) > MOST_TOOLS:
        raise ConversationError(
            Phrase("there are %(count)s tools; %(most)s are allowed", count=len(value), most=MOST_TOOLS)
        )
    return tuple(as_tool(tool) for tool in value)


def _with_parsed_arguments(call: Any) -> Any:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"], parse_constant=_refuse)
        _check(arguments)
    except (ValueError, RecursionError):
        return call
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(arguments, dict) else call
