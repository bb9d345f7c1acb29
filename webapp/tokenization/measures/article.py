"""One article in many languages, and what it says about a tokenizer: premiums, Gini, and measures of two texts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from weakref import WeakKeyDictionary

from webapp.core.analysis.measures import TextMeasures, gini, measures_of, premium
from webapp.core.analysis.words import TextWords, words_of
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.encoding import encode
from webapp.vocabularies.shipped_vocabularies import chinese_words
from webapp.vocabularies.uploads import number_of_ids

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
    comparable: bool = True  # whether it is a translation of the English article


@cache
def passages() -> tuple[Passage, ...]:
    """The article in every language, English first, followed by the code."""
    content = tomllib.loads(files(__package__).joinpath("parallel_article.toml").read_text(encoding="utf-8"))
    articles = [Passage(item["language"], **item) for item in content["article"]]
    return (*articles, Passage("code", "", "", **content["code"], comparable=False))


@dataclass(frozen=True)
class ArticleMeasures:
    """Premiums by language, ascending, and the Gini coefficient; `lossy` languages are in neither.

    `english` and `chinese` are the measures of the article in these languages, None if it cannot be encoded.
    """

    premiums: Mapping[str, float]
    gini: float | None
    lossy: Sequence[str]
    english: TextMeasures | None
    chinese: TextMeasures | None

    @property
    def of_chinese(self) -> float | None:
        """The premium of Chinese; None if too many of its tokens are unknown."""
        return self.premiums.get(CHINESE)


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
    for passage in _articles():
        try:
            encoding = encode(tokenizer, passage.text)
            tokens[passage.key] = len(encoding)
            unknown[passage.key] = len(encoding.unknown) / len(encoding) if len(encoding) else 0.0
        except TextError:
            continue
    premiums, inequality, lossy = fair(tokens, unknown)
    return ArticleMeasures(premiums, inequality, lossy, _of(tokenizer, BASE), _of(tokenizer, CHINESE))


def _of(tokenizer: Tokenizer, key: str) -> TextMeasures | None:
    text, words = _text_and_words(key)
    try:
        return measures_of(encode(tokenizer, text), words, number_of_ids(tokenizer))
    except TextError:
        return None


@cache
def _text_and_words(key: str) -> tuple[str, TextWords]:
    text = next(passage.text for passage in _articles() if passage.key == key)
    return text, words_of(text, chinese_words)


def _articles() -> list[Passage]:
    return [passage for passage in passages() if passage.comparable]
