"""Conversations are read in the forms that chat APIs take, and errors say where they are."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.messages import MOST_LEVELS, MOST_MESSAGES, Conversation, ConversationError, Message, read_messages

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = ["role", "content", "messages", "tools", "system", "type", "text", "thinking", "input_schema"]
IMAGE = {"type": "tool_result", "content": [{"type": "image"}]}
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": [1]}'}}


def test_openais_form_with_tools() -> None:
    whole = {"model": "x", "messages": [{"role": "assistant", "content": None, "tool_calls": [CALL]},
             {"role": "tool", "tool_call_id": "1", "content": "4"}], "tools": [{"type": "function"}]}  # fmt: skip
    found = read_messages(json.dumps(whole))
    assert found.messages[0] == Message("assistant", "", {"tool_calls": [CALL]}, blank=True)
    assert found.messages[1].extra == {"tool_call_id": "1"}
    assert found.tools == ({"type": "function"},)
    assert found.as_json() == {"messages": whole["messages"], "tools": whole["tools"]}
    parsed = found.messages[0].for_template(parse_arguments=True)
    assert parsed["tool_calls"][0]["function"]["arguments"] == {"a": [1]}
    assert "content" not in parsed


def test_anthropics_calls_become_openais() -> None:
    call = {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "京都"}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "clear"}]}
    thought, text = {"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "So:"}
    messages = [
        {"role": "assistant", "content": [thought, text, call]},
        {"role": "user", "content": [result, text]},
        {"role": "assistant", "content": [call]},
    ]
    tools = [{"name": "weather", "description": "d", "input_schema": {"type": "object"}}]
    found = read_messages(json.dumps({"messages": messages, "tools": tools}))
    assert [(message.role, message.content, message.blank) for message in found.messages] == [
        ("assistant", "So:", False), ("tool", "clear", False), ("user", "So:", False), ("assistant", "", True),
    ]  # fmt: skip
    calls = [{"id": "1", "type": "function", "function": {"name": "weather", "arguments": {"city": "京都"}}}]
    assert found.messages[0].extra == {"tool_calls": calls, "reasoning_content": "Hm"}
    function = {"name": "weather", "description": "d", "parameters": {"type": "object"}}
    assert found.tools == ({"type": "function", "function": function},)


def test_reasoning_has_all_of_its_names() -> None:
    [message] = read_messages('[{"role": "assistant", "content": "a", "reasoning": "r"}]').messages
    given = message.for_template(parse_arguments=False)
    assert given == {"thinking": "r", "reasoning_content": "r", "role": "assistant", "content": "a", "reasoning": "r"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"role": "user", "content": "x"}, {"content": "x"}], "message 2: the role is missing"),
        ([{"role": "user"}], "message 1: the content is missing"),
        ([{"role": 3, "content": "x"}], "message 1: the role should be a word such as user, not 3"),
        (["x"], "message 1: should be an object, not 'x'"),
        ([{"role": "user", "content": [IMAGE, IMAGE]}, {"role": "user", "content": [IMAGE, 5]}],
         "message 1: part 1 is of the type 'image'; only text can be rendered"),
        ([{"role": "user", "content": [3]}], "message 1: part 1 should be an object, not 3"),
        ({}, '"messages" is missing'),
        ({"messages": 3}, "the messages should be a list, not 3"),
        ({"messages": [{"role": "user", "content": "x"}], "tools": {}}, '"tools" should be a list of objects'),
        ([{"role": "user", "content": "x"}] * (MOST_MESSAGES + 1), "there are 501 messages; 500 are allowed"),
        ([{"role": "user", "content": "\ud800"}], "half of a surrogate pair stands alone in a text"),
    ],
)  # fmt: skip
def test_errors_say_where_they_are(value: Any, expected: str) -> None:
    with pytest.raises(ConversationError) as error:
        read_messages(json.dumps(value))
    assert str(error.value) == expected
    assert (error.value.place is None) == (not expected.startswith("message "))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "there is no message"),
        ("[\n  {role: 1}]", "not JSON: line 2, column 4"),
        ("[" * 100_000, f"the JSON is nested more than {MOST_LEVELS} levels deep"),
        ("[NaN]", "not JSON: a number in it cannot be read"),
        ("[" + "9" * 10_000 + "]", "not JSON: a number in it cannot be read"),
        ("好" * 400_000, "the messages have more than the allowed 1000000 bytes"),
    ],
)
def test_hostile_texts_are_refused(text: str, expected: str) -> None:
    with pytest.raises(ConversationError) as error:
        read_messages(text)
    assert str(error.value) == expected


@given(st.lists(st.builds(Message, TEXTS.filter(bool), TEXTS, st.dictionaries(st.sampled_from(["name", "id"]), TEXTS)),
                min_size=1, max_size=5))  # fmt: skip
def test_what_is_written_is_read_again(messages: list[Message]) -> None:
    conversation = Conversation(tuple(messages))
    assert read_messages(json.dumps(conversation.as_json())) == conversation


@given(st.recursive(st.none() | st.booleans() | st.integers() | TEXTS | st.sampled_from(["tool_use", "tool_result"]),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4), max_leaves=12))  # fmt: skip
def test_any_json_is_read_or_refused(value: Any) -> None:
    with suppress(ConversationError):
        found = read_messages(json.dumps(value))
        assert all(isinstance(message.content, str) for message in found.messages)
