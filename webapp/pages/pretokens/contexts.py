"""Contexts of the templates of `/pretokens`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.pages.pretokens.forms import PretokensRequest
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Context, Page


@dataclass(frozen=True)
class Cell:
    """A pre-token, an added token, or the text between them, which no pre-token has."""

    text: str
    kind: str  # "match", "gap" (a pre-token between matches), "plain" (no pattern), "added", "dropped"
    colour: int  # from 1 to 6
    under: str
    breaks: bool  # whether a line ends in it


@dataclass(frozen=True)
class AlternativeRow:
    """An alternative of a pattern: its number from 1, source, meaning if it is known, and what it matched."""

    number: int
    colour: int
    source: str
    meaning: str
    count: int
    examples: Sequence[str]


@dataclass(frozen=True)
class StageSection:
    """A step of the pre-tokenizer and its pre-tokens; `alternatives` is empty for a step without a pattern."""

    title: str
    note: str  # how matches and the text between them become pre-tokens
    pattern: str
    count: int
    cells: Sequence[Cell]
    more: int  # pre-tokens that are not shown
    alternatives: Sequence[AlternativeRow]
    between: int  # pre-tokens that no alternative matched


@dataclass(frozen=True)
class SplitFigures:
    """Counts of a pre-tokenization."""

    pretokens: int
    tokens: int
    whole: int  # pre-tokens that are one token
    longest: Sequence[tuple[str, int]]  # pre-tokens with the most tokens


@dataclass(frozen=True)
class DifferenceRow:
    """A place that two patterns split differently: the text before it, both splits, and the text after it."""

    offset: int
    before: str
    usual: Sequence[str]
    own: Sequence[str]
    after: str


@dataclass(frozen=True)
class ShownPretokens:
    """The pre-tokens of a text with a vocabulary, and with an own pattern."""

    normalized: str  # empty if the normalizer changes nothing
    stages: Sequence[StageSection]  # before the last one
    last: StageSection
    figures: SplitFigures
    own: StageSection | None
    own_figures: SplitFigures | None
    differences: Sequence[DifferenceRow]
    number_of_differences: int
    analysed: int | None  # characters, if not all


@dataclass(frozen=True, kw_only=True)
class PretokensContext(Context):
    """The result, for htmx."""

    template = "pretokens/_result.html"

    asked: PretokensRequest
    shown: ShownPretokens | None
    problems: Sequence[InputProblem]
    vocabulary_title: str
    link: str | None  # the address of this page, None if it would be too long
    visible: Callable[..., str]


@dataclass(frozen=True, kw_only=True)
class PretokensPage(Page):
    """The form and the result."""

    template = "pretokens/page.html"

    result: PretokensContext
    groups: Sequence[tuple[str, Sequence[CatalogueEntry]]]
    title_of: Callable[[CatalogueEntry], str]
    invalid: Mapping[str, str]  # field → what is wrong with it
    starts: Sequence[tuple[str, str]]  # known patterns to start from: value, title
    form_id: str = "pretokens-form"
