"""Static files: which ones have a fingerprint, and how an address without one behaves."""

import builtins
import io
import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import brotli
import pytest
from flask import Flask, url_for
from flask.testing import FlaskClient

from webapp.web import assets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of static files that contains links and a pipe."""
    folder = tmp_path / "static"
    (folder / "vendor").mkdir(parents=True)
    (folder / "app.css").write_text("a {}")
    (folder / "vendor" / "x.js").write_text("1")
    (folder / "inside.css").symlink_to("app.css")
    (tmp_path / "secret").write_text("secret")
    (folder / "outside.css").symlink_to(tmp_path / "secret")
    (folder / "loop.css").symlink_to("loop.css")
    (folder / "lost.css").symlink_to("nothing")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "y.js").write_text("2")
    (folder / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(folder / "pipe")
    return folder


Site = Callable[..., Flask]


@pytest.fixture
def site(folder: Path) -> Site:
    """Return an application with that folder, in debug mode or not."""

    def site(*, debug: bool = False) -> Flask:
        app = Flask("site", static_folder=str(folder))
        app.debug = debug
        assets.init_app(app)
        return app

    return site


def address(app: Flask, name: str) -> str:
    with app.test_request_context():
        return url_for("static", filename=name)


def short(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:10]


def test_regular_files_inside_have_fingerprints(folder: Path) -> None:
    assert assets.fingerprints(folder / "nothing") == {}
    expected = {"app.css": short("a {}"), "inside.css": short("a {}"), "vendor/x.js": short("1")}
    assert assets.fingerprints(folder) == expected


UNKNOWN = ["x.js", "../secret", "/etc/passwd", "outside.css", "folder/y.js", "pipe", "vendor", "./app.css", "\0", ""]


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_opens_no_file(site: Site, name: str, debug: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    app = site(debug=debug)
    touched = []

    def noted(original: Callable[..., object]) -> Callable[..., object]:
        def note(path: object, *arguments: object, **options: object) -> object:
            touched.append(path)
            return original(path, *arguments, **options)

        return note

    with monkeypatch.context() as patch:
        for module, function in ((os, "stat"), (os, "open"), (builtins, "open"), (io, "open")):
            patch.setattr(module, function, noted(getattr(module, function)))
        assert "v=" not in address(app, name)
        assert app.test_client().get(address(app, name), follow_redirects=True).status_code == 404
    assert [path for path in touched if "static" in str(path) or "secret" in str(path)] == []


def test_an_edit_is_visible_in_debug_mode_only(site: Site, folder: Path) -> None:
    developed, deployed = site(debug=True), site()
    (folder / "app.css").write_text("b {}")
    assert address(developed, "app.css") == f"/static/app.css?v={short('b {}')}"
    assert address(deployed, "app.css") == f"/static/app.css?v={short('a {}')}"
    (folder / "app.css").unlink()
    assert address(developed, "app.css") == "/static/app.css"
    assert developed.test_client().get("/static/app.css").status_code == 404


@pytest.mark.parametrize(("version", "kept"), [(short("a {}"), True), (short("b {}"), False), ("", False)])
def test_only_the_correct_fingerprint_is_cached_for_a_year(site: Site, version: str, kept: bool) -> None:
    with site().test_client().get("/static/app.css", query_string={"v": version}) as answer:
        assert answer.text == "a {}"
        assert ("immutable" in answer.headers["Cache-Control"]) == kept


def test_no_literal_of_a_script_would_lose_its_indentation() -> None:
    scripts = list((Path(assets.__file__).parents[2] / "static").glob("*.js"))
    assert scripts
    for script in scripts:
        assert not [literal for literal in script.read_text("utf-8").split("`")[1::2] if "\n" in literal], script.name


@pytest.mark.parametrize(("accepted", "encoding"), [("gzip, br, zstd", "br"), ("br;q=0, gzip", None), ("", None)])
@pytest.mark.parametrize(
    ("name", "content", "sent"),
    [
        ("app.css", "/* one\n * two */\na { content: '//' } /* b */\n", "\na {content: '//' }\n"),
        ("vendor/x.js", "// one\n  // two\nf('/* // */'); // three\n", "\n\nf('/* // */'); // three\n"),
    ],
)
def test_who_accepts_brotli_gets_no_comments(
    site: Site, folder: Path, name: str, content: str, sent: str, accepted: str, encoding: str | None
) -> None:
    (folder / name).write_text(content)
    client, headers = site().test_client(), {"Accept-Encoding": accepted}
    with client.get(f"/static/{name}", headers=headers) as answer:
        assert answer.headers.get("Content-Encoding") == encoding
        assert (brotli.decompress(answer.data).decode() if encoding else answer.text) == (sent if encoding else content)
    with client.get(f"/static/{name}", headers=headers | {"If-None-Match": answer.headers["ETag"]}) as answer:
        assert answer.status_code == 304


@pytest.mark.parametrize("path", ["/", "/steps", "/steps/bpe", "/no-such-page"])
def test_the_scripts_of_a_page_are_at_its_end_once(client: FlaskClient, path: str) -> None:
    page = client.get(path).text
    scripts = re.findall(r'<script src="/static/([^"?]+)', page)
    assert scripts[0] == "common.js"
    assert ("app.js" in scripts) == (path == "/"), "one page has not those of another"
    assert len(set(scripts)) == len(scripts) == page.partition("</footer>")[2].count("<script")
