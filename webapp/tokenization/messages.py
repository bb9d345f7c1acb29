"""Messages about a result, in the reader's language."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from flask import Response, current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.core.formats import tiktoken_encoding
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.formats.gguf_metadata import is_gguf
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import is_tiktoken
from webapp.core.models.dictionary_edits import EditError
from webapp.core.text.growth import GrowthError
from webapp.core.text.split_patterns import TextError
from webapp.core.vocabulary_error import Phrase, VocabularyError
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State
from webapp.vocabularies import (
    CatalogueEntry,
    StillFetchingError,
    StorageFullError,
    UnavailableVocabularyError,
    find,
    library,
    repositories,
    title_of,
)
from webapp.vocabularies.fetching import FetchError
from webapp.web.localization import current_key, number
from webapp.web.problems import problem


def joined(sentences: Iterable[str]) -> str:
    """Join sentences, with a space between them unless the language has none."""
    return ("" if current_key() == "zh" else " ").join(sentence for sentence in sentences if sentence)


def dictionary_problem(error: DictionaryError) -> InputProblem:
    """The problem with a pasted text that is no word list."""
    wrong = translated(error.message)
    if error.lines == 1:
        message = _("Line %(line)s of the dictionary: %(wrong)s.", line=error.line_number, wrong=wrong)
    else:
        message = _(
            "This is not a word list: %(count)s of its %(lines)s lines are not entries. Line %(line)s, for example: "
            "%(wrong)s.",
            count=number(error.wrong),
            lines=number(error.lines),
            line=number(error.line_number),
            wrong=wrong,
        )
    return InputProblem(message, field="dictionary")


def edit_problem(error: EditError) -> InputProblem:
    """The problem with a line that is no change of a dictionary."""
    message = _(
        "Line %(line)s of the changes: %(wrong)s.", line=number(error.line_number), wrong=translated(error.message)
    )
    return InputProblem(message, field="edits")


def still_fetching_problem() -> InputProblem:
    """The problem with a vocabulary that is not there yet, and what to do."""
    waiting = _("The vocabulary is still being downloaded. Try again in a moment.")
    return InputProblem(waiting, 503, "vocabulary")


@contextmanager
def noted(problems: list[InputProblem]) -> Iterator[None]:
    """Note what the block raises for a visitor to correct, or while the vocabulary is being downloaded."""
    try:
        yield
    except InputProblem as problem:
        problems.append(problem)
    except StillFetchingError:
        problems.append(still_fetching_problem())


def unavailable_problem(error: UnavailableVocabularyError) -> InputProblem:
    """The problem with a vocabulary that cannot be fetched or read, and what to do."""
    if isinstance(error.why, FetchError):
        return InputProblem(error.why.sentence(), 503, "vocabulary")
    values = {"title": title_of(error.entry), "why": translated(error.why)}
    if error.entry.origin == "uploaded":
        message = _(
            "The uploaded vocabulary “%(title)s” can no longer be read: %(why)s. Upload the file again.", **values
        )
    else:
        message = _(
            "The file from the publisher of “%(title)s” cannot be read: %(why)s. Choose a vocabulary that ships with "
            "this site.",
            **values,
        )
    return InputProblem(message, 503, "vocabulary")


def is_unavailable(problem: InputProblem) -> bool:
    """Whether the problem is a vocabulary that cannot be fetched or read."""
    return (problem.status, problem.field) == (503, "vocabulary")


def text_problem(state: State, error: TextError) -> InputProblem:
    """The problem with a text that the vocabulary's pipeline cannot process."""
    entry = find(state.vocabulary)
    title = title_of(entry) if entry else state.vocabulary
    if isinstance(error, GrowthError):
        message = _("“%(title)s” makes this text too long. Shorten it, or choose another vocabulary.", title=title)
    else:
        message = _(
            "A split pattern of “%(title)s” times out on this text. Change the text, or choose another vocabulary.",
            title=title,
        )
    return InputProblem(message, 422, "text")


def translated(message: VocabularyError | Phrase) -> str:
    """Translate a message of the core and the phrases in its values, and fill them in."""
    values = {
        name: translated(value) if isinstance(value, VocabularyError | Phrase) else value
        for name, value in message.values.items()
    }
    return _(message.sentence, **values)


EXPLAINED_ERRORS = (TextError, DictionaryError, EditError, UnavailableVocabularyError)
"""The errors of a request that a visitor can correct, and of a vocabulary that cannot be loaded."""


def problem_of(
    state: State, error: TextError | DictionaryError | EditError | UnavailableVocabularyError
) -> InputProblem:
    """The problem for one of `EXPLAINED_ERRORS`."""
    if isinstance(error, TextError):
        return text_problem(state, error)
    if isinstance(error, EditError):
        return edit_problem(error)
    return dictionary_problem(error) if isinstance(error, DictionaryError) else unavailable_problem(error)


