"""Validates and stores vocabulary files that visitors upload, under the hash of their content.

    upload-5f0c3c1b9d2e7a64   a file, with its merges.txt if it has one, named by the first digits of its SHA-256

The same content always has the same name. The site stores nothing about the visitor, not even the name of the file.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from threading import Lock

from webapp.core.algorithms import algorithms_for, sharing_vocabularies
from webapp.core.formats.gguf_metadata import header_of
from webapp.core.formats.reading import FormatError
from webapp.core.tokenizer import Tokenizer
from webapp.storage import StorageFullError, UnavailableStorageError, VocabularyFile, VocabularyStore
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.wellknown import WellKnown

_NAME = re.compile(r"upload-[0-9a-f]{16}")
# The number of uploads whose description, not content, a process caches.
_CACHED = 4_096


class Uploads:
    """The uploaded vocabularies of a store, which several processes and machines may share."""

    def __init__(self, store: VocabularyStore, cache: DiskCache, *, most_bytes: int) -> None:
        """Store at most `most_bytes` in total. Uploads are never deleted to make room, because links refer to them.

        The cache has the compact forms of large files.
        """
        self.store = store
        self.cache = cache
        self.most_bytes = most_bytes
        self._found: dict[str, CatalogueEntry] = {}  # each page looks up the same few names
        self._lock = Lock()

    def add(self, content: bytes, companion: bytes | None = None) -> tuple[CatalogueEntry, Tokenizer]:
        """Validate and store a file; `companion` is the merges.txt of a vocab.json. Returns it with its tokenizer.

        Of a GGUF file, only the metadata is stored.

        Raises FormatError if the file is not a vocabulary, StorageFullError if there is no room for it, and
        UnavailableStorageError if the database is unreachable.
        """
        if companion is not None and companion.lstrip()[:1] == b"{" and content.lstrip()[:1] != b"{":
            content, companion = companion, content  # the visitor may choose the two files in any order
        content = header_of(content)  # of a model, whose tensors nobody reads
        found = self.cache.recognized(content, companion)
        algorithms, size = algorithms_of(found.tokenizer), number_of_ids(found.tokenizer)
        hash = hash_of(content, companion)
        file = VocabularyFile(hash, found.format, algorithms, size, content, companion)
        try:
            self.store.put(file, most_bytes=self.most_bytes)
        except UnavailableStorageError as error:
            if error.reason == "full":
                raise StorageFullError("disk") from error
            raise
        entry = CatalogueEntry(f"upload-{hash[:16]}", algorithms, "uploaded", size, title=found.format)
        return entry, found.tokenizer

    def find(self, name: str) -> CatalogueEntry | None:
        """The uploaded vocabulary `name`, or None; files that only snapshots use do not count.

        Raises UnavailableStorageError if the database is unreachable.
        """
        if not is_upload(name):
            return None
        if (known := self._found.get(name)) is not None:
            return known
        record = self.store.find(name.removeprefix("upload-"))
        if record is None:
            return None
        uploaded = CatalogueEntry(
            name, with_newer(record.algorithms.split()), "uploaded", record.size, title=record.format
        )
        with self._lock:
            if len(self._found) >= _CACHED:
                del self._found[next(iter(self._found))]
            self._found[name] = uploaded
        return uploaded

    def read(self, hash: str, known: WellKnown | None = None) -> Tokenizer:
        """The tokenizer of a stored file, by its full hash or by the digits in the name of an upload.

        `known` is the well-known vocabulary that the file is. Raises KeyError if there is no such file, FormatError if
        it is deleted or damaged, and UnavailableStorageError if the database is unreachable.
        """
        record = self.store.find(hash)
        if record is not None and (compact := self.cache.compact(record.hash)) is not None:
            return compact.tokenizer
        try:
            content, companion = self.store.content(hash)
        except KeyError:
            if self._found.pop(f"upload-{hash}", None) is None:
                raise
            raise FormatError("the stored file no longer exists") from None
        except ValueError:
            content, companion = b"", None
        if not hash_of(content, companion).startswith(hash):
            raise FormatError("the stored file is damaged: its checksum does not match its name")
        if known is not None:
            return known.tokenizer([content] if companion is None else [content, companion], self.cache.recognized)
        return self.cache.recognized(content, companion).tokenizer

    def content(self, name: str) -> tuple[bytes, bytes | None]:
        """The uploaded file and its companion, unchanged.

        Raises KeyError if there is none with this name, ValueError if it is damaged, and UnavailableStorageError if the
        database is unreachable.
        """
        if not is_upload(name):
            raise KeyError(name)
        return self.store.content(name.removeprefix("upload-"))

    def with_hash(self, hash: str) -> bytes | None:
        """The stored file with this SHA-256, intact and without a companion; None if there is none."""
        try:
            content, companion = self.store.content(hash) if len(hash) == 64 else (b"", None)
        except (KeyError, ValueError):
            return None
        return content if companion is None and hash_of(content) == hash else None


def is_upload(name: str) -> bool:
    """Whether a name has the form of an upload's name."""
    return _NAME.fullmatch(name) is not None


def hash_of(content: bytes, companion: bytes | None = None) -> str:
    """The SHA-256 of a file, together with its companion if it has one, in hexadecimal.

    >>> hash_of(b"low\\n")[:16], hash_of(b"low\\n") == hash_of(b"low", b"\\n")
    ('5b22adcd5be685dd', False)
    """
    both = content if companion is None else b"%d\0%b%b" % (len(content), content, companion)
    return sha256(both).hexdigest()


def number_of_ids(tokenizer: Tokenizer) -> int:
    """The number of distinct ids of a tokenizer: the model's pieces, and added tokens with further ids."""
    size, gaps = len(tokenizer.model.pieces), tokenizer.gaps
    beyond = {token.id for token in tokenizer.added_tokens if token.id >= size or token.id in gaps}
    return size - len(gaps) + len(beyond)


def algorithms_of(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The algorithms that can use the vocabulary of a tokenizer: several for a dictionary, else one."""
    return algorithms_for(tokenizer.model)


def with_newer(stored: Sequence[str]) -> tuple[str, ...]:
    """The algorithms that were stored with a vocabulary, and those added since that use vocabularies of its kind.

    >>> with_newer(("fmm", "bmm"))[:3], with_newer(("bpe",))
    (('fmm', 'bmm', 'bidirectional'), ('bpe',))
    """
    return tuple(dict.fromkeys([*stored, *(other for id in stored for other in sharing_vocabularies(id))]))
