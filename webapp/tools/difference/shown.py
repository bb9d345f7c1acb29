"""What `/vocabularies/diff` takes, and the differences as its page shows them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Annotated, Any

from flask import request
from flask_babel import gettext as _
from pydantic import AfterValidator, Field

from webapp.chat.published import published_template
from webapp.chat.templates import NoTemplateError
from webapp.core.analysis.pipeline_difference import (
    OWN,
    PipelineDifference,
    TextDifference,
    text_comparison,
)
from webapp.core.analysis.portrait import KINDS, Portrait
from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.vocabulary_difference import (
    GROUPS,
    Group,
    VocabularyDifference,
    kind_in_group,
    portrait_of_group,
)
from webapp.core.models.bpe import BPE
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import shown_piece, visible
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import Groups, is_choice, vocabulary_choices
from webapp.tools.inputs import BodyField, FromForm, InBody, Input, PageNumber
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, library, title_of
from webapp.vocabularies.descriptions import description_of, differences_between
from webapp.vocabularies.token_kinds import kind_title
from webapp.web.localization import number

LONGEST_QUERY = 100  # characters
LONGEST_NAME = 40  # characters of an unknown name that a message repeats
PIECE_SHOWN = 160  # characters
LONG = 12  # characters; longer pieces share a row
LONGEST_TEXT = 20_000  # characters
EXAMPLE = "gpt2", "cl100k_base"
AROUND, MOST_TOKENS = 3, 24  # tokens shown beside those that differ, and in all

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


def _short_text(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        sizes = {"limit": number(LONGEST_TEXT), "count": number(len(text))}
        raise InputProblem(_("The text has %(count)s characters; the limit is %(limit)s. Shorten it.", **sizes), 413)
    return text


Name = Annotated[str, AfterValidator(_known), Field(description="The name of a vocabulary, from `GET /vocabularies`.")]


class DifferenceInput(Input):
    """Two vocabularies, a text, the group of pieces to list, a kind of pieces and a search in it, and a page of those.

    >>> DifferenceInput(search="un").query(show="b")
    'text=&show=b&query=un'
    """

    a: Name = EXAMPLE[0]
    b: Name = EXAMPLE[1]
    text: Annotated[
        str,
        AfterValidator(_short_text),
        Field(description="A text to compare besides the site's own."),
        BodyField(default=""),
    ] = ""
    show: Annotated[Group, FromForm(choose=lambda values: values[0] if values[0] in GROUPS else "a")] = "a"
    script: Annotated[str, AfterValidator(_kind)] = ""
    search: Annotated[str, AfterValidator(_short), Field(serialization_alias="query")] = ""
    page: PageNumber = 1
    rows: Annotated[int, InBody()] = 100  # pieces on a page

    def listing(self, **changes: Any) -> str:
        """The query string of a list of pieces, which names its group; a text too long for an address is left out."""
        query = self.query(**({} if self.fits_address else {"text": ""}), **changes)
        return query if "show=" in query else f"{query}&show=a"

    @property
    def vocabularies(self) -> Groups:
        """The vocabularies to choose from, in groups with a heading."""
        return vocabulary_choices(request, self.a, self.b)

    @property
    def titles(self) -> tuple[str, str]:
        """The titles of both vocabularies; empty for one that is not chosen."""
        entries = (find(name) if name else None for name in (self.a, self.b))
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
    """The differences of two tokenizers, and one page of a group of pieces."""

    def __init__(self, given: DifferenceInput, first: Tokenizer, second: Tokenizer) -> None:
        self.given = given
        self.first: TokenList = description_of(first).tokens
        self.second: TokenList = description_of(second).tokens
        self.difference: VocabularyDifference
        self.pipeline: PipelineDifference
        self.difference, self.pipeline = differences_between(first, second)
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

    @cached_property
    def own(self) -> TextDifference | None:
        """The visitor's text in both tokenizers."""
        if not self.given.text:
            return None
        return text_comparison(*self._tokenizers, self.pipeline.stages)(OWN, self.given.text)

    @property
    def text_groups(self) -> list[list[TextDifference]]:
        """The texts with different ids, together where the same stages change them."""
        groups: dict[tuple[str, ...], list[TextDifference]] = {}
        for text in self.pipeline.different:
            groups.setdefault(tuple(text.stages), []).append(text)
        return list(groups.values())

    def tokens(self, text: TextDifference, side: int) -> tuple[int, list[tuple[int, str, bool]], int]:
        """The tokens around the first difference of a text: id, piece, whether it differs; how many are not shown."""
        start, *ends = text.window
        first, last = max(0, start - AROUND), min(ends[side] + AROUND, start - AROUND + MOST_TOKENS)
        ids, tokens = text.ids[side][first:last], (self.first, self.second)[side]
        shown = [(id, self.drawn(_piece(tokens, id)), start <= at < ends[side]) for at, id in enumerate(ids, first)]
        return first, shown, max(0, len(text.ids[side]) - last)

    def decoded(self, text: TextDifference) -> list[str]:
        """What both decoders make of the ids of a text, for one whose ids are the same."""
        skip = "added_tokens" in text.stages
        return [each.decode(text.ids[0], skip_special=skip) for each in self._tokenizers]

    @staticmethod
    def merge(item: Any) -> str:
        """A merge as its two pieces, or a piece."""
        parts = item if isinstance(item, tuple) else (item,)
        return " + ".join(map(ShownDifference.drawn, parts))

    @cached_property
    def chat(self) -> tuple[str | None, str | None]:
        """The published chat templates; None for a vocabulary without, or that cannot be fetched at the moment."""
        first, second = map(_chat_template, (self.given.a, self.given.b))
        return first, second

    @property
    def chat_line(self) -> tuple[int, str, str]:
        """The number of the first line of the chat templates that differs, and the line in both."""
        lines = zip_longest(*((source or "").splitlines() for source in self.chat), fillvalue="")
        return next(((at, a, b) for at, (a, b) in enumerate(lines, 1) if a != b), (0, "", ""))

    @property
    def different_merges(self) -> int | None:
        """How many ranks have another merge; None unless both have a list of merges."""
        if not all(isinstance(each.model, BPE) for each in self._tokenizers):
            return None
        return self.pipeline.merges.ranks if self.pipeline.merges else 0

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
    return "\ufffd" if at is None else tokens.pieces[at]  # unknown text


def _chat_template(name: str) -> str | None:
    entry = find(name)
    try:
        return published_template(library(), entry.recognized or name).source if entry else None
    except (NoTemplateError, StillFetchingError, UnavailableVocabularyError):
        return None


def _lengths(portrait: Portrait) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for length, count in portrait.lengths.items():
        counts[min(length, LONG + 1)] += count
    return counts


def _counted(titles: Iterable[tuple[object, str]], counts: Sequence[Mapping[Any, int]]) -> list[tuple[str, list[int]]]:
    """The rows with a piece in any of three columns."""
    rows = [(title, [each.get(key, 0) for each in counts]) for key, title in titles]
    return [(title, row) for title, row in rows if any(row)]
