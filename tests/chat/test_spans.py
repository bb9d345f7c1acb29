"""The spans of a prompt: they cover it without gaps, and contents are found exactly where the template leaves them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat.conversations import NOW, published, text_of
from webapp.chat.messages import Conversation, Message, read_messages
from webapp.chat.render import Prompt, TemplateError, render
from webapp.chat.templates import BUILT_IN, ChatTemplate, own_template

# Contents that could be taken for something else: marks, tokens of templates, repetitions.
PIECES = ["a", "a", "b", " ", "\n", "<|im_end|>", "<|im_start|>user\n", "\U000f0000", "\U000f0001", "\U0010fffd",
          "<s>", "[/INST]", "{{ x }}", "𝔘", "好", "</think>", "<"]  # fmt: skip
CONTENTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def pieces(prompt: Prompt) -> list[tuple[int | None, str, str]]:
    return [(span.message, span.kind, prompt.text[span.start : span.end]) for span in prompt.spans]


def rendered(template: ChatTemplate, *contents: str, first: int = 0, reply: bool = True) -> Prompt:
    roles = ["system", "user", "assistant"]
    order = [0, *[1, 2] * len(contents)][first:]
    messages = [Message(roles[role], content) for role, content in zip(order, contents, strict=False)]
    return render(template, Conversation(tuple(messages)), reply=reply, now=NOW)


def check_covered(prompt: Prompt) -> None:
    assert "".join(text for _message, _kind, text in pieces(prompt)) == prompt.text
    assert all(span.end > span.start for span in prompt.spans)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(CONTENTS, min_size=1, max_size=5),
    st.sampled_from(["chatml", "glm-4", "llama-3", "gemma", "mistral"]),
    st.booleans(),
)
def test_contents_are_found_exactly(contents: list[str], name: str, reply: bool) -> None:
    trims = name not in ("chatml", "glm-4")
    prompt = rendered(BUILT_IN[name], *contents, first=int(trims), reply=reply)
    check_covered(prompt)
    assert prompt.exact
    found = [(message, text) for message, kind, text in pieces(prompt) if kind == "content"]
    if trims:  # these templates may leave out white space around contents
        found = [(message, text.strip()) for message, text in found if text.strip()]
        contents = [content.strip() for content in contents]
    assert found == [(message, content) for message, content in enumerate(contents) if content]


@settings(max_examples=30, deadline=None)
@given(st.lists(CONTENTS, min_size=1, max_size=4), st.sampled_from(sorted(published())))
def test_spans_cover_the_prompts_of_any_template(contents: list[str], name: str) -> None:
    prompt = rendered(published()[name], *contents, first=1)
    check_covered(prompt)
    for message, kind, text in pieces(prompt):
        if kind == "content":
            assert message is not None
            assert text in contents[message]


def test_overhead_belongs_to_the_message_that_it_is_around() -> None:
    prompt = rendered(BUILT_IN["llama-3"], "Be brief.", "Hi")
    assert pieces(prompt) == [
        (None, "template", "<|begin_of_text|>"),
        (0, "template", "<|start_header_id|>system<|end_header_id|>\n\n"),
        (0, "content", "Be brief."),
        (0, "template", "<|eot_id|>"),
        (1, "template", "<|start_header_id|>user<|end_header_id|>\n\n"),
        (1, "content", "Hi"),
        (1, "template", "<|eot_id|>"),
        (None, "reply", "<|start_header_id|>assistant<|end_header_id|>\n\n"),
    ]


def test_tools_inside_a_system_message_are_of_no_message_and_a_call_of_its_own() -> None:
    prompt = render(published()["qwen2_5"], read_messages(text_of("calls")), reply=True, now=NOW)
    assert pieces(prompt)[1] == (0, "content", "Use the tools.")
    message, kind, text = pieces(prompt)[2]
    assert (message, kind) == (None, "template")
    assert text.startswith("\n\n# Tools")
    assert pieces(prompt)[3] == (0, "template", "<|im_end|>\n")
    [call] = [text for message, _kind, text in pieces(prompt) if message == 2]
    assert call.startswith("<|im_start|>assistant\n<tool_call>")
    assert call.endswith("</tool_call><|im_end|>\n")


def test_a_thought_that_is_left_out_is_not_found() -> None:
    prompt = render(published()["qwen3"], read_messages(text_of("thoughts")), reply=True, now=NOW)
    assert [text for message, kind, text in pieces(prompt) if message == 1 and kind == "content"] == ["4"]


@pytest.mark.parametrize(
    ("source", "contents"),
    [
        ("{% for m in messages %}<{{ m.role }}>{{ m.content[:3] }}\n{% endfor %}", ["onetwo", "three"]),
        ("{{ messages[0].content | upper }}{{ messages[-1].content | tojson }}", ["onetwo", 'a"b']),
        ("{% for m in messages if m.content != 'x' %}{{ m.content | replace('a', 'b') }}{% endfor %}", ["aaa", "x"]),
        ("nothing", ["onetwo"]),
        ("", ["onetwo"]),
    ],
)
def test_templates_that_change_contents_have_spans_too(source: str, contents: list[str]) -> None:
    check_covered(rendered(own_template(source) if source else ChatTemplate("e", "", ""), *contents, first=1))


def test_contents_whose_length_is_told_are_searched_for() -> None:
    source = "{% for m in messages %}{{ m.content | length }}:{{ m.content }}\n{% endfor %}"
    prompt = rendered(own_template(source), "one", "three", "one", first=1, reply=False)
    assert not prompt.exact
    assert [text for _message, kind, text in pieces(prompt) if kind == "content"] == ["one", "three", "one"]


def test_the_date_is_the_one_that_is_given() -> None:
    template = published()["llama3_2"]
    messages = read_messages(text_of("user"))
    prompt = render(template, messages, reply=True, variables={"date": "2025-02-03"})
    assert prompt.dated
    assert prompt.date.isoformat() == "2025-02-03"
    assert "Today Date: 03 Feb 2025" in prompt.text
    assert not render(BUILT_IN["chatml"], messages, reply=True).dated
    with pytest.raises(TemplateError, match="the date should be written as 2026-11-22"):
        render(template, messages, reply=True, variables={"date": "tomorrow"})


@pytest.mark.parametrize("value", ["\ud800", float("nan"), object()])
def test_variables_are_json(value: object) -> None:
    messages = read_messages(text_of("user"))
    assert render(own_template("{{ x.y }}"), messages, reply=True, variables={"x": {"y": [1]}}).text == "[1]"
    with pytest.raises(TemplateError, match="a variable of the template cannot be written as JSON"):
        render(own_template("{{ x }}"), messages, reply=True, variables={"x": value})
