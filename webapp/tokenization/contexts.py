"""The contexts of the templates of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from webapp.core.analysis.ambiguity import Divisible
from webapp.core.models.dictionary import SkippedLine
from webapp.core.models.matching import Disagreement
from webapp.tokenization.additions import AdditionsPanel, OtherTokenizer, SpecialReadings, SpecialTokenHint
from webapp.tokenization.dictionary_editor import DictionaryPanel
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.inferences import InferenceNote
from webapp.tokenization.meter import Meter
from webapp.tokenization.result import Result
from webapp.tokenization.round_trip_view import RoundTripView
from webapp.tokenization.state import State, View
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
    others: Sequence[OtherTokenizer]  # shown while no token is chosen
    others_note: str  # which vocabularies they use
    editable: bool  # whether the page has the form with the text
    words: Sequence[tuple[str, str, str]]  # buttons that change the dictionary: name, word, label


@dataclass(frozen=True, kw_only=True)
class EncodedContext(Context):
    """The parts of a result that require an encoded text; `tokenization/_result.html` uses it only then."""

    tokens: Markup  # the tokens as HTML; only the first ones if the others are sent later
    ids: Markup  # their ids
    drawn: int  # how many tokens the page draws; the ids are those of all
    long: bool  # whether the browser lays out the tokens chunk by chunk
    large: bool  # whether the text is short enough for large type
    view: View  # what stands under each token
    tiles: bool  # whether the result is short enough for ids or bytes under the tokens
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
    special_hints: Sequence[SpecialTokenHint]  # special tokens that were read as plain text; for `_special_hint.html`
    special_link: str | None  # the address of the same result with special tokens recognized, None if it is too long
    special_readings: SpecialReadings | None  # both readings of a text with a special token
    switch_special_link: str | None  # the address of the other one, None if it is too long
    decode_link: str | None  # the address of `/decode` with the ids, None if it is too long
    can_decode: bool  # whether `/decode` has the vocabulary
    kind_of: Callable[[Disagreement], str]  # the name of its kind of ambiguity
    divisible: Sequence[Divisible]  # words of a dictionary's segmentation that consist of words
    divisible_shown: int
    listed_words: Sequence[tuple[int, str]] | None  # of full or search mode: offset and word; None if not listed
    listed_shown: int
    listed_limit: int  # characters of a text whose words are listed
    frequency_note: str  # whether the frequencies of the dictionary count
    pretokens: str | None  # the address of the pre-tokens, None without a pre-tokenizer or if it would be too long
    meter: Meter | None  # the context window and the price; None unless a model is chosen
    has_added: bool  # whether tokens that the visitor added occur
    inference_note: InferenceNote | None  # if the vocabulary is not applied by its own rule
    compare_inferences: str | None  # the address of a comparison of all ways to apply the vocabulary
    round_trip: RoundTripView | None  # what decoding changes, None if nothing or if it cannot be traced


@dataclass(frozen=True, kw_only=True)
class ResultContext(Context):
    """A result: its figures, tokens, ids and decoded text; or its problems."""

    template = "tokenization/_result.html"

    about_token: TokenDetailsContext
    encoded: EncodedContext | None  # None if there is no result
    problems: Sequence[InputProblem]
    fallback: CatalogueEntry | None  # the vocabulary to offer in place of one that is not available
    algorithm_names: Mapping[str, str]
    pending: StillFetchingError | None  # while the vocabulary is being downloaded
    here: str | None  # the address of the page
    json_url: str | None  # the same as JSON, None if the address would be too long
    shareable: bool  # whether the page offers to share the result
    first_tool: str  # the template of the first tool above the tokens: to share the result, or to open a copy of it
    state: State
    additions: AdditionsPanel | None  # the model, and tokens to add; None where there is nothing to choose
    dictionary_panel: DictionaryPanel | None  # the dictionary and its changes, None for algorithms without one
    skipped_line_reason: Callable[[SkippedLine], str]
    visible: Callable[..., str]
