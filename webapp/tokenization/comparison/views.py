"""What pages and files show of a comparison: the drawing, the figures, and the agreement of each two rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from flask import current_app, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from markupsafe import Markup

from webapp.core.algorithms import ALGORITHMS, inferences_of
from webapp.core.inference import OWN, PARAMETERS
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.pictures import drawing
from webapp.rendering.pictures.drawing import PictureKind, PictureRow
from webapp.tokenization.algorithms import algorithm_names, inference_title
from webapp.tokenization.answers import WANTS, tokenization_stream
from webapp.tokenization.comparison.aligned_markup import (
    AlignedMarkup,
    AlignedPassage,
    as_text,
    first_tints,
    passages_of,
)
from webapp.tokenization.comparison.aligned_spans import AlignedSpan, SpanCounts, aligned_spans_of, span_counts
from webapp.tokenization.comparison.state import Comparison, ComparisonResult, ComparisonRow, TokenizerChoice
from webapp.tokenization.exports import Writer, picture_theme, picture_words
from webapp.tokenization.links import playground_address
from webapp.tokenization.measures.measured import MeasureGroups, groups_of, measure
from webapp.tokenization.messages import joined
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, CatalogueEntry, find, title_of, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.titles import grouped, matches
from webapp.vocabularies.upload_cookie import with_chosen
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

LONGEST_QUERY = 100


@dataclass(frozen=True)
class TokenizerOption:
    """A tokenizer of a list: its title, and whether it is ready."""

    choice: TokenizerChoice
    title: str
    note: str = ""


def tokenizer_options(
    entries: Iterable[CatalogueEntry],
    keep: Callable[[str], bool] = lambda algorithm: True,
    title: Callable[[CatalogueEntry], str] = title_of,
) -> list[TokenizerOption]:
    """An option for each algorithm that is kept of each vocabulary, in the order of the algorithms."""
    order = {name: place for place, name in enumerate(ALGORITHMS)}
    names = algorithm_names()
    options = [
        TokenizerOption(TokenizerChoice(id, entry.name), f"{names[id]} · {title(entry)}", _note(entry))
        for entry in entries
        for id in entry.algorithms
        if keep(id)
    ]
    return sorted(options, key=lambda option: order[option.choice.algorithm])


def _note(entry: CatalogueEntry) -> str:
    if entry.origin == "fetched":
        return _("ready") if is_here(entry) else _("downloaded on first use")
    return _("uploaded") if entry.origin == "uploaded" else ""


def grouped_options(
    groups: Iterable[tuple[str, Sequence[CatalogueEntry]]], chosen: Sequence[TokenizerChoice]
) -> list[tuple[str, Sequence[TokenizerOption]]]:
    """The tokenizers of groups of vocabularies; a last group has those that are chosen and in no other."""
    found: list[tuple[str, Sequence[TokenizerOption]]] = [(title, tokenizer_options(each)) for title, each in groups]
    listed = {option.choice for _title, options in found for option in options}
    others = [TokenizerOption(choice, str(choice)[:60]) for choice in chosen if choice not in listed]
    return [*found, (_("Chosen"), others)] if others else found


@dataclass(frozen=True)
class ComparisonPicker:
    """The tokenizers to choose from, given the visitor's `uploads`, the `chosen` rows and the search `query`."""

    uploads: Sequence[CatalogueEntry]
    chosen: Sequence[TokenizerChoice]
    query: str = ""

    @cached_property
    def entries(self) -> list[CatalogueEntry]:
        """All vocabularies, with the visitor's uploads, and those of others that a row names."""
        uploads = with_chosen(self.uploads, [choice.vocabulary for choice in self.chosen])
        return [*CATALOGUE.values(), *uploads, *well_known()]

    @cached_property
    def groups(self) -> list[tuple[str, Sequence[TokenizerOption]]]:
        """All tokenizers."""
        return grouped_options(grouped(self.entries), [choice.by(OWN) for choice in self.chosen])

    def card(self, choice: TokenizerChoice) -> TokenizerOption:
        """The title of a tokenizer's vocabulary, with the algorithm as a note; for an unknown one, what was written."""
        entry = next((each for each in self.entries if each.name == choice.vocabulary), None)
        if entry is None or choice.algorithm not in entry.algorithms:
            return TokenizerOption(choice, str(choice)[:60])
        way = [inference_title(choice.inference)] if choice.inference != OWN else []
        return TokenizerOption(choice, title_of(entry), " · ".join([algorithm_names()[choice.algorithm], *way]))

    def found(self) -> list[TokenizerOption]:
        """The tokenizers whose name contains every word of the query."""
        return tokenizer_options(entry for entry in self.entries if matches(entry, self.query))


