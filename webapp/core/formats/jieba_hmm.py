"""The hidden Markov model that jieba ships for words that its dictionary lacks."""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from webapp.core.models.hmm import STATES, HiddenMarkovModel


@cache
def jieba_hmm() -> HiddenMarkovModel:
    """Return jieba's hidden Markov model, read from the installed package without running its code.

    The tables are the files `finalseg/prob_start.py`, `prob_trans.py` and `prob_emit.py`, each one assignment of a
    literal. Raises FileNotFoundError if jieba is not installed.
    """
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the hidden Markov model comes with the package jieba, which is not installed")
    folder = Path(spec.origin).parent / "finalseg"
    start, transition, emission = (
        _table((folder / f"prob_{name}.py").read_text(encoding="utf-8")) for name in ("start", "trans", "emit")
    )
    return HiddenMarkovModel(
        {state: start[state] for state in STATES},
        {
            (before, after): transition[before][after]
            for before in STATES
            for after in STATES
            if after in transition[before]
        },
        {state: emission[state] for state in STATES},
    )


def _table(source: str) -> dict[str, Any]:
    """The literal after the first `=` of a module.

    >>> _table("from __future__ import unicode_literals\\n\\nP={'B': -0.3}\\n")
    {'B': -0.3}
    """
    table: dict[str, Any] = ast.literal_eval(source.partition("=")[2].strip())
    return table
