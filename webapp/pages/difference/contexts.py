"""The variables of the templates of `/vocabularies/diff`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.analysis.vocabulary_difference import Group
from webapp.pages.difference.forms import DifferenceRequest
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.vocabulary_choices import Groups
from webapp.vocabularies import StillFetchingError
from webapp.web.templates import Context, Page


@dataclass(frozen=True)
class PieceRow:
    """A piece of one vocabulary or of both: its ids, and how each spells it; None where it is missing."""

    first_id: int | None
    second_id: int | None
    first: str | None
    second: str | None


@dataclass(frozen=True)
class CountedRow:
    """A script or a length, and how many pieces of it are only in the first, only in the second, and in both."""

    title: str
    first: int
    second: int
    both: int


@dataclass(frozen=True)
class ShownDifference:
    """The difference of two vocabularies, and one page of a group."""

    counts: Mapping[Group, int]
    kinds: Sequence[CountedRow]
    lengths: Sequence[CountedRow]
    scripts: Mapping[str, str]  # the kinds of pieces to choose from, with their titles
    found: int  # pieces of the group that match the search
    rows: Sequence[PieceRow]
    page: int
    last: int
    different_merges: int  # where all pieces are the same


@dataclass(frozen=True, kw_only=True)
class DifferenceContext(Context):
    """The result, for htmx."""

    template = "difference/_result.html"

    asked: DifferenceRequest
    difference: ShownDifference | None
    waiting: StillFetchingError | None
    problems: Sequence[InputProblem]
    first_title: str
    second_title: str
    names: Mapping[Group, str]  # of the groups
    no_such_page: int | None  # the last page, if a later one was requested
    address: Callable[..., str]
    visible: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class DifferencePage(Page):
    """The form and the result."""

    template = "difference/page.html"

    result: DifferenceContext
    groups: Groups
    invalid: Mapping[str, InputProblem]  # the problem of each rejected field
