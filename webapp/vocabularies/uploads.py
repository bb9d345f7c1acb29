"""Vocabulary files that visitors bring: checked, kept under the hash of their content, and used like any other.

    upload-5f0c3c1b9d2e7a64   the name of a file whose SHA-256 begins so, with its merges.txt where it has one

The same content has the same name, whoever brings it; nothing about who brought it is kept, not even what the file
was called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import cast

from webapp.core.formats.fields import FormatError
from webapp.core.formats.recognize import Format, Recognized, recognize
from webapp.core.tokenizer import Tokenizer
from webapp.storage import StorageFullError, UnavailableStorageError, VocabularyFile, VocabularyStore
from webapp.vocabularies.algorithms import algorithms_of

__all__ = ["StorageFullError", "UploadedVocabulary", "Uploads", "hash_of", "is_upload", "name_of", "number_of_ids"]

_NAME = re.compile(r"upload-[0-9a-f]{16}")
# So many vocabularies a process knows without asking the database: what they are, not what is in them.
_AT_HAND = 4_096


@dataclass(frozen=True)
class UploadedVocabulary:
    """What is known of a file without reading it again. `size` is the number of its ids, `bytes` that of the file."""

    name: str
    format: Format
    algorithms: tuple[str, ...]
    size: int
    bytes: int


class Uploads:
    """The uploaded vocabularies of a store, which several processes and machines may share."""

    def __init__(self, store: VocabularyStore, *, most_bytes: int) -> None:
        """At most `most_bytes` are kept in all; nothing is ever dropped to make room, since links name it."""
        self.store = store
        self.most_bytes = most_bytes
        self._found: dict[str, UploadedVocabulary] = {}  # a page asks for the same few again and again
        self._lock = Lock()

    def keep(self, content: bytes, companion: bytes | None = None) -> tuple[UploadedVocabulary, Tokenizer]:
        """Check a file and keep it, with the tokenizer it makes; `companion` is the merges.txt of a vocab.json.

        Raises FormatError for a file that is no vocabulary, NoRoomError where it cannot be kept, and
        UnavailableStorageError where it can perhaps be kept later.
        """
        if companion is not None and companion.lstrip()[:1] == b"{" and content.lstrip()[:1] != b"{":
            content, companion = companion, content  # however they were chosen, a pair is one vocabulary
        found = recognize(content, companion)
        algorithms, size = algorithms_of(found.tokenizer), number_of_ids(found.tokenizer)
        hash = hash_of(content, companion)
        file = VocabularyFile(hash, found.format, algorithms, size, content, companion)
        try:
            self.store.put(file, most_bytes=self.most_bytes)
        except UnavailableStorageError as error:
            if error.reason == "full":
                raise StorageFullError from error
            raise
        bytes = len(content) + len(companion or b"")
        return UploadedVocabulary(f"upload-{hash[:16]}", found.format, algorithms, size, bytes), found.tokenizer

    def find(self, name: str) -> UploadedVocabulary | None:
        """The vocabulary of that name, or None where nobody has brought it: one kept for a snapshot is not found.

        Raises UnavailableStorageError where that cannot be told now.
        """
        if not is_upload(name):
            return None
        if (known := self._found.get(name)) is not None:
            return known
        record = self.store.find(name.removeprefix("upload-"))
        if record is None:
            return None
        algorithms = tuple(record.algorithms)
        uploaded = UploadedVocabulary(name, cast(Format, record.format), algorithms, record.size, record.bytes)
        with self._lock:
            if len(self._found) >= _AT_HAND:
                del self._found[next(iter(self._found))]
            self._found[name] = uploaded
        return uploaded

    def read(self, name: str) -> Recognized:
        """The tokenizer of an uploaded vocabulary.

        Raises KeyError where there is none of that name, FormatError where its file is not what was kept,
        UnavailableStorageError where it cannot be read now.
        """
        try:
            content, companion = self.content(name)
        except KeyError:
            if self._found.pop(name, None) is None:
                raise
            raise FormatError("the kept file is gone") from None
        except ValueError:
            raise _damaged() from None
        if name_of(content, companion) != name:
            raise _damaged()
        return recognize(content, companion)

    def content(self, name: str) -> tuple[bytes, bytes | None]:
        """The file and its companion as they came.

        Raises KeyError where there is none of that name, ValueError where what was kept is damaged,
        UnavailableStorageError where it cannot be read now.
        """
        if not is_upload(name):
            raise KeyError(name)
        return self.store.content(name.removeprefix("upload-"))


def _damaged() -> FormatError:
    return FormatError("the kept file is damaged: its checksum is not the one it is named by")


def is_upload(name: str) -> bool:
    """Whether a name is one that an uploaded file could have."""
    return _NAME.fullmatch(name) is not None


def name_of(content: bytes, companion: bytes | None = None) -> str:
    """The name that a file has here: `upload-` and the beginning of the SHA-256 of its content.

    >>> name_of(b"low\\n"), name_of(b"low\\n") == name_of(b"low", b"\\n")
    ('upload-5b22adcd5be685dd', False)
    """
    return f"upload-{hash_of(content, companion)[:16]}"


def hash_of(content: bytes, companion: bytes | None = None) -> str:
    """The SHA-256 of a file, and of its companion where it has one, in hexadecimal: what it is kept under."""
    both = content if companion is None else b"%d\0%b%b" % (len(content), content, companion)
    return sha256(both).hexdigest()


def number_of_ids(tokenizer: Tokenizer) -> int:
    """How many different ids a tokenizer has: its model's pieces, and the added tokens beyond them."""
    beyond = {token.id for token in tokenizer.added_tokens if token.id >= len(tokenizer.model.pieces)}
    return len(tokenizer.model.pieces) + len(beyond)
