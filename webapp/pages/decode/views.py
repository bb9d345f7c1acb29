"""What the page shows of decoded ids: the picture, what two clients print, and a page of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from flask import current_app, url_for
from markupsafe import Markup, escape

from webapp.core.added_tokens import AddedToken
from webapp.core.analysis.decoding import Decoded, DecodedToken
from webapp.core.encoding import Encoding, Placement
from webapp.core.text.equal_beginning import equal_beginning
from webapp.core.text.utf8 import REPLACEMENT, Utf8Decoder
from webapp.core.tokenizer import Tokenizer
from webapp.pages.decode import messages
from webapp.pages.decode.contexts import DecodedView, TextInPlayground, TokenRow
from webapp.pages.decode.forms import DecodeRequest
from webapp.rendering.markup import Painter, shown_piece, visible
from webapp.tokenization.views import DECODED_SHOWN, LONG, SHORT, TILES

ROWS_ON_A_PAGE = 100
EXCERPT = 400  # characters of what a client prints
BEFORE = 40  # characters of an excerpt before the first difference
LONGEST_BYTES = 24  # of a token in the table
LONGEST_TEXT = 48  # characters of a token in the table


def decoded_view(asked: DecodeRequest, found: Decoded, tokenizer: Tokenizer) -> DecodedView:
    """Everything that the page shows of decoded ids."""
    apart = asked.view == "apart"
    encoding = _encoding(found, tokenizer, apart=apart)
    tiled = len(encoding) <= TILES
    under: Callable[[int], str] | None = (lambda index: str(encoding.ids[index])) if tiled else None
    first = (asked.page - 1) * ROWS_ON_A_PAGE
    differs = found.apart != found.streamed
    place = max(0, equal_beginning(found.apart, found.streamed) - BEFORE) if differs else 0
    excerpt = slice(place, place + EXCERPT)
    rows = [_row(token) for token in found.tokens[first : first + ROWS_ON_A_PAGE]]
    special = any(token.special and not token.skipped for token in found.tokens)
    return DecodedView(
        found=found,
        tokens=Painter(encoding, under=under).html(),
        large=len(encoding.text) <= SHORT,
        long=len(encoding) > LONG,
        tiled=tiled,
        bytes=sum(len(token.data) for token in found.tokens),
        special=sum(token.special for token in found.tokens),
        partial=sum(map(_is_partial, found.tokens)),
        text=visible(found.text[:DECODED_SHOWN]),
        is_cut=len(found.text) > DECODED_SHOWN,
        alone=_excerpt(found.apart, excerpt),
        waiting=_excerpt(found.streamed, excerpt),
        streams_cut=max(len(found.apart), len(found.streamed)) > EXCERPT or place > 0,
        differs=differs,
        stream_sentence=messages.stream_sentence(found),
        rows=rows,
        has_states=any(row.state for row in rows),
        number_of_pages=pages_of(found),
        playground=_playground(asked, found.text, special=special) if found.text else None,
    )


def pages_of(found: Decoded) -> int:
    """The number of pages of the table."""
    return max(1, -(-len(found.tokens) // ROWS_ON_A_PAGE))


def _encoding(found: Decoded, tokenizer: Tokenizer, *, apart: bool) -> Encoding:
    """The tokens in their text as for a picture of an encoded text; without those that are left out."""
    tokens: Sequence[DecodedToken] = found.tokens
    if any(token.skipped for token in tokens):
        tokens = [token for token in tokens if not token.skipped]
    special = frozenset(index for index, token in enumerate(tokens) if token.special)
    if apart:
        ends = [*accumulate(len(token.alone) for token in tokens)]
        placement = Placement([0, *ends[:-1]] if ends else [], ends, special)
    else:
        placement = Placement([token.start for token in tokens], [token.end for token in tokens], special)
    return Encoding(
        found.apart if apart else found.streamed,
        [token.id for token in tokens],
        pieces=tokenizer.model.pieces,
        unknown_id=tokenizer.model.unknown_id,
        place=lambda: placement,
        added={token.id: AddedToken(token.content, token.id) for token in tokenizer.added_tokens},
    )


def _row(token: DecodedToken) -> TokenRow:
    shown = token.data[:LONGEST_BYTES].hex(" ").upper()
    return TokenRow(
        number=token.position + 1,
        id=token.id,
        piece=shown_piece(_shortened(token.piece)) + ("…" if len(token.piece) > LONGEST_TEXT else ""),
        bytes=f"{shown} …" if len(token.data) > LONGEST_BYTES else shown,
        special=token.special,
        partial=_is_partial(token),
        alone=_printed(token.alone),
        text=_printed(token.text),
        state=messages.state_sentence(token),
    )


def _is_partial(token: DecodedToken) -> bool:
    return token.is_partial and not token.skipped


def _printed(text: str) -> Markup:
    """A text with its spaces visible and each U+FFFD marked."""
    more = "…" if len(text) > LONGEST_TEXT else ""
    return _marked(visible(text[:LONGEST_TEXT], show=True).replace("\n", "") + more)


def _shortened(piece: str | bytes) -> str | bytes:
    if isinstance(piece, str) or len(piece) <= LONGEST_TEXT:
        return piece[:LONGEST_TEXT]
    beginning = Utf8Decoder().feed(piece[:LONGEST_TEXT])  # without the character that the cut splits
    return beginning or piece[:LONGEST_TEXT]


def _excerpt(text: str, part: slice) -> Markup:
    start = "…" if part.start else ""
    end = "…" if len(text) > part.stop else ""
    return _marked(f"{start}{visible(text[part])}{end}")


def _marked(text: str) -> Markup:
    mark = Markup('<b class="lost">{}</b>').format(REPLACEMENT)
    return (
        Markup("").join([escape(text)]) if REPLACEMENT not in text else mark.join(map(escape, text.split(REPLACEMENT)))
    )


def _playground(asked: DecodeRequest, text: str, *, special: bool) -> TextInPlayground:
    state = asked.state(text, special=special)
    query = state.link(current_app.config["MAX_LINK_CHARACTERS"])
    address = f"{url_for('playground.page')}?{query}" if query else None
    fields = {"algorithm": state.algorithm, "vocabulary": state.vocabulary, "special": str(int(special)), "text": text}
    return TextInPlayground(address, {} if address else fields)
