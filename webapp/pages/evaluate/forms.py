"""Reads an evaluation from an address or a form, and which of its errors to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.core.evaluation.errors import KINDS, Kind
from webapp.sharing.results import end_of
from webapp.storage import StoredSnapshot
from webapp.tokenization.attempts import upload_limit
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.evaluation.run import LONGEST_NAME
from webapp.tokenization.evaluation.state import MOST_METHODS, Evaluation, UploadedOutput, default_choices
from webapp.tokenization.forms import InputProblem, TooLongError, as_typed, within

KEPT_DAYS = {"30": 30, "365": 365, "forever": None}
"""How long a stored evaluation is kept. Without a choice, nothing is stored."""


@dataclass(frozen=True)
class ErrorsShown:
    """Which errors are shown: of the method with a number from 1, of a kind or of all, and the page."""

    method: int = 1
    kind: Kind | None = None
    page: int = 1

    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of an address, without those at their defaults.

        >>> ErrorsShown(2, "overlap", 1).pairs()
        [('method', '2'), ('kind', 'overlap')]
        """
        pairs = [("method", str(self.method) if self.method != 1 else ""), ("kind", self.kind or "")]
        pairs.append(("page", str(self.page) if self.page != 1 else ""))
        return [(name, value) for name, value in pairs if value]

    def query(self) -> str:
        """The query string."""
        return urlencode(self.pairs())


def read_shown(request: Request) -> ErrorsShown:
    """The errors that an address asks for; invalid parameters are ignored."""
    kind = next((kind for kind in KINDS if kind == request.args.get("kind")), None)
    return ErrorsShown(_number(request.args.get("method")), kind, _number(request.args.get("page")))


def _number(text: str | None) -> int:
    return max(1, int(text)) if text and text.isascii() and text.isdecimal() and len(text) < 8 else 1


def allow_long_texts(request: Request) -> None:
    """Allow the body of a request to be as long as all texts of an evaluation; before anything reads it."""
    request.max_content_length = upload_limit()
    config = current_app.config
    request.max_form_memory_size = max(5 * config["MAX_GOLD_BYTES"], config["MAX_CONTENT_LENGTH"])


def read(request: Request) -> tuple[Evaluation, list[InputProblem]]:
    """The evaluation of a request, with the texts as typed, and what is wrong with them."""
    values = request.form if request.method == "POST" else request.args
    problems: list[InputProblem] = []
    chosen = values.getlist("with")
    choices = tuple(map(TokenizerChoice.parse, dict.fromkeys(filter(None, chosen))))
    if not chosen and not values.get("output"):
        choices = default_choices()
    limit = current_app.config["MAX_GOLD_BYTES"]
    evaluation = Evaluation(
        choices=choices,
        gold=_text(request, "gold", limit, problems),
        training=_text(request, "training", limit, problems),
        output=_text(request, "output", 2 * limit, problems),
        files=_outputs(request.files.getlist("outputs"), 2 * limit, problems),
        runs=(values.getlist("runs") or ["1"])[0] == "1",
    )
    count = len(evaluation.choices) + len(evaluation.files) + bool(evaluation.output.strip())
    if count > MOST_METHODS:
        message = _(
            "These are %(count)s methods and segmentations; choose at most %(most)s.", count=count, most=MOST_METHODS
        )
        problems.append(InputProblem(message, 422, "with"))
        evaluation = replace(evaluation, choices=evaluation.choices[: 2 * MOST_METHODS])
    elif not count:
        problems.append(InputProblem(_("Choose at least one method, or enter a segmentation."), 422, "with"))
    return evaluation, problems


def wants_link(request: Request) -> bool:
    """Whether the visitor has chosen to store a long evaluation."""
    return request.form.get("keep", "") in KEPT_DAYS


SHOWN_AGAIN = 100_000
"""The most characters of a file that the form shows; what was typed or pasted it always shows."""


def shown_again(request: Request, field: str, text: str) -> str:
    """The text of a field as the form shows it after it was sent."""
    upload = request.files.get(f"{field}_file")
    return "" if upload and upload.filename and len(text) > SHOWN_AGAIN else text


def expiry(request: Request) -> datetime | None:
    """The end of a stored evaluation, None for never."""
    days = KEPT_DAYS[request.form["keep"]]
    return None if days is None else end_of(datetime.now(UTC).date() + timedelta(days=days))


def end_of_stored(stored: StoredSnapshot, days_kept: int) -> datetime | None:
    """When a stored evaluation ends, None for never: at its own end, or `days_kept` days after it was stored."""
    if not days_kept:
        return stored.expires
    latest = stored.created + timedelta(days=days_kept)
    return latest if stored.expires is None else min(latest, stored.expires)


def _text(request: Request, field: str, limit: int, problems: list[InputProblem]) -> str:
    """The text of a field, or of the file beside it, which counts if there is one."""
    values = request.form if request.method == "POST" else request.args
    text = as_typed(values.get(field))
    upload = request.files.get(f"{field}_file")
    name = {"gold": _("The gold text"), "training": _("The list of training words")}.get(field, _("The segmentation"))
    if upload and upload.filename:
        content, name = _content(upload), f"“{upload.filename[:LONGEST_NAME]}”"
        if not content.strip():
            problems.append(_empty_file(upload, field))
            return text
        text = content
    try:
        within(text, limit, name)
    except TooLongError as error:
        problems.append(InputProblem(str(error), 413, field))
        if upload and upload.filename:
            text = as_typed(values.get(field))
    return text


def _outputs(uploads: Sequence[FileStorage], limit: int, problems: list[InputProblem]) -> tuple[UploadedOutput, ...]:
    found = []
    for upload in uploads:
        if not upload.filename:
            continue
        name = upload.filename[:LONGEST_NAME]
        text = _content(upload)
        if not text.strip():
            problems.append(_empty_file(upload, "outputs"))
            continue
        try:
            within(text, limit, f"“{name}”")
        except TooLongError as error:
            problems.append(InputProblem(str(error), 413, "outputs"))
            continue
        found.append(UploadedOutput(name, text))
    return tuple(found)


def _empty_file(upload: FileStorage, field: str) -> InputProblem:
    name = (upload.filename or "")[:LONGEST_NAME]
    return InputProblem(_("The file “%(name)s” is empty. Choose another one.", name=name), 422, field)


def _content(upload: FileStorage) -> str:
    """The text of a file: UTF-8, or one of the Chinese encodings that GB 18030 includes."""
    content = upload.stream.read()
    upload.close()
    try:
        return as_typed(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return as_typed(content.decode("gb18030", "replace"))
