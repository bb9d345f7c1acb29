"""What the page of a vocabulary shows of it: bars, settings of its pipeline, added tokens, growth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flask import url_for
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.analysis.pipeline_summary import PipelineStep
from webapp.core.analysis.portrait import Portrait
from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies.token_table import shown_token
from webapp.rendering.charts import LineChart, Series, linear, logarithmic
from webapp.rendering.markup import visible
from webapp.tokenization.algorithms import algorithm_names
from webapp.vocabularies import CATALOGUE, sizes_record
from webapp.vocabularies.token_kinds import kind_title
from webapp.web.localization import number

ONE_BY_ONE = 16  # lengths up to this have their own row; longer ones share rows
LONGEST_VALUE = 300  # characters of a setting that are shown
MARKED = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
NAMED = (500, 2_000, 8_000, 32_000)


@dataclass(frozen=True)
class PortraitBar:
    """A row: the number of tokens, their share, and the length of the bar in percent of the longest."""

    title: str
    count: int
    share: float
    percent: float


def length_bars(portrait: Portrait) -> list[PortraitBar]:
    """The tokens by number of characters: 1, 2, … 16, 17–32, 33–64 and so on.

    Rows without a token that follow each other are one row, so that a gap is seen and does not fill the page.
    """
    counts: dict[tuple[int, int], int] = {}
    first, longest = min(portrait.lengths, default=1), max(portrait.lengths, default=0)
    length = min(first, 1)
    while length <= longest:
        counts[_range(length)] = 0
        length = _range(length)[1] + 1
    for length, count in portrait.lengths.items():
        counts[_range(length)] += count
    rows: list[tuple[str, int]] = []
    for is_empty, group in groupby(counts.items(), key=lambda row: not row[1]):
        if is_empty:
            gap = [lengths for lengths, _count in group]
            rows.append((_title(gap[0][0], gap[-1][1]), 0))
        else:
            rows += [(_title(*lengths), count) for lengths, count in group]
    return _bars(rows, portrait.size)


def kind_bars(portrait: Portrait) -> list[PortraitBar]:
    """The tokens by script or other kind, most frequent first."""
    return _bars(((kind_title(kind), count) for kind, count in portrait.kinds.items()), portrait.size)


def _range(length: int) -> tuple[int, int]:
    """The first and last length of the row that contains `length`.

    >>> [_range(length) for length in (7, 16, 17, 32, 33, 128)]
    [(7, 7), (16, 16), (17, 32), (17, 32), (33, 64), (65, 128)]
    """
    if length <= ONE_BY_ONE:
        return length, length
    last = 1 << (length - 1).bit_length()
    return last // 2 + 1, last


def _title(first: int, last: int) -> str:
    return number(first) if first == last else f"{number(first)}–{number(last)}"


def _bars(counts: Iterable[tuple[str, int]], size: int) -> list[PortraitBar]:
    counts = list(counts)
    longest = max((count for _, count in counts), default=0) or 1
    return [PortraitBar(title, count, count / size, round(100 * count / longest, 2)) for title, count in counts]


def settings_of(step: PipelineStep) -> list[tuple[str, Markup]]:
    """The name of each setting of a step, and a phrase for it; a setting without a phrase is shown by its name."""
    if {("behavior", "removed"), ("invert", "true")} <= set(step.settings):
        # Removing what does not match keeps what does.
        others = [(name, _phrase(step, name, value)) for name, value in step.settings if name == "pattern"]
        return [*others, ("behavior removed, invert", Markup.escape(_("keeps only matches")))]
    return [(name, _phrase(step, name, value)) for name, value in step.settings]


def _phrase(step: PipelineStep, name: str, value: str) -> Markup:
    values = _values()
    said = _switches().get((name, value)) or values.get((step.name, name)) or values.get(("", name))
    if said is None:
        return Markup("{} <code>{}</code>").format(name, _shown(value))
    return Markup.escape(said) % {"value": Markup("<code>{}</code>").format(_shown(value))}


def _shown(value: str) -> str:
    return visible(value[:LONGEST_VALUE], show=True) + ("…" if len(value) > LONGEST_VALUE else "")


def _switches() -> dict[tuple[str, str], str]:
    """A setting and its value → a phrase."""
    return {
        ("add_prefix_space", "true"): _("puts a space before the text"),
        ("behavior", "removed"): _("removes matches"),
        ("behavior", "merged_with_previous"): _("joins matches to the text before them"),
        ("behavior", "merged_with_next"): _("joins matches to the text after them"),
        ("behavior", "contiguous"): _("keeps neighbouring matches together"),
        ("invert", "true"): _("the pattern matches the pieces, not what separates them"),
        ("prepend", "false"): _("puts no mark before the text"),
        ("only_first", "true"): _("puts a mark only before the first word"),
        ("splits", "false"): _("does not split at spaces"),
        ("clean_text", "false"): _("keeps control characters"),
        ("handle_chinese_chars", "false"): _("does not isolate Chinese characters"),
        ("strip_accents", "true"): _("strips accents"),
        ("strip_accents", "false"): _("keeps accents"),
        ("lowercase", "false"): _("keeps case"),
        ("left", "false"): _("not at the beginning"),
        ("right", "false"): _("not at the end"),
        ("individual", "true"): _("every digit by itself"),
        ("cleanup", "false"): _("keeps spaces before punctuation"),
        ("regular", "true"): _("(a regular expression)"),
        ("add_dummy_prefix", "false"): _("puts no space before the text"),
        ("remove_extra_whitespaces", "false"): _("keeps repeated spaces"),
        ("escape_whitespaces", "false"): _("leaves spaces as they are"),
        ("whitespace_as_suffix", "true"): _("marks the space at the end of a word"),
        ("strip", "nothing"): _("keeps the space before the text"),
        ("strip", "all"): _("removes all spaces before the text"),
        ("byte_level", "true"): _("on bytes"),
        ("byte_fallback", "true"): _("spells unknown characters as bytes"),
        ("ignore_merges", "true"): _("uses a whole word if it is a piece"),
        ("fuse_unknown", "true"): _("merges neighbouring unknown tokens"),
    }


def _values() -> dict[tuple[str, str], str]:
    """A step, or none, and its setting → a phrase around the value."""
    return {
        ("Replace", "pattern"): _("replaces %(value)s"),
        ("Replace", "content"): _("by %(value)s"),
        ("Prepend", "prepend"): _("puts %(value)s before the text"),
        ("Strip", "content"): _("strips %(value)s"),
        ("Strip", "start"): _("up to %(value)s at the beginning"),
        ("Strip", "stop"): _("up to %(value)s at the end"),
        ("", "pattern"): _("by the pattern %(value)s"),
        ("", "separator"): _("with %(value)s in between"),
        ("", "replacement"): _("writes a space as %(value)s"),
        ("", "suffix"): _("%(value)s ends a word"),
        ("", "end_of_word_suffix"): _("%(value)s ends a word"),
        ("", "prefix"): _("%(value)s begins a piece inside a word"),
        ("", "continuing_subword_prefix"): _("%(value)s begins a piece inside a word"),
        ("", "max_word_length"): _("words of up to %(value)s characters"),
        ("", "delimiter"): _("at every %(value)s"),
        ("", "length"): _("%(value)s characters each"),
        ("", "pad"): _("drops %(value)s"),
        ("", "word_delimiter"): _("writes %(value)s as a space"),
        ("", "unknown"): _("the unknown token is %(value)s"),
        ("", "unknown_surface"): _("writes an unknown token as %(value)s"),
    }


@dataclass(frozen=True)
class SpecialLine:
    """An added token: its id, its text, its kind, its flags, and the id that its file declares if `tokenizers` gives it
    another."""

    id: int
    content: str
    kind: str
    flags: Sequence[str]
    declared_id: int | None = None


def special_lines(tokenizer: Tokenizer) -> list[SpecialLine]:
    """The added tokens by id, and the unknown token if it has an id."""
    lines = [
        SpecialLine(
            token.id,
            shown_token(token.content),
            _("special token") if token.special else _("added token"),
            [flag for flag in ("normalized", "single_word", "lstrip", "rstrip") if getattr(token, flag)],
            token.declared_id,
        )
        for token in tokenizer.added_tokens
    ]
    unknown, pieces = tokenizer.model.unknown_id, tokenizer.model.pieces
    if unknown is not None and unknown < len(pieces) and all(line.id != unknown for line in lines):
        piece = pieces[unknown]
        lines.append(SpecialLine(unknown, shown_token(piece), _("unknown token"), ()))
    return sorted(lines, key=lambda line: line.id)


@dataclass(frozen=True)
class ChartPanel:
    """The chart of one language and its table: a row per size, a column per vocabulary, None without a figure."""

    chart: LineChart
    names: list[str]
    rows: list[tuple[int, list[float | None]]]


def size_chart(vocabulary: str | None = None) -> list[ChartPanel]:
    """A panel for each held-out text, with the line of `vocabulary` emphasized; empty if it has no line."""
    record = sizes_record()
    if vocabulary is not None and vocabulary not in record["vocabularies"]:
        return []
    titles = {
        "English": _("English: “Pride and Prejudice”"),
        "Chinese": _("Chinese: essays by Lu Xun"),
    }
    return [_panel(record, language, titles[language], vocabulary) for language in record["texts"]]


def _panel(record: dict[str, Any], language: str, title: str, strong: str | None) -> ChartPanel:
    characters = record["texts"][language]["characters"]
    names = {name: _label(name) for name in record["vocabularies"]}
    found: dict[str, dict[int, float]] = {
        name: {one["pieces"]: characters / one["tokens"][language] for one in line}
        for name, line in record["vocabularies"].items()
    }
    values = [value for line in found.values() for value in line.values()]
    chart = LineChart(
        key=f"growth-{language.lower()}",
        title=title,
        description=_chart_in_words({names[name]: line for name, line in found.items()}),
        x=logarithmic(_("pieces in the vocabulary"), MARKED[0], MARKED[-1], MARKED, NAMED),
        y=linear(_("characters per token"), values),
        files=tuple(
            (title, url_for("vocabularies.growth_file", language=language.lower(), kind=kind))
            for kind, title in (("svg", "SVG"), ("png", "PNG"))
        ),
        series=tuple(Series(names[name], tuple(line.items()), name == strong) for name, line in found.items()),
    )
    sizes = sorted({pieces for line in found.values() for pieces in line})
    rows = [(pieces, [line.get(pieces) for line in found.values()]) for pieces in sizes]
    return ChartPanel(chart, [names[name] for name in found], rows)


def _label(name: str) -> str:
    """The label of a vocabulary's line: its algorithm, and where there are two for it, what tells them apart."""
    labels = {"bpe-bytes": _("BPE, bytes"), "bpe-characters": _("BPE, %(suffix)s", suffix="</w>")}
    return labels.get(name) or algorithm_names()[CATALOGUE[name].algorithms[0]]


def _chart_in_words(lines: dict[str, dict[int, float]]) -> str:
    """The chart in words, for screen readers."""
    said = [
        _(
            "%(name)s: %(first)s characters per token with %(least)s pieces, %(last)s with %(most)s.",
            name=name,
            first=number(line[min(line)], 2),
            least=number(min(line)),
            last=number(line[max(line)], 2),
            most=number(max(line)),
        )
        for name, line in lines.items()
    ]
    return " ".join(said)
