"""Missing static files and paths that climb out of their folder: a plain 404 that reveals nothing about any file."""

import hashlib
import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from tests.attacks.conftest import Watched
from tests.attacks.exchange import Answer, get
from tests.serving import ROOT

GOAL_SECONDS = 0.05
MEMORY_GOAL = 100 << 20
CLIMB = "../" * 16  # from any checkout to the root

# No file, a folder, a file used as a folder, NUL, long names and paths, bytes that are not UTF-8, Chinese.
MISSING = ["x.js", "x.js?v=0123456789", "vendor", "", "app.css/x", "app.css%00", "%00", "a" * 4000, "a/" * 1000 + "x"]
MISSING += ["%ff%fe.js", "%ed%a0%80.js", "%e7%a0%94%e7%a9%b6.js"]
ASKED = [
    *(("GET", f"{name}{'&' if '?' in name else '?'}lang={lang}", lang) for lang in ("en", "zh") for name in MISSING),
    *((method, "x.js", "") for method in ("HEAD", "POST", "PUT", "DELETE")),
]


@pytest.mark.parametrize(("method", "name", "language"), ASKED, ids=lambda value: value[:20])
def test_a_missing_file_is_a_quick_404(site: Watched, method: str, name: str, language: str) -> None:
    """Seven times, and again if the machine was busy; each response must be complete."""
    seconds: list[float] = []
    while len(seconds) < 3 and min(seconds, default=1.0) >= GOAL_SECONDS:
        answers = [get(site.address, f"/static/{name}", method=method) for _ in range(7)]
        seconds.append(median(answer.seconds for answer in answers))
    assert {answer.status for answer in answers} <= ({404} if method in ("GET", "HEAD") else {404, 405})
    if method == "GET":
        assert all("</html>" in answer.text and f'lang="{language}' in answer.text for answer in answers)
    assert min(seconds) < GOAL_SECONDS


@pytest.mark.parametrize("path", [ROOT / "pyproject.toml", ROOT / "README.md", Path("/etc/passwd")])
def test_no_spelling_of_a_path_climbs_to_a_file(site: Watched, path: Path) -> None:
    content = path.read_bytes()
    # A page may contain any short line by chance: the longest one proves that it shows the file.
    line = max(content.decode(errors="replace").splitlines(), key=len)
    secrets = (hashlib.sha256(content).hexdigest()[:10], line)
    for target in _spellings(os.path.relpath(path, ROOT / "static"), str(path)):
        answer = _followed(site, target)
        shown = html.unescape(answer.head + answer.text)
        assert (answer.status in (400, 404), [secret for secret in secrets if secret in shown]) == (True, []), target


@pytest.mark.parametrize("climb", [CLIMB, ""], ids=["climbing", "absolute"])
@pytest.mark.parametrize("name", ["/dev/zero", "pipe"])
def test_files_without_an_end_are_not_read(site: Watched, tmp_path: Path, name: str, climb: str) -> None:
    """A device that never ends, and a pipe without a writer."""
    os.mkfifo(tmp_path / "pipe")
    path, before = str(tmp_path / name), site.memory()
    assert _followed(site, f"/static/{_encoded(climb + path.lstrip('/') if climb else path)}").status == 404
    assert site.memory() - before < MEMORY_GOAL


def _followed(site: Watched, target: str | bytes) -> Answer:
    """The response to one address after up to three redirects."""
    answer = get(site.address, target)
    for _ in range(3):
        if answer.location:
            answer = get(site.address, re.sub(r"^https?://[^/]*", "", answer.location))
    return answer


# Each pair replaces something in the encoded path.
REPLACED = [("%2f", "/"), ("%2f", "%2F"), ("%2f", "\\"), ("%2f", "%5c"), ("..", "%2e%2e"), ("%", "%25")]
REPLACED += [("..%2f", up) for up in ("%2e%2e/", "%252e%252e%252f", "....//", "..;/", "..%00/", "%c0%ae%c0%ae/")]
ENDS = ("", "%00", "%00.js", "\0.js", "?v=0123456789", "?lang=zh")
STARTS = ("/static/", "/static/./", "http://localhost/static/", "/", "/learn/", "/vocabularies/", "/steps/", "/s/")
STARTS += ("/download/", "/api/v1/vocabularies/")
ROOTS = ("/static/", "/static//", "/static/%2f", "//static/", "/static/file://", "/static/vendor/%2f%2f")


def _spellings(near: str, absolute: str) -> Iterator[bytes]:
    """Yield addresses of a file: `near` is its path from the static folder."""
    for path in (near, CLIMB + absolute.lstrip("/"), f"vendor/../{near}", f"{'x/../' * 3}{near}"):
        encoded = _encoded(path)
        yield from (f"/static/{encoded.replace(*pair)}".encode() for pair in REPLACED)
        yield from (f"/static/{encoded}{end}".encode() for end in ENDS)
        yield from (f"{start}{encoded}".encode() for start in STARTS)
    yield from (f"{root}{_encoded(absolute)}".encode() for root in ROOTS)


def _encoded(path: str) -> str:
    return path.replace("/", "%2f")
