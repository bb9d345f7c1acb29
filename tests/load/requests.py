"""What the clients ask for: pages, pastes, downloads, links, comparisons and the API, as browsers and programs do."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from tests.load.texts import Texts

KILOBYTE = 1_000
MEGABYTE = 1_000_000
# What is sent for each 100 requests of the mix.
MIX = {"page": 70, "paste 100 KB": 10, "link": 8, "compare": 6, "api": 6}

ENCODINGS = {"Accept-Encoding": "gzip, deflate, br, zstd"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
# htmx shows a long result as it arrives.
HTMX = {**FORM, "HX-Request": "true", "HX-Request-Type": "partial", "Accept": "text/html, text/event-stream"}


@dataclass(frozen=True)
class Request:
    """One request; `kind` is its row in the table."""

    kind: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """GET without a body, else POST."""
        return "GET" if self.body is None else "POST"


class Requests:
    """Makes requests; the long ones are prepared, so that encoding them takes no time from the test."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._long = [_form(texts.of(MEGABYTE)) for _ in range(4)]
        self._middle = [_form(texts.of(100 * KILOBYTE)) for _ in range(10)]
        self._deck: list[str] = []
        self.links: list[str] = []  # the addresses of snapshots

    def page(self) -> Request:
        """The playground with a new text of 1 KB."""
        return Request("page", f"/?text={quote(self._texts.of(KILOBYTE))}", headers={"Accept": "text/html"})

    def paste(self) -> Request:
        """A text of 1 MB in the playground, as htmx sends it and as a plain form does, in turn by chance."""
        kind, headers = self._texts.random.choice([("paste 1 MB", FORM), ("paste 1 MB, htmx", HTMX)])
        return Request(kind, "/", self._texts.random.choice(self._long), headers)

    def download(self) -> Request:
        """The tokens of 1 MB as JSON."""
        return Request("download 1 MB", "/download/tokens.json", self._texts.random.choice(self._long), FORM)

    def of_the_mix(self) -> Request:
        """The next request of the mix: every 100 requests have exactly its shares, in an order by chance."""
        if not self._deck:
            self._deck = [kind for kind, count in MIX.items() for _ in range(count)]
            self._texts.random.shuffle(self._deck)
        makers: dict[str, Callable[[], Request]] = {
            "page": self.page,
            "paste 100 KB": self._paste_of_100_kilobytes,
            "link": self._link,
            "compare": self._compare,
            "api": self._api,
        }
        return makers[self._deck.pop()]()

    def share(self) -> Request:
        """Store a snapshot of a text of 1 KB."""
        return Request("share", "/share", _form(self._texts.of(KILOBYTE)), FORM)

    def _paste_of_100_kilobytes(self) -> Request:
        return Request("paste 100 KB", "/", self._texts.random.choice(self._middle), HTMX)

    def _link(self) -> Request:
        return Request("link", self._texts.random.choice(self.links), headers={"Accept": "text/html"})

    def _compare(self) -> Request:
        return Request("compare", f"/compare?text={quote(self._texts.of(KILOBYTE))}", headers={"Accept": "text/html"})

    def _api(self) -> Request:
        body = json.dumps({"text": self._texts.of(KILOBYTE)}).encode()
        return Request("api", "/api/v1/tokenize", body, {"Content-Type": "application/json"})


def _form(text: str) -> bytes:
    return urlencode({"text": text}).encode()
