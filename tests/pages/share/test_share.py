"""Stored results: shared, shown, embedded, previewed in links, reported, deleted."""

import html
import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import HTMX, Page
from webapp.storage import Snapshot, UnavailableStorageError, storage_of
from webapp.vocabularies import shipped_tokenizer


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    """Return the site, once on SQLite and once on PostgreSQL."""
    return storing_app


TEXT = "研究生命科学 and the lowest 👍🏽\n  tab\there"
DICTIONARY = "研究\n研究生\n生命\n科学"
ADDRESS = re.compile(r'id="link" readonly value="([^"]+)"')
SECRET = re.compile(r'id="deletion" readonly value="([^"]+)"')


def share(client: FlaskClient, *, headers: dict[str, str] | None = None, **form: str) -> TestResponse:
    return client.post("/share", data={"text": TEXT, "algorithm": "bpe", **form}, headers=headers or {})


def link(answer: TestResponse) -> str:
    """Return the path of the link that the response to sharing shows."""
    assert answer.status_code == 201, Page(answer.text).problems
    return urlsplit(html.unescape(ADDRESS.findall(answer.text)[0])).path


def deletion(answer: TestResponse) -> str:
    return urlsplit(html.unescape(SECRET.findall(answer.text)[0])).path


def kept(app: Flask, path: str) -> Snapshot:
    """Return what is stored of a shared result."""
    stored = storage_of(app).snapshots.get(path.rsplit("/", 1)[-1])
    assert stored
    return stored.snapshot


def share_again(app: Flask, path: str, expires: datetime | None = None, **changes: Any) -> str:
    """Store a shared result with changes, and return the path of its link."""
    return f"/s/{storage_of(app).snapshots.share(replace(kept(app, path), **changes), expires=expires).id}"


STATES = [
    {"algorithm": "bpe", "vocabulary": "learned-bytes", "size": "20", "ties": "lower-ids"},
    {"algorithm": "wordpiece", "lowercase": "1"},
    {"algorithm": "wordpiece", "vocabulary": "learned-wordpiece"},
    {"algorithm": "unigram", "vocabulary": "learned-unigram"},
    {"algorithm": "fmm", "runs": "0"},
    {"algorithm": "bmm", "vocabulary": "own-dictionary", "dictionary": DICTIONARY, "edits": "-研究\n研究生命 3"},
    {"algorithm": "max-probability", "edits": "-研究\n研究生命 3", "hmm": "0", "mode": "full"},
    {"algorithm": "ngram", "order": "3", "smoothing": "add-one"},
    {"algorithm": "bpe", "inference": "dropout", "dropout": "0.4", "seed": "2"},
    {"algorithm": "bpe", "prefix": "<|endoftext|>", "added": "lowest"},
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(state.values())[:40])
def test_a_stored_result_is_shown_unchanged(client: FlaskClient, state: dict[str, str]) -> None:
    shown = Page(client.get("/", query_string={"text": TEXT, **state}).text)
    kept = Page(client.get(link(share(client, **state))).text)
    assert kept.ids == shown.ids
    assert [(text, classes) for text, classes, _ in kept.tokens] == [
        (text, classes) for text, classes, _ in shown.tokens
    ]
    assert kept.between == shown.between
    assert kept.figures == shown.figures
    assert "Today the same text" not in kept.text
    for sentence in ("not the vocabulary’s own rule", "words in full mode", "Dashed outline"):
        assert (sentence in kept.text) == (sentence in shown.text)


@pytest.mark.parametrize(("algorithm", "unit"), [("fmm", "words"), ("bpe", "tokens")])
def test_what_is_counted_has_one_name(client: FlaskClient, algorithm: str, unit: str) -> None:
    path = link(share(client, algorithm=algorithm, text="研究生命科学的人"))
    page, frame = client.get(path).text, client.get(f"{path}/embed").text
    count = int(re.search(r'data-tokens="(\d+)"', page)[1])  # type: ignore[index]
    assert f"<h1>{count} {unit} · " in page
    assert f'content="{count} {unit} from 8 characters, by' in page
    assert f"<b>{count}</b> {unit}" in frame
    assert f" {count} {unit}</text>" in client.get(f"{path}/tokens.svg").text


def test_deleting_with_the_secret(client: FlaskClient) -> None:
    answer = share(client, text="to be deleted")
    path, secret = link(answer), deletion(answer)
    assert "Delete this snapshot?" in client.get(secret).text
    assert client.post(f"{path}/delete/not-the-secret").status_code == 403
    assert client.get(path).status_code == 200
    assert "The snapshot was deleted" in client.post(secret).text
    gone = client.get(path)
    assert gone.status_code == 410
    assert "was deleted" in gone.text
    assert "to be deleted" not in gone.text
    assert client.get(secret).status_code == 410


def test_an_expired_result_is_410(app: Flask, client: FlaskClient) -> None:
    answer = share(client, text="already over", keep="until", until="2099-01-01")
    path = link(answer)
    assert "kept until January 1, 2099 (UTC)" in Page(client.get(path).text).text
    answer = client.get(share_again(app, path, datetime.now(UTC) - timedelta(days=1), text="over and done"))
    assert answer.status_code == 410
    assert "has expired" in answer.text
    assert "over and done" not in answer.text


@pytest.mark.parametrize("id", ["zzzzzzzzz", "UPPER1234", "a" * 300, "%00", "<script>"])
def test_an_unknown_id_is_404(client: FlaskClient, id: str) -> None:
    answer = client.get(f"/s/{id}")
    assert answer.status_code == 404
    assert "<script>" not in answer.text
    assert client.get(f"/s/{id}.json").mimetype == "application/problem+json"


