"""The chart of characters per token by the size of a vocabulary: for the list, for a vocabulary, and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Response, jsonify, url_for
from flask_babel import gettext as _

from webapp.pages.vocabularies.found import blueprint
from webapp.pages.walkthrough.engine import PictureKind, picture_file
from webapp.rendering.charts import LineChart, Series, chart_figure, linear, logarithmic
from webapp.tokenization.algorithms import algorithm_names
from webapp.vocabularies import CATALOGUE, sizes_record
from webapp.web.localization import number

MARKED = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
NAMED = (500, 2_000, 8_000, 32_000)


@dataclass(frozen=True)
class GrowthPanel:
    """The chart of one language and its table: a row per size, a column per vocabulary, None without a figure."""

    chart: LineChart
    rows: Sequence[tuple[int, Sequence[float | None]]]


def size_chart(vocabulary: str | None = None) -> list[GrowthPanel]:
    """A panel for each held-out text, with the line of `vocabulary` emphasized; empty if it has no line."""
    record = sizes_record()
    if vocabulary is not None and vocabulary not in record["vocabularies"]:
        return []
    titles = {"English": _("English: “Pride and Prejudice”"), "Chinese": _("Chinese: essays by Lu Xun")}
    labels = {"bpe-bytes": _("BPE, bytes"), "bpe-characters": _("BPE, %(suffix)s", suffix="</w>")}
    labels = {name: algorithm_names()[CATALOGUE[name].algorithms[0]] for name in record["vocabularies"]} | labels
    panels = []
    for language, text in record["texts"].items():
        found: dict[str, dict[int, float]] = {
            name: {one["pieces"]: text["characters"] / one["tokens"][language] for one in line}
            for name, line in record["vocabularies"].items()
        }
        address = {"endpoint": "vocabularies.growth_file", "language": language.lower()}
        chart = LineChart(
            key=f"growth-{language.lower()}",
            title=titles[language],
            description=_("Characters per token, by size of the vocabulary"),
            x=logarithmic(_("pieces in the vocabulary"), MARKED[0], MARKED[-1], MARKED, number, NAMED),
            y=linear(_("characters per token"), [value for line in found.values() for value in line.values()], number),
            files=tuple((kind.upper(), url_for(**address, kind=kind)) for kind in ("svg", "png")),
            series=tuple(Series(labels[name], tuple(line.items()), name == vocabulary) for name, line in found.items()),
        )
        sizes = sorted({pieces for line in found.values() for pieces in line})
        panels.append(GrowthPanel(chart, [(size, [line.get(size) for line in found.values()]) for size in sizes]))
    return panels


@blueprint.get("/vocabularies/growth/<any(english, chinese):language>.<any(svg, png):kind>")
def growth_file(language: str, kind: PictureKind) -> Response:
    """The chart of characters per token by vocabulary size in one language; `colours=dark` for the dark theme."""
    chart = next(panel.chart for panel in size_chart() if panel.chart.key == f"growth-{language}")
    return picture_file(chart_figure(chart), kind, f"growth-{language}")


@blueprint.get("/vocabularies/SIZES.json")
def written_sizes() -> Response:
    """The figures of the chart."""
    return jsonify(sizes_record())
