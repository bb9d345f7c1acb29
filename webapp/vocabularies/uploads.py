"""Vocabulary files that visitors bring: checked, kept under the hash of their content, and used like any other.

    upload-5f0c3c1b9d2e7a64.vocabulary    the file as it came
    upload-5f0c3c1b9d2e7a64.companion     its merges.txt, where it has one
    upload-5f0c3c1b9d2e7a64.json          what it was found to be

The same content has the same name, whoever brings it; nothing about who brought it is kept, not even what the file
was called.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from webapp.core.formats.fields import FormatError
from webapp.core.formats.recognize import Format, Recognized, recognize
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.algorithms import Algorithm, algorithms_of

_NAME = re.compile(r"upload-[0-9a-f]{16}")


@dataclass(frozen=True)
class Uploaded:
    """What is known of a file without reading it again. `size` is the number of its ids, `bytes` that of the file."""

    name: str
    format: Format
    algorithms: tuple[Algorithm, ...]
    size: int
    bytes: int


class NoRoomError(Exception):
    """The folder has no room for another file: `limit` bytes are all that the site keeps, or the disk is full."""


class Uploads:
    """The folder of uploaded vocabularies. Several processes and machines may share one."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        """At most `most_bytes` are kept in all; nothing is ever dropped to make room, since links name it."""
        self._folder = folder
        self._most_bytes = most_bytes

    def keep(self, content: bytes, companion: bytes | None = None) -> tuple[Uploaded, Tokenizer]:
        """Check a file and keep it, with the tokenizer it makes; `companion` is the merges.txt of a vocab.json.

        Raises FormatError for a file that is no vocabulary, NoRoomError where it cannot be kept.
        """
        found = recognize(content, companion)
        name = name_of(content, companion)
        uploaded = Uploaded(
            name=name,
            format=found.format,
            algorithms=algorithms_of(found.tokenizer),
            size=number_of_ids(found.tokenizer),
            bytes=len(content) + len(companion or b""),
        )
        if self.find(name) is None:
            self._write(uploaded, content, companion)
        return uploaded, found.tokenizer

    def find(self, name: str) -> Uploaded | None:
        """The vocabulary of that name, or None where nobody has brought it."""
        if not _NAME.fullmatch(name):
            return None
        try:
            record = json.loads((self._folder / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return Uploaded(**record | {"algorithms": tuple(record["algorithms"])})

    def read(self, name: str) -> Recognized:
        """The tokenizer of an uploaded vocabulary.

        Raises KeyError where there is none of that name, FormatError where its file is not what was kept.
        """
        try:
            content, companion = self.content(name)
        except OSError as error:
            raise FormatError("the kept file cannot be read: %(error)s", error=error.strerror) from None
        if name_of(content, companion) != name:
            raise FormatError("the kept file is damaged: its checksum is not the one it is named by")
        return recognize(content, companion)

    def content(self, name: str) -> tuple[bytes, bytes | None]:
        """The file and its companion as they came; raises KeyError or OSError where there is none of that name."""
        if self.find(name) is None:
            raise KeyError(name)
        content = (self._folder / f"{name}.vocabulary").read_bytes()
        companion = self._folder / f"{name}.companion"
        return content, companion.read_bytes() if companion.exists() else None

    def _write(self, uploaded: Uploaded, content: bytes, companion: bytes | None) -> None:
        record = json.dumps(asdict(uploaded)).encode()
        parts = [
            ("companion", companion),
            ("vocabulary", content),
            ("json", record),
        ]  # the record last: then all is there
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            kept = sum(entry.stat().st_size for entry in os.scandir(self._folder))
            if kept + uploaded.bytes > self._most_bytes:
                raise NoRoomError
            for ending, part in parts:
                if part is not None:
                    _write_whole(self._folder / f"{uploaded.name}.{ending}", part)
        except OSError as error:
            raise NoRoomError from error


def name_of(content: bytes, companion: bytes | None = None) -> str:
    """The name that a file has here: `upload-` and the beginning of the SHA-256 of its content.

    >>> name_of(b"low\\n"), name_of(b"low\\n") == name_of(b"low", b"\\n")
    ('upload-3d2a2ab7ca3e4b36', False)
    """
    both = content if companion is None else b"%d\0%b%b" % (len(content), content, companion)
    return f"upload-{sha256(both).hexdigest()[:16]}"


def number_of_ids(tokenizer: Tokenizer) -> int:
    """How many different ids a tokenizer has: its model's pieces, and the added tokens beyond them."""
    beyond = {token.id for token in tokenizer.added_tokens if token.id >= len(tokenizer.model.pieces)}
    return len(tokenizer.model.pieces) + len(beyond)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
