"""A table of measures for pages: a row for each measure, a column for each tokenizer or text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flask_babel import get_locale, ngettext
from flask_babel import gettext as _

from webapp.core.analysis.measures import SHARES, MeasureId, TextMeasures
from webapp.tokenization.measures.article import ArticleMeasures
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.measures.measured import Measured, MeasuredTokenizer
from webapp.web.localization import number, percent

OF_TEXT: tuple[MeasureId, ...] = (
    "tokens",
    "characters-per-token",
    "bytes-per-token",
    "fertility",
    "whole-words",
    "unknown",
    "renyi-efficiency",
    "vocabulary-used",
)
NOT_IN_FIGURES: tuple[MeasureId, ...] = ("fertility", "whole-words", "renyi-efficiency", "vocabulary-used")
"""The measures of a text that a comparison does not have among its figures."""
OF_LANGUAGES: tuple[MeasureId, ...] = ("premium", "gini")
_NAMED_LIKE_UNITS = ("tokens", "characters-per-token", "bytes-per-token")
OF_GOLD: tuple[MeasureId, ...] = ("boundary-precision", "boundary-recall", "boundary-f1")


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


@dataclass(frozen=True)
class MeasureHead:
    """The head of a column: the number of a tokenizer, its name, and its address in the playground."""

    number: int
    name: str
    address: str | None


def shown(measure: MeasureId, value: float | None) -> str:
    """A value as text: a share in percent, a count without decimals, anything else with two or three."""
    if value is None:
        return "–"
    if measure in SHARES:
        return percent(value) if value >= 0.0005 or not value else f"<{percent(0.001)}"
    if measure == "tokens":
        return number(value)
    return number(value, 3 if measure in ("renyi-efficiency", "gini") else 2) + ("×" if measure == "premium" else "")


def text_lines(columns: Iterable[TextMeasures | None]) -> list[MeasureLine]:
    """A line for each measure of a text, with a column for each of `columns`."""
    columns = list(columns)
    return [
        _line(measure, [MeasureCell(shown(measure, each.value(measure) if each else None)) for each in columns])
        for measure in OF_TEXT
    ]


def groups_of(measured: Measured, *, gold: bool, of_text: Sequence[MeasureId] = OF_TEXT) -> list[MeasureGroup]:
    """The measures of tokenizers: of the text, with `gold` of the gold text, and of the parallel article."""

    def lines(measures: Sequence[MeasureId], note: Callable[[MeasureId, MeasuredTokenizer], str]) -> list[MeasureLine]:
        return [
            _line(each, [MeasureCell(shown(each, one.value(each)), note(each, one)) for one in measured.tokenizers])
            for each in measures
        ]

    groups = [MeasureGroup(_("Your text"), lines(of_text, lambda measure, one: ""))]
    if gold:
        groups.append(MeasureGroup(_("The gold segmentation"), lines(OF_GOLD, lambda measure, one: "")))
    if any(one.of_article for one in measured.tokenizers):
        groups.append(MeasureGroup(_("The same article in 39 languages"), lines(OF_LANGUAGES, _language_note)))
    return groups


def language_lines(article: ArticleMeasures) -> list[MeasureLine]:
    """The premium of Chinese, the highest premium, and the Gini coefficient of one tokenizer."""
    premium = MeasureCell(shown("premium", article.of_chinese), premium_note(article))
    gini = MeasureCell(shown("gini", article.gini), gini_note(article))
    return [_line("premium", [premium]), _line("gini", [gini])]


def premium_note(article: ArticleMeasures) -> str:
    """The language with the highest premium."""
    highest = article.highest
    if highest is None:
        return ""
    value = shown("premium", article.premiums[highest])
    return _("highest: %(language)s, %(value)s", language=language_name(highest), value=value)


def gini_note(article: ArticleMeasures) -> str:
    """Of how many languages the coefficient is, if not of all."""
    if not article.lossy:
        return ""
    kept = len(article.premiums)
    return ngettext("of one language", "of %(count)s languages", kept, count=kept)


def language_name(key: str) -> str:
    """The name of a language in the reader's language."""
    locale = get_locale()
    return str(locale.languages.get(key, key)) if locale else key


def _language_note(measure: MeasureId, one: MeasuredTokenizer) -> str:
    if one.of_article is None:
        return ""
    return premium_note(one.of_article) if measure == "premium" else gini_note(one.of_article)


def _line(measure: MeasureId, cells: Sequence[MeasureCell]) -> MeasureLine:
    definition = DEFINITIONS[measure]
    title = _("Premium of Chinese") if measure == "premium" else str(definition.title)
    return MeasureLine(measure, title, "" if measure in _NAMED_LIKE_UNITS else str(definition.unit), cells)
