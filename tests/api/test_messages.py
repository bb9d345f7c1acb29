"""`POST /api/v1/messages`: the counts of the page, and refusals that name the part of the request."""

from __future__ import annotations

from typing import Any

from flask.testing import FlaskClient

TALK = [{"role": "user", "content": "研究 tokens"}, {"role": "assistant", "content": "Yes."}]


def post(client: FlaskClient, **body: Any) -> Any:
    return client.post("/api/v1/messages", json={"messages": TALK, **body})


def test_the_counts_are_those_of_the_page(client: FlaskClient) -> None:
    found = post(client).get_json()
    page = client.get(
        "/messages.json",
        query_string={
            "vocabulary": "o200k_base",
            "messages": '[{"role":"user","content":"研究 tokens"},{"role":"assistant","content":"Yes."}]',
        },
    ).get_json()
    assert found["published"]["model"] == "gpt-4o-2024-08-06"
    assert {**page, "vocabulary": "o200k_base", "template": "chatml", "published": found["published"]} == found
    assert found["tokens"] == sum(one["tokens"] for one in found["messages"]) + found["reply"] + found["other"]
    short = post(client, want=["prompt"], reply=False, template="gemma").get_json()
    assert short["prompt"].startswith("<bos><start_of_turn>user\n研究 tokens")
    assert short["reply"] == 0
    assert "ids" not in short
    assert "spans" not in short


def test_tools_and_a_template_of_ones_own(client: FlaskClient) -> None:
    source = "{{ tools | length }}{{ messages[1].tool_calls[0].function.name }}{{ messages[0].content }}"
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    found = post(client, messages=[TALK[0], call], tools=[{"a": 1}], template_source=source).get_json()
    assert found["prompt"] == "1f研究 tokens"
    assert found["template"] == "own"
