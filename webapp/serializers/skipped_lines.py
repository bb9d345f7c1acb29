"""The lines that reading a word list skipped, as JSON."""

from __future__ import annotations

from typing import Any

from webapp.core.models.dictionary import Dictionary
from webapp.core.tokenizer import Tokenizer


def skipped_json(tokenizer: Tokenizer) -> dict[str, Any]:
    """The key `skipped_lines` for the dictionary of a tokenizer, or nothing if no line was skipped.

    >>> from webapp.core import load
    >>> skipped_json(load("研究\\n研究生\\n生命 often".encode()))["skipped_lines"]["first"][0]["line"]
    3
    """
    dictionary = getattr(tokenizer.model, "dictionary", None)
    if not isinstance(dictionary, Dictionary) or not dictionary.skipped:
        return {}
    skipped = dictionary.skipped
    first = [{"line": line.number, "reason": line.reason, "detail": str(line.message)} for line in skipped.first]
    return {"skipped_lines": {"count": skipped.count, "first": first}}
