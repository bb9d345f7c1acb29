"""The files of a corpus, on this disk, S3, Google Cloud Storage, HTTP: finds them, opens them, divides them into parts.

Paths are those of fsspec: `notes.txt`, `books/*.txt`, `s3://bucket/crawl/**/*.jsonl.gz`. The division depends on
nothing but the files; tasks of it take about the same time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

import fsspec

from webapp.core.training.corpus import CHUNK, Compression, CorpusError, CorpusFile
from webapp.core.training.counted_corpus import VERSION
from webapp.core.training.plan import TrainingPlan

COMPRESSIONS: Mapping[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
VERSIONS = ("ETag", "etag", "md5Hash", "LastModified", "last_modified", "mtime", "created")
"""What file systems call the state of a file, the most exact first."""
COUNTING_CHOICES = ("trainer", "variant", "split", "pattern", "normalization", "longest_word")
"""The choices of a plan that change the counts: a training with another size can use the same."""
ROWS = 256  # of a table, in memory at once
SMALLEST_PART, LARGEST_PART = 8 * CHUNK, 256 * CHUNK
PARTS = 64  # of a corpus between the sizes that these two bound
MOST_PARTS = 1 << 14  # so that the scheduler keeps up: above 4 TB, parts are larger
PACKED = 4  # times its stored size is what a compressed file or a table holds, about


class SourceError(Exception):
    """A corpus that cannot be found or opened; the message says where and why."""


class ClusterError(Exception):
    """A cluster that cannot be used; the message says why and what to do."""


def sentence(error: BaseException) -> str:
    """Return what an error says, in one line."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(said.split()) or type(error).__name__


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
    names = COUNTING_CHOICES if not plan.of_words else ("trainer", "order", "segmentation")
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


@dataclass(frozen=True)
class Slice:
    """A file, or of a divisible one the blocks whose numbers are `first` up to `last`, without the latter.

    `file_number` is the position of the file in the corpus; `bytes` are those stored.
    """

    source: Source
    file_number: int
    first: int
    last: int
    bytes: int


Part = tuple[Slice, ...]
"""What one task counts: a part of a file, or several small files."""


def expected_bytes(source: Source) -> int:
    """Return the size of a file's text, about."""
    return source.size if source.divisible else source.size * PACKED


def divide(sources: Sequence[Source]) -> list[Part]:
    """Return the parts of a corpus, in order.

    A file that is not compressed is cut at multiples of a part's size; any other is counted by one task. Small files
    share a task.
    """
    expected = sum(map(expected_bytes, sources))
    size = min(max(expected // PARTS, SMALLEST_PART), LARGEST_PART)
    blocks = max(size, expected // MOST_PARTS) // CHUNK
    parts: list[Part] = []
    small: list[Slice] = []
    waiting = 0
    for slice in _slices(sources, blocks):
        size = expected_bytes(slice.source) * slice.bytes // max(slice.source.size, 1)
        if small and waiting + size > blocks * CHUNK:
            parts.append(tuple(small))
            small, waiting = [], 0
        small.append(slice)
        waiting += size
    if small:
        parts.append(tuple(small))
    return parts


def _slices(sources: Sequence[Source], blocks: int) -> Iterator[Slice]:
    for number, source in enumerate(sources):
        all_blocks = source.size // CHUNK + 1
        if not source.divisible:
            yield Slice(source, number, 0, all_blocks, source.size)
            continue
        for first in range(0, all_blocks, blocks):
            last = min(first + blocks, all_blocks)
            yield Slice(source, number, first, last, min(last * CHUNK, source.size) - first * CHUNK)
