"""`/decode`: ids as text, token by token, and what a client prints that receives them in a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Any, ClassVar, Literal, Self

from flask import Request, current_app, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from markupsafe import Markup
from pydantic import BeforeValidator, Field

from webapp.core.added_tokens import AddedToken
from webapp.core.analysis.decoding import Decoded, DecodedToken
from webapp.core.analysis.decoding import decoded as decode_by_token
from webapp.core.encoding import Encoding, Placement
from webapp.core.text.alignment import equal_beginning
from webapp.core.text.split_patterns import TextError
from webapp.core.text.utf8 import Utf8Decoder, missing_bytes
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import Painter, shown_piece
from webapp.tokenization import forms
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.ids import MOST_IDS, IdsError, OutsideIds, ids_outside, read_ids
from webapp.tokenization.links import can_decode
from webapp.tokenization.messages import joined, noted, text_problem
from webapp.tokenization.result import tokenize_or_explain
from webapp.tokenization.state import State
from webapp.tokenization.views import DECODED_SHOWN, LONG, SHORT, TILES
from webapp.tools.inputs import Answer, FromForm, PageNumber, at_most, require_page, whole
from webapp.tools.kernel import ApiEntry, Tool
from webapp.tools.picker import DEFAULT_VOCABULARY, TokenizerInput, VocabularyInput, named_on_page, vocabulary_named
from webapp.vocabularies import shipped_tokenizer, tokenizer_of
from webapp.web.json_responses import Piece, json_piece, well_formed
from webapp.web.localization import join_list, number

DECODED_TIMES_TEXT = 4  # pieces may be this many times as long as the longest text of a request
MOST_IN_BODY = 1 << 20  # ids: as many as the longest text could have
ROWS_ON_A_PAGE = 100
EXCERPT = 400  # characters of what a client prints
BEFORE = 40  # characters of an excerpt before the first difference
LONGEST_TEXT = 48  # characters of a token in the table

View = Literal["joined", "apart"]

EXAMPLES = (
    (_l("� in a stream"), "bpe-bytes", "Sure 👍🏽 — 饕餮 means a glutton 🐉", None),
    (_l("Cut off inside a character"), "bpe-bytes", "The dragon 🐉", -1),
    (_l("Special tokens"), "wordpiece", "[CLS] unaffable [SEP] it isn't [MASK] [SEP]", None),
    (_l("Spaces that get lost"), "unigram", "Unbelievably, tokenization isn't trivial.", None),
)
"""Title, vocabulary, text, and how many of its ids; with characters that several tokens share, and special tokens."""


def _written(ids: Sequence[int]) -> str:
    return " ".join(map(str, ids))


def _example(vocabulary: str, text: str, end: int | None) -> DecodeInput:
    return DecodeInput(vocabulary=vocabulary, ids=_written(shipped_tokenizer(vocabulary).ids(text, special=True)[:end]))


def _first_ids(others: dict[str, Any]) -> str:
    return _example(*EXAMPLES[0][1:]).ids if others.get("vocabulary") == EXAMPLES[0][1] else ""


Ids = Annotated[str, at_most("MAX_TEXT_BYTES", lambda: _("The list of ids"))]
LastView = Annotated[
    View, FromForm(choose=lambda values: values[-1], button=True)
]  # a button's; the chosen view comes first


class DecodeInput(VocabularyInput):
    """Ids as they were typed, and how to show them."""

    vocabulary: Annotated[str, FromForm(choose=named_on_page)] = DEFAULT_VOCABULARY
    ids: Annotated[Ids, Field(default_factory=_first_ids)]
    skip: bool = False
    view: LastView = "joined"
    page: PageNumber = 1
    most: ClassVar[int] = MOST_IDS

    @property
    def examples(self) -> list[tuple[str, str]]:
        """The title and the query string of each example."""
        return [(str(title), _example(*given).query()) for title, *given in EXAMPLES]

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The ids; for a form of the playground, which has a text instead, those of the text."""
        if request.method != "POST" or "ids" in request.form or "text" not in request.form:
            return super().read(request)
        state, problems = forms.read(request)
        problems = [problem for problem in problems if problem.field != "token"]
        if not problems and not can_decode(state):
            message = _("The ids of this vocabulary are those of one text. Choose a vocabulary that does not change.")
            problems = [InputProblem(message, 422, "vocabulary")]
        ids: Sequence[int] = ()
        if not problems:
            with noted(problems):
                ids = tokenize_or_explain(state).encoding.ids
        if len(ids) > MOST_IDS:
            message = _(
                "The text has %(count)s tokens; the limit here is %(limit)s ids.",
                count=number(len(ids)),
                limit=number(MOST_IDS),
            )
            ids, problems = (), [InputProblem(message, 413, "ids")]
        return cls.model_construct(vocabulary=state.vocabulary, ids=_written(ids)), problems


