"""Finds the files of a corpus, wherever they are, and opens them: this disk, S3, Google Cloud Storage, HTTP, memory.

Paths are those of fsspec: `notes.txt`, `books/*.txt`, `s3://bucket/crawl/**/*.jsonl.gz`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import fsspec

from webapp.cluster.errors import SourceError, sentence
from webapp.core.training.corpus import Compression, CorpusError, CorpusFile

COMPRESSIONS: Mapping[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
VERSIONS = ("ETag", "etag", "md5Hash", "LastModified", "last_modified", "mtime", "created")
"""What file systems call the state of a file, the most exact first."""
ROWS = 256  # of a table, in memory at once


@dataclass(frozen=True)
class Source:
    """A file of a corpus: its size in bytes as stored, what changes with its content, and whether it is a table."""

    file: CorpusFile
    size: int
    version: str = ""
    table: bool = False

    @property
    def divisible(self) -> bool:
        """Whether any part of the file can be read without what is before it."""
        return not (self.table or self.file.compression)


def find(patterns: Sequence[str], *, format: str = "auto", field: str = "text") -> list[Source]:
    """Return the files that the paths and patterns name, each once, those of a pattern in alphabetical order.

    `format` is `text`, `jsonl`, `parquet`, or `auto`, which decides by each file's name; `field` is the field of JSON
    Lines, or the column of a table, that holds the text. Raises SourceError for a pattern without any file.
    """
    found: dict[str, Source] = {}
    for pattern in patterns:
        for source in _matches(pattern, format, field):
            found.setdefault(source.file.path, source)
    return list(found.values())


def _matches(pattern: str, format: str, field: str) -> list[Source]:
    try:
        system, path = fsspec.core.url_to_fs(pattern)
        if system.isfile(path):
            paths = [path]
        elif system.isdir(path):
            raise SourceError(f"{pattern} is a folder: name its files, such as {pattern.rstrip('/')}/*")
        else:
            paths = sorted(match for match in system.glob(path) if system.isfile(match))
        if not paths:
            raise SourceError(f"{pattern}: there is no such file, and none matches")
        remote = "://" in pattern
        return [
            _source(system, path, system.unstrip_protocol(path) if remote else path, format, field) for path in paths
        ]
    except Exception as error:  # each of fsspec's file systems has errors of its own
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{pattern}: {sentence(error)}") from None


def _source(system: Any, path: str, address: str, format: str, field: str) -> Source:
    facts = system.info(path)
    version = next((str(facts[key]) for key in VERSIONS if facts.get(key)), "")
    stem = path.lower()
    compression: Compression = ""
    for ending, kind in COMPRESSIONS.items():
        if stem.endswith(ending):
            stem, compression = stem.removesuffix(ending), kind
    if format == "auto":
        format = next((kind for ending, kind in FORMATS.items() if stem.endswith(ending)), "text")
    table = format == "parquet"
    if table and compression:
        raise SourceError(f"{address}: a table cannot be compressed as a whole; parquet compresses its columns")
    file = CorpusFile(address, address, "text" if format == "text" else "jsonl", field, compression)
    return Source(file, int(facts["size"] or 0), version, table)


def open_source(source: Source) -> BinaryIO:
    """Open a file for reading bytes; a table is read as JSON Lines with the column of its text.

    Raises OSError.
    """
    try:
        stream: BinaryIO = fsspec.open(source.file.path, "rb").open()
    except OSError:
        raise
    except Exception as error:  # each of fsspec's file systems has errors of its own
        raise OSError(sentence(error)) from error
    if not source.table:
        return stream
    return cast(BinaryIO, io.BufferedReader(_TableAsLines(stream, source.file), 1 << 20))


class _TableAsLines(io.RawIOBase):
    """The text column of a parquet file as JSON Lines, a few rows in memory at a time."""

    def __init__(self, stream: BinaryIO, file: CorpusFile) -> None:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        self._stream = stream
        try:
            table = ParquetFile(stream)
            if file.field not in table.schema_arrow.names:
                raise CorpusError("no_field", file=file.name, line=1, field=file.field)
            self._lines = self._read(table, file)
        except ArrowException:
            raise CorpusError("damaged", file=file.name) from None
        self._waiting = memoryview(b"")

    def _read(self, table: Any, file: CorpusFile) -> Iterator[bytes]:
        from pyarrow import ArrowException

        try:
            for batch in table.iter_batches(batch_size=ROWS, columns=[file.field]):
                for value in batch.column(0).to_pylist():
                    if value is not None:  # a row without text
                        yield json.dumps({file.field: value}).encode() + b"\n"
        except ArrowException:
            raise CorpusError("damaged", file=file.name) from None

    def readable(self) -> bool:
        """Return whether the stream can be read: it can."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer; return how many bytes."""
        if not self._waiting:
            self._waiting = memoryview(next(self._lines, b""))
        part = self._waiting[: len(buffer)]
        buffer[: len(part)] = part
        self._waiting = self._waiting[len(part) :]
        return len(part)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        super().close()
