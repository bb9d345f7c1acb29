"""`/vocabularies/diff`: which pieces only one of two vocabularies has, and which have different ids."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from flask import request
from flask_babel import gettext as _
from pydantic import AfterValidator, Field

from webapp.core.analysis.portrait import KINDS, Portrait
from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.vocabulary_difference import (
    GROUPS,
    Group,
    VocabularyDifference,
    different_merges,
    kind_in_group,
    portrait_of_group,
)
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import shown_piece, visible
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import Groups, is_choice, vocabulary_choices
from webapp.tokenization.messages import unavailable_problem
from webapp.tools.inputs import FromForm, InBody, Input, PageNumber, require_page
from webapp.tools.kernel import Tool
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.descriptions import description_of, difference_between
from webapp.vocabularies.token_kinds import kind_title
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.json_responses import json_piece, well_formed
from webapp.web.localization import number

LONGEST_QUERY = 100  # characters
LONGEST_NAME = 40  # characters of an unknown name that a message repeats
PIECE_SHOWN = 160  # characters
LONG = 12  # characters; longer pieces share a row

Pair = tuple[int | None, int | None]


def _known(name: str) -> str:
    if name and not is_choice(name):
        shown = visible(name)
        shown = shown if len(shown) <= LONGEST_NAME else f"{shown[:LONGEST_NAME]}…"
        raise InputProblem(_("There is no vocabulary “%(name)s”. Choose one from the list.", name=shown))
    return name


def _kind(name: str) -> str:
    if name and name not in KINDS:
        raise InputProblem(_("There is no such script. Choose one from the list."))
    return name


def _short(query: str) -> str:
    if len(query) > LONGEST_QUERY:
        sizes = {"limit": number(LONGEST_QUERY), "count": number(len(query))}
        raise InputProblem(_("Search for at most %(limit)s characters; these are %(count)s.", **sizes))
    return query


Name = Annotated[str, AfterValidator(_known)]


class DifferenceInput(Input):
    """Two vocabularies, the group of pieces to list, a kind of pieces and a search in it, and the page of its results.

    >>> DifferenceInput(a="", b="", search="un").query(show="b")
    'show=b&query=un'
    """

    a: Name = ""
    b: Name = ""
    show: Annotated[Group, FromForm(choose=lambda values: values[0] if values[0] in GROUPS else "a")] = "a"
    script: Annotated[str, AfterValidator(_kind)] = ""
    search: Annotated[str, AfterValidator(_short), Field(serialization_alias="query")] = ""
    page: PageNumber = 1
    rows: Annotated[int, InBody()] = 100  # pieces on a page

    @property
    def vocabularies(self) -> Groups:
        """The vocabularies to choose from, in groups with a heading."""
        return vocabulary_choices(request, self.a, self.b)

    @property
    def titles(self) -> tuple[str, str]:
        """The titles of both vocabularies; empty for one that is not chosen."""
        uploads = {mine.name: mine for mine in uploads_of(request)}
        entries = [uploads.get(name) or (find(name) if name else None) for name in (self.a, self.b)]
        first, second = (title_of(entry) if entry else "" for entry in entries)
        return first, second

    @property
    def groups(self) -> dict[Group, str]:
        """The names of the groups of pieces."""
        first, second = self.titles
        return {
            "a": _("Only in %(title)s", title=first),
            "b": _("Only in %(title)s", title=second),
            "moved": _("In both, with different ids"),
            "same": _("In both, with the same id"),
        }


class ShownDifference:
    """The difference of two vocabularies, and one page of a group."""

    def __init__(self, given: DifferenceInput, first: Tokenizer, second: Tokenizer) -> None:
        self.given = given
        self.first: TokenList = description_of(first).tokens
        self.second: TokenList = description_of(second).tokens
        self.difference: VocabularyDifference = difference_between(first, second)
        self._tokenizers = first, second
        self.last_page = max(1, -(-len(self.found) // given.rows))

    @property
    def counts(self) -> dict[Group, int]:
        """The number of pieces of each group."""
        return {group: len(pairs) for group, pairs in self.difference.groups.items()}

    @cached_property
    def found(self) -> Sequence[Pair]:
        """The pairs of the group whose piece contains the query or has it as its id, of the chosen kind."""
        group, query, script = self.given.show, self.given.search, self.given.script
        pairs = self.difference.groups[group]
        if script:
            pairs = [pair for pair in pairs if kind_in_group(pair, self.first, self.second) == script]
        if not query:
            return pairs
        # The list shows a space as a dot; text copied from there is found too.
        ids = frozenset((self.second if group == "b" else self.first).find(query, query.replace("·", " ")))
        return [pair for pair in pairs if (pair[1] if group == "b" else pair[0]) in ids]

    @property
    def pieces(self) -> list[list[tuple[int, str | bytes] | None]]:
        """The id and the piece in both vocabularies, None where it is missing, of the pairs on the requested page."""
        start = (self.given.page - 1) * self.given.rows
        return [
            [
                id if id is None else (id, _piece(tokens, id))
                for id, tokens in zip(pair, (self.first, self.second), strict=True)
            ]
            for pair in self.found[start : start + self.given.rows]
        ]

    @property
    def different_merges(self) -> int | None:
        """How many merges differ where the pieces are the same; None where they are not, or not both have merges."""
        groups = self.difference.groups
        return None if groups["a"] or groups["b"] else different_merges(*self._tokenizers)

    @cached_property
    def portraits(self) -> list[Portrait]:
        """Of the pieces only in the first, only in the second, and in both."""
        groups = self.difference.groups
        pairs = groups["a"], groups["b"], [*groups["moved"], *groups["same"]]
        return [portrait_of_group(each, self.first, self.second) for each in pairs]

    @cached_property
    def scripts(self) -> dict[str, str]:
        """The kinds of pieces with their titles, the most frequent first."""
        totals = sum((Counter(portrait.kinds) for portrait in self.portraits), Counter[str]())
        return {kind: kind_title(kind) for kind, _count in totals.most_common()}

    @property
    def kinds(self) -> list[tuple[str, list[int]]]:
        """The pieces of each kind: only in the first, only in the second, in both."""
        return _counted(self.scripts.items(), [each.kinds for each in self.portraits])

    @property
    def lengths(self) -> list[tuple[str, list[int]]]:
        """The pieces of each length, like `kinds`."""
        titles = [(length, number(length)) for length in range(1, LONG + 1)] + [(LONG + 1, f"> {number(LONG)}")]
        return _counted(titles, [_lengths(each) for each in self.portraits])

    @staticmethod
    def drawn(piece: str | bytes) -> str:
        """The beginning of a piece with all its characters visible."""
        drawn = shown_piece(piece[: 4 * PIECE_SHOWN])
        return drawn if len(drawn) <= PIECE_SHOWN else f"{drawn[:PIECE_SHOWN]}…"


def _piece(tokens: TokenList, id: int) -> str | bytes:
    at = tokens.place_of(id)
    assert at is not None
    return tokens.pieces[at]


def _lengths(portrait: Portrait) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for length, count in portrait.lengths.items():
        counts[min(length, LONG + 1)] += count
    return counts


def _counted(titles: Iterable[tuple[object, str]], counts: Sequence[Mapping[Any, int]]) -> list[tuple[str, list[int]]]:
    """The rows with a piece in any of three columns."""
    rows = [(title, [each.get(key, 0) for each in counts]) for key, title in titles]
    return [(title, row) for title, row in rows if any(row)]


def difference(given: DifferenceInput) -> ShownDifference | None:
    """Compare the pieces of two vocabularies; None if two are not chosen."""
    if not (given.a and given.b):
        return None
    tokenizers: list[Tokenizer] = []
    waiting = None
    for field in ("a", "b"):
        try:
            tokenizers.append(tokenizer_of(getattr(given, field)))
        except UnavailableVocabularyError as error:
            problem = unavailable_problem(error)
            raise InputProblem(problem.message, problem.status, field) from error
        except StillFetchingError as error:
            waiting = waiting or error  # both are fetched at the same time
    if waiting is not None:
        raise waiting
    shown = ShownDifference(given, *tokenizers)
    require_page(given.page, shown.last_page)
    return shown


def answer(shown: ShownDifference | None) -> dict[str, Any]:
    """The counts of all groups, and at most 1,000 pieces of the requested one."""
    if shown is None:
        raise InputProblem(_("Name two vocabularies, in the parameters a and b."))
    given, counts = shown.given, shown.counts
    portraits = dict(zip(("only_a", "only_b", "both"), shown.portraits, strict=True))
    return {
        "a": given.a,
        "b": given.b,
        "only_a": counts["a"],
        "only_b": counts["b"],
        "different_ids": counts["moved"],
        "same_ids": counts["same"],
        "different_merges": shown.different_merges,
        "scripts": {name: dict(portrait.kinds) for name, portrait in portraits.items()},
        "lengths": {name: dict(portrait.lengths) for name, portrait in portraits.items()},
        "show": given.show,
        "script": given.script,
        "query": well_formed(given.search),
        "found": len(shown.found),
        "page": given.page,
        "last_page": shown.last_page,
        "pieces": [
            {name: {"id": one[0], "piece": json_piece(one[1])} for name, one in zip("ab", pair, strict=True) if one}
            for pair in shown.pieces
        ],
    }


TOOL = Tool(
    name="difference",
    address="/vocabularies/diff",
    input=DifferenceInput,
    run=difference,
    template="tools/difference.html",
    answer=answer,
    exported={"rows": 1_000},
    file_name="difference",
)
