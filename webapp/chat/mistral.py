"""Mistral's conversations as its tokenizers v1 to v13 write them, each text tokenized by itself.

Source: mistral-common 1.13 (Apache-2.0), `protocol/instruct/normalize.py` and `tokens/tokenizers/instruct.py`. Markers
are ids there, and contents are text whatever they contain; a Jinja template cannot say so.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Any, Literal, get_args

from webapp.chat.messages import Conversation, ConversationError, parsed_json
from webapp.chat.render import Prompt, TemplateError
from webapp.chat.spans import Part, Span
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase

Version = Literal["v1", "v2", "v3", "v7", "v11", "v13"]
VERSIONS: Sequence[Version] = get_args(Version)
VARIABLE = "mistral_version"
"""The variable of the template `mistral` that chooses a version other than that of the vocabulary."""

_FOLLOW: Mapping[str, Sequence[str]] = {
    "system": ("user", "assistant", "system"),
    "user": ("assistant", "system", "user"),
    "assistant": ("assistant", "user", "tool"),
    "tool": ("assistant", "tool", "user"),
}
_CALL_ID = re.compile("[a-zA-Z0-9]{9}")
_ANY_CALL_ID = re.compile("(?!null$).+", re.DOTALL)  # from v13 on, where ids are not written
_JOINT = "\n\n"
_V1_PIECE = 733, "▁["  # Llama 2, which has as many pieces, has this one elsewhere

Piece = tuple[str, int | None, Part]  # text, message, kind


@dataclass(frozen=True)
class Segment:
    """What is tokenized by itself: pieces of text, or the name of a control token."""

    pieces: Sequence[Piece]
    control: bool = False

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(text for text, _message, _kind in self.pieces)


@dataclass
class _Turn:
    """Successive messages of a user or an assistant, or one message of another role."""

    role: str
    message: int | None = None
    pieces: list[Piece] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


def version_of(tokenizer: Tokenizer, title: str = "") -> Version | None:
    """The version of Mistral's rules for a vocabulary; None if it is not one of Mistral's.

    A `tekken.json` names it. v2 and v3 of Mistral 7B have the same tokens; the name of the file (`tokenizer.model.v2`)
    tells them apart. In other files, `[ARGS]` came with v11, and `[THINK]` with v13.
    """
    special = tokenizer.special_tokens
    if tokenizer.rules:
        return next((version for version in VERSIONS if version == tokenizer.rules), None)
    if "[INST]" not in special:
        pieces = tokenizer.model.pieces
        return "v1" if len(pieces) == 32_000 and pieces[_V1_PIECE[0]] == _V1_PIECE[1] else None
    if "[MODEL_SETTINGS]" in special:  # v15
        return None
    if "[ARGS]" in special:
        return "v13" if "[THINK]" in special else "v11"
    if "<SPECIAL_20>" not in special and "[SYSTEM_PROMPT]" in special:
        return "v7"
    return "v2" if title.endswith(".v2") else "v3"


def rendered(conversation: Conversation, version: Version) -> Prompt:
    """The prompt of a conversation, with its segments; raises TemplateError for what mistral-common refuses."""
    segments = [segment for segment in _segments(conversation, version) if segment.text]
    pieces = [piece for segment in segments for piece in segment.pieces if piece[0]]
    spans, at = [], 0
    for text, message, kind in pieces:
        spans.append(Span(at, at + len(text), message, kind))
        at += len(text)
    return Prompt(
        "".join(text for text, _message, _kind in pieces),
        tuple(spans),
        exact=True,
        dated=False,
        date=date.min,
        segments=tuple((segment.text, segment.control) for segment in segments),
    )


def _segments(conversation: Conversation, version: Version) -> Iterator[Segment]:
    turns, number = _turns(conversation, version), _number(version)
    system: list[Piece] = []
    if number < 7:
        for turn in turns:
            if turn.role == "system":
                system += [*turn.pieces, (_JOINT, turn.message, "template")]
        turns = [turn for turn in turns if turn.role != "system"]
        if not turns or turns[0].role != "user":
            turns.insert(0, _Turn("user"))
    users = [at for at, turn in enumerate(turns) if turn.role == "user"] or [-1]
    leads = users[0] if version == "v1" else users[-1]
    tools_at = users[-1] if number < 13 else users[0]
    yield _control("<s>", None)
    for at, turn in enumerate(turns):
        lead = system if at == leads else []
        if turn.role == "system":
            yield from _between("[SYSTEM_PROMPT]", Segment(turn.pieces), "[/SYSTEM_PROMPT]", turn.message)
        elif turn.role == "user" and version == "v1":
            begin, end = _template("[INST] ", turn.message), _template(" [/INST]", turn.message)
            yield Segment([*begin.pieces, *lead, *turn.pieces, *end.pieces])
        elif turn.role == "user":
            if conversation.tools and at == tools_at:
                tools = _template(_json([_tool(tool) for tool in conversation.tools]), None)
                yield from _between("[AVAILABLE_TOOLS]", tools, "[/AVAILABLE_TOOLS]", None)
            yield from _between("[INST]", Segment([*lead, *turn.pieces]), "[/INST]", turn.message)
        elif version != "v2" or at >= users[-1] or not (turn.calls or turn.role == "tool"):
            yield from (_result(turn, version) if turn.role == "tool" else _reply(turn, version))


def _reply(turn: _Turn, version: Version) -> Iterator[Segment]:
    if turn.pieces and version == "v1":
        yield Segment(turn.pieces)
    elif turn.pieces:
        *before, (last, message, kind) = turn.pieces
        yield Segment([*before, (last.rstrip(" "), message, kind)])
    calls = [_call(call, version) for call in turn.calls]
    if calls and _number(version) < 11:
        yield _control("[TOOL_CALLS]", turn.message)
        yield _template(_json(calls), turn.message)
        calls = []
    for call in calls:
        yield _control("[TOOL_CALLS]", turn.message)
        yield _template(str(call["name"]), turn.message)
        if "id" in call and version == "v11":
            yield _control("[CALL_ID]", turn.message)
            yield _template(str(call["id"]), turn.message)
        yield _control("[ARGS]", turn.message)
        yield _template(_json(call["arguments"]), turn.message)
    if not turn.extra.get("prefix"):
        yield _control("</s>", turn.message)


def _result(turn: _Turn, version: Version) -> Iterator[Segment]:
    content, id = _parsed(Segment(turn.pieces).text or "{}"), turn.extra.get("tool_call_id")
    if version == "v13":
        yield from _between("[TOOL_RESULTS]", Segment(turn.pieces), "[/TOOL_RESULTS]", turn.message)
        return
    if version in ("v7", "v11"):
        yield _control("[TOOL_RESULTS]", turn.message)
        yield _template(str(id), turn.message)
        yield from _between("[TOOL_CONTENT]", Segment(turn.pieces), "[/TOOL_RESULTS]", turn.message)
        return
    result: Any = {"content": content, "call_id": id}
    if version == "v2":
        result = [{"name": turn.extra.get("name"), "content": content}]
    written: Piece = _json(result), turn.message, "content"
    yield from _between("[TOOL_RESULTS]", Segment([written]), "[/TOOL_RESULTS]", turn.message)


def _turns(conversation: Conversation, version: Version) -> list[_Turn]:
    turns: list[_Turn] = []
    for number, message in enumerate(conversation.messages):
        content: Piece = _JOINT.join(filter(None, message.texts)), number, "content"
        calls = message.extra.get("tool_calls") or []
        _check(number, message.role, content[0], calls, dict(message.extra), version)
        if turns and message.role not in _FOLLOW[(before := turns[-1].role)]:
            raise _refused(number, Phrase("%(role)s cannot follow %(before)s", role=message.role, before=before))
        if not turns or turns[-1].role != message.role or message.role in ("system", "tool"):
            turns.append(_Turn(message.role, number))
        turn = turns[-1]
        if content[0]:
            turn.pieces += [(_JOINT, number, "template"), content] if turn.pieces else [content]
        turn.calls += calls
        turn.extra |= message.extra
    return turns if _number(version) < 11 else _results_in_order(turns)


def _results_in_order(turns: Sequence[_Turn]) -> list[_Turn]:
    """Put the results of successive calls into the order of the calls; those of no call come last."""
    found: list[_Turn] = []
    places: dict[Any, int] = {}
    for is_result, group in groupby(turns, key=lambda turn: turn.role == "tool"):
        members = list(group)
        if is_result:
            members.sort(key=lambda turn: places.get(turn.extra.get("tool_call_id"), len(places)))
            places = {}
        else:
            places = {call.get("id"): at for at, call in enumerate(call for turn in members for call in turn.calls)}
        found += members
    return found


def _number(version: Version) -> int:
    return int(version.removeprefix("v"))


def _check(number: int, role: str, text: str, calls: Any, extra: dict[str, Any], version: Version) -> None:
    """Raise TemplateError for a message that mistral-common refuses."""
    if role not in _FOLLOW:
        raise _refused(number, Phrase("the roles are system, user, assistant and tool, not %(role)s", role=role))
    if version == "v1" and (calls or role == "tool"):
        raise _refused(number, Phrase("Mistral's tokenizer v1 has no tools"))
    if role == "assistant" and not (text or calls):
        raise _refused(number, Phrase("a message of the assistant needs a content or calls"))
    if role == "assistant" and text and calls and _number(version) < 7:
        raise _refused(number, Phrase("before v7, a message of the assistant has a content or calls, not both"))
    functions = [isinstance(call, dict) and call.get("function") for call in calls] if isinstance(calls, list) else [0]
    if not all(isinstance(function, dict) for function in functions):
        raise _refused(number, Phrase('"tool_calls" should be a list of calls with a "function"'))
    ids = [extra.get("tool_call_id")] if role == "tool" else [call.get("id") for call in calls]
    if version == "v13" and not all(isinstance(id, str) and _ANY_CALL_ID.fullmatch(id) for id in ids):
        raise _refused(number, Phrase("a call and its result need an id"))
    if version not in ("v2", "v13") and not all(isinstance(id, str) and _CALL_ID.fullmatch(id) for id in ids):
        raise _refused(number, Phrase("the id of a call should have nine letters or digits"))


def _refused(number: int, problem: Phrase) -> TemplateError:
    return TemplateError(None, Phrase("message %(number)s: %(problem)s", number=number + 1, problem=problem), "raised")


def _control(name: str, message: int | None) -> Segment:
    return Segment([(name, message, "template")], control=True)


def _template(text: str, message: int | None) -> Segment:
    return Segment([(text, message, "template")])


def _between(begin: str, segment: Segment, end: str, message: int | None) -> list[Segment]:
    return [_control(begin, message), segment, _control(end, message)]


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = tool.get("function")
    given: Mapping[str, Any] = function if isinstance(function, dict) else {}
    defaults: dict[str, Any] = {"name": None, "description": "", "parameters": {}}
    return {"type": "function", "function": {name: given.get(name) or value for name, value in defaults.items()}}


def _call(call: Mapping[str, Any], version: Version) -> dict[str, Any]:
    function = call["function"]
    found = {"name": function.get("name"), "arguments": _parsed(function.get("arguments") or "{}")}
    return found if version == "v2" or not call.get("id") else {**found, "id": call["id"]}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parsed(text: Any) -> Any:
    try:
        return parsed_json(text) if isinstance(text, str) else text
    except ConversationError:
        return text
