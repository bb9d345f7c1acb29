"""The prompts equal those of `apply_chat_template`: recorded ones, and those rendered now if transformers is here."""

import json
from importlib.util import find_spec
from itertools import product
from typing import Any

import pytest

from tests.chat.conversations import CONVERSATIONS, NOW, RECORDED, all_templates, published, text_of
from webapp.chat.messages import read_messages
from webapp.chat.render import TemplateError, render
from webapp.chat.templates import BUILT_IN, ChatTemplate

ALL = all_templates()
LIVE = find_spec("transformers") is not None
# Every second rendering; all in exhaustive runs.
TABLE = [
    pytest.param(*each, marks=[pytest.mark.exhaustive] * (number % 2))
    for number, each in enumerate(product(ALL, CONVERSATIONS))
]


def ours(template: ChatTemplate, conversation: str, *, reply: bool) -> dict[str, Any]:
    try:
        prompt = render(template, read_messages(text_of(conversation)), reply=reply, now=NOW, join=False)
    except TemplateError as error:
        return {"raised": error.message.values["message"]} if error.kind == "raised" else {"fails": True}
    spans = prompt.spans
    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(prompt.text)
    return {"text": prompt.text}


@pytest.mark.parametrize(("name", "conversation"), TABLE, ids=lambda value: value.replace(" ", "-"))
def test_prompts_equal_those_of_transformers(name: str, conversation: str) -> None:
    template = ALL[name]
    record = json.loads((RECORDED / f"{name.replace(' ', '-')}.json").read_text(encoding="utf-8"))
    assert record["source"] == template.source, "record again: python -m tests.chat.by_transformers"
    for reply in (True, False):
        expected = record["outputs"][conversation][str(reply).lower()]
        if LIVE:
            from tests.chat.by_transformers import rendered

            assert rendered(template, CONVERSATIONS[conversation], reply=reply) == expected
        found = ours(template, conversation, reply=reply)
        if expected == {"fails": True} and conversation == "calls as texts":
            continue  # with the arguments as an object, more templates work
        assert found == expected


SAME = {
    "chatml": ("unsloth_chatml", ["user", "system", "turns", "long", "thoughts", "two assistants"]),
    "llama-2": ("unsloth_llama", ["user", "turns", "long"]),
    "llama-3": ("llama3", ["user", "system", "turns", "long", "thoughts", "two assistants"]),
    "gemma": ("gemma", ["user", "turns"]),
}


@pytest.mark.parametrize("name", SAME)
def test_built_in_templates_equal_published_ones(name: str) -> None:
    theirs, conversations = SAME[name]
    for conversation in conversations:
        for reply in (True, False):
            expected = ours(published()[theirs], conversation, reply=reply)
            assert expected.keys() == {"text"}
            assert ours(BUILT_IN[name], conversation, reply=reply) == expected


# What the templates of mistralai/Mistral-7B-Instruct-v0.3 and zai-org/GLM-4-9B-0414 make of these, by their formats.
WRITTEN = {
    "mistral": {
        "user": "<s>[INST] Hello[/INST]",
        "long": "<s>[INST] one[/INST] two</s>[INST] Be brief.\n\nthree[/INST] four</s>",
    },
    "glm-4": {
        "user": "[gMASK]<sop><|user|>\nHello<|assistant|>",
        "long": "[gMASK]<sop><|system|>\nBe brief.<|user|>\none<|assistant|>\ntwo<|user|>\nthree<|assistant|>\nfour"
        "<|assistant|>",
    },
}


@pytest.mark.parametrize("name", WRITTEN)
def test_built_in_templates_follow_the_written_format(name: str) -> None:
    for conversation, expected in WRITTEN[name].items():
        assert ours(BUILT_IN[name], conversation, reply=True) == {"text": expected}


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_templates_refuse_unknown_roles_in_words(name: str) -> None:
    if name == "chatml":  # whose roles are free
        assert ours(BUILT_IN[name], "unknown role", reply=False)["text"].startswith("<|im_start|>narrator\n")
        return
    with pytest.raises(TemplateError, match=r"the template says: .* has the roles .*, not narrator") as error:
        render(BUILT_IN[name], read_messages(text_of("unknown role")), reply=True)
    assert error.value.kind == "raised"
    assert error.value.line
