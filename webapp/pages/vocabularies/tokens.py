"""`/vocabularies/NAME/tokens/ID`: one token; `/vocabularies/NAME/unreachable`: the tokens that no text gives."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence

from flask import Response, make_response, request
from flask_babel import gettext as _

from webapp.core.analysis.reachability import BESIDE, PARTS, Reach, Survey
from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.token_origin import spelling_of
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies.found import HeadedPage, blueprint, end, vocabulary_of
from webapp.pages.vocabularies.listing import entries
from webapp.pages.vocabularies.token_table import PAGE, page_number, piece_of, short, shown_token, tags_of
from webapp.pages.walkthrough.merge_tree import MergeTree, merge_tree
from webapp.rendering.delimited import as_csv
from webapp.rendering.markup import visible
from webapp.tokenization.answers import reachability_json, survey_json, token_page_json
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry, title_of
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import library
from webapp.vocabularies.surveys import survey_of
from webapp.vocabularies.token_facts import SECONDS, Elsewhere, TokenFacts, elsewhere, token_facts
from webapp.web.htmx import attachment, private, swappable, wants_partial
from webapp.web.json_responses import json_response
from webapp.web.localization import number
from webapp.web.problems import refuse
from webapp.web.templates import Context, render

MOST_LEAVES = 40  # of a tree that is drawn
TEXT_SHOWN = 200  # characters
COLOURS = 6
_DIGITS = 15  # of the largest number that is looked up as an id

Shown = Callable[[int], str]
"""The readable piece of an id, for a link to the page of the token."""


class OthersContext(Context):
    """The same text in other vocabularies, for htmx."""

    template = "vocabularies/_others.html"

    entry: CatalogueEntry
    facts: TokenFacts
    shown: Shown
    others: Sequence[tuple[Elsewhere, Shown]]  # those that have it
    without: Sequence[str]  # the titles of those that do not
    left: int  # number of vocabularies on disk that were not looked at


class TokenDetailsPage(HeadedPage):
    """One token of a vocabulary."""

    template = "vocabularies/token.html"

    same_elsewhere: OthersContext
    tokenizer: Tokenizer
    tags: Sequence[str]  # what it is if it is no ordinary piece
    base64: str  # how tiktoken's files spell it
    is_ranked: bool  # whether the vocabulary is one of tiktoken's, or takes a whole pre-token without merging
    tree: MergeTree | None
    most_characters: int = TEXT_SHOWN


class SurveyContext(Context):
    """The unreachable tokens of a vocabulary, for htmx."""

    template = "vocabularies/_unreachable.html"

    entry: CatalogueEntry
    shown: Shown
    chosen: str  # one of the reasons
    problem: InputProblem | None  # with the page of the address
    survey: Survey
    reasons: Mapping[str, int]  # the choices of the list, with the number of tokens of each
    found: Sequence[Reach]  # on this page
    number: int  # of the page
    last: int


class UnreachablePage(HeadedPage):
    """The unreachable tokens of a vocabulary."""

    template = "vocabularies/unreachable.html"

    survey_state: SurveyContext
    beside: Sequence[str] = BESIDE  # the characters that tokens are tried with


@blueprint.get("/vocabularies/<name>/tokens/<id>")
def token(name: str, id: str) -> Response:
    """The page of a token; with `others=all`, other vocabularies on disk are searched as well."""
    entry, tokenizer = vocabulary_of(name)
    facts = _facts(tokenizer, id)
    others = _others(entry, tokenizer, facts)
    return swappable(make_response(render(others if wants_partial() else _page(entry, tokenizer, facts, others))))


@blueprint.get("/vocabularies/<name>/tokens/<id>.json")
def token_as_json(name: str, id: str) -> Response:
    """A token as JSON."""
    entry, tokenizer = vocabulary_of(name)
    return private(json_response(token_page_json(entry, tokenizer, _facts(tokenizer, id))))


@blueprint.get("/vocabularies/<name>/unreachable")
def unreachable(name: str) -> Response:
    """The unreachable tokens of a vocabulary, of the reason `reason`."""
    entry, tokenizer = vocabulary_of(name)
    context = _survey_context(entry, tokenizer)
    status = 202 if not context.survey.is_complete else 404 if context.problem else 200
    if not wants_partial():
        return swappable(make_response(render(UnreachablePage(entry=entry, survey_state=context)), status))
    return swappable(make_response(render(context), 200 if status == 202 else status))  # htmx swaps no 202


@blueprint.get("/vocabularies/<name>/unreachable.json")
def unreachable_as_json(name: str) -> Response:
    """The unreachable tokens as JSON: all that are stored."""
    entry, tokenizer = vocabulary_of(name)
    survey, tokens = _complete(name), description_of(tokenizer).tokens
    listed = [reachability_json(tokens, reach) for reach in survey.unreachable]
    return private(json_response({"name": entry.name, **survey_json(survey), "tokens": listed}))


@blueprint.get("/vocabularies/<name>/unreachable.csv")
def unreachable_as_csv(name: str) -> Response:
    """The unreachable tokens as a table for spreadsheets."""
    entry, tokenizer = vocabulary_of(name)
    rows = _table_rows(description_of(tokenizer).tokens, _complete(name))
    return attachment(Response(as_csv(rows), mimetype="text/csv"), f"{entry.name}-unreachable.csv")


@blueprint.app_template_global()
def quoted(text: str) -> str:
    """The beginning of a text on one line, with all its characters visible."""
    shown = visible(text[:TEXT_SHOWN], show=True).replace("\n", "")
    return shown if len(text) <= TEXT_SHOWN else f"{shown}…"


def _shown_in(tokenizer: Tokenizer) -> Shown:
    """The function that makes the ids of a vocabulary readable."""
    tokens = description_of(tokenizer).tokens
    return lambda id: shown_token(piece_of(tokens, id)) or _("empty")


def _facts(tokenizer: Tokenizer, id: str) -> TokenFacts:
    """The facts of a token; the request ends with status 404 if there is none with this id."""
    ids = description_of(tokenizer).tokens.ids
    if not ids:
        end(404, _("This vocabulary has no tokens."))
    try:
        return token_facts(tokenizer, int(id) if id.isascii() and id.isdecimal() and len(id) <= _DIGITS else -1)
    except KeyError:
        message = _(
            "There is no token %(id)s in this vocabulary; the ids go from %(first)s to %(last)s.",
            id=short(id),
            first=number(ids[0]),
            last=number(ids[-1]),
        )
        end(404, message)


def _page(entry: CatalogueEntry, tokenizer: Tokenizer, facts: TokenFacts, others: OthersContext) -> TokenDetailsPage:
    """The page of a token."""
    model = tokenizer.model
    return TokenDetailsPage(
        entry=entry,
        same_elsewhere=others,
        tokenizer=tokenizer,
        tags=tags_of(model, description_of(tokenizer).tokens, facts.id),
        base64=b64encode(facts.data[:TEXT_SHOWN]).decode() if isinstance(model, RankBPE) and not facts.added else "",
        is_ranked=isinstance(model, RankBPE) or getattr(model, "ignore_merges", False),
        tree=_tree(facts),
    )


def _others(entry: CatalogueEntry, tokenizer: Tokenizer, facts: TokenFacts) -> OthersContext:
    """The same text in other vocabularies; those on disk are read if the address says `others=all`."""
    other = [one for one in entries() if one.name != entry.name and not library().must_be_fetched(one.name)]
    if facts.added is not None and not facts.added.special:
        other = []
    found, left = elsewhere(facts.meaning, other, SECONDS if request.args.get("others") == "all" else 0.0)
    having = [one for one in found if one.id is not None or one.bare]
    return OthersContext(
        entry=entry,
        facts=facts,
        shown=_shown_in(tokenizer),
        others=[(one, _shown_in(library().tokenizer(one.entry.name))) for one in having],
        without=[title_of(one.entry) for one in found if one not in having],
        left=len(left),
    )


def _tree(facts: TokenFacts) -> MergeTree | None:
    tree = facts.tree
    if tree is None or len(tree.nodes) == 1 or sum(not node.parts for node in tree.nodes) > MOST_LEAVES:
        return None
    word = facts.text if facts.text is not None and isinstance(facts.piece, bytes) else facts.piece
    return merge_tree(word if isinstance(word, str) else "", tree.nodes, tree.tokens, tint=facts.id % COLOURS)


def _survey_context(entry: CatalogueEntry, tokenizer: Tokenizer) -> SurveyContext:
    """The list with the filter and the page of the address."""
    survey, chosen = survey_of(entry.name), request.args.get("reason", "")
    found, at, last, problem = survey.chosen(chosen), 1, 1, None
    parts = len(survey.chosen(PARTS))
    try:
        at, last = page_number(request.args.get("page", ""), len(found))
    except InputProblem as error:
        problem = error
    return SurveyContext(
        entry=entry,
        shown=_shown_in(tokenizer),
        chosen=chosen,
        problem=problem,
        survey=survey,
        reasons={"": survey.total, **survey.reasons, **({PARTS: parts} if parts else {})},
        found=found[(at - 1) * PAGE : at * PAGE],
        number=at,
        last=last,
    )


def _complete(name: str) -> Survey:
    survey = survey_of(name)
    if not survey.is_complete:
        refuse(503, _("The unreachable tokens are still being computed."), headers={"Retry-After": "2"})
    return survey


def _table_rows(tokens: TokenList, survey: Survey) -> Iterator[Sequence[object]]:
    """The rows of the table as a file, the header first."""
    yield "id", "piece", "text", "reason", "proved", "tokens instead", "same as", "part of"
    for reach in survey.unreachable:
        at = tokens.place_of(reach.id)
        piece = "" if at is None else spelling_of(tokens.pieces[at])
        ids = " ".join(map(str, reach.ids))
        yield reach.id, piece, reach.text, reach.reason, reach.certain, ids, reach.same_as, reach.part_of
