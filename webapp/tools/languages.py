"""`/languages`: how many tokens one passage needs in each of many languages, with the same tokenizers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import median
from typing import Annotated, Any, ClassVar, Literal

from flask import request
from flask_babel import get_locale
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from pydantic import AfterValidator, Field

from webapp.core.algorithms import ALGORITHMS, family_of, finds_words
from webapp.core.text.split_patterns import TextError
from webapp.rendering.charts import SHAPES, Scale
from webapp.rendering.pictures import figure
from webapp.rendering.pictures.svg import Theme
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import Groups, is_independent, vocabulary_choices
from webapp.tokenization.measures.measured import BASE, LOSSY, Passage, fair, passages, shown
from webapp.tokenization.messages import unavailable_problem
from webapp.tokenization.result import encode
from webapp.tools.inputs import FromForm, Input
from webapp.tools.kernel import Tool
from webapp.vocabularies import (
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    default_for,
    find,
    title_of,
    tokenizer_of,
    well_known,
)
from webapp.vocabularies.library import is_here
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import number

Measure = Literal["relative", "tokens", "characters", "bytes"]
MEASURES: Mapping[Measure, LazyString] = {
    "relative": _l("Compared with English"),
    "tokens": _l("Tokens"),
    "characters": _l("Characters per token"),
    "bytes": _l("Bytes per token"),
}
SHIPPED_VOCABULARIES = tuple(
    default_for(name) for name, algorithm in ALGORITHMS.items() if not finds_words(name) and default_for(name)
)
KNOWN_VOCABULARIES = (
    *("o200k_base", "cl100k_base", "qwen3", "mistral-7b-v0-1"),
    *("llama-3", "deepseek-v3", "gemma-3", "xlm-roberta", "gpt2"),
)
"""Well-known vocabularies that the page shows first if they have been downloaded, in order of preference."""
MAX_TOKENIZERS = 6
MAX_DEFAULTS = 4
MAX_CHARACTERS = 2_000  # of the visitor's own passage


def _limited(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > MAX_TOKENIZERS:
        message = _("These are %(count)s tokenizers; choose at most %(most)s.", count=len(names), most=MAX_TOKENIZERS)
        raise InputProblem(message, 422)
    for name in names:
        entry = find(name)
        if entry is None or not is_comparable(entry):
            message = _("There is no vocabulary “%(name)s” for comparing languages.", name=name[:40])
            raise InputProblem(message, 404)
    return names


def _short(text: str) -> str:
    if len(text) > MAX_CHARACTERS:
        message = _(
            "Your passage has %(size)s characters; the limit is %(most)s. Shorten it and try again.",
            size=number(len(text)),
            most=number(MAX_CHARACTERS),
        )
        raise InputProblem(message, 413)
    return text


OwnPassage = Annotated[str, AfterValidator(_short)]


class LanguagesInput(Input):
    """Vocabularies, a measure, an order and the visitor's own passage."""

    chosen: Annotated[tuple[str, ...], AfterValidator(_limited), Field(serialization_alias="with")] = ()
    measure: Annotated[Measure, FromForm(button=True)] = "relative"
    # `name`, `script`, or the name of a vocabulary; the button of a column has it with the order: `name down`.
    sort: Annotated[str, FromForm(("by",), choose=lambda values: values[0].partition(" ")[0])] = ""
    order: Annotated[
        Literal["", "down"], FromForm(("by",), choose=lambda values: "down" if values[0].endswith("down") else "")
    ] = ""
    own: OwnPassage = ""
    own_english: OwnPassage = ""
    theme: Annotated[Theme, FromForm(button=True), Field(serialization_alias="colours")] = "light"
    most: ClassVar[int] = MAX_TOKENIZERS
    measures: ClassVar[Mapping[Measure, LazyString]] = MEASURES

    def query(self, **changes: Any) -> str:
        """The query string, with the vocabularies only if they are not those that the page shows first."""
        return super().query(**({"chosen": ()} if self.vocabularies == default_vocabularies() else {}), **changes)

    @cached_property
    def vocabularies(self) -> tuple[str, ...]:
        """The vocabularies to compare."""
        # Links from before OpenAI's encodings shipped may name a demo vocabulary by the order alone.
        return self.chosen or (SHIPPED_VOCABULARIES if self.sort in SHIPPED_VOCABULARIES else default_vocabularies())

    @property
    def titles(self) -> dict[str, str]:
        """The title of each vocabulary."""
        return {name: title_of(entry) if (entry := find(name)) else name for name in self.vocabularies}

    @property
    def groups(self) -> Groups:
        """The vocabularies to choose from, under headings."""
        return vocabulary_choices(request, *self.vocabularies, keep=is_offered)


