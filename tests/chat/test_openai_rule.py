"""Counts by OpenAI's published rule equal those that its notebook prints for its example."""

from pathlib import Path

from webapp.chat.messages import conversation_of
from webapp.chat.openai_rule import count_by_rule
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


def test_the_real_tokenizer_counts_what_openai_counted(shared: Path) -> None:
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    tokenizer = tiktoken.read(content, "cl100k_base")
    counts = count_by_rule("gpt-4-0613", conversation_of(MESSAGES), lambda text: len(tokenizer.ids(text)))
    assert counts
    assert counts.tokens == 129  # the notebook: by the rule, and by the API


def test_fields_that_the_rule_does_not_know_are_named() -> None:
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]},
    ]
    conversation = conversation_of({"messages": messages, "tools": [{"type": "function"}]})
    counts = count_by_rule("gpt-4o", conversation, len)
    assert counts
    assert counts.left_out == ("tool_calls", "tools")
