"""Stored conversations: shared, shown, embedded, previewed in links, downloaded."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.share.test_share import deletion, link
from tests.site import HTMX, Page
from webapp.chat import templates

TALK: dict[str, Any] = {
    "role": ["system", "user", "assistant", "tool"],
    "content": ["Be brief. " * 300, "研究生命 <b>\U000f0000</b><|im_end|>", "", "4"],
    "extra": ["", "", '{"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}', '{"tool_call_id": "a"}'],
    "tools": '[{"type": "function", "function": {"name": "f"}}]',
    "template": "chatml",
    "vocabulary": "bpe-bytes",
    "context": "8192",
    "price": "2.5",
    "price_before": "",
}


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    """Return the site, once on SQLite and once on PostgreSQL."""
    return storing_app


def stage(page: str) -> str:
    """Return the stage without what depends on the page: the tools and the choice of a view."""
    part = page[page.index('<section class="stage') : page.index('<p id="summary"')]
    part = re.sub(r'(?s)<div class="tools few">.*?</header>', "</header>", part)
    part = re.sub(r'(?s)<p class="line"><button[^>]*id="edit".*?</p>', "", part)
    part = re.sub(r'(?s)<div class="seg.*?</div>', "", part)
    return re.sub(r"\s+", " ", part)


def test_a_stored_conversation_is_shown_unchanged(client: FlaskClient) -> None:
    shown = client.post("/messages", data=TALK).text
    address = link(client.post("/share", data={**TALK, "title": "A <talk>", "note": "Look."}))
    kept = client.get(address)
    assert kept.status_code == 200
    assert stage(kept.text) == stage(shown)
    assert "A &lt;talk&gt;" in kept.text
    assert "Look." in kept.text
    assert kept.headers["X-Robots-Tag"] == "noindex"
    for view in ("template", "ids"):
        other = client.post("/messages", data={**TALK, "view": view}).text
        assert stage(client.get(f"{address}?view={view}").text) == stage(other)


def test_it_needs_neither_its_template_nor_its_vocabulary(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = link(client.post("/share", data=TALK))
    before = stage(client.get(address).text)

    def fail(*_arguments: object, **_more: object) -> None:
        raise AssertionError

    monkeypatch.setattr(templates, "BUILT_IN", {})
    monkeypatch.setattr("webapp.tokenization.conversation.count.render", fail)
    monkeypatch.setattr("webapp.tokenization.conversation.count.tokenizer_of", fail)
    monkeypatch.setattr("webapp.vocabularies.language_models.model_of", fail)
    assert stage(client.get(f"{address}?view=tokens").text) == before


def test_a_copy_has_the_same_messages(client: FlaskClient) -> None:
    page = client.get(link(client.post("/share", data=TALK))).text
    copy = page[page.index('<form method="post" action="/messages">') :]
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', copy[: copy.index("</form>")])
    answer = client.post("/messages", data={name: html.unescape(value) for name, value in fields})
    assert stage(answer.text) == stage(client.post("/messages", data=TALK).text)
    assert "tool_call_id" in answer.text


def test_the_same_conversation_has_the_same_content_and_each_share_can_be_deleted(client: FlaskClient) -> None:
    first = client.post("/share", data=TALK)
    address = link(first)
    found = client.get(f"{address}.json").get_json()
    assert found["text"] == found["prompt"]
    assert len(found["ids"]) == len(found["pieces"]) == len(found["offsets"]) == found["tokens"]
    assert found["conversation"]["messages"][3] == {"role": "tool", "content": "4", "tool_call_id": "a"}
    assert found["figures"]["window"] == 8192
    assert client.get(f"/api/v1/snapshots/{address.rpartition('/')[2]}").status_code == 404
    client.post(deletion(first))
    assert client.get(address).status_code == 410


def test_it_is_embedded_previewed_and_downloaded(client: FlaskClient) -> None:
    address = link(client.post("/share", data=TALK))
    frame = client.get(f"{address}/embed").text
    assert 'class="meter"' in frame
    assert "<button" not in frame
    assert client.get(f"{address}.png").data.startswith(b"\x89PNG")
    assert client.get("/oembed", query_string={"url": f"http://localhost{address}"}).get_json()["type"] == "rich"
    prompt = client.get(f"{address}/tokens.txt").get_data(as_text=True)
    assert prompt == client.get(f"{address}.json").get_json()["prompt"]
    assert client.get(f"{address}/tokens.csv").status_code == 200
    assert client.get(f"{address}/tokens.svg").status_code == 404


def test_htmx_gets_the_link_alone_and_what_cannot_be_counted_is_refused(client: FlaskClient) -> None:
    answer = client.post("/share", data=TALK, headers=HTMX)
    assert answer.status_code == 201
    assert "<html" not in answer.text
    wrong = client.post("/share", data={**TALK, "template": "own", "source": "{% x"})
    assert wrong.status_code == 422
    assert "Line 1" in " ".join(Page(wrong.text).problems)
    nothing = client.post("/share", data={"messages": "[]"})
    assert nothing.status_code == 422
