"""Builds the template contexts of a result and of the details of one token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flask import current_app
from markupsafe import Markup, escape

from webapp.core.models.unigram import Unigram
from webapp.core.trainers import wordpiece
from webapp.rendering.markup import Painter, ids_html, shown_piece, visible
from webapp.tokenization import messages
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.contexts import DetailsForm, EncodedContext, ResultContext, TokenDetailsContext
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import DISAGREEMENTS_SHOWN, Result
from webapp.tokenization.state import State
from webapp.tokenization.step_links import steps_address
from webapp.tokenization.token_details import TokenDetails
from webapp.vocabularies import StillFetchingError, default_for, find, title_of
from webapp.web.localization import number

DECODED_SHOWN = 20_000  # characters
PIECES_SHOWN = 1_000
LONG = 2_500  # tokens; a longer result is laid out chunk by chunk as it comes into view
LINKS_SHOWN = 262_144  # characters of addresses on one page; beyond, tokens are opened by number


@dataclass(frozen=True)
class ResultView:
    """A response: the state, its result (None if the input has a problem), and the details of the chosen token.

    `link` is the address of the page, None if it would be too long; `stem` is the address of a token's details without
    the token's number.
    """

    state: State
    result: Result | None
    problems: list[InputProblem]
    details: TokenDetails | None
    token_problems: list[InputProblem]
    link: str | None
    stem: str | None
    chooser: DetailsForm
    pending: StillFetchingError | None = None
    json_url: str | None = None  # the same as JSON
    shareable: bool = False  # whether the page offers to share the result

    def result_context(self, tokens: Markup | None = None, ids: Markup | None = None) -> ResultContext:
        """The context of the whole result; `tokens` and `ids` are only the first ones if the rest is sent later."""
        return ResultContext(
            about_token=self.details_context(),
            encoded=None if self.result is None else self._encoded(self.result, tokens, ids),
            problems=self.problems,
            algorithm_names=algorithm_names(),
            pending=self.pending,
            here=self.link,
            json_url=self.json_url,
            shareable=self.shareable,
            title_of=title_of,
        )

    def details_context(self) -> TokenDetailsContext:
        """The context of the chosen token."""
        return TokenDetailsContext(
            state=self.state,
            result=self.result,
            details=self.details,
            chooser=self.chooser,
            why=steps_address(self.result, self.details.token.index) if self.result and self.details else None,
            token_problems=self.token_problems if self.result else [*self.problems, *self.token_problems],
        )

    def _encoded(self, result: Result, tokens: Markup | None, ids: Markup | None) -> EncodedContext:
        return EncodedContext(
            tokens=self.painter.html() if tokens is None else tokens,
            ids=ids_html(result.encoding, self.painter.chunks) if ids is None else ids,
            long=len(result.encoding) > LONG,
            milliseconds=messages.milliseconds,
            caption=messages.caption(result),
            fewer_merges_reason=messages.fewer_merges_reason(self.state),
            reasons=messages.joined(messages.reason_sentences()[reason] for reason in result.comparison.reasons),
            notes=messages.notes(result),
            ids_note=messages.ids_note(result),
            visible=visible,
            vocabulary_title=self.vocabulary_title,
            has_page=not self.state.trained and self.state.vocabulary != "own-dictionary",
            default_for=default_for,
            decoded_limit=DECODED_SHOWN,
            disagreements_shown=DISAGREEMENTS_SHOWN,
            verdict_sentence=messages.verdict_sentence(result),
            agreement_sentence=messages.agreement_sentence(result),
            vocabulary_size=len(result.tokenizer.model.pieces),
            merge_rows=self._merge_rows(),
            piece_rows=self._piece_rows(),
            is_link=self.link is not None,
            address_query=self._query,
            steps=steps_address(result),
        )

    @property
    def _query(self) -> str | None:
        """The query string of the same state for other pages, or None if it would be too long."""
        return self.state.link(current_app.config["MAX_LINK_CHARACTERS"])

    @property
    def vocabulary_title(self) -> str:
        """The title of the vocabulary; empty if it has none."""
        entry = find(self.state.vocabulary)
        return title_of(entry) if entry else ""

    @cached_property
    def painter(self) -> Painter:
        """A painter for the tokens; each token links to its details unless the URLs would be too many or too long."""
        assert self.result is not None
        encoding = self.result.encoding
        links = self.stem is not None and len(encoding) * len(self.stem) <= LINKS_SHOWN
        return Painter(
            encoding,
            show=self.state.show,
            link=self._token_link if links else None,
            chosen=self.details.token.index if self.details else None,
        )

    def _token_link(self, index: int) -> str:
        return f"{self.stem}{index}#details"

    def _merge_rows(self) -> Markup:
        """A table row for each merge; joined strings, since a loop in a template is slow for hundreds."""
        assert self.result is not None
        rows = []
        for rank, merge in enumerate(self.result.merges):
            cells = [
                f'<td class="figure">{rank}</td>',
                f"<td><bdi>{escape(shown_piece(merge.left))}</bdi></td>",
                f"<td><bdi>{escape(shown_piece(merge.right))}</bdi></td>",
                f'<td class="figure">{merge.count}</td>',
            ]
            if isinstance(merge, wordpiece.ScoredMerge):
                cells.append(f'<td class="figure">{merge.score:.3g}</td>')
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return Markup("".join(rows))

    def _piece_rows(self) -> Markup:
        """A table row for each piece of a Unigram vocabulary trained on the visitor's text, most probable first."""
        assert self.result is not None
        model = self.result.tokenizer.model
        if not self.state.trained or not isinstance(model, Unigram):
            return Markup("")
        best = sorted(range(len(model.pieces)), key=lambda id: -model.scores[id])
        return Markup("").join(
            Markup("<tr><td><bdi>{}</bdi></td><td class=figure>{}</td></tr>").format(
                shown_piece(model.pieces[id]), number(model.scores[id], 3)
            )
            for id in best[:PIECES_SHOWN]
            if id != model.unknown_id
        )
