"""Fetches the vocabulary file of any repository of the Hugging Face hub by its name, as if a visitor had uploaded it.

The limits of size and the checks of `https_download` apply. Of a GGUF file, only the metadata at its beginning is
fetched. An operator switches this off with the word `catalogue` after the address in TOKENSCOPE_HUB.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256

from flask_babel import gettext as _

from webapp.core.formats.gguf_metadata import needed
from webapp.core.vocabulary_error import VocabularyError
from webapp.vocabularies.fetching import Fetcher
from webapp.vocabularies.https_download import FetchError, download
from webapp.vocabularies.wellknown import VocabularySource

FILES = ("tokenizer.json", "tokenizer.model", "tekken.json")
"""The files of a folder, the first that exists is read."""
ENDINGS = (".json", ".model", ".tiktoken", ".txt", ".gguf")
SECONDS = 20  # for all attempts, below the time limit of a request
WAIT = 5  # seconds for other fetches to end
WAIT_FOR_SAME = 10  # seconds for another fetch of the same repository to end

_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-]))*"
_NAME = re.compile(rf"{_PART}/{_PART}")
_PATH = re.compile(rf"(?:{_PART}(?:/{_PART})*)?")
_PAGE = re.compile(
    r"https://(?:huggingface\.co|hf\.co)/([^/]+/[^/?#]+)(?:/(?:tree|blob|resolve)/([^/?#]+)/?([^?#]*))?/?"
)


@dataclass(frozen=True)
class Repository:
    """A repository of the hub, a revision of it, and the path of a file or a folder in it; empty: its root."""

    name: str
    revision: str = "main"
    path: str = ""

    @classmethod
    def read(cls, name: str, revision: str = "", path: str = "") -> "Repository":
        """The repository that a visitor names; an address on the hub may have the revision and the path.

        >>> Repository.read("https://huggingface.co/Qwen/Qwen3-8B/tree/main/tokenizer")
        Repository(name='Qwen/Qwen3-8B', revision='main', path='tokenizer')

        Raises VocabularyError for a name, revision or path that the hub cannot have.
        """
        name, revision, path = name.strip(), revision.strip(), path.strip().strip("/")
        if page := _PAGE.fullmatch(name):
            name, revision, path = page[1], revision or page[2] or "", path or (page[3] or "").strip("/")
        if len(name) > 200 or not _NAME.fullmatch(name):
            raise VocabularyError("Enter the repository as OWNER/NAME, for example Qwen/Qwen3-8B.")
        if len(revision) > 200 or not _PATH.fullmatch(revision):
            raise VocabularyError("A revision is a branch, a tag or a commit, for example main.")
        if len(path) > 300 or not _PATH.fullmatch(path):
            raise VocabularyError("A path is a folder or a file in the repository, for example onnx/tokenizer.json.")
        if path.lower().endswith((".safetensors", ".bin", ".pt", ".onnx")):
            raise VocabularyError(
                "That file has weights. Name a tokenizer.json, tokenizer.model, tekken.json or .gguf file."
            )
        return cls(name, revision or "main", path)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths to try in this order: the file, or those of `FILES` in the folder."""
        if self.path.endswith(ENDINGS):
            return (self.path,)
        return tuple(f"{self.path}/{file}".lstrip("/") for file in FILES)


@contextmanager
def alone(fetcher: Fetcher, repository: Repository) -> Iterator[float]:
    """Wait until no other request of this machine fetches and stores the same repository; yields the deadline."""
    deadline, name = time.monotonic() + SECONDS, sha256(repr(repository).encode()).hexdigest()
    with ExitStack() as stack:
        with suppress(OSError):  # a folder that is not writable
            fetcher.disk_cache.prepare()
            stack.enter_context(fetcher.disk_cache.fetch_alone(name, WAIT_FOR_SAME, lambda _read, _total: None))
        yield deadline


def fetch(
    fetcher: Fetcher,
    repository: Repository,
    here: Callable[[str], bytes | None] = lambda _sha256: None,
    deadline: float | None = None,
) -> tuple[str, bytes]:
    """The path and the content of the first file of a repository that exists; `here` has files by their SHA-256.

    Raises FetchError, and FormatError for something that is no GGUF file.
    """
    endpoint, deadline = fetcher.endpoint, deadline or time.monotonic() + SECONDS
    if not fetcher.places.acquire(timeout=WAIT):
        raise FetchError("slow", "too many fetches at once", endpoint.host, repository.name)
    try:
        for file in repository.files:
            source = VocabularySource(files=(file,), repository=repository.name, revision=repository.revision)
            try:
                return file, download(
                    *(endpoint, source, file, ""),
                    most_bytes=fetcher.most_bytes,
                    deadline=deadline,
                    report=lambda _read, _total: None,
                    needed=needed if file.endswith(".gguf") else None,
                    here=here,
                )
            except FetchError as error:
                error.host, error.name = error.host or endpoint.host, repository.name
                if error.reason != "missing" or file == repository.files[-1]:
                    raise
        raise AssertionError
    finally:
        fetcher.places.release()


def problem(error: FetchError, repository: Repository) -> str:
    """What went wrong, and what to do, for a visitor who named a repository."""
    if error.reason != "missing":
        return error.sentence()
    return _(
        "%(host)s has no %(files)s in “%(name)s” at revision “%(revision)s”. Check the name on the hub, or give the "
        "path of the file.",
        host=error.host,
        files=", ".join(repository.files),
        name=repository.name,
        revision=repository.revision,
    )


STATUSES = {"missing": 404, "refused": 403, "too large": 413}
"""Of responses, by the reason of a FetchError; 502 for others."""
