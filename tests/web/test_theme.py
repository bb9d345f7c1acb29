"""The theme switch without scripts: a cookie, `data-theme`, and the way back to the page that sent the form."""

from __future__ import annotations

from io import BytesIO

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page

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


def test_the_menu_marks_the_current_theme(client: FlaskClient) -> None:
    for theme in ("system", "light", "dark"):
        choose(client, theme)
        assert f'name="theme" value="{theme}" aria-current=true>' in client.get("/").text


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


def test_parts_of_pages_have_no_theme_of_their_own(client: FlaskClient) -> None:
    choose(client, "dark")
    assert "data-theme" not in client.post("/", data={"text": "low"}, headers=HTMX).text


def test_caches_distinguish_visitors(client: FlaskClient) -> None:
    assert "Cookie" in client.get("/learn").headers["Vary"]
