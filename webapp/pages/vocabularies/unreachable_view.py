"""The values of the list of unreachable tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flask import url_for
from flask_babel import gettext as _

from webapp.core.analysis.reachability import BESIDE, REASONS, Reach
from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.token_origin import spelling_of
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveying import SECONDS, FailedSurvey, Running
from webapp.jobs.surveys import PARTS, StoredSurvey
from webapp.pages.vocabularies import listing
from webapp.pages.vocabularies.responses import short
from webapp.pages.vocabularies.token_contexts import (
    ReasonFilter,
    SurveyContext,
    UnreachableList,
    UnreachablePage,
    UnreachableRow,
)
from webapp.pages.vocabularies.token_view import Linker
from webapp.rendering.markup import visible
from webapp.tokenization.token_details import reason_sentence, reason_title
from webapp.vocabularies import CatalogueEntry, title_of
from webapp.vocabularies.descriptions import description_of
from webapp.web.localization import join_list, number

PAGE = 100  # tokens
INSTEAD_SHOWN = 8  # tokens of a text


def survey_context(
    entry: CatalogueEntry, tokenizer: Tokenizer, state: StoredSurvey | Running | FailedSurvey, reason: str, page: str
) -> SurveyContext:
    """The list with the filter and the page of an address, or how far its computation is."""
    if isinstance(state, Running):
        return SurveyContext(entry=entry, running=state, failed="", listed=None, problem="", last_page="")
    if isinstance(state, FailedSurvey):
        return SurveyContext(entry=entry, running=None, failed=_failure(state), listed=None, problem="", last_page="")
    found = state.chosen(reason)
    last = max(1, -(-len(found) // PAGE))
    page = page.strip() or "1"
    if not (page.isascii() and page.isdecimal() and len(page) < 10 and 1 <= int(page) <= last):
        wrong = _("There is no page %(page)s; the last is %(last)s.", page=short(page), last=number(last))
        address = _address(entry, reason, last)
        return SurveyContext(entry=entry, running=None, failed="", listed=None, problem=wrong, last_page=address)
    first = (int(page) - 1) * PAGE
    link = Linker(entry, description_of(tokenizer).tokens)
    listed = UnreachableList(
        survey=state,
        chosen=reason,
        sentence=_sentence(reason),
        filters=_filters(entry, state),
        rows=[_row(link, reach) for reach in found[first : first + PAGE]],
        found=len(found),
        number=int(page),
        last=last,
        cut=state.total > len(state.unreachable),
    )
    return SurveyContext(entry=entry, running=None, failed="", listed=listed, problem="", last_page="")


def unreachable_page(entry: CatalogueEntry, context: SurveyContext) -> UnreachablePage:
    """The page around the list."""
    return UnreachablePage(
        line=listing.line_of(entry),
        title=title_of(entry),
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
