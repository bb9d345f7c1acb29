"""Uploaded vocabulary files: from the form to the state that uses the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from werkzeug.datastructures import FileStorage

from webapp.tokenization.attempts import store_upload
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State


def with_upload(state: State, files: Sequence[FileStorage]) -> tuple[State, InputProblem | None]:
    """Store the uploaded vocabulary and return the state that uses it, or the same state and the problem."""
    uploaded = store_upload(files)
    if isinstance(uploaded, InputProblem):
        return state, uploaded
    algorithm = state.algorithm if state.algorithm in uploaded.algorithms else uploaded.algorithms[0]
    return replace(state, algorithm=algorithm, vocabulary=uploaded.name, token=None), None
