"""Downloads one file over HTTPS from its publisher, with limits on size and time, and verifies it.

The HTTP client is that of `huggingface_hub`, for OpenAI's host too. It is imported at the first download.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.vocabularies.wellknown import WELL_KNOWN, VocabularySource

if TYPE_CHECKING:
    from httpx2 import URL, Response

Reason = Literal[
    "offline", "slow", "cut off", "missing", "refused", "failing", "too large", "redirected", "checksum", "storage"
]

# The domains of the hub. It redirects requests for large files to other subdomains.
HUB_SITES = ("huggingface.co", "hf.co")
MOST_REDIRECTS = 5
# The time for a host to accept a connection, and between two packets, in seconds.
CONNECT_SECONDS = 10.0
SILENT_SECONDS = 15.0


_SENTENCES: dict[Reason, LazyString] = {
    "offline": _l(
        "“%(name)s” could not be fetched: there is no connection to %(host)s. The built-in vocabularies work "
        "without it. Try again later, or upload the file."
    ),
    "slow": _l("“%(name)s” could not be fetched: %(host)s took too long. Try again later, or upload the file."),
    "cut off": _l(
        "“%(name)s” could not be fetched: the connection to %(host)s was interrupted. Try again in a minute, "
        "or upload the file."
    ),
    "missing": _l(
        "“%(name)s” could not be fetched: %(host)s has no such file. Choose another vocabulary, or upload the file."
    ),
    "refused": _l(
        "“%(name)s” could not be fetched: %(host)s requires an account with access to it. Upload the file, or "
        "ask the operator of this site to set HF_TOKEN."
    ),
    "failing": _l("“%(name)s” could not be fetched: %(host)s reported an error. Try again later, or upload the file."),
    "too large": _l(
        "“%(name)s” could not be fetched: the file from %(host)s is larger than this site accepts. Choose "
        "another vocabulary."
    ),
    "redirected": _l(
        "“%(name)s” could not be fetched: %(host)s redirects to another site, and this site trusts only the "
        "publisher’s own. Choose another vocabulary, or upload the file."
    ),
    "checksum": _l(
        "“%(name)s” could not be fetched: the checksum of the file from %(host)s is wrong, so the file was "
        "discarded. Try again later, or upload the file."
    ),
    "storage": _l(
        "“%(name)s” could not be stored: the folder for fetched vocabularies is full or not writable. The "
        "built-in vocabularies work without it. Ask the operator of this site to check "
        "TOKENSCOPE_VOCABULARY_FOLDER."
    ),
}


class FetchError(Exception):
    """The vocabulary `name` could not be fetched from `host`, for `reason`.

    `detail` is for the log, `sentence` for visitors.
    """

    def __init__(self, reason: Reason, detail: str = "", host: str = "", name: str = "") -> None:
        super().__init__(reason, detail, host, name)
        self.reason: Reason = reason
        self.detail = detail
        self.host = host
        self.name = name

    def __str__(self) -> str:
        return f"{self.name or 'a vocabulary'} from {self.host or 'its host'}: {self.reason} ({self.detail})"

    def sentence(self) -> str:
        """What went wrong with the vocabulary, and what to do next, in the visitor's language."""
        known = WELL_KNOWN.get(self.name)
        return str(_SENTENCES[self.reason]) % {"name": known.title if known else self.name, "host": self.host}


