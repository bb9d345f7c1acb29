"""Builds the template contexts of a result and of the details of one token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import regex
from flask import current_app, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.core.analysis.ambiguity import Divisible, divisible_words, kind_of, undisputed_words
from webapp.core.models.unigram import Unigram
from webapp.core.trainers import wordpiece
from webapp.rendering.markup import DRAWN, Painter, ids_html, shown_piece, visible
from webapp.tokenization import messages
from webapp.tokenization.additions import (
    additions_of,
    meter_of,
    note,
    other_tokenizers,
    special_hints,
    special_readings,
)
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.contexts import DetailsForm, EncodedContext, ResultContext, TokenDetailsContext
from webapp.tokenization.dictionary_editor import panel_of, word_changes
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.inferences import compare_address, inference_note
from webapp.tokenization.links import can_decode, decode_link, steps_address
from webapp.tokenization.result import COMPARED_CHARACTERS, DISAGREEMENTS_SHOWN, Result
from webapp.tokenization.round_trip_view import round_trip_view
from webapp.tokenization.state import State, View
from webapp.tokenization.token_details import TokenDetails, token_bytes
from webapp.vocabularies import GPT_4O, StillFetchingError, default_for, find, title_of
from webapp.web.localization import number

DECODED_SHOWN = 20_000  # characters
PIECES_SHOWN = 1_000
LONG = 2_500  # tokens; a longer result is laid out chunk by chunk as it comes into view
LINKS_SHOWN = 262_144  # characters of addresses on one page; beyond, tokens are opened by number
SHORT = 300  # characters of a text that is set in large type
TILES = 500  # tokens; in a longer result ids and bytes are not shown under the tokens
DIVISIBLE_SHOWN = 24
LISTED_SHOWN = 1_000
# Letters of these scripts join or form clusters with their neighbours, which tiles would break.
_JOINED = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Thai}\p{Khmer}\p{Myanmar}]"
)


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
    edit_problem: InputProblem | None = None  # with a change to the dictionary that was typed

    def result_context(self, tokens: Markup | None = None, ids: Markup | None = None) -> ResultContext:
        """The context of the whole result; `tokens` and `ids` are only the first ones if the rest is sent later."""
        return ResultContext(
            about_token=self.details_context(),
            encoded=None if self.result is None else self._encoded(self.result, tokens, ids),
            problems=self.problems,
            fallback=find(GPT_4O) if self.lacks_vocabulary and self.shareable else None,
            algorithm_names=algorithm_names(),
            pending=self.pending,
            here=self.link,
            json_url=self.json_url,
            shareable=self.shareable,
            first_tool="share/_share_button.html" if self.shareable else "share/_open_copy.html",
            state=self.state,
            additions=additions_of(self.state, self.result, self.problems),
            dictionary_panel=panel_of(
                self.state,
                self.result.dictionary if self.result else None,
                request.values if self.shareable else {},
                self.edit_problem,
                self.problems,
            ),
            skipped_line_reason=messages.skipped_line_reason,
            visible=visible,
        )

    @property
    def lacks_vocabulary(self) -> bool:
        """Whether there is no result because the vocabulary is not available."""
        return any(messages.is_unavailable(problem) for problem in self.problems)

    def details_context(self) -> TokenDetailsContext:
        """The context of the chosen token."""
        others = other_tokenizers(self.result) if self.result and not self.details else []
        return TokenDetailsContext(
            state=self.state,
            result=self.result,
            details=self.details,
            chooser=self.chooser,
            why=steps_address(self.result, self.details.token.index) if self.result and self.details else None,
            token_problems=self.token_problems if self.result else [*self.problems, *self.token_problems],
            others=others,
            others_note=note(self.state, others),
            editable=self.shareable,
            words=self._word_buttons() if self.shareable else [],
        )

    def _word_buttons(self) -> list[tuple[str, str, str]]:
        """Buttons that change the dictionary at the chosen token: name, word, label."""
        changes = word_changes(self.result, self.details.token.index) if self.result and self.details else None
        if changes is None:
            return []
        buttons = [("add_word", word, _("Add “%(word)s” as a word", word=visible(word))) for word in changes.addable]
        if changes.removable is not None:
            buttons.append(("remove_word", changes.removable, _("Remove from the dictionary")))
        return buttons

    def _encoded(self, result: Result, tokens: Markup | None, ids: Markup | None) -> EncodedContext:
        return EncodedContext(
            tokens=self.painter.html() if tokens is None else tokens,
            ids=ids_html(result.encoding, self.painter.chunks) if ids is None else ids,
            drawn=self.painter.drawn,
            long=len(result.encoding) > LONG,
            large=len(result.encoding.text) <= SHORT,
            view=self.shown_view,
            tiles=len(result.encoding) <= TILES,
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
            special_hints=special_hints(self.state, result.encoding, result.tokenizer) if self.shareable else [],
            special_link=self._with_special(True),
            special_readings=(
                special_readings(self.state, result.encoding, result.encoder) if self.shareable else None
            ),
            switch_special_link=self._with_special(not self.state.special),
            decode_link=decode_link(self.state, result.encoding.ids),
            can_decode=can_decode(self.state),
            kind_of=lambda place: messages.ambiguity_name(kind_of(place)),
            divisible=self._divisible_words(),
            divisible_shown=DIVISIBLE_SHOWN,
            listed_words=self._listed_words(),
            listed_shown=LISTED_SHOWN,
            listed_limit=COMPARED_CHARACTERS,
            frequency_note=messages.frequency_note(result),
            pretokens=self._pretokens_address(result),
            meter=meter_of(self.state, result),
            has_added=bool(result.affixed and not result.affixed.added.isdisjoint(result.encoding.ids)),
            inference_note=inference_note(result),
            compare_inferences=compare_address(self.state) if self.shareable else None,
            round_trip=round_trip_view(result),
        )

    @property
    def shown_view(self) -> View:
        """What the page shows under the tokens: the visitor's choice, or ids under a short text."""
        assert self.result is not None
        if len(self.result.encoding) > TILES:
            return "tokens"
        text = self.result.encoding.text
        return self.state.view or ("ids" if len(text) <= SHORT and not _JOINED.search(text) else "tokens")

    def _under(self) -> Callable[[int], str] | None:
        """What stands under each token in the shown view."""
        assert self.result is not None
        encoding = self.result.encoding
        if self.shown_view == "ids":
            return lambda index: str(encoding.ids[index])
        if self.shown_view == "bytes":
            return lambda index: token_bytes(encoding, index).hex(" ").upper()
        return None

    def _divisible_words(self) -> list[Divisible]:
        """The words of a short result of FMM or BMM that consist of two words of the dictionary."""
        assert self.result is not None
        dictionary, encoding = self.result.dictionary, self.result.encoding
        if dictionary is None or not self.result.matches or len(encoding.text) > COMPARED_CHARACTERS:
            return []
        spans = zip(encoding.starts, encoding.ends, strict=True)
        return divisible_words(dictionary, undisputed_words(encoding.text, spans, self.result.disagreements))

    def _listed_words(self) -> list[tuple[int, str]] | None:
        """The words of full or search mode with their offsets."""
        assert self.result is not None
        spans, text = self.result.listed_words, self.result.encoding.text
        return None if spans is None else [(start, text[start:end]) for start, end in spans]

    def _with_special(self, special: bool) -> str | None:
        """The address of the playground with special tokens recognized, or not; None if it is too long."""
        query = replace(self.state, special=special).link(current_app.config["MAX_LINK_CHARACTERS"])
        return None if query is None else f"{url_for('playground.page')}?{query}"

    def _pretokens_address(self, result: Result) -> str | None:
        """The address of the pre-tokens of the same text, for a vocabulary with a pre-tokenizer and a page."""
        state, most = self.state, current_app.config["MAX_LINK_CHARACTERS"]
        if state.trained or state.lowercase or result.tokenizer.pretokenizer is None or len(state.text) > most:
            return None
        special = "1" if state.special else None
        address = url_for("pretokens.page", vocabulary=state.vocabulary, text=state.text, special=special)
        return address if len(address) <= most else None

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
            under=self._under(),
            added=self.result.affixed.added if self.result.affixed else frozenset(),
            most=DRAWN,
        )

    def _token_link(self, index: int) -> str:
        return f"{self.stem}{index}#result"

    def _merge_rows(self) -> Markup:
        """A table row for each merge; joined strings, since a loop in a template is slow for hundreds."""
        assert self.result is not None
        rows = []
        for rank, merge in enumerate(self.result.merges):
            cells = [
                f'<td class="end">{rank}</td>',
                f"<td><bdi>{escape(shown_piece(merge.left))}</bdi></td>",
                f"<td><bdi>{escape(shown_piece(merge.right))}</bdi></td>",
                f'<td class="end">{merge.count}</td>',
            ]
            if isinstance(merge, wordpiece.ScoredMerge):
                cells.append(f'<td class="end">{merge.score:.3g}</td>')
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
            Markup("<tr><td><bdi>{}</bdi></td><td class=end>{}</td></tr>").format(
                shown_piece(model.pieces[id]), number(model.scores[id], 3)
            )
            for id in best[:PIECES_SHOWN]
            if id != model.unknown_id
        )
