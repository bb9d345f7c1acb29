"""`tokenscope messages`: the tokens of a conversation by message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line.test_command_line import output, run

TALK = [{"role": "user", "content": "Hi <|im_end|>"}, {"role": "assistant", "content": "你好"}]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"messages": TALK, "tools": []}), encoding="utf-8")
    return path


def test_the_counts_are_printed_by_message(talk: Path) -> None:
    rows = [line.split("\t") for line in output("messages", talk).splitlines()]
    found = json.loads(output("messages", "--json", talk))
    assert rows[0] == ["message", "role", "tokens", "content", "added"]
    assert rows[1:3] == [
        [str(at), one["role"], *(str(one[name]) for name in ("tokens", "content", "added"))]
        for at, one in enumerate(found["messages"], 1)
    ]
    assert rows[-1] == ["", "total", *(str(found[name]) for name in ("tokens", "content", "added"))]
    assert [each["text"] for each in found["injected"]] == ["<|im_end|>"]
    assert found["tokens"] == len(found["ids"])


def test_template_reply_and_markers_are_chosen(talk: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.jinja"
    own.write_text("{{ messages[1].content }}{% if add_generation_prompt %}!{% endif %}", encoding="utf-8")
    assert output("messages", "--prompt", "-t", own, talk) == "你好!"
    assert output("messages", "--prompt", "--no-reply", "-t", own, talk) == "你好"
    single, text = (json.loads(output("messages", "--json", "--markers", how, talk)) for how in ("single", "text"))
    assert text["tokens"] > single["tokens"]
    assert "<start_of_turn>" in output("messages", "--prompt", "-t", "gemma", given=json.dumps(TALK))


@pytest.mark.parametrize(
    ("arguments", "given", "status", "message"),
    [
        ((), "[", 1, "standard input: not JSON"),
        ((), '[{"role": "user"}]', 1, "message 1: the content is missing"),
        (("-t", "nope"), json.dumps(TALK), 2, "there is no chat template"),
        (("-v", "nope"), json.dumps(TALK), 2, "there is no vocabulary"),
        (("-m", "nope"), json.dumps(TALK), 2, "there is no model"),
        (("-m", "gpt-4o", "-v", "wordpiece"), json.dumps(TALK), 0, ""),
        (("missing.json",), "", 1, "missing.json"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], given: str, status: int, message: str) -> None:
    done = run("messages", *arguments, given=given)
    assert (done.returncode, message in done.stderr.decode()) == (status, True), done.stderr
    assert b"Traceback" not in done.stderr


def test_a_line_of_a_template_is_not_taken_for_one_of_the_conversation(talk: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.jinja"
    own.write_text("\n{{ 1", encoding="utf-8")
    done = run("messages", "-t", own, talk)
    assert done.returncode == 1
    assert f"template {own}: line 2: not Jinja" in done.stderr.decode()