def default_vocabularies() -> tuple[str, ...]:
    """The well-known vocabularies that are ready to use, or else the site's own."""
    here = [entry.name for entry in well_known() if is_here(entry) and is_comparable(entry)]
    ready = [*(name for name in KNOWN_VOCABULARIES if name in here), *(n for n in here if n not in KNOWN_VOCABULARIES)]
    ready = [name for name in ready if name in KNOWN_VOCABULARIES or not WELL_KNOWN[name].ships]
    return tuple(ready[:MAX_DEFAULTS]) if len(ready) > 1 else (*ready, *SHIPPED_VOCABULARIES)


def is_comparable(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary can be compared: not what depends on a text, nor a word list, which is of one language."""
    return is_independent(entry) and family_of(entry.algorithms[0]) != "dictionary"


def is_offered(entry: CatalogueEntry) -> bool:
    """Whether the page offers a vocabulary; one that finds words of Chinese is compared only where an address asks."""
    return is_comparable(entry) and not finds_words(entry.algorithms[0])


@dataclass(frozen=True)
class PassageRow:
    """A passage and its number of tokens with each vocabulary; None if a vocabulary cannot encode it."""

    passage: Passage
    tokens: Mapping[str, int | None]
    values: Mapping[str, float | None]  # the chosen measure, for each vocabulary
    unknown: Mapping[str, float]  # the share of tokens that are unknown, from 0 to 1

    @property
    def language(self) -> str:
        """The name of the language, in the reader's language."""
        locale = get_locale()
        name = locale.languages.get(self.passage.language, self.passage.name) if locale else self.passage.name
        return _("Your passage") if self.passage.key == "own" else str(name)

    @property
    def script(self) -> str:
        """The name of the script, in the reader's language."""
        locale = get_locale()
        script = self.passage.script
        return str(locale.scripts.get("Hani" if script in ("Hans", "Hant") else script, script)) if locale else script

    def lossy(self, name: str) -> bool:
        """Whether too many of a vocabulary's tokens are unknown for their number to be meaningful."""
        return self.unknown.get(name, 0) > LOSSY


@dataclass(frozen=True)
class LanguageEquality:
    """How equally a vocabulary treats the languages of the article: Gini, and the highest premium with its language."""

    vocabulary: str
    gini: float | None
    premium: float | None
    language: str
    languages: int  # that count: those without too many unknown tokens
    all: bool  # whether those are all


@dataclass(frozen=True)
class Languages:
    """The passages in order, and the unavailable vocabularies: why, or nothing for one that is being downloaded."""

    given: LanguagesInput
    rows: Sequence[PassageRow]
    missing: Mapping[str, str]
    shapes: ClassVar[Sequence[str]] = SHAPES
    shown = staticmethod(shown)

    @cached_property
    def available(self) -> dict[str, str]:
        """The titles of the vocabularies that could be loaded."""
        return {name: title for name, title in self.given.titles.items() if name not in self.missing}

    @cached_property
    def scale(self) -> Scale:
        """The scale that covers all values."""
        values = [value for row in self.rows for value in row.values.values() if value is not None]
        return Scale.covering(values, logarithmic=self.given.measure == "relative")

    @property
    def focus(self) -> str:
        """The vocabulary whose figures the rows show: that of the order, or else the first; empty without any."""
        return self.given.sort if self.given.sort in self.available else next(iter(self.available), "")

    @property
    def lossy(self) -> bool:
        """Whether a vocabulary has too many unknown tokens for some passage."""
        return any(row.lossy(name) for row in self.rows for name in self.available)

    def marks(self, row: PassageRow) -> list[tuple[int, float]]:
        """The index and position of each vocabulary's mark in a row that has a value; the first is drawn on top."""
        found = [(index, row.values.get(name)) for index, name in enumerate(self.given.vocabularies)]
        return [(index, self.scale.place(value)) for index, value in reversed(found) if value is not None]

    @cached_property
    def facts(self) -> tuple[PassageRow, PassageRow, float] | None:
        """Of the vocabulary in focus, the languages with the highest and the lowest value, and the median."""
        focus = self.focus
        known = [row for row in self.rows if row.passage.key != "own"]
        known = [row for row in known if row.values.get(focus) is not None and not row.lossy(focus)]
        if not known:
            return None
        known.sort(key=lambda row: row.values[focus] or 0)
        return known[-1], known[0], median(row.values[focus] or 0 for row in known)

    @cached_property
    def equality(self) -> list[LanguageEquality]:
        """The equality of the languages of the article for each vocabulary."""
        return list(map(self._equality, self.available))

    def _equality(self, vocabulary: str) -> LanguageEquality:
        articles = {row.passage.key: row for row in self.rows if row.passage.key != "own"}
        tokens = {key: count for key, row in articles.items() if (count := row.tokens[vocabulary]) is not None}
        unknown = {key: row.unknown.get(vocabulary, 0) for key, row in articles.items()}
        premiums, inequality, lossy = fair(tokens, unknown)
        highest = max(premiums, key=premiums.__getitem__, default=None)
        premium, language = (premiums[highest], articles[highest].language) if highest else (None, "")
        return LanguageEquality(vocabulary, inequality, premium, language, len(tokens) - len(lossy), not lossy)


def languages(given: LanguagesInput) -> Languages:
    """Encode every passage with every tokenizer."""
    missing: dict[str, str] = {}
    counts: dict[str, dict[str, int | None]] = {}
    unknown: dict[str, dict[str, float]] = {}
    listed = [*([Passage("own", "", "", "", given.own)] if given.own else []), *passages()]
    english = [Passage("own-english", "en", "Latn", "", given.own_english)] if given.own_english else []
    for name in given.vocabularies:
        try:
            tokenizer = tokenizer_of(name)
        except (UnavailableVocabularyError, StillFetchingError) as error:
            missing[name] = unavailable_problem(error).message if isinstance(error, UnavailableVocabularyError) else ""
            continue
        counts[name], unknown[name] = {}, {}
        for passage in (*listed, *english):
            try:
                encoding = encode(tokenizer, passage.text)
                counts[name][passage.key] = len(encoding)
                unknown[name][passage.key] = len(encoding.unknown) / len(encoding) if len(encoding) else 0
            except TextError:
                counts[name][passage.key] = None
    rows = []
    for passage in listed:
        base = "own-english" if passage.key == "own" and english else BASE
        tokens = {name: found[passage.key] for name, found in counts.items()}
        values = {name: _value(given.measure, passage, count, counts[name][base]) for name, count in tokens.items()}
        lost = {name: found.get(passage.key, 0) for name, found in unknown.items()}
        rows.append(PassageRow(passage, tokens, values, lost))
    return Languages(given, _sorted(rows, given), missing)


def _value(measure: Measure, passage: Passage, count: int | None, english: int | None) -> float | None:
    if not count:
        return None
    if measure == "relative":
        return count / english if english else None
    length = len(passage.text) if measure == "characters" else len(passage.text.encode("utf-8", "replace"))
    return count if measure == "tokens" else length / count


def _sorted(rows: list[PassageRow], given: LanguagesInput) -> list[PassageRow]:
    """Sort the rows as requested; rows without a value come last in either order."""
    if not given.sort:
        return rows
    if given.sort in ("name", "script"):
        key = (lambda row: row.language) if given.sort == "name" else lambda row: (row.script, row.language)
        return sorted(rows, key=key, reverse=given.order == "down")
    known = [row for row in rows if row.values.get(given.sort) is not None]
    known.sort(key=lambda row: row.values[given.sort] or 0, reverse=given.order == "down")
    return known + [row for row in rows if row.values.get(given.sort) is None]


def answer(found: Languages) -> dict[str, Any]:
    """Every figure, for programs."""
    return {
        "measure": found.given.measure,
        "vocabularies": list(found.available),
        "gini": {each.vocabulary: each.gini for each in found.equality},
        "missing": list(found.missing),
        "passages": [
            {
                "language": row.passage.language or row.passage.key,
                "script": row.passage.script,
                "text": row.passage.text,
                "characters": len(row.passage.text),
                "bytes": len(row.passage.text.encode("utf-8", "replace")),
                "tokens": row.tokens,
                "unknown": row.unknown,
                "values": row.values,
            }
            for row in found.rows
        ],
    }


def table(found: Languages) -> Iterator[Sequence[object]]:
    """A row for each passage."""
    yield ["language", "script", *found.available.values(), "text"]
    for row in found.rows:
        yield [row.language, row.script, *row.values.values(), row.passage.text]


NAMES, STRIP, ROW, HEAD = 150.0, 620.0, 22.0, 66.0


def strips_figure(found: Languages) -> figure.Figure:
    """A row for each passage, with a mark for each vocabulary that could be loaded."""
    rows, titles, measure = found.rows, found.available, found.given.measure
    caption = str(MEASURES[measure])
    height = HEAD + ROW * len(rows)
    shapes: list[figure.Shape] = [figure.FigureLabel(0, 12, caption, "strong", 14, "start")]
    left = 0.0
    for name, title in titles.items():
        shapes += _mark(found.given.vocabularies.index(name), left + 7, 32)
        shapes.append(figure.FigureLabel(left + 18, 36, title, "", 12, "start"))
        left += 40 + 7.5 * len(title)
    for tick in found.scale.ticks():
        x = NAMES + tick.place * STRIP / 100
        shapes.append(figure.FigurePath(f"M{x:.1f} {HEAD - 8:.1f}V{height:.1f}", "grid"))
        written = (
            f"1/{round(1 / tick.value)}"
            if measure == "relative" and tick.value < 1
            else number(tick.value, int(tick.value != int(tick.value)))
        )
        shapes.append(figure.FigureLabel(x, HEAD - 14, written, "quiet", 11))
    for place, row in enumerate(rows):
        y = HEAD + ROW * place + ROW / 2
        shapes.append(figure.FigureLabel(NAMES - 10, y + 4, row.language, "", 12, "end"))
        for index, percent in found.marks(row):
            shapes += _mark(index, NAMES + percent * STRIP / 100, y, hollow=row.lossy(found.given.vocabularies[index]))
    width = max(NAMES + STRIP, left)
    return figure.Figure("languages", width, height, tuple(shapes), title=caption)


def _mark(index: int, x: float, y: float, *, hollow: bool = False) -> list[figure.Shape]:
    """A mark around a point. Shapes tell the vocabularies apart, as on the page; hollow ones have no filling."""
    if index == 0:
        return [figure.FigureDot(x, y, 5, "on" if hollow else "now")]
    if index == 1:
        return [figure.FigureBox(x - 4.5, y - 4.5, 9, 9, "made" if hollow else "new", 0)]
    outlines = {
        2: f"M{x:.1f} {y - 5:.1f}l5.5 9.5h-11z",
        3: f"M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z",
        4: f"M{x - 5:.1f} {y:.1f}h10M{x:.1f} {y - 5:.1f}v10",
        5: f"M{x:.1f} {y + 5:.1f}l5.5 -9.5h-11z",
    }
    return [figure.FigurePath(outlines[index], "miss" if hollow else "best")]


def picture(kind: str, found: Languages) -> Iterator[str | bytes]:
    """The chart as a file."""
    draw = figure.figure_png if kind == "png" else figure.figure_svg
    yield draw(strips_figure(found), theme=found.given.theme)


TOOL = Tool(
    name="languages",
    address="/languages",
    input=LanguagesInput,
    run=languages,
    answer=answer,
    table=table,
    files={"svg": ("image/svg+xml", partial(picture, "svg")), "png": ("image/png", partial(picture, "png"))},
)
