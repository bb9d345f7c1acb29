"""The curve of characters per token on held-out text by size of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.rendering.charts import LineChart, Series, linear, logarithmic
from webapp.web.localization import number

ROUND = [factor * 10**power for power in range(2, 8) for factor in (1, 2, 5)]  # marks of the logarithmic axis


@dataclass(frozen=True)
class GrowthChart(LineChart):
    """A line chart as wide as the stage; `label` stands at the newest point, the first of one that `prunes`."""

    label: str = ""
    prunes: bool = False

    width, height = 720, 320
    left, right, top, bottom = 44, 700, 34, 270

    @property
    def newest(self) -> tuple[float, float]:
        """The position of the newest point."""
        places = self.lines()[0].places
        return places[0] if self.prunes else places[-1]


def growth_chart(curve: Sequence[tuple[int, float]], size: int, *, prunes: bool, runs: bool) -> GrowthChart | None:
    """The chart of the points so far, with room up to `size` pieces; None without two points.

    Unigram `prunes`: its curve begins with many pieces, at the right of a logarithmic axis. The label says the newest
    value while the training `runs`.
    """
    points = sorted(dict(curve).items())
    if len(points) < 2:
        return None
    newest = points[0] if prunes else points[-1]
    described = _(
        "%(first)s characters per token with %(least)s pieces, %(last)s with %(most)s.",
        first=number(points[0][1], 2),
        least=number(points[0][0]),
        last=number(points[-1][1], 2),
        most=number(points[-1][0]),
    )
    title = _("pieces in the vocabulary")
    highest = max(size, points[-1][0])
    if prunes:
        marks = [mark for mark in ROUND if points[0][0] <= mark <= highest]
        x = logarithmic(title, min(size, points[0][0]), highest, marks, number)
    else:
        x = linear(title, [highest], number)
    return GrowthChart(
        key="growth",
        title=_("Characters per token on held-out text, by size of the vocabulary"),
        description=described,
        x=x,
        y=linear(_("characters per token"), [value for _pieces, value in points], number),
        series=(Series("", tuple(points), strong=True),),
        label=_("%(value)s characters per token", value=number(newest[1], 2)) if runs else "",
        prunes=prunes,
    )
