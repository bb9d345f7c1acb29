"""The difference of two vocabularies as rows and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from webapp.core.analysis.portrait import Portrait
from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.vocabulary_difference import (
    Group,
    VocabularyDifference,
    different_merges,
    kind_in_group,
    portrait_of_group,
)
from webapp.core.tokenizer import Tokenizer
from webapp.pages.difference.contexts import CountedRow, PieceRow, ShownDifference
from webapp.pages.difference.forms import DifferenceRequest
from webapp.rendering.markup import shown_piece
from webapp.serializers.json import json_piece, well_formed
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.differences import difference_between
from webapp.vocabularies.token_kinds import kind_title
from webapp.web.localization import number

PAGE = 100  # pieces
PAGE_OF_JSON = 1_000
PIECE_SHOWN = 160  # characters
LONG = 12  # characters; longer pieces share a row

Pair = tuple[int | None, int | None]


class NoSuchPageError(LookupError):
    """There is no such page; `last` is the last one."""

    def __init__(self, last: int) -> None:
        super().__init__(last)
        self.last = last


class Comparison:
    """Two tokenizers with their tokens and their difference."""

    def __init__(self, first: Tokenizer, second: Tokenizer) -> None:
        self.first: TokenList = description_of(first).tokens
        self.second: TokenList = description_of(second).tokens
        self.difference: VocabularyDifference = difference_between(first, second)
        self._tokenizers = first, second

    def found(self, group: Group, query: str, script: str) -> Sequence[Pair]:
        """The pairs of a group whose piece contains a text or has an id; with a script, only those of that kind."""
        pairs = self.difference.groups[group]
        if script:
            pairs = [pair for pair in pairs if kind_in_group(pair, self.first, self.second) == script]
        if not query:
            return pairs
        # The list shows a space as a dot; text copied from there is found too.
        ids = frozenset((self.second if group == "b" else self.first).find(query, query.replace("·", " ")))
        return [pair for pair in pairs if (pair[1] if group == "b" else pair[0]) in ids]

    def different_merges(self) -> int | None:
        """How many merges differ where the pieces are the same; None where they are not, or not both have merges."""
        groups = self.difference.groups
        return None if groups["a"] or groups["b"] else different_merges(*self._tokenizers)

    def portraits(self) -> tuple[Portrait, Portrait, Portrait]:
        """Of the pieces only in the first, only in the second, and in both."""
        groups = self.difference.groups
        both = [*groups["moved"], *groups["same"]]
        return (
            portrait_of_group(groups["a"], self.first, self.second),
            portrait_of_group(groups["b"], self.first, self.second),
            portrait_of_group(both, self.first, self.second),
        )


def shown(comparison: Comparison, asked: DifferenceRequest) -> ShownDifference:
    """The difference with one page of the requested group; raises NoSuchPageError."""
    found = comparison.found(asked.show, asked.query, asked.script)
    page, last, pairs = _page_of(found, asked.page, PAGE)
    portraits = comparison.portraits()
    return ShownDifference(
        counts={group: len(pairs) for group, pairs in comparison.difference.groups.items()},
        kinds=_counted(((kind, kind_title(kind)) for kind in _kinds(portraits)), [each.kinds for each in portraits]),
        lengths=_counted(
            [(length, number(length)) for length in range(1, LONG + 1)] + [(LONG + 1, f"> {number(LONG)}")],
            [_lengths(each) for each in portraits],
        ),
        scripts={kind: kind_title(kind) for kind in _kinds(portraits)},
        found=len(found),
        rows=[_row(comparison, pair) for pair in pairs],
        page=page,
        last=last,
        different_merges=comparison.different_merges() or 0,
    )


def as_json(comparison: Comparison, asked: DifferenceRequest) -> dict[str, object]:
    """The counts of all groups, and at most 1,000 pieces of the requested one; raises NoSuchPageError."""
    found = comparison.found(asked.show, asked.query, asked.script)
    page, last, pairs = _page_of(found, asked.page, PAGE_OF_JSON)
    portraits = dict(zip(("only_a", "only_b", "both"), comparison.portraits(), strict=True))
    groups = comparison.difference.groups
    return {
        "a": asked.a,
        "b": asked.b,
        "only_a": len(groups["a"]),
        "only_b": len(groups["b"]),
        "different_ids": len(groups["moved"]),
        "same_ids": len(groups["same"]),
        "different_merges": comparison.different_merges(),
        "scripts": {name: dict(portrait.kinds) for name, portrait in portraits.items()},
        "lengths": {name: dict(portrait.lengths) for name, portrait in portraits.items()},
        "show": asked.show,
        "script": asked.script,
        "query": well_formed(asked.query),
        "found": len(found),
        "page": page,
        "last_page": last,
        "pieces": [
            {
                **({} if a is None else {"a": {"id": a, "piece": json_piece(_piece(comparison.first, a))}}),
                **({} if b is None else {"b": {"id": b, "piece": json_piece(_piece(comparison.second, b))}}),
            }
            for a, b in pairs
        ],
    }


def _page_of(found: Sequence[Pair], page: str, size: int) -> tuple[int, int, Sequence[Pair]]:
    page = page.strip() or "1"
    last = max(1, -(-len(found) // size))
    if not (page.isascii() and page.isdecimal() and len(page) < 10 and 1 <= int(page) <= last):
        raise NoSuchPageError(last)
    first = (int(page) - 1) * size
    return int(page), last, found[first : first + size]


def _row(comparison: Comparison, pair: Pair) -> PieceRow:
    a, b = pair
    return PieceRow(
        a,
        b,
        None if a is None else _drawn(_piece(comparison.first, a)),
        None if b is None else _drawn(_piece(comparison.second, b)),
    )


def _piece(tokens: TokenList, id: int) -> str | bytes:
    at = tokens.place_of(id)
    assert at is not None
    return tokens.pieces[at]


def _drawn(piece: str | bytes) -> str:
    drawn = shown_piece(piece[: 4 * PIECE_SHOWN])
    return drawn if len(drawn) <= PIECE_SHOWN else f"{drawn[:PIECE_SHOWN]}…"


def _kinds(portraits: Iterable[Portrait]) -> list[str]:
    """The kinds of all portraits, the most frequent first."""
    totals: dict[str, int] = {}
    for portrait in portraits:
        for kind, count in portrait.kinds.items():
            totals[kind] = totals.get(kind, 0) + count
    return sorted(totals, key=lambda kind: -totals[kind])


def _lengths(portrait: Portrait) -> dict[int, int]:
    counts: dict[int, int] = {}
    for length, count in portrait.lengths.items():
        row = min(length, LONG + 1)
        counts[row] = counts.get(row, 0) + count
    return counts


def _counted(titles: Iterable[tuple[object, str]], counts: Sequence[Mapping[Any, int]]) -> list[CountedRow]:
    """The rows with a piece in any of three columns."""
    rows = [CountedRow(title, *(each.get(key, 0) for each in counts)) for key, title in titles]
    return [row for row in rows if row.first or row.second or row.both]
