"""What the templates of a result show, and its parts as a stream: the first tokens at once, the rest in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import brotli
import regex
from flask import Request, Response, current_app, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.core.analysis.ambiguity import Divisible, divisible_words, kind_of, undisputed_words
from webapp.core.models.unigram import Unigram
from webapp.core.trainers import wordpiece
from webapp.rendering.markup import DRAWN, Chunk, Painter, ids_html, shown_piece, visible
from webapp.tokenization import messages
from webapp.tokenization.additions import (
    AdditionsPanel,
    additions_of,
    meter_of,
    other_tokenizers,
    others_note,
    special_hints,
    special_readings,
)
from webapp.tokenization.dictionary_editor import DictionaryPanel, panel_of, word_changes
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.inferences import compare_address, inference_note
from webapp.tokenization.links import can_decode, decode_link, steps_address
from webapp.tokenization.result import COMPARED_CHARACTERS, Result
from webapp.tokenization.round_trip_view import round_trip_view
from webapp.tokenization.state import State, View
from webapp.tokenization.token_details import TokenDetails, token_bytes
from webapp.vocabularies import GPT_4O, CatalogueEntry, StillFetchingError, find, title_of
from webapp.web.localization import number
from webapp.web.templates import Context, render

DECODED_SHOWN = 20_000  # characters; also in `_decoded.html`
PIECES_SHOWN = 1_000
LONG = 2_500  # tokens; a longer result is laid out chunk by chunk as it comes into view
LINKS_SHOWN = 262_144  # characters of addresses on one page; beyond, tokens are opened by number
SHORT = 300  # characters of a text that is set in large type
TILES = 500  # tokens; in a longer result ids and bytes are not shown under the tokens
# Letters of these scripts join or form clusters with their neighbours, which tiles would break.
_JOINED = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Thai}\p{Khmer}\p{Myanmar}]"
)


@dataclass(frozen=True)
class DetailsForm:
    """The form that requests token details and files: its id on the page, its address and its method."""

    form: str
    url: str
    method: Literal["get", "post"]
    files: str  # the address of downloads, without the suffix such as `.svg`


@dataclass(frozen=True, kw_only=True)
class ResultView(Context):
    """A result with the details of the chosen token, or the problems of the input. Templates call it `shown`.

    `link` is the address of the page, None if it would be too long; `stem` is the address of a token's details without
    the token's number.
    """

    template = "tokenization/_result.html"
    LONG: ClassVar[int] = LONG
    SHORT: ClassVar[int] = SHORT
    TILES: ClassVar[int] = TILES
    shown: ClassVar[object]  # the view itself, for what templates derive from it

    state: State
    result: Result | None
    problems: Sequence[InputProblem] = ()
    details: TokenDetails | None
    token_problems: Sequence[InputProblem]
    link: str | None
    stem: str | None
    chooser: DetailsForm
    pending: StillFetchingError | None = None  # while the vocabulary is being downloaded
    json_url: str | None = None  # the same as JSON
    shareable: bool = False  # whether the page has the form with the text, and offers to share the result
    edit_problem: InputProblem | None = None  # with a change to the dictionary that was typed
    tokens: Markup | None = None  # only the first ones if the rest is sent later
    ids: Markup | None = None

    def variables(self) -> dict[str, object]:
        """The fields, and the view itself."""
        return {**super().variables(), "shown": self}

    @property
    def first_tool(self) -> str:
        """The template of the first tool above the tokens: to share the result, or to open a copy of it."""
        return "share/_share_button.html" if self.shareable else "share/_open_copy.html"

    @property
    def fallback(self) -> CatalogueEntry | None:
        """The vocabulary to offer in place of one that is not available."""
        return find(GPT_4O) if self.lacks_vocabulary and self.shareable else None

    @property
    def lacks_vocabulary(self) -> bool:
        """Whether there is no result because the vocabulary is not available."""
        return any(messages.is_unavailable(problem) for problem in self.problems)

    def additions(self) -> AdditionsPanel | None:
        """The model, and tokens to add; None where there is nothing to choose."""
        return additions_of(self.state, self.result, self.problems)

    @cached_property
    def dictionary_panel(self) -> DictionaryPanel | None:
        """The dictionary and its changes; None for algorithms without one."""
        dictionary = self.result.dictionary if self.result else None
        typed = request.values if self.shareable else {}
        return panel_of(self.state, dictionary, typed, self.edit_problem, self.problems)

    def word_buttons(self) -> list[tuple[str, str, str]]:
        """Buttons that change the dictionary at the chosen token: name, word, label."""
        if not self.shareable or self.result is None or self.details is None:
            return []
        changes = word_changes(self.result, self.details.token.index)
        if changes is None:
            return []
        buttons = [("add_word", word, _("Add “%(word)s” as a word", word=visible(word))) for word in changes.addable]
        if changes.removable is not None:
            buttons.append(("remove_word", changes.removable, _("Remove from the dictionary")))
        return buttons

    @property
    def under(self) -> View:
        """What the page shows under the tokens: the visitor's choice, or ids under a short text."""
        assert self.result is not None
        if len(self.result.encoding) > TILES:
            return "tokens"
        text = self.result.encoding.text
        return self.state.view or ("ids" if len(text) <= SHORT and not _JOINED.search(text) else "tokens")

    def _label(self) -> Callable[[int], str] | None:
        """What stands under each token in the shown view."""
        assert self.result is not None
        encoding = self.result.encoding
        if self.under == "ids":
            return lambda index: str(encoding.ids[index])
        if self.under == "bytes":
            return lambda index: token_bytes(encoding, index).hex(" ").upper()
        return None

    def divisible_words(self) -> list[Divisible]:
        """The words of a short result of FMM or BMM that consist of two words of the dictionary."""
        assert self.result is not None
        dictionary, encoding = self.result.dictionary, self.result.encoding
        if dictionary is None or not self.result.matches or len(encoding.text) > COMPARED_CHARACTERS:
            return []
        spans = zip(encoding.starts, encoding.ends, strict=True)
        return divisible_words(dictionary, undisputed_words(encoding.text, spans, self.result.disagreements))

    def listed_words(self) -> list[tuple[int, str]] | None:
        """The words of full or search mode with their offsets."""
        assert self.result is not None
        spans, text = self.result.listed_words, self.result.encoding.text
        return None if spans is None else [(start, text[start:end]) for start, end in spans]

    def with_special(self, special: bool) -> str | None:
        """The address of the playground with special tokens recognized, or not; None if it is too long."""
        query = replace(self.state, special=special).link(current_app.config["MAX_LINK_CHARACTERS"])
        return None if query is None else f"{url_for('playground.page')}?{query}"

    def pretokens_address(self) -> str | None:
        """The address of the pre-tokens of the same text, for a vocabulary with a pre-tokenizer and a page."""
        assert self.result is not None
        state, most = self.state, current_app.config["MAX_LINK_CHARACTERS"]
        has_page = not state.trained and not state.lowercase and self.result.tokenizer.pretokenizer is not None
        if not has_page or len(state.text) > most:
            return None
        special = "1" if state.special else None
        address = url_for("pretokens.page", vocabulary=state.vocabulary, text=state.text, special=special)
        return address if len(address) <= most else None

    @property
    def query(self) -> str | None:
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
            under=self._label(),
            added=self.result.affixed.added if self.result.affixed else frozenset(),
            most=DRAWN,
        )

    def _token_link(self, index: int) -> str:
        return f"{self.stem}{index}#result"

    def merge_rows(self) -> Markup:
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

    def piece_rows(self) -> Markup:
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