def refused(problems: Sequence[InputProblem]) -> Response:
    """Problem details of one or more problems: the highest of their statuses, each message with its field (or "")."""
    status = max(one.status for one in problems)
    return problem(
        status,
        " ".join(one.message for one in problems),
        errors=[(one.field, one.message) for one in problems],
        headers={"Retry-After": "2"} if status == 503 else {},
    )


FIELD, PATTERN_FIELD, REPOSITORY = "vocabulary_file", "pattern", "repository"


def upload_limit() -> int:
    """The maximum size in bytes of a form with vocabulary files, all other fields included."""
    limit: int = current_app.config["MAX_CONTENT_LENGTH"] + 2 * current_app.config["MAX_UPLOAD_BYTES"]
    return limit


def store_upload(files: Sequence[FileStorage], pattern: str = "") -> CatalogueEntry:
    """Store the uploaded vocabulary, and return its catalogue entry; raises InputProblem.

    `files` is one file, or a vocab.json and its merges.txt or a .tiktoken and its encoding in any order. `pattern` is
    the split pattern of a .tiktoken, or the name of the encoding that has it; empty for other files.
    """
    files = [file for file in files if file.filename]
    if not files:
        raise InputProblem(_("Choose a vocabulary file first, then upload it."), 422, FIELD)
    if len(files) > 2:
        message = _("Upload one vocabulary at a time: one file, or a vocab.json together with its merges.txt.")
        raise InputProblem(message, 422, FIELD)
    contents = [file.stream.read() for file in files]
    limit = current_app.config["MAX_UPLOAD_BYTES"]
    for file, content in zip(files, contents, strict=True):
        file.close()
        if len(content) > limit:
            message = _(
                "“%(name)s” has %(size)s bytes; the limit is %(limit)s bytes.",
                name=_short(file.filename),
                size=f"{len(content):,}",
                limit=f"{limit:,}",
            )
            part = f"head -c {min(24_000_000, limit)} {_short(file.filename)} > part.gguf"
            advice = _("Of a GGUF file, send the beginning, which has the tokenizer: %(command)s", command=part)
            raise InputProblem(joined([message, advice if is_gguf(content) else ""]), 413, FIELD)
    if pattern := pattern.strip():
        contents.append(_encoding(contents, pattern))
    return _stored(_short(files[0].filename), FIELD, *contents)


def store_repository(name: str, revision: str = "", path: str = "") -> tuple[CatalogueEntry, str]:
    """Fetch the vocabulary file of a repository on the hub, and store it like an upload.

    Returns the catalogue entry, and the repository's name with that of the file; raises InputProblem.
    """
    fetcher = library().fetcher
    if not fetcher.any_repository:
        message = _("This site does not fetch from repositories by name. Upload the file.")
        raise InputProblem(message, 403, REPOSITORY)
    try:
        repository = repositories.Repository.read(name, revision, path)
        with repositories.alone(fetcher, repository) as deadline:
            file, content = repositories.fetch(fetcher, repository, library().uploads.with_hash, deadline)
            label = f"{repository.name.partition('/')[2]}: {file.rpartition('/')[2]}"
            return _stored(label, REPOSITORY, content), label
    except VocabularyError as error:
        raise InputProblem(translated(error), 422, REPOSITORY) from error
    except FetchError as error:
        status = repositories.STATUSES.get(error.reason, 502)
        raise InputProblem(repositories.problem(error, repository), status, REPOSITORY) from error


def _stored(name: str, field: str, *contents: bytes) -> CatalogueEntry:
    try:
        return library().store(*contents)
    except FormatError as error:
        message = _("“%(name)s” was not accepted: %(why)s", name=name, why=translated(error))
        raise InputProblem(message, 422, field) from error
    except StorageFullError:
        message = _(
            "This site has no storage left for uploaded vocabularies, so “%(name)s” was not stored. Your text is still "
            "here: use another vocabulary, or ask the site’s operator to make room.",
            name=name,
        )
        raise InputProblem(message, 507, field) from None
    except UnavailableStorageError:
        message = _(
            "“%(name)s” could not be stored: the site’s storage cannot be reached at the moment. Upload the file "
            "again in a minute; your text is still here.",
            name=name,
        )
        raise InputProblem(message, 503, field) from None


def _encoding(contents: Sequence[bytes], pattern: str) -> bytes:
    """The companion of a .tiktoken with a split pattern."""
    if len(contents) > 1 or not is_tiktoken(contents[0]):
        message = _("Only a .tiktoken file by itself takes a split pattern. Empty the field to upload other files.")
        raise InputProblem(message, 422, PATTERN_FIELD)
    try:
        return tiktoken_encoding.of_pattern(pattern).encode()
    except FormatError as error:
        raise InputProblem(_("This is not accepted: %(why)s", why=translated(error)), 422, PATTERN_FIELD) from error


def _short(name: str | None) -> str:
    name = name or ""
    return name if len(name) <= 60 else f"{name[:57]}…"
