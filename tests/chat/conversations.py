"""The conversations and templates that are rendered here and by transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from webapp.chat.templates import BUILT_IN, ChatTemplate

FOLDER = Path(__file__).parent
TEMPLATES, RECORDED = FOLDER / "templates", FOLDER / "recorded"
NOW = datetime(2026, 11, 22, 12, 30)

_TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": 'The weather <now> & "here", 天气',
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "A city"}},
            "required": ["city"],
        },
    },
}


def _calls(arguments: object) -> list[dict[str, Any]]:
    call = {"id": "call12345", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    return [
        {"role": "system", "content": "Use the tools."},
        {"role": "user", "content": "How is the weather in 京都?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "weather", "tool_call_id": "call12345", "content": '{"sky": "clear"}'},
        {"role": "assistant", "content": "Clear."},
        {"role": "user", "content": "Thanks"},
    ]


def _without_content(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message | ({"content": None} if "tool_calls" in message else {}) for message in messages]


CONVERSATIONS: Mapping[str, Mapping[str, Any]] = {
    "user": {"messages": [{"role": "user", "content": "Hello"}]},
    "system": {
        "messages": [
            {"role": "system", "content": "  You are brief.\n"},
            {"role": "user", "content": " What is 1 < 2 && \"x\" > 'y'? "},
        ]
    },
    "turns": {
        "messages": [
            {"role": "user", "content": "你好,世界"},
            {"role": "assistant", "content": " 你好! 👋🏽\n\n```py\nprint('{{ x }}')\n```\n"},
            {"role": "user", "content": "{% raw %}<|im_end|>\n[INST]</s>"},
        ]
    },
    "long": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two"},
            {"role": "user", "content": "three"},
            {"role": "assistant", "content": "four"},
        ]
    },
    "thoughts": {
        "messages": [
            {"role": "user", "content": "2 + 2?"},
            {"role": "assistant", "content": "<think>\nIt is 4.\n</think>\n\n4"},
            {"role": "user", "content": "3 + 3?"},
            {"role": "assistant", "reasoning_content": "It is 6.", "content": "6"},
            {"role": "user", "content": "And?"},
        ]
    },
    "tools": {"messages": [{"role": "user", "content": "Weather?"}], "tools": [_TOOL]},
    "calls": {"messages": _calls({"city": "京都", "days": 2}), "tools": [_TOOL]},
    "calls as texts": {"messages": _calls('{"city": "京都", "days": 2}'), "tools": [_TOOL]},
    "calls without content": {"messages": _without_content(_calls({"city": "京都"})), "tools": [_TOOL]},
    "two assistants": {
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "assistant", "content": "c"},
        ]
    },
    "unknown role": {"messages": [{"role": "narrator", "content": "Once upon a time"}]},
}

_LLAMA = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"}
_SENTENCEPIECE = {"bos_token": "<s>", "eos_token": "</s>"}
_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "cohere": {"bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>"},
    "deepseekv3": {"bos_token": "<｜begin▁of▁sentence｜>", "eos_token": "<｜end▁of▁sentence｜>"},
    "gemma": {"bos_token": "<bos>", "eos_token": "<eos>"},
    "gemma3": {"bos_token": "<bos>", "eos_token": "<eos>"},
    "glm4moe": {"eos_token": "<|endoftext|>"},
    "gptoss": {"bos_token": "<|startoftext|>", "eos_token": "<|return|>"},
    "lfm2": {"bos_token": "<|startoftext|>", "eos_token": "<|im_end|>"},
    "llama3": _LLAMA,
    "llama3_1": _LLAMA,
    "llama3_2": _LLAMA,
    "phi3": {"bos_token": "<s>", "eos_token": "<|endoftext|>"},
    "qwen2_5": {"eos_token": "<|im_end|>"},
    "qwen3": {"eos_token": "<|im_end|>"},
    "unsloth_chatml": _SENTENCEPIECE,
    "unsloth_llama": _SENTENCEPIECE,
    "unsloth_mistral": _SENTENCEPIECE,
    "unsloth_zephyr": _SENTENCEPIECE,
}


def published() -> dict[str, ChatTemplate]:
    """The published templates in the folder, by name."""
    return {
        path.stem: ChatTemplate(path.stem, path.stem, path.read_text(encoding="utf-8"), _VARIABLES[path.stem])
        for path in sorted(TEMPLATES.glob("*.jinja"))
    }


def all_templates() -> dict[str, ChatTemplate]:
    """The published templates, and the site's own."""
    return published() | {f"built-in {name}": template for name, template in BUILT_IN.items()}


def text_of(name: str) -> str:
    """A conversation as a visitor pastes it."""
    return json.dumps(CONVERSATIONS[name], ensure_ascii=False)