@dataclass(frozen=True)
class Endpoint:
    """The address of the hub, or of a mirror of it; `HUB_SITES` and their subdomains are trusted too, over HTTPS."""

    address: str

    @classmethod
    def checked(cls, address: str) -> Endpoint:
        """The endpoint at an address such as `https://huggingface.co`.

        >>> Endpoint.checked("https://huggingface.co/").address
        'https://huggingface.co'
        >>> Endpoint.checked("http://example.org")
        Traceback (most recent call last):
        ValueError: 'http://example.org' should begin with https:// (http:// is for this machine's own addresses)

        Raises ValueError for an address without TLS, unless it is a loopback address.
        """
        parts = urlsplit(address)
        if not parts.hostname or parts.port == 0 or parts.query or parts.fragment or parts.username:
            raise ValueError(f"{address!r} should be an address such as https://huggingface.co")
        if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(parts.hostname)):
            raise ValueError(f"{address!r} should begin with https:// (http:// is for this machine's own addresses)")
        return cls(address.rstrip("/"))

    @property
    def host(self) -> str:
        """The host for display: `huggingface.co`, or `127.0.0.1:8001`."""
        return urlsplit(self.address).netloc

    def allows(self, target: URL) -> bool:
        """Whether a file of this publisher may come from `target`."""
        trusted = any(target.host == site or target.host.endswith("." + site) for site in HUB_SITES)
        is_secure = target.scheme == "https" and target.port in (None, 443)
        return not target.userinfo and (self.is_own(target) or (is_secure and trusted))

    def is_own(self, target: URL) -> bool:
        """Whether `target` has the scheme, host and port of this address; only there may an access token be sent."""
        own = urlsplit(self.address)
        port = {"http": 80, "https": 443}[own.scheme]
        return (target.scheme, target.host, target.port or port) == (own.scheme, own.hostname, own.port or port)


def download(
    endpoint: Endpoint,
    source: VocabularySource,
    file: str,
    sha256: str,
    *,
    most_bytes: int,
    deadline: float,
    report: Callable[[int, int | None], None],
    needed: Callable[[bytes], int] | None = None,
    here: Callable[[str], bytes | None] = lambda _sha256: None,
) -> bytes:
    """Fetch and verify one file; raises FetchError with any reason except `storage`.

    `most_bytes` limits its size and `deadline` (in terms of `time.monotonic`) its time. `report` receives the bytes so
    far and the total, or None if that is unknown. With `needed`, only the beginning of the file is fetched, until that
    says that it needs 0 more bytes; there is no checksum of a part. `here` returns a file that this site has already,
    by its SHA-256, which the hub gives with the redirect to a large file; then nothing is downloaded.
    """
    import httpx2
    from huggingface_hub import get_session, hf_hub_url

    try:
        url = httpx2.URL(hf_hub_url(source.repository, file, revision=source.revision, endpoint=endpoint.address))
        checksum, length = "", None
        for _ in range(MOST_REDIRECTS + 1):
            seconds = _seconds_left(deadline, url.host)
            timeout = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
            headers = headers_for(endpoint, url) | ({"Range": f"bytes=0-{most_bytes - 1}"} if needed else {})
            with get_session().stream("GET", url, headers=headers, follow_redirects=False, timeout=timeout) as response:
                # For a large file, the hub sends checksum and size with the redirect to its storage.
                checksum = checksum or response.headers.get("X-Linked-ETag", "")
                length = length or _number(response.headers.get("X-Linked-Size"))
                if response.has_redirect_location:
                    if (stored := here(_plain(checksum))) is not None:
                        return stored
                    url = _redirected(endpoint, response)
                    continue
                _check_status(response, 206 if needed else 200)
                if needed:
                    return _beginning(response, needed, most_bytes, deadline)
                content = bytearray()
                for chunk in _checked_body(response, length, bool(sha256), most_bytes, report):
                    content += chunk
                    _seconds_left(deadline, url.host)
                if endpoint.is_own(url):
                    checksum = checksum or response.headers.get("ETag", "")
                _verify(file, bytes(content), sha256 or checksum, url.host)
                return bytes(content)
        raise FetchError("redirected", f"more than {MOST_REDIRECTS} redirects", url.host)
    except (httpx2.HTTPError, OSError) as error:  # OSError: `huggingface_hub` is configured to be offline
        reason: Reason = "offline"
        if isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout):
            reason = "slow"
        elif isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError):
            reason = "cut off"
        raise FetchError(reason, f"{type(error).__name__}: {error}", endpoint.host) from None


def headers_for(endpoint: Endpoint, url: URL) -> dict[str, str]:
    """The headers of a request; the hub's own address gets the token HF_TOKEN, if it can be sent."""
    headers = {"User-Agent": "tokenscope", "Accept-Encoding": "identity"}
    token = os.environ.get("HF_TOKEN", "").strip()
    # A token that is not valid in a header would only appear in an error message.
    if token and token.isascii() and token.isprintable() and endpoint.is_own(url):
        headers["Authorization"] = f"Bearer {token}"
    return headers


