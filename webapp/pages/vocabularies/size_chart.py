"""How many characters a token holds, by the size of the vocabulary: the chart that belongs to those that ship."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask_babel import gettext as _

from webapp.rendering.charts import LineChart, Series, linear, logarithmic
from webapp.vocabularies import sizes_record
from webapp.web.localization import number

MARKED = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
NAMED = (500, 2_000, 8_000, 32_000)


@dataclass(frozen=True)
class ChartPanel:
    """The chart of one language, and its figures: a row a size, a column a vocabulary, None where there is none."""

    chart: LineChart
    names: list[str]
    rows: list[tuple[int, list[float | None]]]


def size_chart(vocabulary: str | None = None) -> list[ChartPanel]:
    """A panel for each held-out text, with the line of `vocabulary` made strong; none for one that has no line."""
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
    names = {
        "bpe-bytes": _("BPE, bytes"),
        "bpe-characters": _("BPE, %(suffix)s", suffix="</w>"),
        "wordpiece": "WordPiece",
        "unigram": "Unigram",
    }
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
        series=tuple(Series(names[name], tuple(line.items()), name == strong) for name, line in found.items()),
    )
    sizes = sorted({pieces for line in found.values() for pieces in line})
    rows = [(pieces, [line.get(pieces) for line in found.values()]) for pieces in sizes]
    return ChartPanel(chart, [names[name] for name in found], rows)


def _description(lines: dict[str, dict[int, float]]) -> str:
    """What there is to see, for whoever does not."""
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
