"""What the templates of a result are given."""

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
    """The form that asks for more about a result: its id in the page, where it is sent for details, and how."""

    form: str
    url: str
    method: Literal["get", "post"]
    files: str  # where the result is to be had as a file: this, and `.svg`


@dataclass(frozen=True, kw_only=True)
class TokenDetailsContext(Context):
    """The chosen token of a result, and the field that chooses another."""

    template = "tokenization/_details.html"

    state: State  # what was asked for
    result: Result | None  # None where the input has a problem
    details: TokenDetails | None  # None while no token is chosen
    chooser: DetailsForm
    why: str | None  # the address of the step that made the token
    token_problems: Sequence[InputProblem]


@dataclass(frozen=True, kw_only=True)
class EncodedContext(Context):
    """What there is to show of a text that has been encoded; `tokenization/_result.html` uses it only then."""

    tokens: Markup  # the tokens as HTML, or the first ones where the others are sent later
    ids: Markup  # their ids, likewise
    long: bool  # whether the browser lays out the tokens chunk by chunk
    milliseconds: Callable[[float], str]
    caption: str  # what the algorithm did with the vocabulary
    exhausted: str  # why there are fewer merges than were asked for
    reasons: str  # why decoding gives another text
    notes: Sequence[str]
    ids_note: str
    visible: Callable[..., str]
    vocabulary_title: str
    has_page: bool  # whether there is a page about the vocabulary
    default_for: Callable[[str], str]
    decoded_limit: int  # characters of the decoded text that are shown
    disagreements_shown: int  # places where FMM and BMM differ that are shown
    verdict_sentence: str  # which of FMM and BMM the bidirectional rule takes
    agreement_sentence: str  # what to say where they agree
    vocabulary_size: int
    merge_rows: Markup  # of the table of merges trained on the text
    piece_rows: Markup  # of the table of Unigram pieces trained on the text
    is_link: bool  # whether the address of the page holds the whole state
    address_query: str | None  # the query string that asks other pages for the same
    steps: str | None  # the address of the steps


@dataclass(frozen=True, kw_only=True)
class ResultContext(Context):
    """A result: its figures, tokens, ids and decoded text; or its problems."""

    template = "tokenization/_result.html"

    about_token: TokenDetailsContext
    encoded: EncodedContext | None  # None where there is no result
    problems: Sequence[InputProblem]
    algorithm_names: Mapping[str, str]
    pending: StillFetchingError | None  # while the vocabulary is being fetched
    here: str | None  # the address of the page
    json_url: str | None  # the same as JSON, None if the address would be too long
    shareable: bool  # whether the page offers to share the result
    title_of: Callable[[CatalogueEntry], str]
