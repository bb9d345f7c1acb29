"""Stores fetched vocabularies on disk, in a local folder or in one that several machines share.

A record, `gpt2.json`, lists the files of `gpt2`; the name of each file is the vocabulary and the SHA-256 of its
content. Files are written under a temporary name and then renamed, so that a reader finds a complete file or none,
whatever other threads and processes do. What ships with the site is always here; its files are unpacked.
"""

import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from webapp.core.formats import compact_bpe
from webapp.core.formats.reading import decoded
from webapp.core.tokenizer import Tokenizer
from webapp.storage import Deleted
from webapp.vocabularies.shipped_vocabularies import published_file
from webapp.vocabularies.wellknown import CHECKSUMS, SHORT, WELL_KNOWN, WellKnown

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]


class DiskCache:
    """A folder of fetched vocabularies, created when the first one is stored."""

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

    def compact(self, known: WellKnown) -> Tokenizer | None:
        """The tokenizer from the compact form of the vocabulary's file; None if there is none, or it is damaged."""
        for path, _checksum, _size in self._files(known):
            # A mapped file may be deleted or replaced; an empty one cannot be mapped.
            with suppress(OSError, ValueError), _compact(path).open("rb") as file:
                return compact_bpe.read(mmap(file.fileno(), 0, access=ACCESS_READ))
        return None

    def put_compact(self, known: WellKnown, content: bytes, tokenizer: Tokenizer) -> None:
        """Store the compact form of the vocabulary's file, which was read as a tokenizer, unless it has none."""
        compact = compact_bpe.compact(decoded(content), tokenizer) if known.format == "huggingface" else None
        if compact is not None:
            with suppress(OSError):  # a folder that is full or read-only
                write_whole(_compact(self._files(known)[0][0]), compact)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process reads a large file; the lock is the folder's, so that nothing is left behind.

        Six workers that read a file of 262,144 pieces at once were all stopped, for memory or time.
        """
        with ExitStack() as stack:
            with suppress(OSError):  # a folder that is not there, or a file system without locks
                folder = os.open(self.folder, os.O_RDONLY)
                stack.callback(os.close, folder)
                if fcntl is not None:
                    fcntl.flock(folder, fcntl.LOCK_EX)
            yield

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
                paths = [path for path, _checksum, _size in self._files(known)]
                # The record first: without it, no reader looks for the files.
                for path in (self._record(known), *paths, *map(_compact, paths)):
                    path.unlink(missing_ok=True)
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


def _compact(path: Path) -> Path:
    return path.with_name(f"{path.name}.compact")


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


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
