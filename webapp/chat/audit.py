"""What an audit of a template looks at: one conversation, rendered in a dozen ways in one call of the sandbox."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from webapp.chat.inspection import Inspection, inspected
from webapp.chat.messages import Conversation, Message
from webapp.chat.render import free_range
from webapp.chat.sandbox import RENDERER
from webapp.chat.templates import ChatTemplate
from webapp.core.text.alignment import equal_beginning

REPLY, THOUGHT = "Yes, gladly.", "One moment of thought."
_NOW = datetime(2026, 1, 1, 12)


_PARAMETERS = {"type": "object", "properties": {"city": {"type": "string", "description": "A city"}}}
_TOOLS = [
    {"type": "function", "function": {"name": name, "description": f"The {name}", "parameters": _PARAMETERS}}
    for name in ("weather", "distance")
]
_USER, _ASSISTANT = {"role": "user", "content": "Go on."}, {"role": "assistant", "content": REPLY}
PROBE = Conversation((Message("user", "Hello."), Message("assistant", "Good morning."), Message("user", "Go on.")))
"""The conversation that templates are audited with where no other is given."""


@dataclass(frozen=True)
class Rendered:
    """One rendering: the text, None if the template fails, and the spans of it in `{% generation %}`."""

    text: str | None = None
    learned: Sequence[tuple[int, int]] = ()
    dated: bool = False


@dataclass(frozen=True)
class Evidence:
    """The renderings by name (see `_plan`), those that took too long missing, and what is seen in the source."""

    template: ChatTemplate
    inspection: Inspection
    renders: Mapping[str, Rendered] = field(default_factory=dict)
    has_tools: bool = False  # whether the conversation has tools

    @property
    def is_whole(self) -> bool:
        """Whether nothing took too long."""
        return len(self.renders) == len(_plan(PROBE)) and not self.inspection.broken

    def text(self, name: str) -> str | None:
        """The text of a rendering; None if there is none."""
        return self.renders.get(name, Rendered()).text

    def kept(self, before: str, after: str) -> tuple[int, int] | None:
        """The characters of a rendering that another begins with, and all of the first; None without both."""
        one, other = self.text(before), self.text(after)
        return None if one is None or other is None else (equal_beginning(one, other), len(one))


def evidence(template: ChatTemplate, conversation: Conversation, variables: Mapping[str, Any]) -> Evidence:
    """Render a conversation, and what it may go on with, in one call of the sandbox."""
    source = template.source_for(tools=bool(conversation.tools))
    inspection = inspected(source)
    if not inspection.takes_parts:
        conversation = conversation.joined()
    plan = _plan(conversation)
    messages = [message.for_template(parse_arguments=True) for message in conversation.messages]
    given = {**template.variables, **variables}
    answers = RENDERER.answer(
        {
            "source": source,
            "messages": messages,
            "tools": [dict(tool) for tool in conversation.tools] or None,
            "variables": given,
            "now": _NOW.isoformat(),
            "base": free_range(2, [source, json.dumps([messages, conversation.as_json(), given], ensure_ascii=False)]),
            "renders": list(plan.values()),
        }
    )
    found = (Rendered(one.get("text"), one.get("learned", ()), one.get("dated") is True) for one in answers)
    return Evidence(template, inspection, dict(zip(plan, found, strict=False)), bool(conversation.tools))


def _plan(conversation: Conversation) -> dict[str, dict[str, Any]]:
    """What to render, by name.

    `prompt` asks for a reply, `bare` does not, `said` has one, and `next` another turn. `chain` ends with the result
    of a call that a thought led to, `text arguments` is the same with arguments as a text, `after` goes on.
    """
    last = conversation.messages[-1]
    asked = [] if last.role != "assistant" or "tool_calls" in last.extra else [_USER]
    call = {"id": "call00001", "type": "function", "function": {"name": "weather", "arguments": {"city": "Paris"}}}
    text_call = {**call, "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
    result = {"role": "tool", "name": "weather", "tool_call_id": "call00001", "content": "sunny"}

    def chain(call: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        thought = {"reasoning_content": THOUGHT, "thinking": THOUGHT}
        return [*asked, {"role": "assistant", "content": "", **thought, "tool_calls": [call]}, result]

    tools = [dict(tool) for tool in conversation.tools]
    tools = tools if len(tools) > 1 else [*tools, *_TOOLS]
    parts = [
        message.for_template(parse_arguments=True) | {"content": [{"type": "text", "text": message.content}]}
        for message in conversation.messages
    ]
    plan: dict[str, dict[str, Any]] = {
        "prompt": {"reply": True, "add": asked},
        "bare": {"add": asked},
        "said": {"add": [*asked, _ASSISTANT]},
        "next": {"add": [*asked, _ASSISTANT, _USER], "reply": True},
        "tomorrow": {"reply": True, "add": asked, "now": (_NOW + timedelta(days=40)).isoformat()},
        "tools": {"tools": tools, "reply": True, "add": asked},
        "reversed": {"tools": tools[::-1], "reply": True, "add": asked},
        "toolless": {"tools": False, "reply": True, "add": asked},
        "chain": {"tools": tools, "add": chain(call)},
        "after": {"tools": tools, "add": [*chain(call), _ASSISTANT, _USER], "reply": True},
        "text arguments": {"tools": tools, "add": chain(text_call)},
        "parts": {"items": parts, "reply": True, "add": asked},
    }
    return {name: {"tools": True, "reply": False} | render for name, render in plan.items()}
