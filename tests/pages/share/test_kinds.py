"""What holds for everything that is shared: results, comparisons and conversations."""

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.pages.playground.test_uploads import small_site
from tests.pages.share.test_share import deletion, kept, link, share_again
from tests.site import HTMX, Page
from webapp.chat import templates
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TEXT = "研究生命 and the lowest 👍🏽\n  tab\there"
ROWS = ["bpe:bpe-bytes", "unigram:unigram", "fmm:own-dictionary", "wordpiece:learned-wordpiece"]
COMPARISON: dict[str, Any] = {"text": TEXT, "with": ROWS, "dictionary": "研究\n生命", "size": "30", "runs": "0"}
TALK: dict[str, Any] = {
    "role": ["system", "user", "assistant", "tool"],
    "content": ["Be brief. " * 300, "研究生命 <b>\U000f0000</b><|im_end|>", "", "4"],
    "extra": ["", "", '{"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}', '{"tool_call_id": "a"}'],
    "tools": '[{"type": "function", "function": {"name": "f"}}]',
    "template": "chatml",
    "vocabulary": "cl100k_base",
    "model": "gpt-4",
}
RESULT = {"text": TEXT, "algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "研究\n生命"}
KINDS = {"result": RESULT, "comparison": COMPARISON, "conversation": TALK}
OTHERS = {
    "result": {"algorithm": "bmm"},
    "comparison": {"with": ROWS[::-1]},
    "conversation": {"template": "llama-3"},
}
of_each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    """Return the site, once on SQLite and once on PostgreSQL."""
    return storing_app


def share(client: FlaskClient, kind: str, *, headers: dict[str, str] | None = None, **form: object) -> TestResponse:
    return client.post("/share", data={**KINDS[kind], **form}, headers=headers or {})


def shown(page: str) -> str:
    """Return the tokens as they are drawn, without what depends on the page."""
    if 'id="aligned"' in page:
        page = re.sub(r'<a href="[^"]*" title|<span class="head" title', "<head title", page)  # a frame has no links
        page = re.sub("</b>(</a>|</span>)(?=<head|</div>)", "</b></head>", page)
        start = page.index('<div id="aligned"')
        return page[start : page.index("\n</div>", start)]
    if '<p id="summary"' not in page:
        return str([(text, classes) for text, classes, _attributes in Page(page).tokens])
    part = page[page.index('<section class="stage') : page.index('<p id="summary"')]
    part = re.sub(r'(?s)<div class="tools few">.*?</header>', "</header>", part)
    part = re.sub(r'(?s)<p class="line"><button[^>]*id="edit".*?</p>|<div class="seg.*?</div>', "", part)
    return re.sub(r"\s+", " ", part)


PAGES = {"result": "/", "comparison": "/compare", "conversation": "/messages"}


@of_each_kind
def test_a_page_shows_what_was_shared_with_title_and_note(client: FlaskClient, kind: str) -> None:
    address = link(share(client, kind, title="Four <ways>", note="<b>Look</b>\nhere."))
    page = client.get(address)
    assert page.status_code == 200
    assert shown(page.text) == shown(client.post(PAGES[kind], data=KINDS[kind], follow_redirects=True).text)
    assert "Four &lt;ways&gt;" in page.text
    assert "&lt;b&gt;Look&lt;/b&gt;\nhere." in page.text
    assert "Today the same text" not in page.text
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in page.text
    assert client.get(address, headers={"If-None-Match": page.headers["ETag"]}).status_code == 304


@of_each_kind
def test_opening_a_copy_gives_the_same(client: FlaskClient, kind: str) -> None:
    page = client.get(link(share(client, kind))).text
    copy = page[page.index(f'<form method="post" action="{PAGES[kind]}">') :].partition("</form>")[0]
    form: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', copy):
        form.setdefault(html.unescape(name), []).append(html.unescape(value))
    assert shown(client.post(PAGES[kind], data=form, follow_redirects=True).text) == shown(page)


@of_each_kind
def test_the_same_content_has_one_link_and_every_share_its_own_secret(client: FlaskClient, kind: str) -> None:
    one, again = share(client, kind), share(client, kind)
    assert link(one) == link(again)
    assert re.fullmatch(r"/s/[2-9a-hjkmnp-z]{9,}", link(one))
    assert "shared before" in again.text
    assert link(share(client, kind, title="mine")) != link(one)
    assert link(share(client, kind, **OTHERS[kind])) != link(one)
    assert "Someone else has shared" in client.post(deletion(again)).text
    assert client.get(link(one)).status_code == 200
    client.post(deletion(one))
    for ending in ("", ".json", ".png", "/embed", "/tokens.json"):
        gone = client.get(f"{link(one)}{ending}")
        assert (gone.status_code, "json" in gone.mimetype) == (410, "json" in ending)
    assert client.get(link(share(client, kind))).status_code == 200


@of_each_kind
def test_it_is_embedded_and_previewed(client: FlaskClient, kind: str) -> None:
    path = link(share(client, kind, title="Words & cuts"))
    frame, page = client.get(f"{path}/embed"), client.get(path)
    assert "frame-ancestors" not in frame.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in frame.headers
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Frame-Options"] == "DENY"
    assert not re.search("<(script|form|button)", frame.text)
    if kind == "conversation":
        assert 'class="meter"' in frame.text
    else:
        assert shown(frame.text) == shown(page.text)
    told = dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[a-z:]+)" content="([^"]*)"', page.text))
    assert (told["og:title"], told["og:url"]) == ("Words &amp; cuts", f"http://localhost{path}")
    assert told["twitter:card"] == "summary_large_image"
    picture = client.get(told["og:image"].removeprefix("http://localhost"))
    assert picture.mimetype == "image/png"
    assert picture.data[16:24] == (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")
    discovered = html.unescape(re.findall(r'type="application/json\+oembed" href="([^"]+)"', page.text)[0])
    answer = client.get(discovered.removeprefix("http://localhost")).get_json()
    assert (answer["type"], answer["title"]) == ("rich", "Words & cuts")
    assert f'src="http://localhost{path}/embed"' in answer["html"]


FILES = {
    "result": ("svg", "png", "html", "json", "csv", "txt"),
    "comparison": ("svg", "png", "txt", "json"),
    "conversation": ("json", "csv", "txt"),
}


@of_each_kind
def test_its_files(client: FlaskClient, kind: str) -> None:
    path = link(share(client, kind))
    for ending in ("svg", "png", "html", "json", "csv", "txt"):
        answer = client.get(f"{path}/tokens.{ending}?separator=bar&colours=dark")
        expected = ending in FILES[kind] and (kind, ending) != ("comparison", "json")
        assert (ending, answer.status_code) == (ending, 200 if expected else 404)
        if kind == "result":
            query = {**RESULT, "separator": "bar", "colours": "dark"}
            assert answer.data == client.get(f"/download/tokens.{ending}", query_string=query).data
            assert answer.headers["Content-Disposition"] == f"attachment; filename=tokens.{ending}"
    assert client.get(f"{path}?token=1").status_code == 200  # also where there are no single tokens to select


REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("comparison", {"with": [*ROWS[:2], "bpe:nope"]}, 422, "Remove the other rows"),
    ("comparison", {"with": [*ROWS[:2], "bpe:llama-3"]}, 503, "could not be fetched"),
    ("comparison", {"text": "x" * 1_100_000}, 413, "1,048,576"),
    ("result", {"title": "x" * 121}, 422, "The title has 121 characters; the limit is 120."),
    ("comparison", {"note": "x" * 2001}, 422, "The note has 2,001 characters; the limit is 2,000."),
    ("conversation", {"keep": "until", "until": "2020-01-01"}, 422, "Choose a day after today"),
    ("result", {"keep": "until"}, 422, "Choose a day after today"),
    ("result", {"vocabulary": "nobody-knows"}, 404, "There is no vocabulary"),
    ("result", {"text": "x" * 1_048_577}, 413, "The text has 1,048,577 bytes"),
    ("result", {"dictionary": "\ufeff\ufeff研究\n"}, 422, "its vocabulary cannot be stored: the word"),
]


@pytest.mark.parametrize(("kind", "form", "status", "message"), REFUSED)
def test_what_cannot_be_stored_is_refused_and_the_form_stays(
    client: FlaskClient, kind: str, form: dict[str, Any], status: int, message: str
) -> None:
    answer = share(client, kind, **form)
    assert answer.status_code == status
    assert message in " ".join(Page(answer.text).problems)
    assert f'action="{PAGES[kind]}"' in answer.text
    if kind != "conversation":
        assert f'name="text" value="{html.escape(form.get("text", TEXT))}"' in answer.text
    assert "Location" not in answer.headers


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}])
def test_requests_from_other_sites_cannot_store_anything(client: FlaskClient, headers: dict[str, str]) -> None:
    shared = share(client, "result")
    assert share(client, "result", headers=headers, text="from elsewhere").status_code == 403
    for path in ("/upload", deletion(shared), f"{link(shared)}/report"):
        assert client.post(path, data={"text": "x", "reason": "x"}, headers=headers).status_code == 403
    assert client.get(link(shared)).status_code == 200


