"""What every page has: the theme without scripts, a language that no cache hands to others, the menu, the footer."""

import re
from io import BytesIO

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import HTMX, Page
from webapp.web.places import PLACES

# --- the theme: a cookie, `data-theme`, and the way back to the page that sent the form

LONG = "word " * 1000


def choose(client: FlaskClient, theme: str, referrer: str | None = "http://localhost/?text=low") -> str:
    """Send the switch's form from a page, and return the address that it leads to."""
    answer = client.post("/theme", data={"theme": theme}, headers={"Referer": referrer} if referrer else {})
    assert answer.status_code == 303
    return str(answer.location)


def theme_of(client: FlaskClient, address: str = "/") -> str | None:
    return Page(client.get(address).text).theme


def test_pages_follow_the_system_until_a_theme_is_chosen(client: FlaskClient) -> None:
    assert theme_of(client) is None
    for theme in ("dark", "light"):
        assert choose(client, theme) == "/?text=low"
        for address in ("/?text=low", "/compare", "/nope"):
            assert theme_of(client, address) == theme, address
        assert "Cookie" in client.get("/learn").headers["Vary"]
        assert "data-theme" not in client.post("/", data={"text": "low"}, headers=HTMX).text
    choose(client, "system")
    assert theme_of(client) is None
    assert client.get_cookie("theme") is None


@pytest.mark.parametrize(("scheme", "is_secure"), [("http", False), ("https", True)])
def test_cookies_are_secure_over_tls(client: FlaskClient, scheme: str, is_secure: bool) -> None:
    base = f"{scheme}://localhost"
    words = {"algorithm": "fmm", "vocabulary_file": (BytesIO(b"low\n"), "words.txt")}
    theme = client.post("/theme", data={"theme": "dark"}, base_url=base)
    language = client.get("/?lang=zh", base_url=base)
    upload = client.post("/upload", data=words, base_url=base, headers=HTMX)
    for answer, name in ((theme, "theme"), (language, "lang"), (upload, "uploads")):
        (cookie,) = [line for line in answer.headers.getlist("Set-Cookie") if line.startswith(f"{name}=")]
        assert ("Secure" in cookie) == is_secure, cookie


@pytest.mark.parametrize("theme", ["", "dark\r\nX-Evil: 1", "<script>", "DARK"])
def test_another_theme_is_ignored(client: FlaskClient, theme: str) -> None:
    choose(client, "dark")
    choose(client, theme)
    assert theme_of(client) == "dark"
    client.set_cookie("theme", "purple")
    assert theme_of(client) is None


@pytest.mark.parametrize(
    ("referrer", "back"),
    [
        ("http://localhost/compare?text=a%26b&with=bpe", "/compare?text=a%26b&with=bpe"),
        ("http://localhost/#tokens", "/"),
        ("http://localhost", "/"),
        (None, "/"),
        ("https://elsewhere.example/", "/"),
        ("https://localhost.elsewhere.example/x", "/"),
        ("http://localhost@elsewhere.example/x", "/"),
        ("http://localhost:8000/x", "/"),
        ("//elsewhere.example/x", "/"),
        ("javascript:alert(1)", "/"),
        ("http://[", "/"),
        ("\xff", "/"),
    ],
)
def test_the_switch_leads_back_to_a_page_of_this_site(client: FlaskClient, referrer: str | None, back: str) -> None:
    assert choose(client, "dark", referrer) == back


@pytest.mark.parametrize("path", ["//elsewhere.example/x", "/\\elsewhere.example", "/\\/elsewhere.example", "///x"])
def test_a_path_that_looks_like_a_host_stays_a_path(client: FlaskClient, path: str) -> None:
    location = choose(client, "dark", f"http://localhost{path}")
    assert location.startswith("/")
    assert location[1] not in "/\\"


def test_a_page_without_an_address_is_sent_again_with_its_text(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": LONG})
    assert '<button type="submit" form="playground" name="theme" value="dark">' in answer.text
    answer = client.post("/", data={"text": LONG, "theme": "dark"})
    page = Page(answer.text)
    assert (page.theme, page.box) == ("dark", "\n" + LONG)
    assert theme_of(client) == "dark"
    answer = client.post("/", data={"text": LONG, "theme": "system"})
    assert Page(answer.text).theme is None
    assert theme_of(client) is None


# --- the language

CHINESE_TEXT = "今天下雨。" * 500


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/", {"text": CHINESE_TEXT}),
        ("/compare", {"text": CHINESE_TEXT, "with": ["bpe:bpe-bytes", "unigram:unigram"]}),
        ("/languages", {"own": CHINESE_TEXT}),
        ("/learn/bytes", {"never": CHINESE_TEXT}),
        ("/split", {"text": CHINESE_TEXT}),
        ("/steps/bpe", {"text": CHINESE_TEXT}),
        ("/steps/training/bpe", {"corpus": CHINESE_TEXT}),
    ],
)
def test_the_language_button_sends_the_same_form(client: FlaskClient, path: str, sent: dict[str, object]) -> None:
    answer = client.post(path, data=sent)
    assert not answer.location
    button = re.search(r'<button type="submit" form="([^"]+)" name="lang" value="zh"', answer.text)
    assert button is not None
    form = re.search(rf'(?s)<form [^>]*id="{button[1]}".*?</form>', answer.text)
    assert form is not None
    assert CHINESE_TEXT in form[0]
    assert f'action="{path}' in form[0]


