"""Shares and restores comparisons: one snapshot with a row for each tokenizer, all of the same text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from webapp.core import __version__
from webapp.sharing.results import RestoredResult, ShareTerms, capture, is_of_this_site
from webapp.storage import ShareReceipt, Snapshot, VocabularyFile, storage
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import OPTIONS, Comparison, TokenizerChoice, layout_of
from webapp.tokenization.exports import picture_title
from webapp.tokenization.state import State
from webapp.vocabularies import library


def is_comparison(snapshot: Snapshot) -> bool:
    """Whether a snapshot is of a comparison."""
    return bool(snapshot.state.get("kind") == "comparison")


def share_comparison(comparison: Comparison, compared: ComparisonResult, terms: ShareTerms) -> ShareReceipt:
    """Store a comparison whose rows all have tokens, with their vocabularies; raises like `share_result`."""
    snapshot, files = capture_comparison(comparison, compared, title=terms.title, note=terms.note)
    most_bytes = None if all(map(is_of_this_site, comparison.states)) else library().uploads.most_bytes
    return storage().snapshots.share(snapshot, expires=terms.expires, others=files, most_bytes=most_bytes)


def capture_comparison(
    comparison: Comparison, compared: ComparisonResult, *, title: str = "", note: str = ""
) -> tuple[Snapshot, list[VocabularyFile]]:
    """The snapshot of a comparison, and the files of its vocabularies."""
    rows, files = [], []
    for row in compared.rows:
        assert row.result is not None
        snapshot, file = capture(row.result)
        rows.append(replace(snapshot, state={**snapshot.state, "vocabulary_size": row.vocabulary_size}))
        files.append(file)
    texts = {name: value for name, value in (("title", title), ("note", note)) if value}
    state = {"kind": "comparison", "layout": comparison.layout, "rows": [row.state for row in rows], **texts}
    return Snapshot(comparison.text, state, (), (), (), {}, core_version=__version__, rows=rows), files


@dataclass(frozen=True)
class RestoredComparison:
    """A comparison that is restored from its snapshot."""

    snapshot: Snapshot

    @cached_property
    def comparison(self) -> Comparison:
        """The text and the tokenizers that the author compared."""
        states = [restored.state for restored in self._rows]
        defaults = State()
        options: dict[str, Any] = {
            name: value
            for state in states
            for name in OPTIONS
            if (value := getattr(state, name)) != getattr(defaults, name)
        }
        choices = tuple(TokenizerChoice(state.algorithm, state.vocabulary, state.inference) for state in states)
        layout = layout_of(self.snapshot.state.get("layout"))
        return Comparison(choices, replace(defaults, text=self.snapshot.text, **options), layout)

    @cached_property
    def compared(self) -> ComparisonResult:
        """The rows at the time of sharing."""
        rows = [
            ComparisonRow(
                number,
                TokenizerChoice(restored.state.algorithm, restored.state.vocabulary, restored.state.inference),
                picture_title(restored.state),
                restored.encoding,
                restored.snapshot.state.get("vocabulary_size", 0),
            )
            for number, restored in enumerate(self._rows, 1)
        ]
        return ComparisonResult(self.snapshot.text, rows)

    @property
    def differs(self) -> bool:
        """Whether any row would have other ids today."""
        return any(restored.differs for restored in self._rows)

    @cached_property
    def _rows(self) -> list[RestoredResult]:
        return list(map(RestoredResult, self.snapshot.rows))
