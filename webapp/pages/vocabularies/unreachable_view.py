"""The values of the list of unreachable tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flask import url_for
from flask_babel import gettext as _

from webapp.core.analysis.reachability import BESIDE, REASONS, Reach
from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.token_origin import spelling_of
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import PARTS, SECONDS, FailedSurvey, Running, StoredSurvey
from webapp.pages.vocabularies import listing
from webapp.pages.vocabularies.listing import HeadedPage
from webapp.pages.vocabularies.token_table import PAGE, NoTokenPageError, page_number
from webapp.pages.vocabularies.token_view import LinkedToken, Linker
from webapp.rendering.markup import visible
from webapp.tokenization.token_details import reason_sentence, reason_title
from webapp.vocabularies import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.web.localization import join_list, number
from webapp.web.templates import Context

INSTEAD_SHOWN = 8  # tokens of a text


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
    running: Running | None = None
    failed: str = ""  # why there is no list
    listed: UnreachableList | None = None
    problem: str = ""  # with the page of the address
    last_page: str = ""  # its address


@dataclass(frozen=True, kw_only=True)
class UnreachablePage(HeadedPage):
    """The unreachable tokens of a vocabulary."""

    template = "vocabularies/unreachable.html"

    survey_state: SurveyContext
    beside: str  # the characters that tokens are tried with


def survey_context(
    entry: CatalogueEntry, tokenizer: Tokenizer, state: StoredSurvey | Running | FailedSurvey, reason: str, page: str
) -> SurveyContext:
    """The list with the filter and the page of an address, or how far its computation is."""
    if isinstance(state, Running):
        return SurveyContext(entry=entry, running=state)
    if isinstance(state, FailedSurvey):
        return SurveyContext(entry=entry, failed=_failure(state))
    found = state.chosen(reason)
    try:
        at, last = page_number(page, len(found))
    except NoTokenPageError as error:
        return SurveyContext(entry=entry, problem=str(error), last_page=_address(entry, reason, error.last))
    first = (at - 1) * PAGE
    link = Linker(entry, description_of(tokenizer).tokens)
    listed = UnreachableList(
        survey=state,
        chosen=reason,
        sentence=_sentence(reason),
        filters=_filters(entry, state),
        rows=[_row(link, reach) for reach in found[first : first + PAGE]],
        found=len(found),
        number=at,
        last=last,
        cut=state.total > len(state.unreachable),
    )
    return SurveyContext(entry=entry, listed=listed)


def unreachable_page(entry: CatalogueEntry, context: SurveyContext) -> UnreachablePage:
    """The page around the list."""
    return UnreachablePage(
        line=listing.line_of(entry),
        survey_state=context,
        beside=join_list(visible(character, show=True).replace("\n", "") for character in BESIDE),
    )


def table_rows(tokens: TokenList, survey: StoredSurvey) -> Iterator[Sequence[object]]:
    """The rows of the table as a file, the header first."""
    yield "id", "piece", "text", "reason", "proved", "tokens instead", "same as", "part of"
    for reach in survey.unreachable:
        at = tokens.place_of(reach.id)
        piece = "" if at is None else spelling_of(tokens.pieces[at])
        ids = " ".join(map(str, reach.ids))
        yield reach.id, piece, reach.text, reach.reason, reach.certain, ids, reach.same_as, reach.part_of


def _sentence(reason: str) -> str:
    if reason == PARTS:
        return _("No tried text gives them, and merging makes other tokens from them.")
    return next((reason_sentence(known) for known in REASONS if known == reason), "")


def _filters(entry: CatalogueEntry, survey: StoredSurvey) -> list[ReasonFilter]:
    choices = [("", _("All"), survey.total)]
    choices += [
        (reason, reason_title(reason), survey.reasons[reason]) for reason in REASONS if survey.reasons.get(reason)
    ]
    if survey.parts:
        choices.append((PARTS, _("Only parts of others"), survey.parts))
    return [ReasonFilter(value, title, count, _address(entry, value)) for value, title, count in choices]


def _address(entry: CatalogueEntry, reason: str, page: int = 1) -> str:
    return url_for("vocabularies.unreachable", name=entry.name, reason=reason or None, page=page if page > 1 else None)


def _row(link: Linker, reach: Reach) -> UnreachableRow:
    return UnreachableRow(
        token=link.of(reach.id),
        reason=reason_title(reach.reason or "other"),
        certain=reach.certain,
        instead=link.all(reach.ids[:INSTEAD_SHOWN]),
        more=len(reach.ids) > INSTEAD_SHOWN,
        part_of=None if reach.part_of is None else link.of(reach.part_of),
    )


def _failure(state: FailedSurvey) -> str:
    return {
        "time": _(
            "Testing all tokens of this vocabulary takes more than %(seconds)s seconds of processor time, which is the "
            "limit. The page of each token says whether it is reached.",
            seconds=number(SECONDS),
        ),
        "memory": _(
            "Testing all tokens of this vocabulary takes too much memory. The page of each token says whether it is "
            "reached."
        ),
        "error": _("The tokens of this vocabulary could not be tried. The operator finds the reason in the log."),
        "storage": _("The server has no place to store the list. The operator has to make its folder writable."),
    }[state.why]
