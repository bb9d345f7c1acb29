"""Error responses whatever is broken: URLs, translations, templates, the database, cookies, sessions, hooks."""

import io
import json
from collections.abc import Collection, Iterator
from itertools import product
from typing import Any, NoReturn

import flask_babel
import pytest
import regex as re
from flask import Flask, Response, abort, templating
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.test import EnvironBuilder

from tests.site import HTMX, NOWHERE
from webapp import create_app
from webapp.core.text.split_patterns import TextError
from webapp.storage import UnavailableStorageError
from webapp.storage.engine import Database
from webapp.web.application import SiteRequest
from webapp.web.security import FRAMED_HEADERS, HEADERS, framed
from webapp.web.server_variables import STOPPED

STATUSES = [400, 403, 404, 405, 409, 413, 416, 422, 429, 500, 501, 503]
HEADINGS = {
    "en": {404: "Page not found", 413: "Request too large", 429: "Too many requests"},
    "zh": {404: "页面不存在", 413: "请求内容过大", 429: "请求过于频繁"},
}
STATUS = {"en": "Status", "zh": "状态码"}
TAGS = {"en": "en", "zh": "zh-Hans"}
# The address of each kind of response, and the request headers.
KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "page": ("/fails/{}", {}),
    "partial": ("/fails/{}", HTMX),
    "frame": ("/framed/{}", {}),
    "twin": ("/fails/{}.json", {}),
    "format": ("/fails/{}?format=json", {}),
    "api": ("/api/v1/fails/{}", {}),
}


def fail(what: str) -> NoReturn:
    """Raise the named error: a status, or one of the site's exceptions."""
    if what == "crash":
        raise RuntimeError("a mistake of ours")
    if what == "memory":
        raise MemoryError
    if what == "storage":
        raise UnavailableStorageError("away", "a test took it away")
    if what == "text":
        raise TextError("a test")
    if what == "405":
        raise MethodNotAllowed(["GET", "BREW"])
    abort(int(what))


@framed
def fail_in_frame(what: str) -> NoReturn:
    fail(what)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """Return the site with extra routes that raise a chosen error."""
    tmp_path = tmp_path_factory.mktemp("site")
    app = create_app({**NOWHERE, "DATABASE_FILE": str(tmp_path / "site.sqlite"), "VOCABULARY_FOLDER": str(tmp_path)})
    for address in ("/fails/<what>", "/fails/<what>.json", "/api/v1/fails/<what>"):
        app.add_url_rule(address, address, fail, methods=["GET", "POST"])
    app.add_url_rule("/framed/<what>", "framed", fail_in_frame, methods=["GET", "POST"])
    return app


