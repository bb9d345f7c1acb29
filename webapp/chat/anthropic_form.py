"""Messages in the form of Anthropic's API as those of OpenAI's, which templates expect.

There, calls of tools, their results and thoughts are parts of a message's content, and a tool's schema stands beside
its name: https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
