"""A table of measures for pages: a row for each measure, a column for each tokenizer or text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask_babel import get_locale, ngettext
from flask_babel import gettext as _

from webapp.core.analysis.measures import MeasureId, TextMeasures
from webapp.tokenization.measures.article import ArticleMeasures
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.measures.measured import Measured, Measures
from webapp.web.localization import number, percent


@dataclass(frozen=True)
class MeasureCell:
    """A value as text, `–` for none, and what is to be known about it."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class MeasureLine:
    """A measure, its title, its unit if the title does not say it, and its values."""

    measure: MeasureId
    title: str
    unit: str
    cells: Sequence[MeasureCell]


@dataclass(frozen=True)
class MeasureGroup:
    """Measures of the same text under a heading."""

    title: str
    lines: Sequence[MeasureLine]


def shown(measure: MeasureId, value: float | None) -> str:
    """A value as text: a share in percent, anything else with the decimals of its measure."""
    if value is None:
        return "–"
    definition = DEFINITIONS[measure]
    if definition.decimals is None:
        return percent(value) if value >= 0.0005 or not value else f"<{percent(0.001)}"
    return number(value, definition.decimals) + definition.sign


def text_lines(columns: Iterable[TextMeasures | None]) -> list[MeasureLine]:
    """A line for each measure of a text, with a column for each of `columns`."""
    return _lines("text", list(map(Measures, columns)))


def groups_of(measured: Measured, *, gold: bool, figures: bool = True) -> list[MeasureGroup]:
    """The measures of tokenizers: of the text, with `gold` of the gold text, and of the parallel article.

    Without `figures`, those are left out that a comparison has among its figures.
    """
    groups = [MeasureGroup(_("Your text"), _lines("text", measured.tokenizers, figures=figures))]
    if gold:
        groups.append(MeasureGroup(_("The gold segmentation"), _lines("gold", measured.tokenizers)))
    if any(one.of_article for one in measured.tokenizers):
        groups.append(MeasureGroup(_("The same article in 39 languages"), _lines("languages", measured.tokenizers)))
    return groups


def language_lines(article: ArticleMeasures) -> list[MeasureLine]:
    """The premium of Chinese, the highest premium, and the Gini coefficient of one tokenizer."""
    return _lines("languages", [Measures(of_article=article)])


def _lines(of: str, columns: Sequence[Measures], *, figures: bool = True) -> list[MeasureLine]:
    """A line for each measure of something, with a cell for each column."""
    return [
        MeasureLine(
            id,
            _("Premium of Chinese") if id == "premium" else str(each.title),
            "" if each.named_by_unit else str(each.unit),
            [MeasureCell(shown(id, one.value(id)), _note(id, one.of_article)) for one in columns],
        )
        for id, each in DEFINITIONS.items()
        if each.of == of and (figures or not each.in_figures)
    ]


def _note(measure: MeasureId, article: ArticleMeasures | None) -> str:
    """The language with the highest premium, or of how many languages the Gini coefficient is, if not of all."""
    if article is None:
        return ""
    if measure == "premium" and (highest := article.highest) is not None:
        value = shown("premium", article.premiums[highest])
        locale = get_locale()
        name = locale.languages.get(highest, highest) if locale else highest
        return _("highest: %(language)s, %(value)s", language=name, value=value)
    if measure == "gini" and article.lossy:
        kept = len(article.premiums)
        return ngettext("of one language", "of %(count)s languages", kept, count=kept)
    return ""
