"""The contexts of the templates of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.tokenization.token_details import TokenDetails
from webapp.vocabularies import CatalogueEntry, StillFetchingError
from webapp.web.templates import Context


@dataclass(frozen=True)
class DetailsForm:
    """The form that requests token details and files: its id on the page, its address and its method."""

    form: str
    url: str
    method: Literal["get", "post"]
    files: str  # the address of downloads, without the suffix such as `.svg`


@dataclass(frozen=True, kw_only=True)
class TokenDetailsContext(Context):
    """The chosen token of a result, and the field to choose another."""

    template = "tokenization/_details.html"

    state: State
    result: Result | None  # None if the input has a problem
    details: TokenDetails | None  # None if no token is chosen
    chooser: DetailsForm
    why: str | None  # the address of the step that made the token
    token_problems: Sequence[InputProblem]


@dataclass(frozen=True, kw_only=True)
class EncodedContext(Context):
    """The parts of a result that require an encoded text; `tokenization/_result.html` uses it only then."""

    tokens: Markup  # the tokens as HTML; only the first ones if the others are sent later
    ids: Markup  # their ids
    long: bool  # whether the browser lays out the tokens chunk by chunk
    milliseconds: Callable[[float], str]
    caption: str  # what the algorithm does, and which vocabulary it uses
    fewer_merges_reason: str  # why there are fewer merges than requested
    reasons: str  # why decoding gives a different text
    notes: Sequence[str]
    ids_note: str
    visible: Callable[..., str]
    vocabulary_title: str
    has_page: bool  # whether there is a page about the vocabulary
    default_for: Callable[[str], str]
    decoded_limit: int  # how many characters of the decoded text are shown
    disagreements_shown: int  # how many disagreements of FMM and BMM are shown
    verdict_sentence: str  # which of FMM and BMM the bidirectional rule chooses
    agreement_sentence: str  # that FMM and BMM agree, or that the text is too long to compare
    vocabulary_size: int
    merge_rows: Markup  # rows of the table of merges trained on the text
    piece_rows: Markup  # rows of the table of Unigram pieces trained on the text
    is_link: bool  # whether the address of the page contains the whole state
    address_query: str | None  # the query string of the same state for other pages
    steps: str | None  # the address of the steps page


@dataclass(frozen=True, kw_only=True)
class ResultContext(Context):
    """A result: its figures, tokens, ids and decoded text; or its problems."""

    template = "tokenization/_result.html"

    about_token: TokenDetailsContext
    encoded: EncodedContext | None  # None if there is no result
    problems: Sequence[InputProblem]
    algorithm_names: Mapping[str, str]
    pending: StillFetchingError | None  # while the vocabulary is being fetched
    here: str | None  # the address of the page
    json_url: str | None  # the same as JSON, None if the address would be too long
    shareable: bool  # whether the page offers to share the result
    title_of: Callable[[CatalogueEntry], str]