IN_CHINESE = {"Accept-Language": "zh-CN"}


@pytest.fixture
def snapshot(client: FlaskClient) -> str:
    """Return the path of a stored result."""
    return client.post("/share", data={"text": "in two languages", "algorithm": "bpe"}).headers["Location"]


def test_the_json_of_a_vocabulary_is_private(client: FlaskClient) -> None:
    path = "/vocabularies/bpe-bytes.json"
    english, chinese = client.get(path), client.get(path, headers=IN_CHINESE)
    assert english.get_json()["title"] != chinese.get_json()["title"]
    for answer in (english, chinese):
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert {"Accept-Language", "Cookie"} <= set(answer.vary)
    again = {"If-None-Match": chinese.headers["ETag"]}
    assert client.get(path, headers=IN_CHINESE | again).status_code == 304
    assert client.get(path, headers=again).status_code == 200


@pytest.mark.parametrize("ending", ["", ".png", ".json", "/tokens.svg", "/embed"])
def test_publicly_cacheable_responses_set_no_cookie(client: FlaskClient, snapshot: str, ending: str) -> None:
    answer = client.get(f"{snapshot}{ending}?lang=zh")
    assert answer.status_code == 200
    assert not (answer.cache_control.public and "Set-Cookie" in answer.headers)
    assert ("Set-Cookie" in answer.headers) == (answer.mimetype == "text/html")
    plain = client.get(f"{snapshot}{ending}")
    assert plain.cache_control.public
    assert "Set-Cookie" not in plain.headers


@pytest.mark.parametrize("path", ["/api/v1/vocabularies", "/api/v1/openapi.json", "/static/app.css"])
def test_api_and_static_files_have_no_language(client: FlaskClient, path: str) -> None:
    with client.get(path, query_string="lang=zh") as answer:
        assert "Set-Cookie" not in answer.headers
        assert "Accept-Language" not in answer.vary


def test_a_language_chosen_on_a_stored_result_is_remembered(client: FlaskClient, snapshot: str) -> None:
    assert client.get(f"{snapshot}?lang=zh").headers["Cache-Control"] == "no-cache, private"
    assert '<html lang="zh-Hans">' in client.get("/").text


# --- the menu and the footer


def test_each_tab_is_marked_on_its_page_with_its_place(client: FlaskClient, app: Flask) -> None:
    addresses = {rule.endpoint: rule.rule for rule in app.url_map.iter_rules()}
    for place in PLACES:
        for endpoint, title in place.tabs:
            page = client.get(
                f"{addresses[endpoint]}?lang=en", follow_redirects=True, headers={"Accept-Language": "en"}
            ).text
            marked = re.findall(r'aria-current="?(?:page|true)"?>([^<>]+)</a>', page)
            expected = [str(place.title)] * 2 + ([str(title)] if len(place.tabs) > 1 else [])
            assert [each for each in marked if each in {*expected}] == [expected[0], expected[1], *expected[2:]]


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, []),
        ({"SOURCE": "https://code.example/tokenscope"}, ['<a href="https://code.example/tokenscope">Source code</a>']),
        ({"CONTACT": "me@example.org"}, ['<a href="mailto:me@example.org">Contact</a>']),
        ({"CONTACT": "https://example.org/@me"}, ['<a href="https://example.org/@me">Contact</a>']),
        ({"CONTACT": "mailto:me@example.org"}, ['<a href="mailto:me@example.org">Contact</a>']),
    ],
)
def test_the_footer_shows_source_and_contact_if_they_are_set(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], shown: list[str]
) -> None:
    for name in ("SOURCE", "CONTACT"):
        monkeypatch.setitem(client.application.config, name, settings.get(name, ""))
    footer = client.get("/learn").text.partition('<footer class="foot">')[2]
    for link in shown:
        assert link in footer
    assert ("Source code" in footer, "Contact" in footer) == ("SOURCE" in settings, "CONTACT" in settings)