def _all_whole(values: Any) -> Any:
    return [whole(value) for value in values] if isinstance(values, list) else values


class DecodeBody(TokenizerInput):
    """Ids to decode."""

    ids: Annotated[list[Annotated[int, Field(ge=0)]], BeforeValidator(_all_whole)] = Field(
        description="The ids of tokens.", examples=[[962, 32]], max_length=MOST_IN_BODY
    )
    skip_special: bool = Field(False, description="Omit special tokens from the text.")
    want: list[Literal["text", "tokens"]] = Field(
        ["text"],
        description="The keys of the response. `tokens` is for at most 100,000 ids. Default: only `text`.",
    )


class DecodedTokenAnswer(Answer):
    """One token of decoded ids; bytes are hexadecimal, separated by spaces."""

    id: int
    piece: Annotated[Piece, Field(description="The piece of the vocabulary, or the text of an added token.")]
    bytes: Annotated[
        str, Field(description="The bytes that the token adds to the text, with any space that decoding inserts.")
    ]
    special: bool
    text: Annotated[str, Field(description="The token decoded by itself, with U+FFFD for a part of a character.")]
    streamed: Annotated[
        str, Field(description="The characters that are complete with this token: what to print in a stream.")
    ]
    complete: Annotated[bool, Field(description="Whether no character is unfinished after this token.")]
    pending: Annotated[str, Field(description="The bytes of the character that is unfinished after this token.")]
    missing: Annotated[
        Sequence[str],
        Field(description="The range of each byte that the unfinished character still needs.", examples=[["80-bf"]]),
    ]
    completed_by: Annotated[
        int | None, Field(description="The index of the token that completes it; null if there is none or none does.")
    ]
    invalid: Annotated[str, Field(description="The bytes that turn out not to be valid UTF-8 with this token.")]


class DecodeAnswer(Answer):
    """The keys that `want` names."""

    text: Annotated[str, Field(description="The decoded text, with U+FFFD for bytes that are not valid UTF-8.")] = ""
    tokens: Annotated[Sequence[DecodedTokenAnswer], Field(description="The tokens one by one.")] = ()


def short_piece(piece: str | bytes) -> str:
    """The beginning of a piece as text."""
    short = piece[:LONGEST_TEXT]
    if isinstance(short, bytes) and len(piece) > LONGEST_TEXT:
        short = Utf8Decoder().feed(short) or short  # without the character that the cut splits
    return shown_piece(short) + ("…" if len(piece) > LONGEST_TEXT else "")


