"""The response for programs to a request with problems."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response

from webapp.tokenization.forms import InputProblem
from webapp.web.problems import problem


def refused(problems: Sequence[InputProblem]) -> Response:
    """Problem details of one or more problems: the highest of their statuses, each message with its field (or "")."""
    return problem(
        max(one.status for one in problems),
        " ".join(one.message for one in problems),
        errors=[(one.field, one.message) for one in problems],
    )
