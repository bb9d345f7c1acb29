"""Corpora on disk, in a folder that several machines may share, for a day after their last training.

A corpus is a folder with a random name. Its files are numbered: the names that their owner gave them are stored in
`files.json`, and never used as paths. Nothing here logs names or contents.
"""

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from webapp.core.training.corpus import Compression, CorpusFile, Format
from webapp.vocabularies.disk_cache import write_whole

CHUNK = 1 << 20
# The rest of the disk belongs to the database and to everybody else.
FREE_BYTES = 500_000_000
ID = re.compile(r"[A-Za-z0-9_-]{22}")
_LIST = "files.json"
_SCRATCH = "work"
_OWNER = "owner"
# A corpus has this file until it is complete. A worker that is killed leaves it, and the corpus goes after some minutes
# in which no file was added.
_INCOMPLETE = "incomplete"
INCOMPLETE_SECONDS = 300
_MAGIC: tuple[tuple[bytes, Compression], ...] = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))


class CorpusTooLargeError(Exception):
    """A corpus has more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


class NoRoomError(Exception):
    """The disk is full, or the limit for all corpora together is reached."""


class Corpora:
    """The corpora in a folder, which is created with the first one."""

    def __init__(self, folder: Path, most_bytes: int, *, most_bytes_together: int | None = None) -> None:
        """`most_bytes` is the limit for one corpus."""
        self.folder = folder
        self.most_bytes = most_bytes
        self._most_together = most_bytes_together

    def create(self, owner: str = "") -> str:
        """Make room for a corpus of `owner`, any name, and return its id; raises NoRoomError."""
        if self._most_together is not None and _bytes_in(self.folder) >= self._most_together:
            raise NoRoomError
        id = secrets.token_urlsafe(16)
        try:
            (self.folder / id / _SCRATCH).mkdir(parents=True, mode=0o700)
            (self.folder / id / _OWNER).write_text(owner, "utf-8")
            (self.folder / id / _INCOMPLETE).touch()
        except OSError as error:
            raise NoRoomError from error
        return id

    def add(self, id: str, name: str, stream: IO[bytes], format: Format = "text", field: str = "text") -> CorpusFile:
        """Store a file of a corpus as it comes, and return its description; what it begins with tells its compression.

        Raises CorpusTooLargeError, NoRoomError, and KeyError if there is no such corpus.
        """
        files = self._listed(id)
        if files is None:
            raise KeyError(id)
        path = self.folder / id / str(len(files))
        left = self.most_bytes - sum(os.path.getsize(self.folder / id / str(number)) for number in range(len(files)))
        head = b""
        try:
            if shutil.disk_usage(path.parent).free < FREE_BYTES:
                raise NoRoomError
            with path.open("wb") as file:
                while chunk := stream.read(CHUNK):
                    head = head or chunk[:4]
                    left -= len(chunk)
                    if left < 0:
                        raise CorpusTooLargeError(self.most_bytes)
                    file.write(chunk)
            compression = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
            described = {"name": name, "format": format, "field": field, "compression": compression}
            write_whole(self.folder / id / _LIST, json.dumps([*files, described]).encode())
        except (OSError, CorpusTooLargeError, NoRoomError) as error:
            path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise NoRoomError from error
            raise
        return CorpusFile(path=str(path), **described)  # type: ignore[arg-type]

    def files(self, id: str) -> tuple[CorpusFile, ...]:
        """The files of a corpus in order; empty if there is no such corpus, or no more."""
        listed = self._listed(id) or []
        return tuple(CorpusFile(path=str(self.folder / id / str(number)), **each) for number, each in enumerate(listed))

    def scratch(self, id: str, job: str) -> Path:
        """The folder for what a training writes, deleted with the corpus; raises KeyError if that is gone."""
        folder = self.work(id) / job
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise KeyError(id) from error
        return folder

    def work(self, id: str) -> Path:
        """The folder of all that work on a corpus writes, if there is one; raises KeyError for what is no id."""
        return self._folder(id) / _SCRATCH

    def delete_scratch(self, id: str, job: str) -> None:
        """Delete what a training wrote."""
        with suppress(KeyError):
            shutil.rmtree(self.work(id) / job, ignore_errors=True)

    def bytes_of(self, id: str) -> int:
        """The bytes that a corpus takes on the disk, with what its training wrote."""
        return _bytes_in(self._folder(id))

    def keep(self, id: str) -> None:
        """Begin the day again after which a corpus is deleted: it is complete."""
        with suppress(OSError):
            (self._folder(id) / _INCOMPLETE).unlink(missing_ok=True)
            os.utime(self._folder(id))

    def of(self, owner: str) -> list[str]:
        """The corpora of an owner, the oldest first."""
        own = [path for path in self._all() if _owner(path) == owner]
        return [path.name for path in sorted(own, key=_modified)]

    def delete(self, id: str) -> None:
        """Delete a corpus, if there is one."""
        with suppress(KeyError):
            shutil.rmtree(self._folder(id), ignore_errors=True)

    def delete_old(self, seconds: float) -> int:
        """Delete the corpora without changes for so long; returns their number.

        An incomplete corpus has `INCOMPLETE_SECONDS`.
        """
        now = time.time()
        old = [path for path in self._all() if now - _modified(path) > _seconds(path, seconds)]
        for path in old:
            shutil.rmtree(path, ignore_errors=True)
        return len(old)

    def secret(self) -> bytes:
        """A random key that all machines have in common, and that is not in the database."""
        path = self.folder / "key"
        with suppress(FileNotFoundError):
            return path.read_bytes()
        self.folder.mkdir(parents=True, exist_ok=True)
        own = self.folder / f"key-{secrets.token_hex(8)}"
        own.touch(mode=0o600)
        own.write_bytes(secrets.token_bytes(32))
        try:
            os.link(own, path)  # fails if another process was faster
        except FileExistsError:
            pass
        finally:
            own.unlink()
        return path.read_bytes()

    def _all(self) -> Iterator[Path]:
        with suppress(OSError):
            yield from (path for path in self.folder.iterdir() if ID.fullmatch(path.name))

    def _folder(self, id: str) -> Path:
        if not ID.fullmatch(id):
            raise KeyError(id)
        return self.folder / id

    def _listed(self, id: str) -> list[dict[str, Any]] | None:
        if not ID.fullmatch(id) or not (self.folder / id).is_dir():
            return None
        try:
            listed: list[dict[str, Any]] = json.loads((self.folder / id / _LIST).read_text("utf-8"))
        except FileNotFoundError:
            return []
        return listed


def _owner(path: Path) -> str:
    try:
        return (path / _OWNER).read_text("utf-8")
    except OSError:
        return ""


def _seconds(path: Path, seconds: float) -> float:
    return min(seconds, INCOMPLETE_SECONDS) if (path / _INCOMPLETE).exists() else seconds


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def _bytes_in(folder: Path) -> int:
    total = 0
    for path, _folders, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(path, name), follow_symlinks=False).st_blocks * 512
    return total
