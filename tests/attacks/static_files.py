"""Missing static files and paths that climb out of their folder: a plain 404 that reveals nothing about any file."""

import hashlib
import html
import os
import re
import select
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from statistics import median

from tests.attacks.exchange import Answer, BrokenError, get, read_answer, request_bytes
from tests.attacks.findings import Finding, milliseconds
from tests.attacks.site import Site

GOAL_SECONDS = 0.05
PATIENCE = 5.0
MEMORY_GOAL = 100 << 20
TOO_MUCH_MEMORY = 600 << 20  # the attack stops here, long before the machine runs out
CLIMB = "../" * 16  # from any checkout to the root

MISSING = {
    "x.js": "no such file",
    "vendor": "a folder",
    "": "the folder itself",
    "app.css/x": "a file used as a folder",
    "app.css%00": "a NUL after a name",
    "%00": "a NUL",
    "a" * 2000: "a name of 2,000 characters",
    "a/" * 1000 + "x": "a path of 1,000 folders",
    "%ff%fe.js": "not UTF-8",
    "%ed%a0%80.js": "half a surrogate pair",
    "x.js?v=0123456789": "no such file, with a version",
    "%e7%a0%94%e7%a9%b6.js": "no such file, in Chinese",
}


def missing_static(site: Site) -> Iterator[Finding]:
    """Request missing static files, in both languages and with several methods."""
    for name, what in MISSING.items():
        joined = "&" if "?" in name else "?"
        found = [_plain_404(site, f"{what}, {key}", f"/static/{name}{joined}lang={key}", key) for key in ("en", "zh")]
        yield next((one for one in found if not one.holds), replace(found[0], tried=what))
    for method in ("HEAD", "POST", "PUT", "DELETE"):
        yield _plain_404(site, f"{method} of no such file", "/static/x.js", method=method)


def _plain_404(site: Site, tried: str, target: str, language: str = "", method: str = "GET") -> Finding:
    """Request it seven times, and again if the machine was busy; each response must be complete."""
    statuses = (404,) if method in ("GET", "HEAD") else (404, 405)
    goal = f"{' or '.join(map(str, statuses))} within {milliseconds(GOAL_SECONDS)}"
    fastest = inf
    for _ in range(3):
        try:
            answers = [get(site.address, target, method=method, patience=PATIENCE) for _ in range(7)]
        except BrokenError as error:
            return Finding(tried, f"no response: {error}", goal, False)
        fastest = min(fastest, median(answer.seconds for answer in answers))
        if fastest < GOAL_SECONDS:
            break
    complete = all(_is_complete(answer, method, language) for answer in answers)
    seen = f"{answers[0].status} after {milliseconds(fastest)}" + ("" if complete else ", incomplete page")
    return Finding(tried, seen, goal, complete and answers[0].status in statuses and fastest < GOAL_SECONDS)


def _is_complete(answer: Answer, method: str, language: str) -> bool:
    return method != "GET" or ("</html>" in answer.text and f'lang="{language}' in answer.text)


def path_traversal(site: Site) -> Iterator[Finding]:
    """Climb to files, to a device that never ends and to a pipe without a writer."""
    for path in (site.checkout / "pyproject.toml", site.checkout / "README.md", Path("/etc/passwd")):
        yield _climb_to(site, path)
    yield _endless(site, "an endless device", f"/static/{_encoded(CLIMB + 'dev/zero')}")
    yield _endless(site, "an endless device, absolute", "/static/%2fdev%2fzero")
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        yield _endless(site, "a named pipe", f"/static/{_encoded(CLIMB + pipe.lstrip('/'))}")
        yield _endless(site, "a named pipe, absolute", f"/static/{_encoded(pipe)}")


def _climb_to(site: Site, path: Path) -> Finding:
    """Request one file in every spelling, and count what goes wrong."""
    content = path.read_bytes()
    # A page may contain any short line by chance: the longest one proves that it shows the file.
    line = max(content.decode(errors="replace").splitlines(), key=len)
    secrets = {"its SHA-256": hashlib.sha256(content).hexdigest()[:10], "its content": line}
    spellings = list(_spellings(os.path.relpath(path, site.checkout / "static"), str(path)))
    seen = Counter(filter(None, (_leak(site, target, secrets) for target in spellings)))
    told = ", ".join(f"{count} {what}" for what, count in seen.most_common())
    goal = "400 or 404, nothing of the file"
    return Finding(f"{path.name}, {len(spellings)} spellings", told or goal, goal, not seen)


