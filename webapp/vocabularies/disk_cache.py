"""Stores fetched vocabularies on disk, in a local folder or in one that several machines share.

A record, `gpt2.json`, lists the files of `gpt2`; the name of each file is the vocabulary and the SHA-256 of its
content. Files are written under a temporary name and then renamed, so that a reader finds a complete file or none,
whatever other threads and processes do. What ships with the site is always here; its files are unpacked.

`SHA256.compact` is the compact form of a large file with this checksum, fetched or uploaded, which processes map. It
may be deleted or damaged: the next process that needs it makes it again.
"""

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from webapp.core.formats import compact_bpe
from webapp.core.formats.recognize import Recognized, recognize
from webapp.core.models.mapped_bpe import MappedBPE
from webapp.storage import Deleted
from webapp.vocabularies.shipped_vocabularies import published_file
from webapp.vocabularies.wellknown import CHECKSUMS, SHORT, WELL_KNOWN, WellKnown

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

Progress = Callable[[int, int | None], None]

LARGE = 20 * compact_bpe.LEAST_PIECES
"""A file that has a compact form has more bytes."""
MOST_COMPACT = 512 << 20
"""Bytes of all compact forms together: about 20 of the largest vocabularies."""
# The longest to wait for other processes that read large files, in seconds: less than the time limit of a request.
LONGEST_WAIT = 20.0
# Seconds after which the temporary file of a process that was killed is deleted.
LEFT_BEHIND = 3_600.0