def ways_of(choice: TokenizerChoice) -> list[tuple[str, str]]:
    """The ids and titles of the ways to apply the vocabulary of a tokenizer, its own rule first."""
    return [(each, inference_title(each)) for each in inferences_of(choice.algorithm)]


def parameter_fields(state: State) -> list[tuple[str, str, str, str, str]]:
    """The parameters of inferences as fields: name, label, least and greatest value, value."""
    titles = {"dropout": _("Dropout, from 0 to 1"), "alpha": _("Alpha, from 0.01 to 10"), "seed": _("Seed")}
    return [
        (each.name, titles[each.name], f"{each.least:g}", f"{each.most:.12g}", f"{getattr(state, each.name):.12g}")
        for each in PARAMETERS
    ]


DRAWN = 12_000  # characters; only the beginning of a longer text is drawn, but all of it is counted
MEASURED = 100_000  # characters; longer texts are measured on a page of their own


@dataclass(frozen=True)
class RowHead:
    """The name of a row beside its tokens, and how many tokens those are."""

    row: ComparisonRow
    name: str
    tokens: int
    most: int  # tokens of any row
    fewest: bool  # whether no row has fewer, and some have more
    address: str | None  # of the row in the playground


@dataclass(frozen=True)
class ComparisonView:
    """A comparison with its result.

    Its files are at `stem`; without one, the page has no tools. `shareable` says whether the comparison is that of a
    form, which sends what is too long for an address, and `linked` whether rows link to the playground.
    """

    comparison: Comparison
    compared: ComparisonResult
    stem: str = ""
    shareable: bool = False
    linked: bool = True

    @property
    def query(self) -> str | None:
        """The query string of files; None if it would be too long."""
        return self.comparison.link(current_app.config["MAX_LINK_CHARACTERS"]) if self.shareable else ""

    @property
    def shown(self) -> list[ComparisonRow]:
        """The rows that have tokens."""
        return self.compared.shown

    @cached_property
    def columns(self) -> list[AlignedSpan]:
        """The columns that are drawn."""
        text, encodings = self.compared.text, self.compared.encodings
        if not encodings:
            return []
        return aligned_spans_of(text, encodings, self.compared.agreement, DRAWN, self._inside)

    @property
    def drawn(self) -> int:
        """The number of characters that are drawn."""
        return self.columns[-1].end if self.columns else 0

    @cached_property
    def spans(self) -> SpanCounts:
        """How many spans the rows split differently, in the whole text."""
        return span_counts(self.compared.text, self.compared.encodings, self.compared.agreement, self._inside)

    @cached_property
    def names(self) -> list[str]:
        """A short name for each row: of its vocabulary, or with the algorithm where two rows share a vocabulary.

        Rows that only differ in how they apply one vocabulary are named by that.
        """
        rows = self.shown
        if len({(row.choice.algorithm, row.choice.vocabulary) for row in rows}) == 1 < len(rows):
            return [inference_title(row.choice.inference) for row in rows]
        short = [title_of(entry) if (entry := find(row.choice.vocabulary)) is not None else row.title for row in rows]
        return [row.title if short.count(name) > 1 else name for name, row in zip(short, rows, strict=True)]

    @property
    def count(self) -> str:
        """The number of tokens: `36–47`, or `36` if all rows have as many."""
        return "–".join(map(number, sorted({min(self.counts), max(self.counts)}))) if self.counts else ""

    @property
    def summary(self) -> str:
        """The result in a sentence or two."""
        counts = self.counts
        if not counts or not self.compared.text:
            return ""
        if min(counts) == max(counts):
            sentence = ngettext("One token.", "%(count)s tokens.", counts[0], count=number(counts[0]))
        else:
            sentence = _("%(least)s to %(most)s tokens.", least=number(min(counts)), most=number(max(counts)))
        if len(counts) < 2:
            return sentence
        differing, total = self.spans.differing, self.spans.spans
        if not differing:
            return joined([sentence, _("All tokenizers split the text in the same way.")])
        figures = {"differing": number(differing), "total": number(total)}
        return joined([sentence, _("Split differently: %(differing)s of %(total)s spans.", **figures)])

    @property
    def picture_rows(self) -> list[PictureRow]:
        """The rows of a picture."""
        rows = zip(self.shown, self.names, self.compared.encodings, strict=True)
        return [PictureRow(row.number, name, encoding) for row, name, encoding in rows]

    def text_parts(self) -> Iterator[str]:
        """Yield each row as text with bars between its tokens."""
        text = self.compared.text
        for row, cuts in zip(self.shown, self.compared.agreement.each, strict=True):
            yield f"{row.number} {row.title}\n{as_text(text, cuts, len(text))}\n\n"

    @property
    def heads(self) -> list[RowHead]:
        """The name of each row that has tokens, with all its tokens and the address of the playground."""
        return self._heads(self.counts, linked=self.linked)

    @property
    def measure_groups(self) -> MeasureGroups:
        """The measures that are not among the figures; none for a text of more than `MEASURED` characters."""
        if not self.shown or not 0 < len(self.compared.text) <= MEASURED:
            return []
        return groups_of(measure(self.shown, self.compared.text), gold=False, figures=False)

    @property
    def measures_address(self) -> str | None:
        """The page with all measures, with the text if the address is short enough; None where nothing is linked."""
        if not self.linked:
            return None
        query = self.comparison.link(current_app.config["MAX_LINK_CHARACTERS"])
        return f"{url_for('measures.page')}?{query or self.comparison.query_without_texts()}"

    @property
    def passages(self) -> Iterator[tuple[AlignedPassage, Sequence[RowHead], Markup, bool]]:
        """The aligned columns in passages, with the names of the rows, and whether they run from right to left."""
        text, columns = self.compared.text, self.columns
        markup = AlignedMarkup(text, [row.number for row in self.shown], show=self.comparison.common.show)
        tints = first_tints(columns)
        for at, passage in enumerate(passages_of(columns)):
            html = markup.html(passage, list(islice(tints, len(passage.columns))))
            # Only the first names are links: addresses are long, and a text may have many passages.
            heads = self._heads(passage.token_counts, linked=self.linked and at == 0)
            yield passage, heads, html, markup.is_right_to_left(passage)

    def _heads(self, counts: Sequence[int], *, linked: bool) -> list[RowHead]:
        # One unknown token may stand for any text: it is not the fewest.
        rows = zip(counts, self.shown, self.compared.encodings, strict=True)
        known = [count for count, row, encoding in rows if row.words or not encoding.unknown]
        most, least = max(counts, default=0), min(known, default=-1)
        return [
            RowHead(row, name, count, most, count == least < most, self._address(row) if linked else None)
            for name, count, row in zip(self.names, counts, self.shown, strict=True)
        ]

    def _address(self, row: ComparisonRow) -> str | None:
        """The row in the playground."""
        return playground_address(self.comparison.states[row.number - 1])

    @cached_property
    def counts(self) -> list[int]:
        """The number of tokens of each row that has any."""
        return list(map(len, self.compared.encodings))

    @cached_property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        return len(self.compared.text.encode("utf-8", "replace"))

    @cached_property
    def _inside(self) -> dict[int, int]:
        return cluster_ends(self.compared.text)


