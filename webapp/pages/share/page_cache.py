"""Pages of snapshots that were made before: a snapshot does not change, so neither does its page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

LARGEST = 1 << 20  # bytes; a larger page is made anew each time


@dataclass(frozen=True)
class CachedPage:
    """The bytes of a page, and their hash."""

    body: bytes
    etag: str


class PageCache:
    """Pages by what decides them; the least recently used go first.

    >>> pages = PageCache(most_bytes=10)
    >>> page = pages.keep("a", b"123456")
    >>> pages.get("a") is page, pages.keep("b", b"123456").body, pages.get("a")
    (True, b'123456', None)
    """

    def __init__(self, *, most_bytes: int) -> None:
        """All together have at most `most_bytes`."""
        self._room = most_bytes
        self._pages: OrderedDict[Hashable, CachedPage] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> CachedPage | None:
        """The page, or None where it is not remembered."""
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
            return self._pages.get(key)

    def keep(self, key: Hashable, body: bytes) -> CachedPage:
        """Remember a page, unless it is too large; give it back."""
        page = CachedPage(body, sha256(body).hexdigest()[:32])
        with self._lock:
            if len(body) <= LARGEST and key not in self._pages:
                self._pages[key] = page
                self._room -= len(body)
            while self._room < 0:
                self._room += len(self._pages.popitem(last=False)[1].body)
        return page
