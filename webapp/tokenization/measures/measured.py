"""The measures of several tokenizers: on one text, on the parallel article, and against a gold segmentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from webapp.core.algorithms import ALGORITHMS
from webapp.core.analysis.gold_boundaries import BoundaryAgreement, boundary_agreement
from webapp.core.analysis.measures import MeasureId, TextMeasures, measures_of
from webapp.core.analysis.words import words_of
from webapp.core.evaluation.gold import GoldText
from webapp.core.text.split_patterns import TextError
from webapp.tokenization.comparison.rows import ComparisonRow
from webapp.tokenization.measures.article import ArticleMeasures, article_measures
from webapp.vocabularies.chinese_words import chinese_words


@dataclass(frozen=True)
class MeasuredTokenizer:
    """A tokenizer with its measures; None for those that there are not."""

    row: ComparisonRow
    of_text: TextMeasures | None = None
    of_article: ArticleMeasures | None = None
    of_gold: BoundaryAgreement | None = None

    def value(self, measure: MeasureId) -> float | None:
        """The value of a measure; the premium is that of Chinese."""
        match measure:
            case "premium":
                return self.of_article.of_chinese if self.of_article else None
            case "gini":
                return self.of_article.gini if self.of_article else None
            case "boundary-precision":
                return self.of_gold.precision if self.of_gold else None
            case "boundary-recall":
                return self.of_gold.recall if self.of_gold else None
            case "boundary-f1":
                return self.of_gold.f1 if self.of_gold else None
        return self.of_text.value(measure) if self.of_text else None


@dataclass(frozen=True)
class Measured:
    """The tokenizers in order, and how many words the text has, `han` of them in runs of Han characters."""

    tokenizers: Sequence[MeasuredTokenizer]
    words: int
    han: int


def measure(rows: Iterable[ComparisonRow], text: str, gold: GoldText | None = None) -> Measured:
    """Measure the rows that have tokens; the others have no measures.

    For a text of 1 MB it takes half a second for the words and about as long for each tokenizer, besides encoding.
    """
    words = words_of(text, chinese_words)

    def measured(row: ComparisonRow) -> MeasuredTokenizer:
        if row.encoding is None:
            return MeasuredTokenizer(row)
        of_text = measures_of(row.encoding, words, row.vocabulary_size)
        if row.result is None:  # shared
            return MeasuredTokenizer(row, of_text)
        tokenizer = row.result.encoder
        of_article = article_measures(tokenizer) if _is_of_languages(row) else None
        try:
            return MeasuredTokenizer(row, of_text, of_article, boundary_agreement(tokenizer, gold) if gold else None)
        except TextError:
            return MeasuredTokenizer(row, of_text, of_article)

    return Measured([measured(row) for row in rows], len(words), words.han)


def measure_one_by_one(rows: Iterable[ComparisonRow], text: str, gold: GoldText | None = None) -> Measured:
    """`measure` for rows from `rows_of`: frees the offsets of each before the next is tokenized.

    The offsets of six tokenizers together take up to 0.6 GB for a text of 1 MB.
    """

    def freed() -> Iterator[ComparisonRow]:
        for row in rows:
            yield row
            if row.encoding is not None:
                row.encoding.forget_places()

    return measure(freed(), text, gold)


def _is_of_languages(row: ComparisonRow) -> bool:
    """Whether the parallel article says something: not of a dictionary of one language, nor of pieces of this text."""
    of_words = ALGORITHMS[row.choice.algorithm].family in ("dictionary", "word model")
    return not of_words and row.result is not None and not row.result.state.trained
