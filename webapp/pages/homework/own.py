"""An exercise of a teacher's own, as the form of a sheet has it."""

import json
from collections.abc import Mapping
from typing import Any

from flask_babel import gettext as _

from webapp.core.homework.exercises import ASKED
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tools.homework.page import WORDS

FIELDS = ("title", "task", "kind", "text", "ties", "merges", "word", "dictionary", "hints", "place")
"""`place` is where on the sheet the exercise was that is changed."""


def as_value(parameters: Mapping[str, Any]) -> str:
    """The parameters as the form keeps them."""
    return json.dumps(parameters, ensure_ascii=False, sort_keys=True)


def fields_of(form: Mapping[str, str]) -> dict[str, str]:
    """The fields as they were typed."""
    return {name: as_typed(form.get(f"own_{name}", "")) for name in FIELDS}


def fields_from(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The fields that make these parameters."""
    algorithm, hints = parameters.get("algorithm", "bpe"), "\n".join(parameters.get("hints", ()))
    kind = f"{algorithm}:{parameters.get('asked', ASKED[algorithm][0])}"
    return {name: str({"merges": 10, **parameters, "kind": kind, "hints": hints}.get(name, "")) for name in FIELDS}


def parameters_of(fields: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of `own_exercise`; raises InputProblem for a number that is none."""
    algorithm, _colon, asked = fields["kind"].partition(":")
    found: dict[str, Any] = {"algorithm": algorithm, "asked": asked, "text": fields["text"].strip()}
    if algorithm in ("bpe", "bpe-bytes", "wordpiece"):
        found["ties"] = fields["ties"] or "first-seen"
        merges = fields["merges"].strip()
        if not (merges.isascii() and merges.isdecimal() and len(merges) < 5):
            raise InputProblem(_("“%(value)s” is not a whole number.", value=merges[:40]), 422, "own_merges")
        found["merges"] = int(merges)
        if asked == "tokens":
            found["word"] = fields["word"].strip()
    else:
        found["dictionary"] = fields["dictionary"].strip()
    found["title"] = fields["title"].strip() or str(WORDS["kinds"].get(fields["kind"], ""))
    found |= {"task": task} if (task := fields["task"].strip()) else {}
    if hints := [line.strip() for line in fields["hints"].splitlines() if line.strip()]:
        found["hints"] = hints
    return found