class DiskCache:
    """A folder of fetched vocabularies and of compact forms, created when the first one is stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._fetched: tuple[int, Mapping[str, WellKnown]] = 0, {}

    def get(self, known: WellKnown) -> list[bytes] | None:
        """The content of the vocabulary's files; None if they are missing, damaged or from another source."""
        if known.ships:
            return [published_file(known.encoding or known.name)]
        files = self._files(known)
        try:
            contents = [path.read_bytes() for path, _checksum, _size in files]
        except OSError:
            return None
        intact = all(sha256(each).hexdigest() == file[1] for each, file in zip(contents, files, strict=True))
        return contents if contents and intact else None

    def recognized(self, content: bytes, companion: bytes | None = None) -> Recognized:
        """`recognize`, from the compact form of a large file; stores that form if it is missing."""
        if companion is not None or len(content) < LARGE:
            return recognize(content, companion)
        checksum = sha256(content).hexdigest()
        if (compact := self.compact(checksum)) is None:
            with self._alone():
                if (compact := self.compact(checksum)) is None:
                    found = recognize(content)
                    form = compact_bpe.compact(found)
                    found = Recognized(found.format, found.tokenizer)  # without the document
                    if form is None:
                        return found
                    with suppress(OSError):  # a folder that is full or read-only
                        write_whole(self._compact(checksum), form)
                        self._make_room()
                    compact = self.compact(checksum) or found
        return compact

    def compact(self, checksum: str) -> Recognized | None:
        """What the compact form of a file with this SHA-256 has; None if there is none, or it is damaged."""
        path = self._compact(checksum)
        # Of a layout that another release has under the same name, too.
        with suppress(OSError, ValueError, LookupError, TypeError), path.open("rb") as file:
            before = os.fstat(file.fileno())
            with suppress(OSError):  # a folder that is read-only; else `_make_room` sees when the table was used
                os.utime(file.fileno(), ns=(time.time_ns(), before.st_mtime_ns))
            found = compact_bpe.read(mmap(file.fileno(), 0, access=ACCESS_READ))
            assert isinstance(found.tokenizer.model, MappedBPE)
            found.tokenizer.model.is_current = partial(_is_unchanged, path, before)
            return found
        return None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait until no other process reads a large file; the lock is the folder's, so that nothing is left behind.

        Six workers that read a file of 262,144 pieces at once were all stopped, for memory or time.
        """
        with ExitStack() as stack:
            with suppress(OSError):  # a folder that is not writable, or a file system without locks
                self.prepare()
                folder = os.open(self.folder, os.O_RDONLY)
                stack.callback(os.close, folder)
                _lock(folder, seconds=LONGEST_WAIT)
            yield

    @contextmanager
    def fetch_alone(self, name: str, seconds: float, seen: Progress) -> Iterator[Progress]:
        """Wait until no other process of this machine fetches a vocabulary, for some seconds at most.

        `seen` gets the progress, of another process while this one waits: bytes so far and their total, None while it
        is unknown. Yields the function to call with the progress of this process, which the others read from the file
        that it locks. Raises OSError if the folder is not writable.
        """
        path, until = self.folder / f".{name}.fetching", time.monotonic() + seconds
        while True:
            with path.open("a+b", buffering=0) as file:
                is_first = True
                with suppress(OSError):  # a file system without locks
                    is_first = _lock(file.fileno(), seconds=0.2)
                if is_first and not os.fstat(file.fileno()).st_nlink:
                    continue  # the other one has ended, and deleted it
                if is_first or time.monotonic() > until:

                    def tell(read: int, total: int | None) -> None:
                        seen(read, total)
                        with suppress(OSError):  # a full disk
                            file.truncate(0)
                            file.write(b"%d %d" % (read, total or 0))

                    try:
                        yield tell
                    finally:
                        _delete(path)
                    return
                file.seek(0)
                with suppress(ValueError):  # nothing is written yet
                    read, total = map(int, file.read().split())
                    seen(read, total or None)

    def _make_room(self) -> None:
        """Delete the compact forms that were used longest ago beyond `MOST_COMPACT`, and what killed processes left."""
        room, now = MOST_COMPACT, time.time()
        found = [(path, path.stat()) for path in self.folder.iterdir()]
        for path, stat in sorted(found, key=lambda each: -each[1].st_atime_ns):
            room -= stat.st_size if path.suffix == _SUFFIX else 0
            is_left = _TEMPORARY.fullmatch(path.name) and stat.st_mtime < now - LEFT_BEHIND
            if is_left or (path.suffix == _SUFFIX and room < 0):
                _delete(path)

    def delete_compact(self, is_needed: Callable[[str], bool]) -> None:
        """Delete the compact forms of files that are neither fetched nor needed; `is_needed` gets their SHA-256."""
        fetched = {checksum for known in WELL_KNOWN.values() for _path, checksum, _size in self._files(known)}
        for path in self.folder.glob(f"*{_SUFFIX}"):
            if path.stem not in fetched and not is_needed(path.stem):
                _delete(path)

    def has(self, known: WellKnown) -> bool:
        """Whether the vocabulary's files exist, judged by name and size alone."""
        files = self._files(known)
        return known.ships or (bool(files) and all(_size(path) == size for path, _checksum, size in files))

    def names(self) -> frozenset[str]:
        """The names of all vocabularies that ship or are in the folder: one look at it for a list of them."""
        try:
            records = {Path(name).stem for name in os.listdir(self.folder) if name.endswith(".json")}
        except OSError:
            records = set()
        return frozenset(
            name for name, known in WELL_KNOWN.items() if known.ships or (name in records and self.has(known))
        )

    def checksum(self, known: WellKnown) -> str:
        """The SHA-256 of the vocabulary's file, or of those of its files; empty if it is not on disk."""
        files = self._files(known)
        checksums = known.source.sha256 if known.ships else [checksum for _path, checksum, _size in files]
        return sha256("".join(checksums).encode()).hexdigest() if len(checksums) > 1 else "".join(checksums)

    def known_by_checksum(self, beginning: str) -> WellKnown | None:
        """The well-known vocabulary whose only file has a SHA-256 with this beginning; None if there is none.

        The catalogue has the checksums of some; of others, it is known once they are fetched.
        """
        known = CHECKSUMS.get(beginning)
        return self._fetched_checksums().get(beginning) if known is None else known

    def _fetched_checksums(self) -> Mapping[str, WellKnown]:
        """The fetched vocabularies by their checksums, read again when the folder changes."""
        try:
            changed = self.folder.stat().st_mtime_ns
        except OSError:
            return {}
        if changed != self._fetched[0]:
            files = [(known, self._files(known)) for known in WELL_KNOWN.values()]
            self._fetched = changed, {found[0][1][:SHORT]: known for known, found in files if len(found) == 1}
        return self._fetched[1]

    def put(self, known: WellKnown, contents: Sequence[bytes]) -> None:
        """Store the content of a vocabulary's files; raises OSError if the folder is not writable."""
        self.prepare()
        files = []
        for name, content in zip(known.source.files, contents, strict=True):
            checksum = sha256(content).hexdigest()
            write_whole(self._path(known, checksum), content)
            files.append({"file": name, "sha256": checksum, "bytes": len(content)})
        now = datetime.now(UTC).isoformat(timespec="seconds")
        record = {"name": known.name, "source": _identity(known), "files": files, "fetched": now}
        write_whole(self._record(known), json.dumps(record, indent=1).encode())

    def stored(self, known: WellKnown) -> tuple[int, datetime] | None:
        """The bytes of the vocabulary's files and when they were fetched; None if they are not here."""
        files = self._files(known)
        if not files or not self.has(known):
            return None
        try:
            fetched = datetime.fromisoformat(json.loads(self._record(known).read_bytes())["fetched"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return sum(size for _path, _checksum, size in files), fetched

    def expire(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the vocabularies that were fetched before a time; a later request fetches them again."""
        deleted = Deleted()
        for known in WELL_KNOWN.values():
            size, fetched = self.stored(known) or (0, before)
            if fetched >= before:
                continue
            deleted += Deleted(1, size)
            if not dry_run:
                files = self._files(known)
                # The record first: without it, no reader looks for the files.
                self._record(known).unlink(missing_ok=True)
                for path, checksum, _size in files:
                    path.unlink(missing_ok=True)
                    _delete(self._compact(checksum))
        return deleted

    def prepare(self) -> None:
        """Create the folder; raises OSError if that fails."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def _files(self, known: WellKnown) -> list[tuple[Path, str, int]]:
        """The path, checksum and size of each file in the record; empty if it is invalid or for another source."""
        source = known.source
        try:
            record: Any = json.loads(self._record(known).read_bytes())
            files = [(str(entry["sha256"]), int(entry["bytes"])) for entry in record["files"]]
            is_same = record["source"] == _identity(known)
        except (OSError, ValueError, KeyError, TypeError):
            return []
        checksums = tuple(checksum for checksum, _size in files)
        is_same = is_same and len(files) == len(source.files) and source.sha256 in ((), checksums)
        if not is_same or not all(map(_SHA256.fullmatch, checksums)):
            return []
        return [(self._path(known, checksum), checksum, size) for checksum, size in files]

    def _record(self, known: WellKnown) -> Path:
        return self.folder / f"{known.name}.json"

    def _path(self, known: WellKnown, checksum: str) -> Path:
        return self.folder / f"{known.name}-{checksum}"

    def _compact(self, checksum: str) -> Path:
        return self.folder / f"{checksum}{_SUFFIX}"


def _lock(file: int, *, seconds: float) -> bool:
    """Lock an open file or folder for this process, within some seconds; True if that succeeded.

    Raises OSError on a file system without locks.
    """
    until = time.monotonic() + seconds
    while fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.05)
        else:
            break
    return True


def _delete(path: Path) -> None:
    """Delete a file that may also stay: in a folder that is read-only, or on Windows while it is open."""
    with suppress(OSError):
        path.unlink()


def _is_unchanged(path: Path, before: os.stat_result) -> bool:
    """Whether a file is neither deleted nor replaced nor written to."""
    with suppress(OSError):
        now = path.stat()
        return os.path.samestat(now, before) and (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    return False


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it: a reader, or a crash, finds it complete or not at all."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _identity(known: WellKnown) -> str:
    """The source as a record stores it: `openai-community/gpt2@main: tokenizer.json`."""
    source = known.source
    where = f"{source.repository}@{source.revision}" if source.repository else "OpenAI"
    return f"{where}: {', '.join(source.files)}"


_SHA256 = re.compile("[0-9a-f]{64}")
_SUFFIX = ".compact"
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}")


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
