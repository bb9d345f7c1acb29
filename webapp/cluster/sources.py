"""Finds the files of a corpus, wherever they are, and opens them: this disk, S3, Google Cloud Storage, HTTP, memory.

Paths are those of fsspec: `notes.txt`, `books/*.txt`, `s3://bucket/crawl/**/*.jsonl.gz`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

import fsspec

from webapp.cluster.errors import SourceError, sentence
from webapp.core.training.corpus import Compression, CorpusError, CorpusFile
from webapp.core.training.counted_corpus import VERSION
from webapp.core.training.plan import TrainingPlan

COMPRESSIONS: Mapping[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
VERSIONS = ("ETag", "etag", "md5Hash", "LastModified", "last_modified", "mtime", "created")
"""What file systems call the state of a file, the most exact first."""
COUNTING_CHOICES = ("trainer", "variant", "split", "pattern", "normalization", "longest_word")
"""The choices of a plan that change the counts: a training with another size can use the same."""
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


def fingerprint(sources: Sequence[Source], plan: TrainingPlan) -> str:
    """Return what identifies the counts of a corpus: the files as they are, and the choices that change the counts."""
    names = COUNTING_CHOICES if plan.trainer != "ngram" else ("trainer", "order", "segmentation")
    files = [[source.file.as_json(), source.size, source.version, source.table] for source in sources]
    described = [VERSION, files, [getattr(plan, name) for name in names]]
    return sha256(json.dumps(described).encode()).hexdigest()


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
    with stream:
        return _as_lines(stream, source.file)


def _as_lines(stream: BinaryIO, file: CorpusFile) -> BinaryIO:
    """The text column of a parquet file as JSON Lines in a temporary file, with a few rows in memory at a time."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    lines = TemporaryFile()  # noqa: SIM115  # the caller closes it
    try:
        table = ParquetFile(stream)
        if file.field not in table.schema_arrow.names:
            raise CorpusError("no_field", file=file.name, line=1, field=file.field)
        for batch in table.iter_batches(batch_size=ROWS, columns=[file.field]):
            for value in batch.column(0).to_pylist():
                if value is not None:  # a row without text
                    lines.write(json.dumps({file.field: value}).encode() + b"\n")
    except ArrowException:
        raise CorpusError("damaged", file=file.name) from None
    lines.seek(0)
    return cast(BinaryIO, lines)