def broken(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError("broken by a test")


def break_parts(app: Flask, patch: pytest.MonkeyPatch, parts: Collection[str]) -> None:
    if "urls" in parts:
        patch.setattr(app, "url_for", broken)
        patch.setitem(app.jinja_env.globals, "url_for", broken)
    if "translation" in parts:
        patch.setattr(flask_babel.Domain, "get_translations", broken)
    if "database" in parts:
        patch.setattr(Database, "read", broken)
        patch.setattr(Database, "write", broken)
    if "templates" in parts:
        patch.setattr(templating, "_render", broken)
    hooks = app.after_request_funcs[None]
    if "hooks" in parts:
        patch.setitem(app.after_request_funcs, None, [*hooks, broken])
    if "last hook" in parts:
        patch.setitem(app.after_request_funcs, None, [broken, *hooks])


EVERYTHING = ("urls", "translation", "database", "templates", "hooks")
EACH = [pytest.param([part], marks=pytest.mark.exhaustive) for part in (*EVERYTHING, "last hook")]
# Without addresses, translations or templates, a page is plain and in both languages.
PLAIN = {"urls", "translation", "templates"}


def cases() -> Iterator[tuple[str, str, int]]:
    """Yield the kind, what fails, and the expected status."""
    for kind in KINDS:
        for status in STATUSES:
            yield kind, str(status), status
        yield kind, "crash", 500
        yield kind, "storage", 503
        yield kind, "memory", 503
        yield kind, "text", 409 if kind in ("twin", "format", "api") else 422


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("parts", [(), EVERYTHING, *EACH])
def test_every_error_has_a_response(
    app: Flask, parts: Collection[str], lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.test_client().get("/")  # whatever a first request sets up
    break_parts(app, monkeypatch, parts)
    for kind, what, status in cases():
        address, headers = KINDS[kind]
        for method in ("GET", "POST", "HEAD"):
            answer = app.test_client().open(
                address.format(what),
                method=method,
                headers={"Accept-Language": TAGS[lang], **headers},
                data={"text": "typed"} if method == "POST" else None,
            )
            case = (kind, what, method, answer.text)
            assert answer.status_code == status, case
            assert_safe(answer, case, framed=kind == "frame")
            assert (answer.headers.get("Allow") == "GET, BREW") == (status == 405), case
            assert ("Retry-After" in answer.headers) >= (status in (429, 503)), case
            if method == "HEAD":
                assert answer.data == b""
            else:
                assert_told(answer, kind, status, None if PLAIN & {*parts} else lang)


def assert_safe(answer: Response, case: object, *, framed: bool = False) -> None:
    wanted = FRAMED_HEADERS if framed else HEADERS
    for name, value in wanted.items():
        if name != "Cross-Origin-Resource-Policy":  # programs may read the API from anywhere
            assert answer.headers.get(name) == value, (name, case)
    assert ("X-Frame-Options" in answer.headers) != framed
    text = answer.get_data(as_text=True)
    assert "Traceback" not in text
    assert "by a test" not in text


def assert_told(answer: Response, kind: str, status: int, lang: str | None) -> None:
    """Check the message, in one language, or in both if there is none to choose."""
    text = answer.get_data(as_text=True)
    if kind in ("twin", "format", "api"):
        told = json.loads(text)
        assert answer.mimetype == "application/problem+json"
        assert told["status"] == status
        assert told["detail"]
        chinese = re.search(r"\p{Han}", told["detail"]) is not None
        assert lang is None or chinese == (lang == "zh" and kind != "api")
        return
    assert answer.mimetype == "text/html"
    if kind == "partial":
        assert text.startswith('<div class="notice bad" role="alert">')
        assert "<html" not in text
        return
    for each in [lang] if lang else HEADINGS:
        assert f'lang="{TAGS[each]}">' in text
        assert HEADINGS[each].get(status, "") in text
        assert kind == "frame" or f">{STATUS[each]} {status}<" in text


def test_a_page_without_a_language_is_in_both_languages(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SiteRequest, "cookies", property(broken))
    answer = app.test_client().get("/nothing")
    assert answer.status_code == 404
    assert_safe(answer, "cookies")
    assert HEADINGS["en"][404] in answer.text
    assert HEADINGS["zh"][404] in answer.text


def test_a_session_that_cannot_be_opened(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.session_interface, "open_session", broken)
    for path in ("/", "/nothing", "/static/x.js", "/api/v1/vocabularies"):
        answer = app.test_client().get(path)
        assert answer.status_code == 500
        assert_safe(answer, path)


@pytest.mark.parametrize("lang", HEADINGS)
@pytest.mark.parametrize("part", ["create_url_adapter", "finalize_request", "do_teardown_request", "handle_exception"])
def test_failures_outside_any_page(app: Flask, part: str, lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, part, broken)
    if part == "handle_exception":
        monkeypatch.setattr(app, "full_dispatch_request", broken)
    for path, form in (("/", None), ("/nothing?x=1", None), ("/api/v1/count", {"text": "low"})):
        answer = served(app, path, data=form, method="POST" if form else "GET", headers={"Accept-Language": TAGS[lang]})
        assert answer.status_code == 500
        assert_safe(answer, path)
        assert_told(answer, "api" if form else "page", 500, None)


def served(app: Flask, *arguments: Any, **options: Any) -> Response:
    """Return the response as a server sends it, which lets an application replace a response it has started."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], failure: object = None) -> None:
        assert failure is not None or not started
        started.append((status, headers))

    body = b"".join(app(EnvironBuilder(*arguments, **options).get_environ(), start_response))
    status, headers = started[-1]
    return Response(body, status, headers)


def test_a_hook_that_fails_after_a_success_gives_an_error_page(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.after_request_funcs, None, [*app.after_request_funcs[None], broken])
    answer = app.test_client().get("/healthz")
    assert answer.status_code == 500
    assert_safe(answer, "hook")
    assert "Something went wrong on our side" in answer.text


@pytest.mark.parametrize("path", ["/", "/nothing", "/token", "/upload", "/split", "/compare", "/steps/bpe", "/oembed"])
def test_a_query_that_is_not_utf_8_is_read(app: Flask, path: str) -> None:
    queries = ["\xff", "text=\xff&lang=zh", "lang=\xe7\xa0\x94", "text=%ff%ed%a0%80"]
    for method, query in product(("GET", "POST"), queries):
        answer = app.test_client().open(path, method=method, environ_overrides={"QUERY_STRING": query})
        assert answer.status_code < 500
        assert_safe(answer, path)


@pytest.mark.parametrize("host", ["a" * 70, "." * 300, "[", "a b", "\xff", "<script>", ""])
def test_an_invalid_host_is_refused(app: Flask, host: str, caplog: pytest.LogCaptureFixture) -> None:
    for path in ("/", "/nothing", "/static/app.css", "/static/x.js", "/api/v1/vocabularies"):
        answer = app.test_client().get(path, environ_overrides={"HTTP_HOST": host})
        assert answer.status_code in (200, 400, 404)
        assert_safe(answer, (host, path))
        answer.close()
    assert caplog.text == ""


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "\xff"])
def test_an_invalid_origin_is_foreign(app: Flask, origin: str) -> None:
    answer = app.test_client().post("/upload", data={"text": "low"}, headers={"Origin": origin})
    assert answer.status_code == 403


# --- what a page of an error says

BACK = "Go back one page in your browser"


@pytest.mark.parametrize(
    ("method", "path", "status", "heading"),
    [
        ("GET", "/nothing/here", 404, "Page not found"),
        ("POST", "/vocabularies/unigram", 405, "Method not allowed"),
        ("POST", "/upload", 413, "Request too large"),
        ("POST", "/", 413, "Request too large"),
    ],
)
def test_an_error_page_names_the_error(method: str, path: str, status: int, heading: str) -> None:
    app = create_app(NOWHERE | {"MAX_CONTENT_LENGTH": 100_000, "MAX_UPLOAD_BYTES": 20_000})
    form = {"text": "x" * 200_000} if method == "POST" else None
    with app.test_client() as client:
        answer = client.open(path, method=method, data=form)
        assert answer.status_code == status
        assert re.findall("<h1>(.*)</h1>", answer.text) == [heading]
        assert f"<title>{heading} · Tokenscope</title>" in answer.text
        assert f"Status {status}" in answer.text
        assert (BACK in answer.text) == (method == "POST")
        assert "20,000 bytes" in answer.text or path != "/upload"
        part = client.open(path, method=method, data=form, headers=HTMX)
        assert part.status_code == status
        assert "<h1>" not in part.text


def test_an_upload_that_was_stopped_gets_a_page(caplog: pytest.LogCaptureFixture) -> None:
    with create_app(NOWHERE | {"MAX_CONTENT_LENGTH": 100_000}).test_client() as client:
        form = {"vocabulary_file": (io.BytesIO(b"x" * 200_000), "words"), "text": "a"}
        answer = client.post("/upload?lang=en", data=form, environ_overrides={STOPPED: "time"})
        assert answer.status_code == 503
        assert "so the server stopped it" in answer.text
    assert "could not be rendered" not in caplog.text