def comparison_json(comparison: Comparison, compared: ComparisonResult) -> dict[str, Any]:
    """The request, and a row for each tokenizer; `boundaries` refer to the rows with tokens, in order."""
    agreement = compared.agreement
    places = iter(agreement.each)
    return {
        "text": well_formed(compared.text),
        "options": {name: value for name, value in comparison.options().items() if name != "show"},
        "rows": [
            _row_json(row) | ({"boundaries": next(places)} if row.encoding is not None else {}) for row in compared.rows
        ],
        "agreed": agreement.agreed,
        "disputed": agreement.disputed,
        "shared_boundaries": agreement.shared,
    }


def _row_json(row: ComparisonRow) -> dict[str, Any]:
    about: dict[str, Any] = {"algorithm": row.choice.algorithm, "vocabulary": row.choice.vocabulary, "title": row.title}
    if row.choice.inference != OWN:
        about["inference"] = row.choice.inference
    if row.encoding is None:
        assert row.problem is not None
        return about | {"error": {"status": row.problem.status, "detail": row.problem.message}}
    return about | {
        **tokenization_stream(row.encoding, WANTS),
        "unknown": sorted(row.encoding.unknown),
        "vocabulary_size": row.vocabulary_size,
        "seconds": row.seconds,
    }


def _picture(view: ComparisonView, kind: PictureKind) -> list[str | bytes]:
    show = view.comparison.common.show
    words, theme = picture_words(), picture_theme()
    return [drawing.comparison_picture(view.picture_rows, kind, words, summary=view.summary, theme=theme, show=show)]


WRITERS: dict[str, Writer] = {
    "svg": ("image/svg+xml", lambda view: _picture(view, "svg")),
    "png": ("image/png", lambda view: _picture(view, "png")),
    "txt": ("text/plain", ComparisonView.text_parts),
}
"""The media type and the writer of each kind of file."""
