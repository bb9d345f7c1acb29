"""The form of `/pretokens`: a vocabulary, a text, and a split pattern to compare with the vocabulary's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import regex
from flask import Request, current_app
from flask_babel import gettext as _

from webapp.core.analysis.pretoken_view import last_pattern
from webapp.core.formats.checked_patterns import checked_pattern
from webapp.core.formats.fields import FormatError
from webapp.pages.pretokens.messages import KNOWN_PATTERNS
from webapp.rendering.markup import visible
from webapp.tokenization.forms import InputProblem, TooLongError, text_of, within
from webapp.tokenization.messages import wrong_file
from webapp.tokenization.vocabulary_choices import is_choice
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, default_for, tokenizer_of

DEFAULT_VOCABULARY = default_for("bpe")
EXAMPLE = "It’s 2024: I'll pay $1,234.50 for naïve cafés,  OK?\n\tx = foo_bar(42)  # 研究生命"
OWN = "vocabulary"
UNDER = ("alternative", "tokens")


@dataclass(frozen=True)
class PretokensRequest:
    """A vocabulary by name, a text, an own pattern (or none), and what stands under each pre-token."""

    vocabulary: str = DEFAULT_VOCABULARY
    text: str = ""
    pattern: str = ""
    under: str = UNDER[0]
    special: bool = False

    def query(self, **changes: Any) -> str:
        """The query string of the request, without what is at its default.

        >>> PretokensRequest("gpt2", "a b").query(under="tokens")
        'vocabulary=gpt2&text=a+b&under=tokens'
        """
        changed = replace(self, **changes)
        values = [("vocabulary", changed.vocabulary), ("text", changed.text)]
        values += [("pattern", changed.pattern)] if changed.pattern else []
        values += [("under", changed.under)] if changed.under != UNDER[0] else []
        values += [("special", "1")] if changed.special else []
        return urlencode(values, errors="replace")


def read(request: Request) -> tuple[PretokensRequest, list[InputProblem]]:
    """The request, with defaults in place of what does not exist, and its problems; an example for no text.

    A button of a known pattern puts it in place of the one that was typed: `start` in the address of a form.
    """
    values = request.form if request.method == "POST" else request.args
    name = values.get("vocabulary") or DEFAULT_VOCABULARY
    text = values.get("text", EXAMPLE if request.method == "GET" else "").replace("\r\n", "\n")
    under = next((each for each in UNDER if each == values.get("show", values.get("under"))), UNDER[0])
    pattern = _start(request, name) or values.get("pattern", "").strip("\r\n")
    asked = PretokensRequest(name, text, pattern, under, values.get("special") == "1")
    problems: list[InputProblem] = []
    if not is_choice(name):
        shown = visible(name[:40])
        message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=shown)
        problems.append(InputProblem(message, 404, "vocabulary"))
        asked = replace(asked, vocabulary=DEFAULT_VOCABULARY)
    try:
        within(text, current_app.config["MAX_TEXT_BYTES"], _("The text"))
    except TooLongError as error:
        problems.append(InputProblem(str(error), 413, "text"))
    upload = request.files.get("file")
    if upload and upload.filename:
        found, problem = text_of(upload)
        problems += [replace(problem, field="text")] if problem else []
        asked = asked if problem else replace(asked, text=found)
    problem = pattern_problem(asked.pattern)
    return asked, [*problems, problem] if problem else problems


def _start(request: Request, vocabulary: str) -> str:
    """The pattern whose button was pressed; empty if none was, or if the vocabulary has no pattern."""
    start = request.args.get("start", "") if request.method == "POST" else ""
    if start != OWN:
        return KNOWN_PATTERNS.get(start, "")
    try:
        return last_pattern(tokenizer_of(vocabulary)) or "" if is_choice(vocabulary) else ""
    except (UnavailableVocabularyError, StillFetchingError):
        return ""


def pattern_problem(pattern: str) -> InputProblem | None:
    """What is wrong with a pattern, and where; None for a pattern that can be used, and for none."""
    if not pattern:
        return None
    try:
        checked_pattern(pattern)
    except FormatError as error:
        return InputProblem(_place_of(pattern) or wrong_file(error), 422, "pattern")
    return None


def _place_of(pattern: str) -> str:
    """A message with the place of a syntax error; empty if the pattern has none."""
    try:
        regex.compile(pattern[:5_000])
    except regex.error as error:
        place = min(getattr(error, "pos", None) or 0, len(pattern))
        return _(
            "The pattern is not valid at character %(place)s: %(error)s. There: %(before)s ▸ %(after)s",
            place=place + 1,
            error=getattr(error, "msg", error),
            before=visible(pattern[max(0, place - 12) : place]),
            after=visible(pattern[place : place + 12]) or "∎",
        )
    except (RecursionError, OverflowError, ValueError, MemoryError):
        pass
    return ""
