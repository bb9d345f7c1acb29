"""`POST /api/v1/messages`: the counts of the page, and refusals that name the part of the request."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

TALK = [{"role": "user", "content": "研究 tokens"}, {"role": "assistant", "content": "Yes."}]
USER = {"role": "user", "content": "a"}


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


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"messages": []}, 422, "#/messages"),
        ({"messages": [USER] * 501}, 422, "#/messages"),
        ({"messages": [{"content": "a"}]}, 409, "#/messages/0"),
        ({"messages": [USER, {"role": "user", "content": [{"type": "image_url"}]}]}, 409, "#/messages/1"),
        ({"messages": [{**USER, "content": "a" * 1_100_000}]}, 413, "#/messages"),
        ({"messages": ["a"]}, 422, "#/messages/0"),
        ({"template": "nope"}, 404, "#/template"),
        ({"template": "vocabulary"}, 409, "#/template"),
        ({"template": "chatml", "template_source": "a"}, 409, "#/template_source"),
        ({"template_source": "{% for"}, 409, "#/template_source"),
        (
            {"template_source": "{% for a in range(9999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"},
            409,
            "#/template_source",
        ),
        ({"template_source": "{{ 'a' * 10 ** 10 }}"}, 409, "#/template_source"),
        ({"template_source": "a" * 100_001}, 413, "#/template_source"),
        ({"model": "nothing"}, 404, "#/model"),
        ({"vocabulary": "nope"}, 404, None),
        ({"reply": "yes"}, 422, "#/reply"),
        ({"markers": "none"}, 422, "#/markers"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    client: FlaskClient, body: dict[str, Any], status: int, pointer: str | None
) -> None:
    answer = post(client, **body)
    assert answer.status_code == status, answer.text[:300]
    assert answer.mimetype == "application/problem+json"
    if pointer:
        assert answer.get_json()["errors"][0]["pointer"] == pointer
