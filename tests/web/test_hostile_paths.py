"""Paths that climb, contain NUL or are not UTF-8, sent raw to a real server: none opens a file, none breaks it."""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from werkzeug.routing import Rule

from tests.serving import ROOT, Answer, ask, serve

SECRETS = [ROOT / "pyproject.toml", ROOT / "webapp" / "__init__.py", ROOT / "static" / "app.css", Path("/etc/passwd")]
CONTENTS = ("[build-system]", "def create_app", "root:x:0")

UP = ["../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%252f", "%252e%252e%252f", "..\\", "..%5c", "....//", ".%00./"]
HOSTILE = [f"{up * count}{target}" for up in UP for count, target in ((1, "pyproject.toml"), (8, "etc/passwd"))]
HOSTILE += ["/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "%2f%2fetc%2fpasswd", "%252fetc%252fpasswd"]
HOSTILE += ["file:%2f%2f%2fetc%2fpasswd", "C:%5cboot.ini", "%5c%5chost%5cshare", "..", ".", "%2e%2e", "~root"]
HOSTILE += ["%00", "app.css%00", "..%2fpyproject.toml%00.css", "%ff", "%c0%ae%c0%ae%2fpyproject.toml", "%ed%a0%80"]
HOSTILE += ["%0d%0aSet-Cookie:%20a=b", "%7b%7b7*7%7d%7d", "x" * 4000, "%e7%a0%94" * 400, "..%2f" * 700, "%", "%zz"]


def sent(address: str, path: str, method: str) -> Answer:
    return ask(address, path, {"text": "low"} if method == "POST" else None, method=method)


def digests() -> list[str]:
    """Return the fingerprints that files outside the static folder would have."""
    return [sha256(path.read_bytes()).hexdigest()[:10] for path in SECRETS if path != ROOT / "static" / "app.css"]


def paths(rule: Rule) -> Iterator[str]:
    """Yield the paths of a rule with something hostile in each place, and after it."""
    parts = re.split("<[^>]*>", rule.rule)
    usual = ["json"] * (len(parts) - 1)
    for number, value in enumerate(HOSTILE):
        for place in range(len(usual)):
            filled = [*usual[:place], value, *usual[place + 1 :], ""]
            yield "".join(f"{part}{filler}" for part, filler in zip(parts, filled, strict=True))
        if number % 3 == len(rule.rule) % 3:  # what follows the path of a page is the same for all of them
            yield f"{'json'.join(parts).rstrip('/')}/{value}"


@pytest.mark.exhaustive
def test_no_path_breaks_the_site_or_reads_a_file(app: Flask, site: str) -> None:
    host = urlsplit(site).netloc
    leaks = [*digests(), *CONTENTS]
    rules = list(app.url_map.iter_rules())
    asked = {(path, method) for rule in rules for path in paths(rule) for method in {"GET", "POST"} & rule.methods}
    asked |= {(f"/{value}", method) for value in HOSTILE for method in ("GET", "POST", "OPTIONS")}
    assert len(asked) > 2000
    slow = []
    for path, method in sorted(asked):
        answer = sent(site, path, method)
        body = answer.body.decode(errors="replace")
        assert answer.status < 500, (method, path)
        # The page itself repeats the path in its addresses.
        assert [leak for leak in leaks if leak in body] == [], (method, path)
        assert "Traceback" not in body
        assert "set-cookie" not in answer.headers, (method, path)
        if "location" in answer.headers:
            assert urlsplit(answer.headers["location"]).netloc in ("", host), (method, path)
        if answer.seconds > 1:
            slow.append((path, method))
    # A busy machine is slow once; a slow path is slow every time.
    assert [path for path, method in slow if min(sent(site, path, method).seconds for _ in range(5)) > 1] == []


@pytest.mark.exhaustive
def test_missing_files_and_pages_count_towards_the_rate_limit() -> None:
    with serve(environment={"TOKENSCOPE_RATE_READING": "3 per minute", "WEB_CONCURRENCY": "1"}) as address:
        assert [ask(address, "/static/app.css").status for _ in range(5)] == [200] * 5
        asked = ["/static/x.js", "/static/..%2fpyproject.toml", "/nothing"]
        assert [ask(address, path).status for path in asked] == [404, 404, 404]
        assert [ask(address, path).status for path in asked] == [429, 429, 429]
        assert ask(address, "/static/x.js").headers["retry-after"].isdecimal()
        assert ask(address, "/static/app.css").status == 200
        assert ask(address, "/healthz").status == 200
