"""Stored comparisons: shared, shown, embedded, previewed in links, reported, deleted."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.pages.share.test_share import deletion, link
from tests.site import HTMX, Page
from webapp.storage import storage
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TEXT = "研究生命 and the lowest 👍🏽\n  tab\there"
ROWS = ["bpe:bpe-bytes", "unigram:unigram", "fmm:own-dictionary", "wordpiece:learned-wordpiece"]
FORM: dict[str, Any] = {"text": TEXT, "with": ROWS, "dictionary": "研究\n生命", "size": "30", "runs": "0"}


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    """Return the site, once on SQLite and once on PostgreSQL."""
    return storing_app


def share(client: FlaskClient, *, headers: dict[str, str] | None = None, **form: object) -> TestResponse:
    return client.post("/share", data={**FORM, **form}, headers=headers or {})


def drawing_of(page: str) -> str:
    """Return the HTML of the drawing alone."""
    page = re.sub(r'<a href="[^"]*" title|<span class="head" title', "<head title", page)  # a frame has no links
    page = re.sub("</b>(</a>|</span>)(?=<head|</div>)", "</b></head>", page)
    start = page.index('<div id="aligned"' if '<div id="aligned"' in page else '<div id="rows"')
    return page[start : page.index("\n</div>", start)]


@pytest.mark.parametrize("layout", ["lines", "rows"])
def test_a_stored_comparison_is_shown_unchanged(client: FlaskClient, layout: str) -> None:
    shown = client.get("/compare", query_string={**FORM, "layout": layout}).text
    kept = client.get(link(share(client, layout=layout, title="Four <ways>", note="Look.")))
    assert kept.status_code == 200
    assert drawing_of(kept.text) == drawing_of(shown)
    assert "Four &lt;ways&gt;" in kept.text
    assert "Look." in kept.text
    assert "Shared boundaries" in kept.text
    assert "Encoding time" not in kept.text
    assert "Today the same text" not in kept.text
    assert 'name="with" value="fmm:own-dictionary"' in kept.text  # a copy can be opened
    assert kept.headers["X-Robots-Tag"] == "noindex"


def test_opening_a_copy_gives_the_same_comparison(client: FlaskClient) -> None:
    page = client.get(link(share(client))).text
    copy = page[page.index('<form method="post" action="/compare">') :]
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', copy[: copy.index("</form>")])
    form: dict[str, list[str]] = {}
    for name, value in fields:
        form.setdefault(html.unescape(name), []).append(html.unescape(value))
    answer = client.post("/compare", data=form)
    assert drawing_of(client.get(answer.location).text) == drawing_of(page)


def test_the_same_rows_have_the_same_link_and_another_order_has_another(client: FlaskClient) -> None:
    one, again, other = share(client), share(client), share(client, **{"with": ROWS[::-1]})
    assert link(one) == link(again)
    assert link(one) != link(other)
    assert deletion(one) != deletion(again)
    alone = client.post("/share", data={"text": TEXT, "algorithm": "bpe"})
    assert link(alone) != link(one)


def test_the_json_has_every_row(client: FlaskClient) -> None:
    path = link(share(client))
    twin = client.get(f"{path}.json").get_json()
    assert twin["text"] == TEXT
    assert [f"{row['algorithm']}:{row['vocabulary']}" for row in twin["rows"]] == ROWS
    assert twin["rows"][1]["ids"] == list(shipped_tokenizer("unigram").ids(TEXT))
    assert len({row["vocabulary_hash"] for row in twin["rows"]}) == 4
    assert twin["rows"][0]["decoded"] == TEXT
    by_api = client.get(path.replace("/s/", "/api/v1/snapshots/")).get_json()
    assert by_api == twin


def test_it_can_be_embedded_and_its_link_preview_has_a_picture(client: FlaskClient) -> None:
    path = link(share(client))
    frame = client.get(f"{path}/embed")
    assert frame.status_code == 200
    assert "frame-ancestors" not in frame.headers["Content-Security-Policy"]
    assert "<script" not in frame.text
    assert drawing_of(frame.text) == drawing_of(client.get(path).text)
    picture = client.get(f"{path}.png")
    assert picture.mimetype == "image/png"
    assert picture.data.startswith(b"\x89PNG")
    page = client.get(path).text
    assert 'property="og:image"' in page
    told = client.get("/oembed", query_string={"url": f"http://localhost{path}"}).get_json()
    assert "/embed" in told["html"]
    assert client.get(f"{path}/tokens.svg").mimetype == "image/svg+xml"
    assert client.get(f"{path}/tokens.png", query_string={"colours": "dark"}).mimetype == "image/png"
    assert "unigram" in client.get(f"{path}/tokens.txt").text.casefold()
    assert client.get(f"{path}/tokens.csv").status_code == 404
    assert client.get(path, query_string={"token": "1"}).status_code == 302


def test_a_reader_can_choose_the_other_layout(client: FlaskClient) -> None:
    path = link(share(client))
    page = client.get(path).text
    assert f'<a href="{path}?layout=rows">One below another</a>' in page
    other = client.get(path, query_string={"layout": "rows"})
    assert other.status_code == 200
    assert 'id="rows"' in other.text
    assert other.headers["X-Robots-Tag"] == "noindex"
    assert 'id="aligned"' in client.get(path).text


def test_deleting_it_deletes_its_vocabularies(app: Flask, client: FlaskClient) -> None:
    with app.app_context():
        before = storage().vocabularies.total_bytes()
    one, again = share(client), share(client)
    path = link(one)
    with app.app_context():
        kept = storage().snapshots.get(path.removeprefix("/s/"))
        assert kept is not None
        hashes = [row.state["vocabulary_hash"] for row in kept.snapshot.rows]
        assert all(storage().vocabularies.content(hash) for hash in hashes)
        assert not any(storage().vocabularies.delete(hash) for hash in hashes)
    assert client.post(deletion(one)).status_code == 200
    assert client.get(path).status_code == 200
    assert client.post(deletion(again)).status_code == 200
    for address in (path, f"{path}.json", f"{path}.png", f"{path}/embed"):
        assert client.get(address).status_code == 410
    with app.app_context():
        assert storage().vocabularies.total_bytes() == before
    assert link(share(client)) == path
    assert client.get(path).status_code == 200


def test_a_removed_comparison_cannot_be_shared_again(app: Flask, client: FlaskClient) -> None:
    path = link(share(client))
    assert client.post(f"{path}/report", data={"reason": "no"}).status_code == 200
    assert app.test_cli_runner().invoke(args=["snapshots", "remove", path.removeprefix("/s/")]).exit_code == 0
    assert client.get(path).status_code == 410
    again = share(client)
    assert again.status_code == 410
    assert "has removed this result" in again.text


@pytest.mark.parametrize(
    ("form", "status", "message"),
    [
        ({"with": [*ROWS[:2], "bpe:nope"]}, 422, "Remove the other rows"),
        ({"with": [*ROWS[:2], "bpe:llama-3"]}, 503, "could not be fetched"),
        ({"with": ROWS[:1]}, 422, "Choose at least two"),
        ({"text": "x" * 1_100_000}, 413, "1,048,576"),
        ({"keep": "until", "until": "2001-01-01"}, 422, "after today"),
        ({"title": "x" * 200}, 422, "limit is 120"),
    ],
)
def test_a_comparison_that_cannot_be_stored_is_refused_and_the_form_stays(
    client: FlaskClient, form: dict[str, Any], status: int, message: str
) -> None:
    answer = share(client, **form)
    assert answer.status_code == status
    assert message in " ".join(Page(answer.text).problems)
    assert 'action="/compare"' in answer.text
    for row in form.get("with", ROWS):
        assert f'<input type="hidden" name="with" value="{row}">' in answer.text


def test_htmx_gets_the_link_alone(client: FlaskClient) -> None:
    answer = share(client, headers=HTMX)
    assert answer.status_code == 201
    assert "<html" not in answer.text
    wrong = share(client, headers=HTMX, title="x" * 200)
    assert "limit is 120" in wrong.text
    page = client.get("/compare", query_string=FORM).text
    assert page.count('form="compare"') >= 5
    assert 'form="playground"' not in page


def test_tokens_that_would_differ_today_are_mentioned(app: Flask, client: FlaskClient) -> None:
    path = link(share(client))
    with app.app_context():
        kept = storage().snapshots.get(path.removeprefix("/s/"))
        assert kept is not None
        row = kept.snapshot.rows[0]
        changed = replace(row, ids=(*row.ids[:-1], row.ids[0]))
        other = replace(
            kept.snapshot, state={**kept.snapshot.state, "note": "old"}, rows=(changed, *kept.snapshot.rows[1:])
        )
        id = storage().snapshots.share(other, expires=None).id
    assert "Today the same text would get different ids" in client.get(f"/s/{id}").text


@pytest.mark.parametrize("text", ["", "\ud800 half", "<script>alert(1)</script>\x00"])
def test_any_text_can_be_shared(client: FlaskClient, text: str) -> None:
    answer = share(client, text=text.encode("utf-8", "surrogatepass"))
    page = client.get(link(answer))
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert client.get(f"{link(answer)}.png").status_code == 200
    assert client.get(f"{link(answer)}/embed").status_code == 200
