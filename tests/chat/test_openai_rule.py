"""Counts by OpenAI's published rule equal those that its notebook prints for its example."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.chat.messages import conversation_of
from webapp.chat.openai_rule import NAMED, count_by_rule, rule_for
from webapp.core.formats import tiktoken

# From the notebook, section 6.
TEXTS = [
    ("", "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."),
    ("example_user", "New synergies will help drive top-line growth."),
    ("example_assistant", "Things working well together will increase revenue."),
    (
        "example_user",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    ("example_assistant", "Let's talk later when we're less busy about how to do better."),
]
LAST = "This late pivot means we don't have time to boil the ocean for the client deliverable."
MESSAGES = [{"role": "system", "content": text} | ({"name": name} if name else {}) for name, text in TEXTS]
MESSAGES.append({"role": "user", "content": LAST})


@pytest.mark.parametrize(("model", "overhead"), [("gpt-4", 3 * 6 + 4 + 3), ("gpt-4o-2024-08-06", 3 * 6 + 4 + 3)])
def test_the_rule_adds_what_it_says(model: str, overhead: int) -> None:
    rule = rule_for(model)
    assert rule is not None
    counts = count_by_rule(rule, conversation_of(MESSAGES), lambda text: len(text.split()))
    words = sum(len(value.split()) for message in MESSAGES for value in message.values())
    assert counts.total == words + overhead
    assert counts.reply == 3
    assert counts.left_out == ()


def test_the_real_tokenizer_counts_what_openai_counted(shared: Path) -> None:
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    tokenizer = tiktoken.read(content, "cl100k_base")
    rule = rule_for("gpt-4-0613")
    assert rule is not None
    counts = count_by_rule(rule, conversation_of(MESSAGES), lambda text: len(tokenizer.ids(text)))
    assert counts.total == 129  # the notebook: by the rule, and by the API


def test_every_named_model_has_the_rule_itself() -> None:
    assert all((rule := rule_for(model)) and rule.like == "" for model in NAMED)
    assert rule_for("gpt-4o-mini").like == "gpt-4o-mini-2024-07-18"  # type: ignore[union-attr]
    assert rule_for("o3") is None


def test_fields_that_the_rule_does_not_know_are_named() -> None:
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]},
    ]
    conversation = conversation_of({"messages": messages, "tools": [{"type": "function"}]})
    rule = rule_for("gpt-4o")
    assert rule is not None
    assert count_by_rule(rule, conversation, len).left_out == ("tool_calls", "tools")