def _redirected(endpoint: Endpoint, response: Response) -> URL:
    import httpx2

    try:
        target = response.url.join(response.headers["Location"])
    except (httpx2.InvalidURL, ValueError) as error:
        raise FetchError("redirected", f"to no address: {error}", response.url.host) from None
    if not endpoint.allows(target):
        raise FetchError("redirected", f"to {target.scheme}://{target.netloc.decode()}", response.url.host)
    return target


def _checked_body(
    response: Response,
    linked: int | None,
    has_checksum: bool,
    most_bytes: int,
    report: Callable[[int, int | None], None],
) -> Iterator[bytes]:
    """The body of a response in parts; its size is checked before and while it arrives, and at the end."""
    host, headers = response.url.host, response.headers
    if headers.get("Content-Encoding", "identity") != "identity":
        raise FetchError("failing", f"unexpected Content-Encoding: {headers['Content-Encoding'][:40]}", host)
    length = _number(headers.get("Content-Length"))
    total = length if length is not None else linked
    if total is not None and total > most_bytes:
        raise FetchError("too large", f"{total:,} bytes; {most_bytes:,} are allowed", host)
    arrived = 0
    report(0, total)
    for chunk in response.iter_raw():
        arrived += len(chunk)
        if arrived > most_bytes:
            raise FetchError("too large", f"more than the allowed {most_bytes:,} bytes", host)
        report(arrived, total)
        yield chunk
    if total is not None and arrived != (linked or total):
        raise FetchError("cut off", f"{arrived:,} of {linked or total:,} bytes arrived", host)
    if total is None and "Transfer-Encoding" not in headers and not has_checksum:
        raise FetchError("cut off", "the length of the file is unknown", host)


def _beginning(response: Response, needed: Callable[[bytes], int], most_bytes: int, deadline: float) -> bytes:
    """The body of a response as far as it is needed; a server that ignores ranges is not read further either."""
    content, wanted = bytearray(), 1_000_000
    for chunk in response.iter_raw():
        content += chunk
        _seconds_left(deadline, response.url.host)
        if len(content) > most_bytes:
            raise FetchError("too large", f"more than the allowed {most_bytes:,} bytes", response.url.host)
        if len(content) >= wanted:
            more = needed(bytes(content))
            if not more:
                break
            wanted = len(content) + max(more, len(content) // 2)
    return bytes(content)


def _verify(file: str, content: bytes, expected: str, host: str) -> None:
    """Compare the content with the catalogue's checksum, or else with the hub's entity tag.

    The tag is the SHA-256 of a large file, and the git blob id (SHA-1) of any other.
    """
    expected = _plain(expected)
    if expected.strip("0123456789abcdef") or len(expected) not in (40, 64):
        return
    digest = hashlib.sha256(content)
    if len(expected) == 40:
        digest = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    if expected != digest.hexdigest():
        raise FetchError("checksum", f"{file} is {digest.hexdigest()}, not {expected}", host)


def _plain(tag: str) -> str:
    return tag.removeprefix("W/").strip('"').lower()


def _seconds_left(deadline: float, host: str) -> float:
    """The timeout for the next packet; raises FetchError after the deadline."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise FetchError("slow", "the time limit is exceeded", host)
    return min(left, SILENT_SECONDS)


_REASONS: Mapping[int | str, Reason] = {
    **dict.fromkeys((401, 403, 451, "GatedRepo"), "refused"),
    **dict.fromkeys((404, 410, "RepoNotFound", "RevisionNotFound", "EntryNotFound"), "missing"),
}
"""Of statuses, and of what the hub says in the header X-Error-Code."""


def _check_status(response: Response, partial: int) -> None:
    """Raise FetchError for a response that is not the file, without reading its body, which may be endless."""
    status, headers = response.status_code, response.headers
    if status not in (200, partial):
        code = headers.get("X-Error-Code", "")
        detail = ": ".join([f"status {status}", *filter(None, (code[:200], headers.get("X-Error-Message", "")[:200]))])
        raise FetchError(_REASONS.get(code) or _REASONS.get(status, "failing"), detail, response.url.host)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 16 else None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
