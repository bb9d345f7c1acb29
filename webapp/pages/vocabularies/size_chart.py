"""The chart of characters per token by vocabulary size, for the vocabularies that ship with the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import url_for
from flask_babel import gettext as _

from webapp.rendering.charts import LineChart, Series, linear, logarithmic
from webapp.tokenization.algorithms import algorithm_names
from webapp.vocabularies import CATALOGUE, sizes_record
from webapp.web.localization import number

MARKED = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
NAMED = (500, 2_000, 8_000, 32_000)


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
        description=_description({names[name]: line for name, line in found.items()}),
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


def _description(lines: dict[str, dict[int, float]]) -> str:
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