@dataclass(frozen=True, kw_only=True)
class TokenView(ResultView):
    """The details of the chosen token alone."""

    template = "tokenization/_details.html"


_FUNCTIONS: Sequence[Callable[..., object]] = (
    *(can_decode, compare_address, decode_link, ids_html, inference_note, kind_of, meter_of, other_tokenizers),
    *(others_note, round_trip_view, special_hints, special_readings, steps_address),
)
TEMPLATE_GLOBALS = {"texts": messages, "most_compared": COMPARED_CHARACTERS} | {
    function.__name__: function for function in _FUNCTIONS
}
"""What the templates of a result call, for example `texts.caption(result)`."""


FIRST = 2  # chunks sent with the figures
MOST = 48  # chunks in a later event; each event has twice as many as the one before, up to this limit
STREAMED = 3_000  # tokens; a shorter result is sent whole
BROTLI_QUALITY = 3


def wants_events(request: Request, result: Result) -> bool:
    """Whether the result is long and the page accepts a stream."""
    return len(result.encoding) > STREAMED and "text/event-stream" in request.headers.get("Accept", "")


def as_events(view: ResultView) -> Response:
    """Return the result of `view` as a stream of events."""
    assert view.result is not None
    parts = view.painter.chunks
    encoding = view.result.encoding
    beginning = parts[:FIRST]
    tokens = _joined(view.painter.paint(chunk) for chunk in beginning)
    first = render(replace(view, tokens=tokens, ids=ids_html(encoding, beginning)))
    events = _events(first, view, parts[FIRST:])
    response = Response(mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    if "br" in request.headers.get("Accept-Encoding", ""):
        response.headers["Content-Encoding"] = "br"
        response.response = _compressed(events)
    else:
        response.response = (event.encode() for event in events)
    return response


def _events(first: str, view: ResultView, rest: list[Chunk]) -> Iterator[str]:
    assert view.result is not None
    yield _event(first)
    encoding = view.result.encoding
    drawn = view.painter.drawn
    for some in growing_batches(rest):
        tokens = _joined(view.painter.paint(chunk) for chunk in some if chunk.last <= drawn)
        ids = ids_html(encoding, some)
        yield _event(
            f'<hx-partial hx-target="#tokens" hx-swap="beforeend">{tokens}</hx-partial>'
            f'<hx-partial hx-target="#ids" hx-swap="beforeend">{ids}</hx-partial>'
        )


def growing_batches(rest: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    """Yield the chunks in groups of 4, 8, 16 … `MOST`: small at first for a fast display, then large for throughput.

    >>> [len(group) for group in growing_batches([Chunk(0, 1, 0)] * 30)]
    [4, 8, 16, 2]
    """
    start, size = 0, 2 * FIRST
    while start < len(rest):
        yield rest[start : start + size]
        start, size = start + size, min(2 * size, MOST)


def _joined(parts: Iterable[Markup]) -> Markup:
    return Markup("").join(parts)


def _event(html: str) -> str:
    r"""One event: every line of `html` becomes a line of data: `a\nb → data: a\ndata: b\n\n`."""
    return "".join(f"data: {line}\n" for line in html.split("\n")) + "\n"


def _compressed(events: Iterator[str]) -> Iterator[bytes]:
    """Yield each event compressed and flushed; Flask-Compress would delay the first ones."""
    compressor = brotli.Compressor(quality=BROTLI_QUALITY)
    for event in events:
        yield compressor.process(event.encode()) + compressor.flush()
    yield compressor.finish()
