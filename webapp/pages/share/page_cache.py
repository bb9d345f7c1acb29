"""A cache of rendered snapshot pages: a snapshot never changes, so its page can be reused."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

from webapp.observing import report

ENTRY_BYTES = 1_200  # of a page besides its body: the key with its texts and times, the entity tag, and their places
MAX_PAGE_BYTES = 1 << 20  # a larger page is not cached


@dataclass(frozen=True)
class CachedPage:
    """The bytes of a page, their hash as its ETag, and those of the stylesheets in it."""

    body: bytes
    etag: str
    styles: Sequence[str] = ()


class PageCache:
    """Pages by key; the least recently used are evicted first.

    >>> pages = PageCache(max_bytes=2_000)
    >>> page = pages.store("a", b"123456")
    >>> pages.get("a") is page, pages.store("b", b"123456").body, pages.get("a")
    (True, b'123456', None)
    """

    def __init__(self, *, max_bytes: int) -> None:
        """Hold pages of at most `max_bytes` in total."""
        self._size = self._free = max_bytes
        self._pages: OrderedDict[Hashable, CachedPage] = OrderedDict()
        self._lock = Lock()

    def held(self) -> int:
        """The bytes of all pages and of what the cache needs for them."""
        return self._size - self._free

    def get(self, key: Hashable) -> CachedPage | None:
        """Return the page, or None if it is not cached."""
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
            found = self._pages.get(key)
        report.current().add(f"cache_{'misses' if found is None else 'hits'}_total", cache="pages")
        return found

    def store(self, key: Hashable, body: bytes, styles: Sequence[str] = ()) -> CachedPage:
        """Cache a page unless it is too large, and return it."""
        page = CachedPage(body, sha256(body).hexdigest()[:32], styles)
        with self._lock:
            if len(body) <= MAX_PAGE_BYTES and key not in self._pages:
                self._pages[key] = page
                self._free -= len(body) + ENTRY_BYTES
            while self._free < 0:
                self._free += len(self._pages.popitem(last=False)[1].body) + ENTRY_BYTES
        return page