@of_each_kind
def test_the_operator_removes_it_permanently(app: Flask, client: FlaskClient, kind: str) -> None:
    path = link(share(client, kind))
    assert client.post(f"{path}/report", data={"reason": "It is not nice."}).status_code == 200
    runner, id = app.test_cli_runner(), path.rpartition("/")[2]
    assert "It is not nice." in runner.invoke(args=["snapshots", "reports"]).output
    assert runner.invoke(args=["snapshots", "remove", id]).exit_code == 0
    gone, again = client.get(path), share(client, kind)
    assert (gone.status_code, again.status_code) == (410, 410)
    assert "was removed" in gone.text
    assert "has removed this result" in again.text


@pytest.mark.parametrize("kind", ["result", "comparison"])
@pytest.mark.parametrize("text", ["", "\ud800 <script>alert(1)</script>\x00"])
def test_any_text_can_be_shared(client: FlaskClient, kind: str, text: str) -> None:
    path = link(share(client, kind, text=text.encode("utf-8", "surrogatepass")))
    page = client.get(path)
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert client.get(f"{path}.png").status_code == client.get(f"{path}/embed").status_code == 200


def test_a_full_site_keeps_the_text_in_the_form(app: Flask) -> None:
    with small_site(app, MAX_SNAPSHOTS_BYTES=10) as client:
        for answer in (share(client, "result"), share(client, "comparison"), share(client, "result", headers=HTMX)):
            assert answer.status_code == 507
            assert "no storage left for shared results" in answer.text
        assert f'name="text" value="{TEXT}"' in share(client, "comparison").text
        by_api = client.post("/api/v1/snapshots", json={"text": TEXT})
        assert (by_api.status_code, "storage is full" in by_api.json["detail"]) == (507, True)