def _leak(site: Site, target: bytes, secrets: dict[str, str]) -> str:
    """Return what is wrong with the response to one address after redirects; empty if nothing is."""
    try:
        answer = _followed(site, get(site.address, target, patience=PATIENCE))
    except BrokenError:
        return "without a response"
    shown = html.unescape(answer.head + answer.text)
    leaked = [what for what, secret in secrets.items() if secret in shown]
    if leaked:
        return f"show {' and '.join(leaked)}"
    return "" if answer.status in (400, 404) else f"with status {answer.status}"


def _followed(site: Site, answer: Answer) -> Answer:
    """Follow up to three redirects."""
    for _ in range(3):
        if not answer.location:
            break
        answer = get(site.address, re.sub(r"^https?://[^/]*", "", answer.location), patience=PATIENCE)
    return answer


def _spellings(near: str, absolute: str) -> Iterator[bytes]:
    """Yield addresses of a file: `near` is its path from the static folder."""
    far = CLIMB + absolute.lstrip("/")
    plain = absolute.replace("/", "%2f")
    for path in (near, far, f"vendor/../{near}", f"{'x/../' * 3}{near}"):
        encoded = _encoded(path)
        for spelt in (
            path,
            encoded,
            encoded.replace("%2f", "%2F"),
            path.replace("..", "%2e%2e"),
            encoded.replace("..", "%2e%2e"),
            encoded.replace("%", "%25"),
            encoded.replace("..", "%2e%2e").replace("%", "%25"),
            path.replace("/", "\\"),
            path.replace("/", "%5c"),
            path.replace("../", "....//"),
            path.replace("../", "..;/"),
            path.replace("../", "..%00/"),
            path.replace("..", "%c0%ae%c0%ae"),
            encoded + "%00",
            encoded + "%00.js",
            encoded + "?v=0123456789",
            encoded + "?lang=zh",
            "./" + encoded,
        ):
            yield f"/static/{spelt}".encode()
        yield f"/static/{encoded}\0.js".encode()
        yield f"http://localhost/static/{encoded}".encode()
        for folder in ("", "learn/", "vocabularies/", "steps/", "s/", "download/", "api/v1/vocabularies/"):
            yield f"/{folder}{encoded}".encode()
    for start in ("/static/", "/static//", "/static/%2f", "//static/", "/static/file://", "/static/vendor/%2f%2f"):
        yield (start + plain).encode()


def _endless(site: Site, tried: str, target: str) -> Finding:
    """Request a file that never ends, and watch the memory of the site meanwhile."""
    goal = "404 within 5 s, below 100 MB more"
    before = site.memory()
    grown = 0
    began = time.monotonic()
    answer: Answer | None = None
    with socket.create_connection(site.address, timeout=PATIENCE) as connection:
        connection.sendall(request_bytes("GET", target))
        while time.monotonic() - began < PATIENCE and grown < TOO_MUCH_MEMORY:
            answered = select.select([connection], [], [], 0.05)[0]
            grown = max(grown, site.memory() - before)
            if answered:
                try:
                    answer = read_answer(connection, began=began)
                except BrokenError as error:
                    return Finding(tried, f"no response: {error}", goal, False)
                break
    if answer is not None and answer.location:
        return _endless(site, tried, re.sub(r"^https?://[^/]*", "", answer.location))
    waited = time.monotonic() - began
    if answer is None:
        site.restart()
    said = (
        f"no response in {waited:.1f} s" if answer is None else f"{answer.status} after {milliseconds(answer.seconds)}"
    )
    holds = answer is not None and answer.status == 404 and grown < MEMORY_GOAL
    return Finding(tried, f"{said}, {grown / (1 << 20):.0f} MB more", goal, holds)


def _encoded(path: str) -> str:
    return path.replace("/", "%2f")
