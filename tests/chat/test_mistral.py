"""Mistral's rules: the segments and the ids of mistral-common, recorded for 24 conversations."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED
from webapp.chat.messages import Conversation, read_messages
from webapp.chat.mistral import VERSIONS, Version, rendered, version_of
from webapp.chat.render import TemplateError
from webapp.chat.templates import BUILT_IN
from webapp.core.formats import tekken
from webapp.core.formats.recognize import load
from webapp.tools.messages.counts import count_prompt

# From mistral-common, whose tokenizer is replaced by one that keeps the texts it gets; null for what it refuses.
RECORD: dict[str, Any] = json.loads(Path(__file__).with_name("recorded_mistral.json").read_text(encoding="utf-8"))
TABLE = [(version, name) for version in VERSIONS for name in RECORD["conversations"]]


def conversation(name: str) -> Conversation:
    return read_messages(json.dumps(RECORD["conversations"][name]))


@pytest.mark.parametrize(("version", "name"), TABLE)
def test_segments_are_those_of_mistral_common(version: Version, name: str) -> None:
    expected = RECORD["segments"][version][name]
    if expected is None:
        with pytest.raises(TemplateError, match="message "):
            rendered(conversation(name), version)
        return
    prompt = rendered(conversation(name), version)
    assert [list(segment) for segment in prompt.segments] == expected
    assert "".join(text for text, _is_control in prompt.segments) == prompt.text
    assert [span.start for span in prompt.spans] == [0, *(span.end for span in prompt.spans)][:-1]


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is absent")
def test_the_vocabulary_chooses_the_version_and_ids_are_equal() -> None:
    tokenizer = load(SHARED / "vocabularies/tokenizers/mistral01.json")
    assert version_of(tokenizer) == "v1"
    assert version_of(load(SHARED / "vocabularies/sentencepiece/llama2.model")) is None
    for name, expected in RECORD["v1 ids"].items():
        # `Metaspace` of tokenizer.json adds no space before one, unlike tokenizer.model, which mistral-common reads.
        if expected is not None and name != "spaces":
            given = conversation(name)
            counted = count_prompt(rendered(given, "v1"), given, BUILT_IN["mistral"], tokenizer)
            assert list(counted.encoding.ids) == expected, name
            assert counted.injected_count == 0
            assert counted.total == sum(one.total for one in counted.messages) + counted.other + counted.reply


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "narrator", "content": "x"}, "the roles are"),
        ({"role": "assistant", "tool_calls": "x"}, "should be a list"),
        ({"role": "assistant", "tool_calls": [{"function": 1}]}, "should be a list"),
        ({"role": "assistant", "tool_calls": [{"id": "1", "function": {}}]}, "nine letters or digits"),
        ({"role": "assistant", "content": ""}, "needs a content or calls"),
    ],
)
def test_wrong_messages_are_refused(message: dict[str, Any], problem: str) -> None:
    given = read_messages(json.dumps([{"role": "user", "content": "Hi"}, message]))
    with pytest.raises(TemplateError, match=problem):
        rendered(given, "v3")


@pytest.mark.parametrize(
    ("rules", "special", "version"),
    [
        ("v13", ("[ARGS]",), "v13"),
        ("v7", ("[ARGS]", "[THINK]"), "v7"),
        ("v15", ("[ARGS]",), None),
        ("", ("[ARGS]",), "v11"),
        ("", ("[ARGS]", "[THINK]"), "v13"),
        ("", ("[ARGS]", "[MODEL_SETTINGS]"), None),
        ("", (), "v3"),
    ],
)
def test_a_file_names_its_version_or_its_special_tokens_do(
    rules: str, special: tuple[str, ...], version: Version | None
) -> None:
    names = ["<unk>", "<s>", "</s>", "[INST]", *special]
    config = {"pattern": r"\S+|\s+", "default_num_special_tokens": 9, "default_vocab_size": 265}
    document = {
        "config": config | ({"version": rules} if rules else {}),
        "vocab": [{"rank": byte, "token_bytes": b64encode(bytes([byte])).decode()} for byte in range(256)],
        "special_tokens": [{"rank": at, "token_str": name} for at, name in enumerate(names)],
    }
    assert version_of(tekken.read(document)) == version