def test_the_json_of_a_comparison_has_every_row(client: FlaskClient) -> None:
    path = link(share(client, "comparison"))
    twin = client.get(f"{path}.json").get_json()
    assert (twin["text"], twin["rows"][0]["decoded"]) == (TEXT, TEXT)
    assert [f"{row['algorithm']}:{row['vocabulary']}" for row in twin["rows"]] == ROWS
    assert twin["rows"][1]["ids"] == list(shipped_tokenizer("unigram").ids(TEXT))
    assert client.get(path.replace("/s/", "/api/v1/snapshots/")).get_json() == twin


def test_rows_that_would_differ_today_are_mentioned(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, "comparison"))
    snapshot = kept(app, path)
    row, *rows = snapshot.rows
    changed = replace(row, ids=(*row.ids[:-1], row.ids[0]))
    other = share_again(app, path, state={**snapshot.state, "note": "old"}, rows=(changed, *rows))
    assert "Today the same text would get different ids" in client.get(other).text


def test_a_conversation_needs_neither_its_template_nor_its_vocabulary(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = link(share(client, "conversation"))
    before = shown(client.get(address).text)
    for view in ("template", "ids"):
        other = client.post("/messages", data={**TALK, "view": view}).text
        assert shown(client.get(f"{address}?view={view}").text) == shown(other)

    def fail(*_arguments: object, **_more: object) -> None:
        raise AssertionError

    monkeypatch.setattr(templates, "BUILT_IN", {})
    monkeypatch.setattr("webapp.tools.messages.result.render", fail)
    monkeypatch.setattr("webapp.tools.messages.result.tokenizer_of", fail)
    monkeypatch.setattr("webapp.vocabularies.language_models.model_of", fail)
    assert shown(client.get(f"{address}?view=tokens").text) == before


def test_the_json_of_a_conversation_has_its_messages_and_its_prompt(client: FlaskClient) -> None:
    address = link(share(client, "conversation"))
    found = client.get(f"{address}.json").get_json()
    assert found["text"] == found["prompt"] == client.get(f"{address}/tokens.txt").get_data(as_text=True)
    assert len(found["ids"]) == len(found["pieces"]) == len(found["offsets"]) == found["tokens"]
    assert found["conversation"]["messages"][3] == {"role": "tool", "content": "4", "tool_call_id": "a"}
    assert client.get(f"/api/v1/snapshots/{address.rpartition('/')[2]}").status_code == 404
