"""The corpora to train on: files, pasted text or an example; stored on disk, and found again."""

import io
import json
import re
import sysconfig
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import IO, Literal, cast

import zstandard
from flask import Request, current_app
from flask import request as current_request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.training.corpus import CorpusError, CorpusFile, check_size
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import CorpusFacts, survey
from webapp.jobs import MOST_IDLE_CORPORA, jobs
from webapp.jobs.corpora import CorpusTooLargeError, NoRoomError
from webapp.pages.train.messages import PASTED, base_name, failure_sentence, size_in_words
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tools.evaluate.scoring import sample_text
from webapp.web.client_addresses import rate_limit_key
from webapp.web.localization import current_key, number
from webapp.web.server_variables import FORM_BYTES

MOST_FILES = 100
LONGEST_FIELD = 100  # characters of the name of a field of JSON Lines
LONGEST_STORED_NAME = 255  # characters of the name of a file; the end, which says its kind
_PLACEHOLDER = re.compile(r"%\(\w+\)s|</?\w+[^>]*>")
MOST_CODE = 4_000_000  # bytes
PEEKED = 1 << 16  # bytes
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# Files that people upload as text, by their first bytes.
OTHERS = {
    b"PK\x03\x04": "ZIP",
    b"%PDF": "PDF",
    b"PAR1": "Parquet",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\xd0\xcf\x11\xe0": "Word",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"SQLite f": "SQLite",
}


@dataclass(frozen=True)
class StoredCorpus:
    """A corpus on disk, and what is known about it."""

    id: str
    files: tuple[CorpusFile, ...]
    facts: CorpusFacts


def upload_limit() -> int:
    """The maximum size of a request with a corpus, in bytes."""
    limit: int = current_app.config["MAX_TRAINING_BYTES"]
    return limit + FORM_BYTES


def store_corpus(request: Request) -> str:
    """Store the corpus of a form on disk; its id. Raises InputProblem."""
    uploaded = [file for file in request.files.getlist("files") if file.filename]
    text = as_typed(request.form.get("text"))
    example = next((one for one in EXAMPLES if one.key == request.form.get("example")), None)
    field = request.form.get("field", "").strip()[:LONGEST_FIELD] or "text"
    if len(uploaded) > MOST_FILES:
        message = _(
            "You chose %(count)s files; the limit is %(most)s. Combine some of them.",
            count=number(len(uploaded)),
            most=MOST_FILES,
        )
        raise InputProblem(message, 422, "files")
    sources: list[tuple[str, IO[bytes]]] = []
    if example:
        sources = [(example.file, io.BytesIO("".join(example.parts()).encode()))]
    elif uploaded:
        sources = [(base_name(file.filename or "")[-LONGEST_STORED_NAME:], file.stream) for file in uploaded]
    elif text.strip():
        sources = [(PASTED, io.BytesIO(text.encode("utf-8", "replace")))]
    else:
        raise InputProblem(_("Paste a text, choose files, or start with an example."), 422, "text")
    return _store(
        sources,
        field,
        rate_limit_key(request.remote_addr or ""),
        blamed="files" if example or uploaded else "text",
        are_files=bool(uploaded) and not example,
    )


def _store(sources: list[tuple[str, IO[bytes]]], field: str, visitor: str, *, blamed: str, are_files: bool) -> str:
    """Store the parts of a corpus, each a name and a stream; `blamed` is the field of the form for what is wrong."""
    corpora = jobs().corpora
    id, complete = "", False
    try:
        id = jobs().new_corpus(visitor)
        for name, stream in sources:
            corpora.add(id, name, stream, format_of(name, stream) if are_files else "text", field)
        check_size(corpora.files(id), corpora.most_bytes)
        # Only its beginning: a mistake further on ends the training.
        survey(corpora.files(id), TrainingPlan())
        corpora.keep(id)
        complete = True
    except CorpusTooLargeError as error:
        message = _(
            "The corpus is larger than %(limit)s. Upload a part of it; some megabytes are enough for most "
            "vocabularies.",
            limit=size_in_words(error.limit),
        )
        raise InputProblem(message, 413, blamed) from error
    except NoRoomError as error:
        message = _("This site has no room for a corpus of this size now. Try again in an hour, or upload less.")
        raise InputProblem(message, 507, blamed) from error
    except CorpusError as error:
        blamed = "field" if error.code == "no_field" else blamed
        status = 413 if error.code == "too_large" else 422
        raise InputProblem(failure_sentence(error.code, error.details), status, blamed) from error
    finally:
        if not complete:
            corpora.delete(id)
    return id


COOKIE = "corpora"
A_DAY = 86_400


def corpora_of(request: Request) -> list[tuple[str, tuple[CorpusFile, ...]]]:
    """The visitor's corpora that are still there, newest first: the ids in a cookie, each with its files."""
    ids = request.cookies.get(COOKIE, "").split("!")[:MOST_IDLE_CORPORA]
    return [(id, files) for id in dict.fromkeys(ids) if (files := jobs().corpora.files(id))]


