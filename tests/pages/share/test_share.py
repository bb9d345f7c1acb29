"""Stored results: shared, shown, embedded, previewed in links, reported, deleted."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import HTMX, Page
from webapp.storage import UnavailableStorageError, storage
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


STATES = [
    {"algorithm": "bpe"},
    {"algorithm": "bpe", "vocabulary": "bpe-characters"},
    {"algorithm": "bpe", "vocabulary": "learned-bytes", "size": "20"},
    {"algorithm": "bpe", "vocabulary": "learned-characters", "corpus": "low lower lowest", "size": "5"},
    {"algorithm": "wordpiece", "lowercase": "1"},
    {"algorithm": "wordpiece", "vocabulary": "learned-wordpiece"},
    {"algorithm": "unigram"},
    {"algorithm": "unigram", "vocabulary": "learned-unigram"},
    {"algorithm": "fmm", "runs": "0"},
    {"algorithm": "bmm", "vocabulary": "own-dictionary", "dictionary": DICTIONARY},
    {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": DICTIONARY, "edits": "-研究\n研究生命 3"},
    {"algorithm": "max-probability", "edits": "-研究\n研究生命 3", "hmm": "0"},
    {"algorithm": "ngram", "order": "3", "smoothing": "add-one"},
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


def test_the_same_state_has_one_link_and_every_share_its_own_secret(app: Flask, client: FlaskClient) -> None:
    one, again = share(client, text="one state"), share(client, text="one state")
    assert link(one) == link(again)
    assert deletion(one) != deletion(again)
    assert "shared before" in Page(again.text).text
    assert link(share(client, text="one state", algorithm="unigram")) != link(one)
    assert link(share(client, text="one state", title="mine")) != link(one)
    assert re.fullmatch(r"/s/[2-9a-hjkmnp-z]{9,}", link(one))


def test_settings_that_do_not_affect_the_result_do_not_change_the_link(client: FlaskClient) -> None:
    one = link(share(client, text="low lower", corpus="ignored by a vocabulary that ships", token="1"))
    assert link(share(client, text="low lower")) == one


def test_title_and_note_are_escaped(client: FlaskClient) -> None:
    page = client.get(link(share(client, title="<script>alert(1)</script>", note="<b>a</b>\nb"))).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;a&lt;/b&gt;\nb" in page


@pytest.mark.parametrize(
    ("form", "status", "message"),
    [
        ({"title": "x" * 121}, 422, "The title has 121 characters; the limit is 120."),
        ({"note": "x" * 2001}, 422, "The note has 2,001 characters; the limit is 2,000."),
        ({"keep": "until", "until": "2020-01-01"}, 422, "Choose a day after today"),
        ({"keep": "until"}, 422, "Choose a day after today"),
        ({"vocabulary": "nobody-knows"}, 404, "There is no vocabulary"),
        ({"algorithm": "nobody-knows"}, 404, "There is no such algorithm"),
        ({"text": "x" * 1_048_577}, 413, "The text has 1,048,577 bytes"),
        (
            {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "a b c d e"},
            422,
            "Line 1 of the dictionary",
        ),
    ],
)
def test_a_result_that_cannot_be_stored_is_refused_and_the_form_stays(
    client: FlaskClient, form: dict[str, str], status: int, message: str
) -> None:
    answer = share(client, **form)
    assert answer.status_code == status
    assert any(message in problem for problem in Page(answer.text).problems)
    text = form.get("text", TEXT)
    assert f'name="text" value="{html.escape(text)}"' in answer.text.replace("&#34;", "&quot;")
    assert "Location" not in answer.headers


def test_htmx_gets_the_part_alone(client: FlaskClient) -> None:
    answer = share(client, headers=HTMX, text="a part")
    assert answer.status_code == 201
    assert "<html" not in answer.text
    assert link(answer) == link(share(client, text="a part"))


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}])
def test_requests_from_other_sites_cannot_store_anything(client: FlaskClient, headers: dict[str, str]) -> None:
    assert share(client, headers=headers, text="from elsewhere").status_code == 403
    assert client.post("/upload", data={"text": "x"}, headers=headers).status_code == 403
    path = link(share(client, text="to be attacked"))
    secret = deletion(share(client, text="to be attacked"))
    assert client.post(secret, headers=headers).status_code == 403
    assert client.post(f"{path}/report", data={"reason": "x"}, headers=headers).status_code == 403
    assert client.get(path).status_code == 200


def test_requests_from_our_own_pages_can_share(client: FlaskClient) -> None:
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}):
        assert share(client, headers=headers).status_code == 201


def test_deleting_with_the_secret(client: FlaskClient) -> None:
    answer = share(client, text="to be deleted")
    path, secret = link(answer), deletion(answer)
    asked = client.get(secret)
    assert asked.status_code == 200
    assert "Delete this snapshot?" in asked.text
    assert client.get(path).status_code == 200
    wrong = client.post(f"{path}/delete/not-the-secret")
    assert wrong.status_code == 403
    assert "Nothing was deleted" in wrong.text
    assert "The snapshot was deleted" in client.post(secret).text
    gone = client.get(path)
    assert gone.status_code == 410
    assert "was deleted" in gone.text
    assert "to be deleted" not in gone.text
    assert client.get(f"{path}/embed").status_code == 410
    assert client.get(secret).status_code == 410


def test_deleting_does_not_break_the_link_of_another_visitor(client: FlaskClient) -> None:
    mine, theirs = share(client, text="shared twice"), share(client, text="shared twice")
    assert "Someone else has shared" in client.post(deletion(theirs)).text
    assert client.get(link(mine)).status_code == 200
    client.post(deletion(mine))
    assert client.get(link(mine)).status_code == 410
    assert client.get(link(share(client, text="shared twice"))).status_code == 200


def test_a_result_stored_until_a_day_shows_it(client: FlaskClient) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    answer = share(client, text="for a while", keep="until", until=tomorrow.isoformat())
    assert "It is kept until the end of" in Page(answer.text).text
    shown = f"kept until {tomorrow:%B} {tomorrow.day}, {tomorrow.year} (UTC)"
    assert shown in Page(client.get(link(answer)).text).text


def test_an_expired_result_is_410(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="already over", keep="until", until="2099-01-01"))
    with app.app_context():
        kept = storage().snapshots.get(path.rsplit("/", 1)[-1])
        assert kept
        yesterday = datetime.now(UTC) - timedelta(days=1)
        shared = storage().snapshots.share(
            type(kept.snapshot)(**{**vars_of(kept.snapshot), "text": "over and done"}), expires=yesterday
        )
    answer = client.get(f"/s/{shared.id}")
    assert answer.status_code == 410
    assert "has expired" in answer.text
    assert "over and done" not in answer.text


def vars_of(snapshot: object) -> dict[str, object]:
    return {name: getattr(snapshot, name) for name in snapshot.__dataclass_fields__}  # type: ignore[attr-defined]


def test_the_operator_removes_a_result_permanently(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="not to be seen"))
    assert client.post(f"{path}/report", data={"reason": "It is not nice."}).status_code == 200
    runner = app.test_cli_runner()
    listed = runner.invoke(args=["snapshots", "reports"])
    assert "It is not nice." in listed.output
    id = path.rsplit("/", 1)[-1]
    assert runner.invoke(args=["snapshots", "remove", id]).exit_code == 0
    gone = client.get(path)
    assert gone.status_code == 410
    assert "was removed" in gone.text
    assert share(client, text="not to be seen").status_code == 410
    unknown = runner.invoke(args=["snapshots", "remove", "zzzzzzzzz"])
    assert unknown.exit_code == 1
    assert "No snapshot" in unknown.output


@pytest.mark.parametrize("id", ["zzzzzzzzz", "x", "UPPER1234", "a" * 300, "%00", "..", "<script>"])
def test_an_unknown_id_is_404(client: FlaskClient, id: str) -> None:
    answer = client.get(f"/s/{id}")
    assert answer.status_code == 404
    assert "<script>" not in answer.text


def test_a_report_needs_a_reason(client: FlaskClient) -> None:
    path = link(share(client))
    assert "What is wrong with this snapshot?" in client.get(f"{path}/report").text
    for reason in ("", "   ", "x" * 2001):
        answer = client.post(f"{path}/report", data={"reason": reason})
        assert answer.status_code == 422
        assert "Describe the problem in up to 2,000 characters" in Page(answer.text).problems[0]


def test_details_of_a_token_of_a_stored_result(client: FlaskClient) -> None:
    path = link(share(client))
    page = client.get(f"{path}?token=2")
    ids = shipped_tokenizer("bpe-bytes").ids(TEXT)
    assert Page(page.text).selected == [2]
    assert f'<span class="token-id push">{ids[2]}</span>' in page.text
    part = client.get(f"{path}?token=2", headers=HTMX)
    assert "<html" not in part.text
    assert f'<span class="token-id push">{ids[2]}</span>' in part.text
    for wrong in ("99999", "-1", "abc"):
        answer = client.get(f"{path}?token={wrong}")
        assert answer.status_code == 404
        assert "There is no token" in answer.text


def test_a_copy_opens_in_the_playground(client: FlaskClient) -> None:
    page = client.get(link(share(client, algorithm="bmm", vocabulary="own-dictionary", dictionary=DICTIONARY))).text
    part = page.partition('method="post" action="/"')[2]
    fields = dict(re.findall(r'type="hidden" name="([a-z]+)" value="([^"]*)"', part))
    answer = client.post("/", data={name: html.unescape(value) for name, value in fields.items()})
    assert answer.status_code == 303
    copied = Page(client.get(answer.location).text)
    assert copied.ids == Page(page).ids
    assert copied.box == "\n" + TEXT


def test_only_the_embed_frame_may_be_framed_by_other_sites(client: FlaskClient) -> None:
    path = link(share(client))
    frame, page = client.get(f"{path}/embed"), client.get(path)
    assert "frame-ancestors" not in frame.headers["Content-Security-Policy"]
    assert "script-src 'self'" in frame.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in frame.headers
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Frame-Options"] == "DENY"
    assert Page(frame.text).pieces == Page(page.text).pieces
    assert "<form" not in frame.text
    assert "<script" not in frame.text


def test_snapshots_are_noindex_and_revalidated(client: FlaskClient) -> None:
    path = link(share(client))
    answer = client.get(path)
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in answer.text
    again = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def test_link_previews_and_oembed(client: FlaskClient) -> None:
    path = link(share(client, title="Words & cuts"))
    page = client.get(path).text
    told = dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[a-z:]+)" content="([^"]*)"', page))
    assert told["og:title"] == "Words &amp; cuts"
    assert told["og:url"] == f"http://localhost{path}"
    assert told["og:image"].startswith("http://localhost/s/")
    assert told["twitter:card"] == "summary_large_image"
    picture = client.get(urlsplit(told["og:image"]).path)
    assert picture.mimetype == "image/png"
    assert picture.data[16:24] == (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")
    discovered = html.unescape(re.findall(r'type="application/json\+oembed" href="([^"]+)"', page)[0])
    answer = client.get(discovered.removeprefix("http://localhost")).get_json()
    assert answer["type"] == "rich"
    assert answer["title"] == "Words & cuts"
    assert f'src="http://localhost{path}/embed"' in answer["html"]
    small = client.get(f"/oembed?url=http://localhost{path}&maxwidth=300&maxheight=100").get_json()
    assert (small["width"], small["height"]) == (300, 100)
    none = client.get(f"/oembed?url=http://localhost{path}&maxwidth=-3&maxheight=wide").get_json()
    assert (none["width"], none["height"]) == (640, 320)
    unknown = client.get("/oembed?url=http://localhost/s/zzzzzzzzz")
    assert (unknown.status_code, unknown.mimetype) == (404, "application/problem+json")
    assert client.get("/oembed?url=http://elsewhere.example/").status_code == 404
    assert client.get(f"/oembed?url=http://localhost{path}&format=xml").status_code == 501


def test_ids_that_would_differ_today_are_mentioned(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="as it was"))
    with app.app_context():
        kept = storage().snapshots.get(path.rsplit("/", 1)[-1])
        assert kept
        other = {**vars_of(kept.snapshot), "ids": [kept.snapshot.ids[0]] * 3, "text": "as it was then"}
        other |= {"starts": [0, 2, 5], "ends": [2, 5, 9], "core_version": "0.0.1"}
        shared = storage().snapshots.share(type(kept.snapshot)(**other), expires=None)
    page = Page(client.get(f"/s/{shared.id}").text)
    assert page.ids == other["ids"]
    assert "by version 0.0.1. Today the same text would get different ids." in page.text


def test_it_renders_without_its_vocabulary(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="the lowest"))
    with app.app_context():
        kept = storage().snapshots.get(path.rsplit("/", 1)[-1])
        assert kept
        state = {**kept.snapshot.state, "vocabulary": "upload-0123456789abcdef", "vocabulary_hash": "0" * 64}
        shared = storage().snapshots.share(
            type(kept.snapshot)(**{**vars_of(kept.snapshot), "state": state}), expires=None
        )
    page = Page(client.get(f"/s/{shared.id}?token=1").text)
    assert page.ids == list(kept.snapshot.ids)
    assert "".join(page.pieces) == "the lowest"


@pytest.mark.parametrize("kind", ["svg", "png", "html", "json", "csv", "txt"])
def test_a_stored_result_can_be_downloaded(client: FlaskClient, kind: str) -> None:
    path = link(share(client))
    answer = client.get(f"{path}/tokens.{kind}?separator=bar")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == f"attachment; filename=tokens.{kind}"
    assert answer.data == client.get("/download/tokens." + kind, query_string={"text": TEXT, "separator": "bar"}).data
    assert f'formaction="{path}/tokens.{kind}"' in client.get(path).text


def test_unknown_downloads_are_404(client: FlaskClient) -> None:
    path = link(share(client))
    assert client.get(f"{path}/tokens.exe").status_code == 404
    assert client.get("/s/zzzzzzzzz/tokens.svg").status_code == 404


def test_the_page_cache_is_separate_for_each_language(client: FlaskClient) -> None:
    path = link(share(client, title="remembered"))
    english, again = client.get(f"{path}?lang=en"), client.get(f"{path}?lang=en")
    chinese = client.get(f"{path}?lang=zh")
    assert english.data == again.data
    assert english.headers["ETag"] == again.headers["ETag"] != chinese.headers["ETag"]
    assert Page(chinese.text).lang == "zh-Hans"


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


def test_what_stands_under_the_tokens_of_a_stored_result(client: FlaskClient) -> None:
    path = link(share(client, text="low", view="bytes"))
    assert under(Page(client.get(path).text)) == ["6C 6F 77"]
    assert under(Page(client.get(f"{path}?view=ids").text)) == list(map(str, shipped_tokenizer("bpe-bytes").ids("low")))
    page = client.get(f"{path}?view=tokens").text
    assert under(Page(page)) == [None]
    assert f'href="{path}?view=tokens&amp;token=0#result"' in page
    # Without scripts the form of the page has the empty field of the token's number, as has the button that closes.
    for query in ("?token=&view=bytes", "?token="):
        answer = client.get(f"{path}{query}")
        assert answer.status_code == 200
        assert Page(answer.text).selected == []


def under(page: Page) -> list[str | None]:
    return [attributes.get("data-u") for _text, _classes, attributes in page.tokens]


def test_the_link_leads_to_the_selected_token(client: FlaskClient) -> None:
    address = html.unescape(ADDRESS.findall(share(client, token="1").text)[0])
    assert address == f"http://localhost{link(share(client))}?token=1#selected"
    page = client.get(address.removeprefix("http://localhost").partition("#")[0])
    assert Page(page.text).selected == [1]
    assert 'id="selected"' in page.text
    for none in ("", "abc"):
        assert ADDRESS.findall(share(client, token=none).text)[0].endswith(link(share(client)))


def test_the_link_on_a_page_without_htmx_is_focused(client: FlaskClient) -> None:
    page = share(client, text="without htmx").text
    assert re.search(r'id="link" readonly value="[^"]+" autofocus>', page)
    assert "share.js" in page
    assert page.count("autofocus") == 1


def test_json_of_deleted_and_unknown_results_is_a_problem_document(client: FlaskClient) -> None:
    answer = share(client, text="soon gone")
    client.post(deletion(answer))
    for path, status in ((link(answer), 410), ("/s/zzzzzzzzz", 404)):
        for twin in (f"{path}.json", f"{path}/tokens.json"):
            told = client.get(twin)
            assert (told.status_code, told.mimetype) == (status, "application/problem+json"), twin
        assert client.get(f"{path}/tokens.svg").mimetype == "text/html"


def test_a_report_is_stored_as_typed(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="reported", title="Of this title"))
    assert "Of this title" in client.get(f"{path}/report").text
    typed = "line\n" * 399 + "12345"  # exactly the limit, with each line end counted once
    assert client.post(f"{path}/report", data={"reason": typed.replace("\n", "\r\n")}).status_code == 200
    with app.app_context():
        assert typed in [report.reason for report in storage().snapshots.reports()]


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
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert 'class="frame"' in answer.text
    assert "<nav" not in answer.text