@dataclass(frozen=True)
class ShownIds:
    """Decoded ids as the page shows them."""

    given: DecodeInput
    tokenizer: Tokenizer
    found: Decoded
    shown: ClassVar[int] = DECODED_SHOWN  # characters of the text
    missing_bytes = staticmethod(missing_bytes)
    piece = staticmethod(short_piece)

    @property
    def last_page(self) -> int:
        """The number of the last page of the table."""
        return max(1, -(-len(self.found.tokens) // ROWS_ON_A_PAGE))

    @property
    def page(self) -> Sequence[DecodedToken]:
        """The tokens on a page of the table."""
        first = (self.given.page - 1) * ROWS_ON_A_PAGE
        return self.found.tokens[first : first + ROWS_ON_A_PAGE]

    @cached_property
    def encoding(self) -> Encoding:
        """The tokens in their text as for a picture of an encoded text; without those that are left out."""
        tokens = [token for token in self.found.tokens if not token.skipped]
        apart = self.given.view == "apart"
        ends = [*accumulate(len(token.alone) for token in tokens)] if apart else [token.end for token in tokens]
        starts = [0, *ends][: len(ends)] if apart else [token.start for token in tokens]
        special = frozenset(index for index, token in enumerate(tokens) if token.special)
        return Encoding(
            self.found.apart if apart else self.found.streamed,
            [token.id for token in tokens],
            pieces=self.tokenizer.model.pieces,
            unknown_id=self.tokenizer.model.unknown_id,
            place=lambda: Placement(starts, ends, special),
            added={token.id: AddedToken(token.content, token.id) for token in self.tokenizer.added_tokens},
        )

    @property
    def tiled(self) -> bool:
        """Whether ids stand under the tokens."""
        return len(self.encoding) <= TILES

    @property
    def picture(self) -> Markup:
        """The tokens as HTML."""
        under: Callable[[int], str] | None = (lambda index: str(self.encoding.ids[index])) if self.tiled else None
        return Painter(self.encoding, under=under).html()

    @property
    def classes(self) -> str:
        """The classes of the picture: how large the text is, and whether a browser lays it out part by part."""
        large, long = len(self.encoding.text) <= SHORT, len(self.encoding) > LONG
        return "".join(name for name, holds in ((" long", long), (" large", large), (" tiled", self.tiled)) if holds)

    @property
    def bytes(self) -> int:
        """The bytes of all tokens."""
        return sum(len(token.data) for token in self.found.tokens)

    @cached_property
    def excerpt(self) -> tuple[int, int]:
        """The part of the text of a stream that is shown: around the first difference of both clients."""
        same = equal_beginning(self.found.apart, self.found.streamed)
        start = max(0, same - BEFORE) if self.found.apart != self.found.streamed else 0
        return start, start + EXCERPT

    @property
    def state(self) -> State:
        """The text in the playground."""
        special = any(token.special and not token.skipped for token in self.found.tokens)
        entry = vocabulary_named(self.given.vocabulary)
        return State(entry.algorithms[0], entry.name, self.found.text, special=special)

    @property
    def playground(self) -> str | None:
        """The address of the text in the playground; None if it would be too long."""
        query = self.state.link(current_app.config["MAX_LINK_CHARACTERS"])
        return f"{url_for('playground.page')}?{query}" if query else None


def decode_ids(given: DecodeInput) -> ShownIds:
    """Show ids as text."""
    try:
        ids = read_ids(given.ids)
    except IdsError as error:
        raise _ids_problem(error) from None
    tokenizer = tokenizer_of(given.vocabulary)
    outside = ids_outside(ids, tokenizer)
    if outside.count:
        raise _outside_problem(outside, tokenizer)
    _require_length(tokenizer, ids.ids)
    try:
        shown = ShownIds(given, tokenizer, decode_by_token(tokenizer, ids.ids, skip_special=given.skip))
    except TextError as error:
        raise replace(text_problem(State(vocabulary=given.vocabulary), error), field="ids") from error
    require_page(given.page, shown.last_page)
    return shown


def decode(body: DecodeBody) -> dict[str, Any]:
    """Decode ids to text.

    With `tokens` in `want`, the response has the bytes of each token and the state of the text after it: a client that
    prints `streamed` of each token never shows half a character. For a vocabulary `learned-…`, send the same `corpus`
    as when you tokenized the text.
    """
    _state, tokenizer = body.tokenizer()
    _require_length(tokenizer, body.ids)
    if "tokens" in body.want and len(body.ids) > MOST_IDS:
        sentence = f"There are {len(body.ids):,} ids; with `tokens` the limit is {MOST_IDS:,}."
        raise InputProblem(f"There are too many ids. {sentence}", 413, "ids")
    try:
        if "tokens" in body.want:
            found = answer(decode_by_token(tokenizer, body.ids, skip_special=body.skip_special))
            return {name: value for name, value in found.items() if name in body.want}
        text = tokenizer.decode(body.ids, skip_special=body.skip_special) if body.want else ""
        return {"text": well_formed(text)} if body.want else {}
    except TextError:
        raise
    except ValueError as error:
        raise InputProblem(f"There is no such token: {error}.", 404, "ids") from error


def _ids_problem(error: IdsError) -> InputProblem:
    """The problem with text that is no list of ids."""
    wrong = _(error.phrase.sentence, **error.phrase.values)
    place = _("Line %(line)s, column %(column)s", line=number(error.line), column=number(error.column))
    message = _("%(place)s: %(wrong)s.", place=place, wrong=wrong)
    return InputProblem(message, 413 if error.too_many else 422, "ids")


def _outside_problem(outside: OutsideIds, tokenizer: Tokenizer) -> InputProblem:
    """The problem with ids that the vocabulary does not have, with their places."""
    places = [
        _(
            "%(id)s (line %(line)s, column %(column)s)",
            id=place.written,
            line=number(place.line),
            column=number(place.column),
        )
        for place in outside.places
    ]
    last = max([len(tokenizer.model.pieces) - 1, *(token.id for token in tokenizer.added_tokens)])
    more = outside.count - len(outside.places)
    sentence = ngettext(
        "One id is of no token of this vocabulary, whose highest id is %(last)s: %(places)s.",
        "%(count)s ids are of no token of this vocabulary, whose highest id is %(last)s: %(places)s.",
        outside.count,
        count=number(outside.count),
        last=number(last),
        places=join_list(places),
    )
    rest = ngettext("One more is not listed.", "%(count)s more are not listed.", more, count=number(more))
    return InputProblem(joined([sentence, rest if more else ""]), 422, "ids")


def _require_length(tokenizer: Tokenizer, ids: Sequence[int]) -> None:
    """Raise InputProblem for ids whose pieces are too long together."""
    limit = DECODED_TIMES_TEXT * current_app.config["MAX_TEXT_BYTES"]
    length = tokenizer.pieces_length(ids)
    if length > limit:
        message = _(
            "Their pieces have %(length)s characters together; the limit is %(limit)s. Decode fewer ids at a time.",
            length=number(length),
            limit=number(limit),
        )
        raise InputProblem(message, 413, "ids")


def answer(found: Decoded) -> dict[str, Any]:
    """The text, and the tokens one by one."""
    return {"text": well_formed(found.text), "tokens": map(token_answer, found.tokens)}


def token_answer(token: DecodedToken) -> DecodedTokenAnswer:
    """One token, for programs."""
    piece: Any = json_piece(token.piece)
    return DecodedTokenAnswer(
        id=token.id,
        piece=piece,
        bytes=token.data.hex(" "),
        special=token.special,
        text=well_formed(token.alone),
        streamed=well_formed(token.text),
        complete=not token.pending,
        pending=token.pending.hex(" "),
        missing=[f"{low:02x}-{high:02x}" for low, high in missing_bytes(token.pending)],
        completed_by=token.resolved_by if token.completed else None,
        invalid=token.invalid.hex(" "),
    )


def table(shown: ShownIds) -> Iterator[tuple[object, ...]]:
    """A row for each token; bytes are hexadecimal."""
    yield ("index", "id", "piece", "bytes", "special", "text_alone", "streamed", "pending", "completed_by")
    for index, row in enumerate(map(token_answer, shown.found.tokens)):
        piece = row.piece if isinstance(row.piece, str) else ""
        head = (index, row.id, piece, row.bytes, int(row.special))
        yield (*head, row.text, row.streamed, row.pending, row.completed_by)


TOOL = Tool(
    name="decode",
    address="/decode",
    input=DecodeInput,
    run=decode_ids,
    answer=lambda shown: {"vocabulary": shown.given.vocabulary, **answer(shown.found)},
    table=table,
    exported={"page": 1},
    file_name="decoded",
    api=ApiEntry(
        "/decode", DecodeBody, DecodeAnswer, {"ids": [962, 32, 313, 184], "vocabulary": "bpe-bytes"}, run=decode
    ),
)
