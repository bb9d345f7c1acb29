"""Contexts of the templates of `/decode`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.analysis.decoding import Decoded
from webapp.pages.decode.forms import DecodeRequest, DecodeView
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Page


@dataclass(frozen=True)
class TokenRow:
    """A row of the table of tokens; `text` is what a client that waits prints."""

    number: int  # from 1
    id: int
    piece: str
    bytes: str
    special: bool
    partial: bool  # whether its bytes are a part of a character
    alone: Markup
    text: Markup
    state: str


@dataclass(frozen=True)
class TextInPlayground:
    """The decoded text in the playground: its address, or the fields of a form if that would be too long."""

    address: str | None
    fields: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class DecodedView:
    """Decoded ids as the page shows them."""

    found: Decoded
    tokens: Markup  # the picture of the tokens
    large: bool  # whether the text is short enough for large type
    long: bool  # whether the browser lays out the tokens part by part
    tiled: bool  # whether ids stand under the tokens
    bytes: int
    special: int  # tokens
    partial: int  # tokens with bytes of a part of a character
    text: str  # the beginning of the decoded text
    is_cut: bool  # whether `text` is only the beginning
    alone: Markup  # the beginning of what a client prints that decodes each token alone
    waiting: Markup  # the same of one that waits
    streams_cut: bool  # whether these are excerpts
    differs: bool  # whether both print different texts
    stream_sentence: str
    rows: Sequence[TokenRow]
    has_states: bool  # whether any row has a state
    number_of_pages: int
    playground: TextInPlayground | None  # None without text


@dataclass(frozen=True, kw_only=True)
class DecodePage(Page):
    """The form, and the decoded ids."""

    template = "decode/page.html"

    asked: DecodeRequest
    result: DecodedView | None  # None if the input has a problem
    problems: Sequence[InputProblem]
    invalid: Mapping[str, str]  # field → what is wrong with it
    groups: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    title_of: Callable[[CatalogueEntry], str]
    vocabulary_title: str
    has_page: bool  # whether there is a page about the vocabulary
    examples: Sequence[tuple[str, str]]  # title, address
    views: Sequence[tuple[DecodeView, str]]
    ids_limit: int
    link: str | None  # the address of this page, None if it would be too long
    json_link: str | None
    form_id: str = "decode"
