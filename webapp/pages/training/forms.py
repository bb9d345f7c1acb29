"""Reads the request for a training from an address or a form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Request
from flask_babel import gettext as _

from webapp.pages.training.request import LONGEST, MOST, MOST_TEXT, TrainingRequest, parameters, unpacked
from webapp.pages.training.trainings import TRAININGS, whole_number
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.localization import number


def read(request: Request, algorithm: str) -> tuple[TrainingRequest, list[InputProblem]]:
    """The request and its problems; a field with a problem has its default, but texts stay as they are."""
    values = request.form if request.method == "POST" else request.args
    problems: list[InputProblem] = []
    asked = TrainingRequest(algorithm, symbols=values.get("symbols", ""))
    asked = asked if asked.kind in TRAININGS else TrainingRequest(algorithm)
    corpus, text = as_typed(values.get("corpus", "")), values.get("text", "")
    if "packed" in values and "corpus" not in values:
        found = unpacked(values["packed"])
        if found is None:
            problems.append(InputProblem(_("The corpus in this address cannot be read: a part of it is missing.")))
        corpus = as_typed(found or "")
    problems += _length_problems(corpus, text)
    given: dict[str, Any] = {}
    training = TRAININGS[asked.kind]
    readers = {option.name: option.read for option in (*training.options, *([training.size] if training.size else []))}
    for name, read_value in {**readers, "step": _step}.items():
        written = values.get(name, "")
        if written.strip():
            try:
                given[name] = read_value(written)
            except InputProblem as problem:
                problems.append(replace(problem, field=name))
    as_text = values.get("as_text", "0") not in ("0", "")
    return replace(asked, corpus=corpus, text=text, as_text=as_text, **given), problems


def _step(written: str) -> int:
    if (step := whole_number(written)) < 0:
        raise InputProblem(_("Steps are counted from 0."))
    return step


def _length_problems(corpus: str, text: str) -> list[InputProblem]:
    """A corpus may be no longer than `MOST` and than an address can hold, a text no longer than `MOST_TEXT`."""
    problems = []
    if len(corpus) > MOST:
        values = {"count": number(len(corpus)), "most": number(MOST)}
        message = _("The corpus has %(count)s characters; training is shown on up to %(most)s.", **values)
        problems.append(InputProblem(message, 413, "corpus"))
    elif len(parameters(corpus)[1]) > LONGEST:
        message = _("The corpus does not fit into an address. Shorten it and try again.")
        problems.append(InputProblem(message, 413, "corpus"))
    if len(text) > MOST_TEXT:
        values = {"count": number(len(text)), "most": number(MOST_TEXT)}
        message = _("The text to tokenize has %(count)s characters; the limit is %(most)s.", **values)
        problems.append(InputProblem(message, 413, "text"))
    return problems


def opening_of(corpus: str) -> str:
    """The beginning of a corpus that is too long, cut to the limits at the end of a word."""
    kept = corpus[: MOST if len(corpus) > MOST else len(corpus) // 2]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:space] if space > len(kept) // 2 else kept
