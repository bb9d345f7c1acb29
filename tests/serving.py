"""The real site to test against, under its own server, and a Chromium to view it with."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).resolve().parents[1]

# A browser for tests needs no sandbox, no screen and no connection to its vendor.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM_ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


@dataclass(frozen=True)
class Site:
    """A running site at ``address``, such as ``http://127.0.0.1:41234``."""

    address: str
    process: subprocess.Popen[bytes]
    log: int  # the file descriptor of what it has written

    def said(self) -> str:
        """Return what its processes have written so far."""
        return _said(self.log)

    def kill(self) -> None:
        """Kill all its processes at once, even in the middle of a request."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def serve(*, folder: Path = ROOT, environment: Mapping[str, str] | None = None, patience: float = 60) -> Iterator[str]:
    """Serve the site as deployed, started in ``folder``; yield its address.

    Uploads are deleted with it, vocabularies are fetched from a port where nothing listens, and there are no rate
    limits. Raises ``RuntimeError`` with the server's output when ``/healthz`` is silent for ``patience`` seconds.
    """
    with serving(folder=folder, environment=environment, patience=patience) as site:
        yield site.address


@contextmanager
def serving(
    application: str = "webapp:create_app",
    *,
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    patience: float = 60,
) -> Iterator[Site]:
    """Serve the site as `serve` does; yield a `Site`, for tests that also kill or configure it."""
    command = [sys.executable, "-m", "webapp"]
    own_process = {
        "PORT": str(free_port()),
        "TOKENSCOPE_APPLICATION": application,
        "WEB_CONCURRENCY": "2",
        "TOKENSCOPE_WORKER": "false",
    }
    with tempfile.TemporaryFile() as log, tempfile.TemporaryDirectory() as own:
        alone = {"TOKENSCOPE_HUB": "http://127.0.0.1:9"}
        unlimited = {f"TOKENSCOPE_RATE_{name}": "" for name in ("READING", "STORING", "WORK")}
        kept = {
            "TOKENSCOPE_VOCABULARY_FOLDER": own,
            "TOKENSCOPE_DATABASE_FILE": f"{own}/tokenscope.sqlite",
            "TOKENSCOPE_CORPUS_FOLDER": f"{own}/corpora",
        }
        settings = {**os.environ, **kept, **alone, **unlimited, **own_process, **constants(environment or {})}
        process = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=log, start_new_session=True)
        try:
            yield Site(_address(process, log.fileno(), time.monotonic() + patience), process, log.fileno())
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            # pytest shows it with the failure of a test, and only there.
            sys.stderr.write(_said(log.fileno()))


def constants(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with what are constants of the site, and no settings, in the variable by which tests set them."""
    from webapp.settings import CONSTANTS, HOOK

    changed = {name: environment[f"TOKENSCOPE_{name}"] for name in CONSTANTS if f"TOKENSCOPE_{name}" in environment}
    others = {name: value for name, value in environment.items() if name.removeprefix("TOKENSCOPE_") not in changed}
    before = json.loads(environment.get(HOOK) or "{}")
    return {**others, HOOK: json.dumps(before | {name: json.loads(value) for name, value in changed.items()})}


@dataclass(frozen=True)
class Answer:
    """A response, and the seconds until its last byte."""

    status: int
    body: bytes
    headers: HTTPMessage
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(
    address: str,
    path: str,
    form: Mapping[str, str] | None = None,
    *,
    method: str = "",
    body: bytes | Iterator[bytes] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send one request of which no library tidies up the path; with a form or a body it is a POST."""
    sent = dict(headers or {})
    if form is not None:
        body = urlencode(form).encode()
        sent |= {"Content-Type": "application/x-www-form-urlencoded"}
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=60)) as connection:
        begun = time.monotonic()
        is_chunked = "Transfer-Encoding" in sent
        connection.request(method or ("GET" if body is None else "POST"), path, body, sent, encode_chunked=is_chunked)
        answer = connection.getresponse()
        return Answer(answer.status, answer.read(), answer.headers, time.monotonic() - begun)


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _address(process: subprocess.Popen[bytes], log: int, deadline: float) -> str:
    """Wait until the site prints its address and responds there."""
    while time.monotonic() < deadline and process.poll() is None:
        told = re.search(r'Tokenscope is ready at ([^\s"]+)', _said(log))
        if told and is_healthy(told[1]):
            return told[1]
        time.sleep(0.05)
    raise RuntimeError("The site did not come up.\n" + _said(log))


def _said(log: int) -> str:
    """Return what the server has written so far, without moving its file position."""
    return os.pread(log, 1_000_000, 0).decode(errors="replace")


def is_healthy(address: str) -> bool:
    """Tell whether ``/healthz`` responds there."""
    try:
        with urllib.request.urlopen(address + "/healthz", timeout=5) as answer:
            return bool(answer.read().strip() == b"ok")
    except urllib.error.HTTPError as error:
        error.close()
        return False
    except OSError:
        return False


def find_chromium() -> str | None:
    """Return the path of this machine's Chromium or Chrome, None if there is neither."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return CHROMIUM_ON_MACOS if os.path.exists(CHROMIUM_ON_MACOS) else None


def launch_chromium(playwright: Playwright, path: str) -> Browser:
    """Start the Chromium at ``path`` without a window."""
    return playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
