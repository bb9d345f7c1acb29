"""Shared comparisons: one snapshot with a row for each tokenizer, all of the same text."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from flask import Response, abort, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l

from webapp.core import __version__
from webapp.rendering import pictures
from webapp.storage import ShareReceipt, Snapshot
from webapp.tokenization.comparison import views
from webapp.tokenization.comparison.state import (
    OPTIONS,
    Comparison,
    ComparisonResult,
    ComparisonRow,
    choice_of,
    compare_tokenizers,
)
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.exports import picture_title, picture_words
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.sharing.results import StoredTokens, capture, most_bytes
from webapp.tokenization.sharing.snapshots import ShareTerms, Shown, store
from webapp.tokenization.state import State


def share_comparison(comparison: Comparison, terms: ShareTerms) -> ShareReceipt:
    """Store a comparison with its vocabularies; raises InputProblem if any row has no tokens."""
    compared = compare_tokenizers(comparison)
    _require_tokens(compared)
    rows, files = [], []
    for row in compared.rows:
        assert row.result is not None
        snapshot, file = capture(row.result, {})
        rows.append(replace(snapshot, state={**snapshot.state, "vocabulary_size": row.vocabulary_size}))
        files.append(file)
    state = {"kind": "comparison", "layout": "lines", "rows": [row.state for row in rows], **terms.texts}
    snapshot = Snapshot(comparison.text, state, (), (), (), {}, core_version=__version__, rows=rows)
    return store(snapshot, terms, others=files, most_bytes=most_bytes(*comparison.states))


def _require_tokens(compared: ComparisonResult) -> None:
    wrong = []
    for row in compared.rows:
        if row.pending:
            raise row.pending
        if row.problem:
            wrong.append((row, row.problem))
        if row.result:
            row.result.check_computable()
    if wrong:
        advice = _("A comparison can be shared only if every row has tokens. Remove the other rows, then share it.")
        sentences = [f"{row.number} {row.title}: {problem.message}" for row, problem in wrong]
        status = 422 if any(problem.status < 500 for _row, problem in wrong) else 503
        raise InputProblem(" ".join([*sentences, advice]), status)


class ShownComparison(Shown):
    """A shared comparison."""

    kind = "comparison"
    heading = _l("Comparison of tokenizers")

    @cached_property
    def rows(self) -> list[StoredTokens]:
        """The rows at the time of sharing."""
        return list(map(StoredTokens, self.snapshot.rows))

    @cached_property
    def comparison(self) -> Comparison:
        """The text and the tokenizers that the author compared."""
        states = [row.state for row in self.rows]
        defaults = State(text=self.snapshot.text)
        options = {
            name: value
            for state in states
            for name in OPTIONS
            if (value := getattr(state, name)) != getattr(defaults, name)
        }
        return Comparison(tuple(map(choice_of, states)), replace(defaults, **options))

    @property
    def differs(self) -> bool:
        """Whether any row would have other ids today."""
        return any(row.differs for row in self.rows)

    def _view(self, **choices: Any) -> ComparisonView:
        rows = []
        for number, row in enumerate(self.rows, 1):
            size = row.snapshot.state.get("vocabulary_size", 0)
            rows.append(ComparisonRow(number, choice_of(row.state), picture_title(row.state), row.encoding, size))
        return ComparisonView(self.comparison, ComparisonResult(self.snapshot.text, rows), **choices)

    def content(self, *, embedded: bool = False) -> dict[str, Any]:
        """The comparison, or its stage alone."""
        return {"view": self._view(linked=False) if embedded else self._view(stem=self.address)}

    def content_json(self) -> dict[str, Any]:
        """The rows, each with its own tokens."""
        return {"rows": [row.as_json() for row in self.rows]}

    def file(self, kind: str) -> Response:
        """The comparison as a file."""
        if kind not in views.WRITERS:
            abort(404)
        return views.comparison_file(self._view(), kind)

    def card(self) -> bytes:
        """The rows."""
        return pictures.comparison_card(self._view().picture_rows, picture_words(), title=self.title)

    @property
    def origin(self) -> tuple[str, str]:
        """The page that compares."""
        return url_for("compare.page"), self.comparison.query()