def test_details_of_a_token_of_a_stored_result(client: FlaskClient) -> None:
    answer = share(client, token="2")
    address = html.unescape(ADDRESS.findall(answer.text)[0])
    assert address == f"http://localhost{link(answer)}?token=2#selected"
    path = link(share(client))
    assert path == link(answer)
    detail = f'<span class="token-id push">{shipped_tokenizer("bpe-bytes").ids(TEXT)[2]}</span>'
    page = client.get(f"{path}?token=2")
    assert Page(page.text).selected == [2]
    assert detail in page.text
    part = client.get(f"{path}?token=2", headers=HTMX)
    assert "<html" not in part.text
    assert detail in part.text
    for wrong in ("99999", "-1", "abc"):
        assert client.get(f"{path}?token={wrong}").status_code == 404


def test_oembed_respects_the_size_and_has_results_of_this_site_alone(client: FlaskClient) -> None:
    path = link(share(client))
    small = client.get(f"/oembed?url=http://localhost{path}&maxwidth=300&maxheight=100").get_json()
    assert (small["width"], small["height"]) == (300, 100)
    none = client.get(f"/oembed?url=http://localhost{path}&maxwidth=-3&maxheight=wide").get_json()
    assert (none["width"], none["height"]) == (640, 320)
    assert client.get("/oembed?url=http://localhost/s/zzzzzzzzz").mimetype == "application/problem+json"
    assert client.get("/oembed?url=http://elsewhere.example/").status_code == 404
    assert client.get(f"/oembed?url=http://localhost{path}&format=xml").status_code == 501


def test_ids_that_would_differ_today_are_mentioned(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="as it was"))
    other = {"ids": [kept(app, path).ids[0]] * 3, "text": "as it was then", "starts": [0, 2, 5], "ends": [2, 5, 9]}
    page = Page(client.get(share_again(app, path, **other, core_version="0.0.1")).text)
    assert page.ids == other["ids"]
    assert "by version 0.0.1. Today the same text would get different ids." in page.text


def test_it_renders_without_its_vocabulary(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="the lowest"))
    was = kept(app, path)
    state = {**was.state, "vocabulary": "upload-0123456789abcdef", "vocabulary_hash": "0" * 64}
    page = Page(client.get(f"{share_again(app, path, state=state)}?token=1").text)
    assert page.ids == list(was.ids)
    assert "".join(page.pieces) == "the lowest"


def test_the_page_cache_is_separate_for_each_theme(client: FlaskClient) -> None:
    path = link(share(client, title="remembered in the dark"))
    system = client.get(path)
    seen = {None: system.headers["ETag"]}
    for theme in ("dark", "light"):
        client.set_cookie("theme", theme)
        answer, again = client.get(path), client.get(path, headers={"If-None-Match": seen[None]})
        assert Page(answer.text).theme == Page(again.text).theme == theme
        seen[theme] = answer.headers["ETag"]
    assert len(set(seen.values())) == 3
    client.delete_cookie("theme")
    assert client.get(path).data == system.data


@pytest.mark.parametrize(
    ("site", "inlined"), [("none", True), ("cross-site", True), ("same-origin", False), ("", False)]
)
def test_a_page_that_is_opened_from_elsewhere_has_its_styles_in_it(
    client: FlaskClient, site: str, inlined: bool
) -> None:
    """Also a shared page from the cache, which its second request gets."""
    path = link(share(client, title="sent to a friend"))
    for page in ("/", "/learn/why", path, path, f"{path}/embed", "/nope"):
        answer = client.get(page, headers={"Sec-Fetch-Site": site} if site else {})
        sheets = re.findall("(?s)<style>(.*?)</style>", answer.text)
        digests = {b64encode(sha256(sheet.encode()).digest()).decode() for sheet in sheets}
        assert digests == set(re.findall("'sha256-(.*?)'", answer.headers["Content-Security-Policy"]))
        assert (bool(sheets), 'rel="stylesheet"' in answer.text) == (inlined, not inlined)


def test_what_stands_under_the_tokens_of_a_stored_result(client: FlaskClient) -> None:
    path = link(share(client, text="low", view="bytes"))
    for query, below in (("", "6C 6F 77"), ("?token=", "6C 6F 77"), ("?view=tokens", None)):
        page = Page(client.get(f"{path}{query}").text)
        assert [attributes.get("data-u") for _text, _classes, attributes in page.tokens] == [below]
        assert page.selected == []


def test_a_report_is_stored_as_typed(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="reported", title="Of this title"))
    assert "Of this title" in client.get(f"{path}/report").text
    for reason in ("   ", "x" * 2001):
        assert client.post(f"{path}/report", data={"reason": reason}).status_code == 422
    typed = "line\n" * 399 + "12345"  # exactly the limit, with each line end counted once
    assert client.post(f"{path}/report", data={"reason": typed.replace("\n", "\r\n")}).status_code == 200
    assert typed in [report.reason for report in storage_of(app).snapshots.reports()]


@pytest.mark.parametrize(
    "error", [UnavailableStorageError("away", "nobody answers"), RuntimeError("nobody foresaw it")]
)
def test_an_error_page_may_be_framed_in_the_embed(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_args: object) -> None:
        raise error

    monkeypatch.setattr("webapp.storage.snapshots.SnapshotStore.get", fail)
    answer = client.get("/s/zzzzzzzzz/embed")
    assert answer.status_code in (500, 503)
    assert "frame-ancestors" not in answer.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer.headers
    assert "<nav" not in answer.text
