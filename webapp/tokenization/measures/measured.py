"""The measures of tokenizers on a text, on the parallel article, and against a gold segmentation: JSON, CSV, tables."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from flask_babel import gettext as _

from webapp.core.algorithms import finds_words
from webapp.core.analysis.measures import (
    MEASURES,
    BoundaryAgreement,
    MeasureId,
    TextMeasures,
    boundary_agreement,
    gini,
    measures_of,
    premium,
)
from webapp.core.analysis.words import TextWords, words_of
from webapp.core.evaluation.gold import GoldText
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.comparison.state import ComparisonRow
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.result import encode
from webapp.vocabularies.shipped_vocabularies import chinese_words
from webapp.vocabularies.uploads import number_of_ids
from webapp.web.localization import number, percent

BASE = "en"
LOSSY = 0.1
"""The share of unknown tokens above which a low count means lost text."""
CHINESE = "zh_Hans"


@dataclass(frozen=True)
class Passage:
    """A text with its language and script, as CLDR codes; empty if there is none.

    `name` is the language's own name.
    """

    key: str
    language: str
    script: str
    name: str
    text: str


@cache
def passages() -> tuple[Passage, ...]:
    """The article in every language, English first."""
    content = tomllib.loads(files(__package__).joinpath("parallel_article.toml").read_text(encoding="utf-8"))
    return tuple(Passage(item["language"], **item) for item in content["article"])


@dataclass(frozen=True)
class ArticleMeasures:
    """Premiums by language, ascending, that of Chinese, and the Gini coefficient; `lossy` ones are in none of them.

    `english` and `chinese` are the measures of the article in these languages, None if it cannot be encoded.
    """

    premiums: Mapping[str, float]
    of_chinese: float | None
    gini: float | None
    lossy: Sequence[str]
    english: TextMeasures | None
    chinese: TextMeasures | None


_cache: WeakKeyDictionary[Tokenizer, ArticleMeasures] = WeakKeyDictionary()


def article_measures(tokenizer: Tokenizer) -> ArticleMeasures:
    """The measures of a tokenizer, cached as long as it exists; the first call encodes 39 short texts."""
    found = _cache.get(tokenizer)
    if found is None:
        found = _cache[tokenizer] = _measured(tokenizer)
    return found


def fair(tokens: Mapping[str, int], unknown: Mapping[str, float]) -> tuple[dict[str, float], float | None, list[str]]:
    """Premiums by language, ascending, the Gini coefficient, and the languages left out because of unknown tokens."""
    lossy = [key for key in tokens if unknown.get(key, 0) > LOSSY]
    kept = {key: count for key, count in tokens.items() if key not in lossy}
    english = kept.get(BASE, 0)
    premiums = {key: value for key, count in kept.items() if (value := premium(count, english)) is not None}
    return dict(sorted(premiums.items(), key=lambda item: item[1])), gini(kept.values()), lossy


def _measured(tokenizer: Tokenizer) -> ArticleMeasures:
    tokens, unknown = {}, {}
    for passage in passages():
        try:
            encoding = encode(tokenizer, passage.text)
            tokens[passage.key] = len(encoding)
            unknown[passage.key] = len(encoding.unknown) / len(encoding) if len(encoding) else 0.0
        except TextError:
            continue
    premiums, inequality, lossy = fair(tokens, unknown)
    both = (_of(tokenizer, key) for key in (BASE, CHINESE))
    return ArticleMeasures(premiums, premiums.get(CHINESE), inequality, lossy, *both)


def _of(tokenizer: Tokenizer, key: str) -> TextMeasures | None:
    text, words = _text_and_words(key)
    try:
        return measures_of(encode(tokenizer, text), words, number_of_ids(tokenizer))
    except TextError:
        return None


@cache
def _text_and_words(key: str) -> tuple[str, TextWords]:
    text = next(passage.text for passage in passages() if passage.key == key)
    return text, words_of(text, chinese_words)


WORDS = "Unicode Standard Annex 29; runs of Han characters by maximum probability with jieba's dictionary, without HMM"


@dataclass(frozen=True)
class Measures:
    """What was measured of a tokenizer; None for what was not."""

    of_text: TextMeasures | None = None
    of_article: ArticleMeasures | None = None
    of_gold: BoundaryAgreement | None = None

    def value(self, measure: MeasureId) -> float | None:
        """The value of a measure; the premium is that of Chinese."""
        definition = DEFINITIONS[measure]
        measured = {"text": self.of_text, "languages": self.of_article, "gold": self.of_gold}[definition.of]
        return None if measured is None else getattr(measured, definition.field or measure.replace("-", "_"))

    def values(self) -> dict[str, float | None]:
        """The values of all measures, by the names that files have for them."""
        return {measure.replace("-", "_"): self.value(measure) for measure in MEASURES}


@dataclass(frozen=True, kw_only=True)
class MeasuredTokenizer(Measures):
    """A tokenizer with its measures."""

    row: ComparisonRow

    def as_json(self) -> dict[str, Any]:
        """The tokenizer with its measures, or with the problem that prevented them."""
        row = self.row
        problem = row.problem.message if row.problem else None
        if row.pending:
            problem = _("The vocabulary is still being downloaded. Try again in a moment.")
        about: dict[str, Any] = {
            "algorithm": row.choice.algorithm,
            "vocabulary": row.choice.vocabulary,
            "problem": problem,
        }
        if self.of_text is not None:
            about |= asdict(self.of_text)
        if (article := self.of_article) is not None:
            about["languages"] = {"premiums": article.premiums, "gini": article.gini, "left_out": article.lossy}
        if (gold := self.of_gold) is not None:
            about["gold"] = {"gold_boundaries": gold.gold, "boundaries": gold.found, "both": gold.both} | {
                name: getattr(gold, name) for name in ("precision", "recall", "f1")
            }
        return about


@dataclass(frozen=True)
class Measured:
    """The tokenizers in order, and how many words the text has, `han` of them in runs of Han characters."""

    text: str
    tokenizers: Sequence[MeasuredTokenizer]
    words: int
    han: int

    @property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        return len(self.text.encode("utf-8", "replace"))

    def as_json(self) -> dict[str, Any]:
        """The text in figures, and the measures of each tokenizer; null where there is nothing to divide by."""
        return {
            "characters": len(self.text),
            "bytes": self.bytes,
            "words": self.words,
            "han_words": self.han,
            "words_by": WORDS,
            "tokenizers": [each.as_json() for each in self.tokenizers],
        }

    def table(self) -> Iterator[Sequence[object]]:
        """A row for each tokenizer with all its measures, the header first."""
        yield ("algorithm", "vocabulary", *Measures().values())
        for each in self.tokenizers:
            yield (each.row.choice.algorithm, each.row.choice.vocabulary, *each.values().values())


def measure(rows: Iterable[ComparisonRow], text: str, gold: GoldText | None = None, *, free: bool = False) -> Measured:
    """Measure the rows that have tokens; the others have no measures.

    For a text of 1 MB it takes half a second for the words and about as long for each tokenizer, besides encoding.
    With `free`, the offsets of each row from `rows_of` are freed before the next is tokenized: those of six tokenizers
    together take up to 0.6 GB for a text of 1 MB.
    """
    words = words_of(text, chinese_words)

    def measured(row: ComparisonRow) -> MeasuredTokenizer:
        if row.encoding is None:
            return MeasuredTokenizer(row=row)
        of_text = measures_of(row.encoding, words, row.vocabulary_size)
        of_article = of_gold = None
        if row.result is not None:  # not shared
            of_article = article_measures(row.result.encoder) if _is_of_languages(row) else None
            with suppress(TextError):
                of_gold = boundary_agreement(row.result.encoder, gold) if gold else None
        return MeasuredTokenizer(of_text, of_article, of_gold, row=row)

    found = []
    for row in rows:
        found.append(measured(row))
        if free and row.encoding is not None:
            row.encoding.forget_places()
    return Measured(text, found, len(words), words.han)


def _is_of_languages(row: ComparisonRow) -> bool:
    """Whether the parallel article says something: not of a dictionary of one language, nor of pieces of this text."""
    return not finds_words(row.choice.algorithm) and row.result is not None and not row.result.state.trained


class MeasureLine(NamedTuple):
    """A measure, its title, its unit if the title does not say it, and its values."""

    measure: MeasureId
    title: str
    unit: str
    values: Sequence[str]


MeasureGroups = list[tuple[str, list[MeasureLine]]]
"""Measures of the same text under a heading."""


def shown(measure: MeasureId, value: float | None) -> str:
    """A value as text: a share in percent, anything else with the decimals of its measure."""
    if value is None:
        return "–"
    definition = DEFINITIONS[measure]
    if definition.decimals is None:
        return percent(value) if value >= 0.0005 or not value else f"<{percent(0.001)}"
    return number(value, definition.decimals) + definition.sign


def groups_of(measured: Measured, *, gold: bool, figures: bool = True) -> MeasureGroups:
    """The measures of tokenizers: of the text, with `gold` of the gold text, and of the parallel article.

    Without `figures`, those are left out that a comparison has among its figures.
    """
    groups = [(_("Your text"), measure_lines("text", measured.tokenizers, figures=figures))]
    if gold:
        groups.append((_("The gold segmentation"), measure_lines("gold", measured.tokenizers)))
    if any(one.of_article for one in measured.tokenizers):
        groups.append((_("The same article in 39 languages"), measure_lines("languages", measured.tokenizers)))
    return groups


def measure_lines(of: str, columns: Sequence[Measures], *, figures: bool = True) -> list[MeasureLine]:
    """A line for each measure of the text, of `languages` or of the gold segmentation, with a value for each column."""
    return [
        MeasureLine(
            id,
            _("Premium of Chinese") if id == "premium" else str(each.title),
            "" if each.named_by_unit else str(each.unit),
            [shown(id, one.value(id)) for one in columns],
        )
        for id, each in DEFINITIONS.items()
        if each.of == of and (figures or not each.in_figures)
    ]


def text_lines(columns: Iterable[TextMeasures | None]) -> list[MeasureLine]:
    """A line for each measure of a text, with a column for each of `columns`."""
    return measure_lines("text", list(map(Measures, columns)))


def language_lines(article: ArticleMeasures) -> list[MeasureLine]:
    """The premium of Chinese and the Gini coefficient of one tokenizer."""
    return measure_lines("languages", [Measures(of_article=article)])
