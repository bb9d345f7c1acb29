"""The variables of the templates of `/vocabularies/NAME/tokens/ID` and `/vocabularies/NAME/unreachable`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webapp.core.analysis.reachability import Reach, Reason
from webapp.jobs.surveying import Running
from webapp.jobs.surveys import StoredSurvey
from webapp.pages.vocabularies.contexts import HeadedPage
from webapp.pages.walkthrough.merge_tree import MergeTree
from webapp.tokenization.token_details import Character, reason_sentence, reason_title
from webapp.vocabularies import CatalogueEntry
from webapp.vocabularies.token_facts import TokenFacts
from webapp.web.templates import Context


@dataclass(frozen=True)
class LinkedToken:
    """A token with the address of its page."""

    id: int
    piece: str
    address: str


@dataclass(frozen=True)
class TokenForm:
    """A token whose text differs from this one's by a space or by case; `how` says by what."""

    token: LinkedToken
    how: str


@dataclass(frozen=True)
class MergedWith:
    """A merge that uses a token: the two parts, and the piece that it makes."""

    left: LinkedToken
    right: LinkedToken
    made: LinkedToken


@dataclass(frozen=True)
class OtherVocabulary:
    """The same text in another vocabulary: as one token, or without or with its space, or not at all."""

    title: str
    address: str
    token: LinkedToken | None
    forms: Sequence[LinkedToken]


@dataclass(frozen=True, kw_only=True)
class OthersContext(Context):
    """The same text in other vocabularies, for htmx."""

    template = "vocabularies/_others.html"

    entry: CatalogueEntry
    id: int
    others: Sequence[OtherVocabulary]
    without: Sequence[str]  # the titles of those that have no such token
    left: int  # number of vocabularies on disk that were not looked at


@dataclass(frozen=True, kw_only=True)
class TokenPage(HeadedPage):
    """One token of a vocabulary."""

    template = "vocabularies/token.html"

    facts: TokenFacts
    same_elsewhere: OthersContext
    title: str  # of the vocabulary
    piece: str  # readable
    spelling: str  # as files of Hugging Face have it, readable
    kind: str  # what it is if it is no ordinary piece
    purpose: str  # of a special token with a usual meaning
    flags: Sequence[str]
    bytes: str
    bytes_left_out: int
    base64: str  # how tiktoken's files spell it
    marks: Sequence[tuple[str, str]]
    has_bytes: bool  # whether a mark belongs to GPT-2's byte alphabet
    characters: Sequence[Character]
    characters_left_out: int
    how: str  # how it is made, in a sentence
    score_place: str  # by score, among the pieces
    tree: MergeTree | None
    scored: bool  # whether merges have scores
    parts: Sequence[LinkedToken]  # that are merged to make it
    reach: Reach
    reach_text: str  # the tried text, readable
    instead: Sequence[LinkedToken]  # the tokens of that text
    same_as: LinkedToken | None
    plain: Sequence[LinkedToken]  # what a special token's spelling gives as ordinary text
    forms: Sequence[TokenForm]
    within: Sequence[LinkedToken]
    merges: Sequence[MergedWith]
    before: Sequence[LinkedToken]
    after: Sequence[LinkedToken]
    tint: int
    reason_title: Callable[[Reason], str] = reason_title
    reason_sentence: Callable[[Reason], str] = reason_sentence


@dataclass(frozen=True)
class UnreachableRow:
    """A row of the list of unreachable tokens."""

    token: LinkedToken
    reason: str
    certain: bool
    instead: Sequence[LinkedToken]
    more: bool  # whether the text gives more tokens than are shown
    part_of: LinkedToken | None


@dataclass(frozen=True)
class ReasonFilter:
    """A choice of the list: all tokens, those of a reason, or parts of others."""

    value: str
    title: str
    count: int
    address: str


@dataclass(frozen=True)
class UnreachableList:
    """One page of the unreachable tokens, `number` of `last`; `found` tokens match the filter."""

    survey: StoredSurvey
    chosen: str
    sentence: str  # about the chosen reason
    filters: Sequence[ReasonFilter]
    rows: Sequence[UnreachableRow]
    found: int
    number: int
    last: int
    cut: bool  # whether not all are listed


@dataclass(frozen=True, kw_only=True)
class SurveyContext(Context):
    """The list, or how far its computation is, for htmx."""

    template = "vocabularies/_unreachable.html"

    entry: CatalogueEntry
    running: Running | None
    failed: str  # why there is no list
    listed: UnreachableList | None
    problem: str  # with the page of the address
    last_page: str  # its address


@dataclass(frozen=True, kw_only=True)
class UnreachablePage(HeadedPage):
    """The unreachable tokens of a vocabulary."""

    template = "vocabularies/unreachable.html"

    survey_state: SurveyContext
    title: str
    beside: str  # the characters that tokens are tried with
