"""Missing static files and paths that climb out of their folder: a plain 404 that reveals nothing about any file."""

import hashlib
import html
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.attacks.exchange import Answer, BrokenError, get
from tests.attacks.findings import Finding, milliseconds
from tests.attacks.site import Site
from tests.serving import ROOT

GOAL_SECONDS = 0.05
PATIENCE = 5.0
MEMORY_GOAL = 100 << 20
CLIMB = "../" * 16  # from any checkout to the root

# No file, a folder, a file used as a folder, NUL, long names and paths, bytes that are not UTF-8, Chinese.
MISSING = ["x.js", "x.js?v=0123456789", "vendor", "", "app.css/x", "app.css%00", "%00", "a" * 4000, "a/" * 1000 + "x"]
MISSING += ["%ff%fe.js", "%ed%a0%80.js", "%e7%a0%94%e7%a9%b6.js"]


def missing_static(site: Site) -> Iterator[Finding]:
    """Request missing static files, in both languages and with several methods."""
    for language in ("en", "zh"):
        for name in MISSING:
            yield _plain_404(site, f"/static/{name}{'&' if '?' in name else '?'}lang={language}", language)
    for method in ("HEAD", "POST", "PUT", "DELETE"):
        yield _plain_404(site, "/static/x.js", method=method)


def _plain_404(site: Site, target: str, language: str = "", method: str = "GET") -> Finding:
    """Request it seven times, and again if the machine was busy; each response must be complete."""
    tried, statuses = f"{method} {target}"[:40], {404} if method in ("GET", "HEAD") else {404, 405}
    seconds = []
    while len(seconds) < 3 and min(seconds, default=1.0) >= GOAL_SECONDS:
        try:
            answers = [get(site.address, target, method=method, patience=PATIENCE) for _ in range(7)]
        except BrokenError as error:
            return Finding(tried, f"no response: {error}", "404", False)
        seconds.append(median(answer.seconds for answer in answers))
    whole = all("</html>" in answer.text and f'lang="{language}' in answer.text for answer in answers)
    is_right = statuses.issuperset(answer.status for answer in answers) and (method != "GET" or whole)
    seen = f"{answers[0].status} after {milliseconds(min(seconds))}" + ("" if is_right else ", not the page")
    return Finding(tried, seen, f"404 in {milliseconds(GOAL_SECONDS)}", is_right and min(seconds) < GOAL_SECONDS)


def path_traversal(site: Site) -> Iterator[Finding]:
    """Climb to files, to a device that never ends and to a pipe without a writer."""
    for path in (ROOT / "pyproject.toml", ROOT / "README.md", Path("/etc/passwd")):
        yield _climb_to(site, path)
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        for path in ("/dev/zero", pipe):
            yield _endless(site, f"/static/{_encoded(CLIMB + path.lstrip('/'))}")
            yield _endless(site, f"/static/{_encoded(path)}")


def _climb_to(site: Site, path: Path) -> Finding:
    """Request one file in every spelling, and count what goes wrong."""
    content = path.read_bytes()
    # A page may contain any short line by chance: the longest one proves that it shows the file.
    line = max(content.decode(errors="replace").splitlines(), key=len)
    secrets = {"its SHA-256": hashlib.sha256(content).hexdigest()[:10], "its content": line}
    spellings = list(_spellings(os.path.relpath(path, ROOT / "static"), str(path)))
    seen = Counter(filter(None, (_leak(site, target, secrets) for target in spellings)))
    told = ", ".join(f"{count} {what}" for what, count in seen.most_common())
    goal = "400 or 404, nothing of the file"
    return Finding(f"{path.name}, {len(spellings)} spellings", told or goal, goal, not seen)


def _leak(site: Site, target: bytes, secrets: dict[str, str]) -> str:
    """Return what is wrong with the response to one address after redirects; empty if nothing is."""
    try:
        answer = _followed(site, target)
    except BrokenError:
        return "without a response"
    shown = html.unescape(answer.head + answer.text)
    leaked = [what for what, secret in secrets.items() if secret in shown]
    if leaked:
        return f"show {' and '.join(leaked)}"
    return "" if answer.status in (400, 404) else f"with status {answer.status}"


def _followed(site: Site, target: str | bytes) -> Answer:
    """Request it, and follow up to three redirects."""
    answer = get(site.address, target, patience=PATIENCE)
    for _ in range(3):
        if not answer.location:
            break
        answer = get(site.address, re.sub(r"^https?://[^/]*", "", answer.location), patience=PATIENCE)
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


def _endless(site: Site, target: str) -> Finding:
    """Request a file that never ends, and compare the memory of the site."""
    goal = f"404 within {PATIENCE:.0f} s, below 100 MB more"
    before = site.memory()
    try:
        answer = _followed(site, target)
    except BrokenError as error:
        site.restart()
        return Finding(target[-40:], f"no response: {error}", goal, False)
    grown = site.memory() - before
    seen = f"{answer.status} after {milliseconds(answer.seconds)}, {grown / (1 << 20):.0f} MB more"
    return Finding(target[-40:], seen, goal, answer.status == 404 and grown < MEMORY_GOAL)


def _encoded(path: str) -> str:
    return path.replace("/", "%2f")
