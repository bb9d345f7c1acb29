"""The curve of characters per token on held-out text by size of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.rendering.charts import LineChart, Series, linear
from webapp.web.localization import number


@dataclass(frozen=True)
class GrowthChart(LineChart):
    """A line chart as wide as the stage."""

    width, height = 720, 320
    left, right, top, bottom = 44, 700, 34, 270


def growth_chart(curve: Sequence[tuple[int, float]], size: int) -> GrowthChart | None:
    """The chart of the points so far, with room up to `size` pieces; None without two points."""
    points = sorted(curve)
    if len(points) < 2:
        return None
    pieces, value = points[-1]
    described = _(
        "%(first)s characters per token with %(least)s pieces, %(last)s with %(most)s.",
        first=number(points[0][1], 2),
        least=number(points[0][0]),
        last=number(value, 2),
        most=number(pieces),
    )
    return GrowthChart(
        key="growth",
        title=_("Characters per token on held-out text, by size of the vocabulary"),
        description=described,
        x=linear(_("pieces in the vocabulary"), [max(size, points[-1][0])]),
        y=linear(_("characters per token"), [value for _pieces, value in points]),
        series=(Series(_("%(value)s characters per token", value=number(value, 2)), tuple(points), strong=True),),
    )
