"""Passages encoded by tokenizers, and the measure of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask_babel import get_locale
from flask_babel import gettext as _

from webapp.core.text.split_patterns import TextError
from webapp.pages.languages.forms import MAX_CHARACTERS, LanguagesRequest, Measure
from webapp.tokenization.encoding import encode
from webapp.tokenization.measures.article import LOSSY, fair
from webapp.tokenization.parallel_article import BASE, Passage, passages
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, tokenizer_of


@dataclass(frozen=True)
class PassageRow:
    """A passage and its number of tokens with each vocabulary; None if a vocabulary cannot encode it."""

    passage: Passage
    language: str  # name of the language, in the reader's language
    script: str  # name of the script, in the reader's language
    tokens: Mapping[str, int | None]
    values: Mapping[str, float | None]  # the chosen measure, for each vocabulary
    unknown: Mapping[str, float]  # the share of tokens that are unknown, from 0 to 1

    def lossy(self, name: str) -> bool:
        """Whether too many of a vocabulary's tokens are unknown for their number to be meaningful."""
        return self.unknown.get(name, 0) > LOSSY


@dataclass(frozen=True)
class LanguageMeasurements:
    """The rows, in order, and the unavailable vocabularies with the reason."""

    rows: Sequence[PassageRow]
    missing: Mapping[str, UnavailableVocabularyError | StillFetchingError]


@dataclass(frozen=True)
class LanguageEquality:
    """How equally a vocabulary treats the languages of the article: Gini, and the highest premium with its language.

    Languages with too many unknown tokens do not count; `languages` do, and `all` says whether those are all.
    """

    vocabulary: str
    gini: float | None
    premium: float | None
    language: str
    languages: int
    all: bool


def equality_of(rows: Sequence[PassageRow], vocabulary: str) -> LanguageEquality:
    """The equality of the languages of the article for one vocabulary."""
    articles = {row.passage.key: row for row in rows if row.passage.comparable and row.passage.key != "own"}
    tokens = {key: count for key, row in articles.items() if (count := row.tokens[vocabulary]) is not None}
    unknown = {key: row.unknown.get(vocabulary, 0) for key, row in articles.items()}
    premiums, inequality, lossy = fair(tokens, unknown)
    highest = max(premiums, key=premiums.__getitem__, default=None)
    return LanguageEquality(
        vocabulary,
        inequality,
        premiums[highest] if highest else None,
        articles[highest].language if highest else "",
        len(tokens) - len(lossy),
        not lossy,
    )


def measure(asked: LanguagesRequest) -> LanguageMeasurements:
    """Encode every passage with every tokenizer."""
    missing: dict[str, UnavailableVocabularyError | StillFetchingError] = {}
    counts: dict[str, dict[str, int | None]] = {}
    unknown: dict[str, dict[str, float]] = {}
    shown = [*_own(asked), *passages()]
    english = [Passage("own-english", "en", "Latn", "", asked.own_english)] if asked.own_english else []
    for name in asked.vocabularies:
        try:
            tokenizer = tokenizer_of(name)
        except (UnavailableVocabularyError, StillFetchingError) as error:
            missing[name] = error
            continue
        counts[name], unknown[name] = {}, {}
        for passage in (*shown, *english):
            try:
                encoding = encode(tokenizer, passage.text)
                counts[name][passage.key] = len(encoding)
                unknown[name][passage.key] = len(encoding.unknown) / len(encoding) if len(encoding) else 0
            except TextError:
                counts[name][passage.key] = None
    rows = []
    for passage in shown:
        base = "own-english" if passage.key == "own" and english else BASE
        tokens = {name: found[passage.key] for name, found in counts.items()}
        values = {name: _value(asked.measure, passage, count, counts[name][base]) for name, count in tokens.items()}
        lost = {name: found.get(passage.key, 0) for name, found in unknown.items()}
        rows.append(PassageRow(passage, _language(passage), _script(passage), tokens, values, lost))
    return LanguageMeasurements(_sorted(rows, asked), missing)


def _own(asked: LanguagesRequest) -> list[Passage]:
    return [Passage("own", "", "", "", asked.own)] if 0 < len(asked.own) <= MAX_CHARACTERS else []


def _value(measure: Measure, passage: Passage, count: int | None, english: int | None) -> float | None:
    if not count:
        return None
    match measure:
        case "relative":
            return count / english if english and passage.comparable else None
        case "tokens":
            return count
        case "characters":
            return len(passage.text) / count
    return len(passage.text.encode("utf-8", "replace")) / count


def _sorted(rows: list[PassageRow], asked: LanguagesRequest) -> list[PassageRow]:
    """Sort the rows as requested; rows without a value come last in either order."""
    if asked.sort == "name":
        return sorted(rows, key=lambda row: row.language, reverse=asked.descending)
    if asked.sort == "script":
        return sorted(rows, key=lambda row: (row.script, row.language), reverse=asked.descending)
    if not asked.sort:
        return rows
    known = [row for row in rows if row.values.get(asked.sort) is not None]
    known.sort(key=lambda row: row.values[asked.sort] or 0, reverse=asked.descending)
    return known + [row for row in rows if row.values.get(asked.sort) is None]


def _language(passage: Passage) -> str:
    if passage.key == "own":
        return _("Your passage")
    if passage.key == "code":
        return _("Code")
    locale = get_locale()
    return str(locale.languages.get(passage.language, passage.name)) if locale else passage.name


def _script(passage: Passage) -> str:
    locale = get_locale()
    script = {"Hans": "Hani", "Hant": "Hani"}.get(passage.script, passage.script)
    return str(locale.scripts.get(script, passage.script)) if locale else passage.script
