"""The charts of characters per token by vocabulary size as files to download."""

from __future__ import annotations

from flask import Response

from webapp.pages.vocabularies.routes import blueprint
from webapp.pages.vocabularies.size_chart import size_chart
from webapp.pages.walkthrough.engine import PictureKind, picture_file
from webapp.rendering.charts import chart_figure


@blueprint.get("/vocabularies/growth/<any(english, chinese):language>.<any(svg, png):kind>")
def growth_file(language: str, kind: PictureKind) -> Response:
    """The chart of one language; `colours=dark` for the dark theme."""
    chart = next(panel.chart for panel in size_chart() if panel.chart.key == f"growth-{language}")
    return picture_file(chart_figure(chart), kind, f"growth-{language}")