def remember_corpora(response: BaseResponse, ids: Iterable[str]) -> None:
    """Store the ids of the visitor's corpora in the cookie; an address with an id would do, but only they have it."""
    response.set_cookie(
        COOKIE, "!".join(ids), max_age=A_DAY, samesite="Lax", httponly=True, secure=current_request.is_secure
    )


def find_corpus(id: str, plan: TrainingPlan) -> StoredCorpus | None:
    """The corpus, with what is known about it under a plan; None if there is none, or no more.

    Raises TrainingError for a pattern that is too slow on it, and for n-grams of text without spaces.
    """
    stored = tuple(jobs().corpora.files(id))
    if not stored:
        return None
    try:
        # Only with what changes how a corpus is split, so that facts can be used again.
        counted = ("trainer", "split", "pattern", "normalization", "longest_word", "segmentation")
        return StoredCorpus(id, stored, _facts(stored, TrainingPlan(**{each: getattr(plan, each) for each in counted})))
    except CorpusError:  # it was deleted meanwhile
        return None


_facts = lru_cache(maxsize=64)(survey)


# Corpora to start with: texts that this machine has anyway


@dataclass(frozen=True)
class ExampleCorpus:
    """A corpus with the title of its button, the name of its file and its text, in parts."""

    key: str
    title: LazyString
    file: str
    parts: Callable[[], Iterator[str]]


def starting_text() -> str:
    """Some kilobytes in the reader's language: sentences of Chinese novels, or a chapter of Python's manual."""
    return sample_text().replace(" ", "") if current_key() == "zh" else _topics()["execmodel"].strip()


def _topics() -> dict[str, str]:
    return cast("dict[str, str]", import_module("pydoc_data.topics").topics)


def _manual() -> Iterator[str]:
    """The English reference manual that Python's `help` shows: 0.5 MB."""
    for _name, text in sorted(_topics().items()):
        yield text.strip() + "\n\n"


def _code() -> Iterator[str]:
    """The modules of Python's standard library, up to `MOST_CODE` bytes."""
    size = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        content = path.read_bytes()
        size += len(content)
        if size > MOST_CODE:
            return
        yield content.decode("utf-8", "replace") + "\n"


def _site() -> Iterator[str]:
    """The sentences of this site in English and Chinese, from its catalogue of translations."""
    catalogue = files("webapp").joinpath("translations/zh_Hans/LC_MESSAGES/messages.po")
    for line in catalogue.read_text(encoding="utf-8").splitlines():
        if line.startswith(("msgid ", "msgstr ", "msgstr[0] ")):
            yield _PLACEHOLDER.sub("…", json.loads(line.partition(" ")[2])) + "\n"


EXAMPLES = (
    ExampleCorpus("manual", _l("English: Python’s manual"), "python-manual.txt", _manual),
    ExampleCorpus("code", _l("Code: Python’s standard library"), "python-library.txt", _code),
    ExampleCorpus("site", _l("Chinese and English: this site"), "tokenscope.txt", _site),
)


# What a file is, by its name and its first bytes

Format = Literal["text", "jsonl"]


def format_of(name: str, stream: IO[bytes]) -> Format:
    r"""Whether a file is text or JSON Lines; the stream stays at its beginning.

    >>> from io import BytesIO
    >>> format_of("a.txt", BytesIO(b"low")), format_of("a.jsonl.gz", BytesIO(b""))
    ('text', 'jsonl')
    >>> format_of("a", BytesIO(b'{"a": 1}\n{'))
    'jsonl'

    Raises InputProblem for a file of a known kind that is neither.
    """
    start = stream.read(PEEKED)
    stream.seek(0)
    start = _decompressed(start)
    kind = next((kind for magic, kind in OTHERS.items() if start.startswith(magic)), None)
    if kind:
        values = {"name": name, "kind": kind}
        message = _("“%(name)s” is a file of the kind %(kind)s. Save its text as UTF-8 and upload that.", **values)
        raise InputProblem(message, 422, "files")
    stem = name.lower().removesuffix(".gz").removesuffix(".zst").removesuffix(".zstd")
    if stem.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "jsonl" if _is_object(start.lstrip(b"\xef\xbb\xbf").partition(b"\n")[0]) else "text"


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _decompressed(start: bytes) -> bytes:
    """The decompressed beginning of a file; what cannot be decompressed is found when the corpus is read."""
    try:
        if start.startswith(GZIP):
            return zlib.decompressobj(31).decompress(start, PEEKED)
        if start.startswith(ZSTD):
            with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(start) as reader:
                return reader.read(PEEKED)
    except (zlib.error, zstandard.ZstdError):
        return b""
    return start
