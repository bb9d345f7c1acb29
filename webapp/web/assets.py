"""Serves static files under URLs that change with their content, so that browsers may cache them for a year.

The application computes the fingerprints of all files under `static` when it starts, and serves no other files.
A page has its stylesheets by name (`stylesheet`); it names its scripts anywhere (`add_script`), and has them at its end
(`added_scripts`).
"""

import hashlib
import os
import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import brotli
from flask import Flask, Request, Response, abort, current_app, g, request, url_for
from markupsafe import Markup

A_YEAR = 31_536_000
ENDPOINT = "static"
# Comments and indentation. In JavaScript, comments with a line of their own: the rest keep their numbers.
UNSENT = {"text/css": rb"(?s)/\*.*?\*/|(?<=[\n{;}])\s+", "text/javascript": rb"(?m)^ +(//.*$)?|^//.*$"}


def init_app(app: Flask) -> None:
    """Add `?v=…` to the URLs of static files, and allow caches to keep the responses to such URLs for a year.

    A file that did not exist at the start is not served, and its URL has no `v`. In debug mode the fingerprint is
    computed for each request, so that an edit shows; a new file needs a restart.
    """
    folder = Path(app.static_folder or "")
    known = fingerprints(folder)
    app.extensions["static_files"] = frozenset(known)

    def current(name: str) -> str | None:
        if not app.debug or name not in known:
            return known.get(name)
        try:
            return fingerprint(folder / name)
        except OSError:  # deleted since the start
            return None

    def known_file(filename: str) -> Response:
        if filename not in known:
            abort(404)
        response = app.send_static_file(filename)
        unsent = UNSENT.get(response.mimetype or "")
        if unsent and response.status_code == 200 and request.accept_encodings.quality("br"):
            response.direct_passthrough = False
            content = response.get_data()
            response.close()
            response.set_data(packed(content, unsent))
            response.content_encoding = "br"
            response.set_etag(response.get_etag()[0] or "", weak=True)  # one for all encodings
        # During a deployment, an old process must not send old content with a year's lifetime for a new URL.
        if (version := request.args.get("v")) and version == current(filename):
            response.headers["Cache-Control"] = f"public, max-age={A_YEAR}, immutable"
        return response

    app.view_functions[ENDPOINT] = known_file

    @app.template_global()
    def add_script(name: str) -> str:
        g.setdefault("scripts", {})[name] = None
        return ""

    # In a page that a visitor opens from elsewhere, the sheet itself: on a slow line that paints it 0.5 s earlier. The
    # next pages get links, and the browser keeps what they lead to.
    @app.template_global()
    def stylesheet(name: str) -> Markup:
        if comes_from_elsewhere():
            element, digest = style_element((folder / name).read_bytes())
            g.setdefault("inlined_styles", []).append(digest)
            return element
        return Markup('<link rel="stylesheet" href="{}">').format(url_for(ENDPOINT, filename=name))

    # At the end of a page: on a slow line its stylesheets, which hold up the first paint, arrive 0.1 s earlier than
    # beside its scripts.
    @app.template_global()
    def added_scripts() -> Markup:
        addresses = (url_for(ENDPOINT, filename=name) for name in g.pop("scripts", ()))
        return Markup("\n").join(Markup('<script src="{}" defer></script>').format(address) for address in addresses)

    @app.url_defaults
    def version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == ENDPOINT and (version := current(str(values.get("filename", "")))):
            values.setdefault("v", version)


def comes_from_elsewhere() -> bool:
    """Whether the visitor follows a link of another site, or types an address."""
    return request.headers.get("Sec-Fetch-Site") in ("none", "cross-site")


def is_known(request: Request) -> bool:
    """Whether a request is for a static file that existed when the application started."""
    known: frozenset[str] = current_app.extensions["static_files"]
    return request.endpoint == ENDPOINT and (request.view_args or {}).get("filename") in known


def fingerprints(folder: Path) -> dict[str, str]:
    """The fingerprints of the regular files under `folder`, by relative path: `{"vendor/htmx.min.js": "0f3a…"}`.

    A symbolic link counts only if it points to a regular file under `folder`.
    """
    top = folder.resolve()
    paths = (Path(place, name) for place, _folders, names in os.walk(folder) for name in names)
    inside = (path for path in paths if path.is_file() and path.resolve().is_relative_to(top))
    return {path.relative_to(folder).as_posix(): fingerprint(path) for path in inside}


@cache
def packed(content: bytes, unsent: bytes) -> bytes:
    """The content without what matches `unsent`, in Brotli's best compression: 60 ms for the longest file, once.

    That is a third less than what Flask-Compress, which has to be fast, makes of it.
    """
    return bytes(brotli.compress(re.sub(unsent, b"", content)))


@cache
def style_element(sheet: bytes) -> tuple[Markup, str]:
    """A stylesheet as an element of a page, and the hash by which the Content-Security-Policy allows it."""
    sent = re.sub(UNSENT["text/css"], b"", sheet)
    return Markup(f"<style>{sent.decode()}</style>"), b64encode(hashlib.sha256(sent).digest()).decode()


def fingerprint(path: Path) -> str:
    """The first ten hexadecimal digits of the file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:10]
