"""Builds the template context of a comparison: the drawing, the figures, and the agreement of each two rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flask import current_app, url_for
from markupsafe import Markup

from webapp.core.encoding import Encoding
from webapp.tokenization.comparison.aligned_markup import AlignedMarkup, as_text
from webapp.tokenization.comparison.aligned_spans import AlignedSpan, aligned_spans_of
from webapp.tokenization.comparison.contexts import ComparisonContext, ComparisonFigures
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison
from webapp.tokenization.messages import milliseconds

DRAWN = 12_000  # characters; only the beginning of a longer text is drawn, but all of it is counted


@dataclass(frozen=True)
class ComparisonView:
    """A comparison with its result."""

    comparison: Comparison
    compared: ComparisonResult

    def context(self) -> ComparisonContext:
        """The context of the templates."""
        drawn = self.spans[-1].end if self.spans else 0
        return ComparisonContext(
            comparison=self.comparison,
            compared=self.compared,
            rows=self.compared.rows,
            shown=[row for row, _encoding in self.compared.shown],
            drawing=self.drawing,
            texts=self.texts,
            figures=self.figures,
            agreement=self.compared.agreement,
            drawn=drawn,
            left_out=len(self.compared.text) - drawn,
            milliseconds=milliseconds,
        )

    @cached_property
    def spans(self) -> list[AlignedSpan]:
        """The spans that are drawn."""
        encodings = [encoding for _row, encoding in self.compared.shown]
        if not encodings:
            return []
        return aligned_spans_of(self.compared.text, encodings, self.compared.agreement, DRAWN)

    @property
    def drawing(self) -> Markup:
        """The spans as HTML."""
        numbers = [row.number for row, _encoding in self.compared.shown]
        drawing = AlignedMarkup(self.compared.text, self.spans, numbers, show=self.comparison.common.show)
        return drawing.html(self.comparison.layout)

    @property
    def texts(self) -> list[tuple[ComparisonRow, str]]:
        """Each row that is drawn, as text."""
        last = self.spans[-1].end if self.spans else 0
        cuts = self.compared.agreement.each
        return [
            (row, as_text(self.compared.text, each, last))
            for each, (row, _encoding) in zip(cuts, self.compared.shown, strict=True)
        ]

    @property
    def figures(self) -> list[ComparisonFigures]:
        """The figures of each row that has tokens."""
        characters = len(self.compared.text)
        size = len(self.compared.text.encode("utf-8", "replace"))
        return [self._figures(row, encoding, characters, size) for row, encoding in self.compared.shown]

    def _figures(self, row: ComparisonRow, encoding: Encoding, characters: int, size: int) -> ComparisonFigures:
        tokens = len(encoding)
        query = self.comparison.states[row.number - 1].link(current_app.config["MAX_LINK_CHARACTERS"])
        return ComparisonFigures(
            row,
            tokens,
            characters / tokens if tokens else None,
            size / tokens if tokens else None,
            len(encoding.unknown) / tokens if tokens else None,
            f"{url_for('playground.page')}?{query}" if query else None,
        )
