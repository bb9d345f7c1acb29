"""Charts as SVG, drawn on the server by templates: `charts/_lines.html` and `charts/_bars.html`.

    axes → where values stand          `linear`, `logarithmic`
    lines, bars → what is drawn        `LineChart` of `Series`, `BarChart` of `Bar`
    a template's macro → the SVG       `line_chart(chart)`, `bar_chart(chart)`

A chart has a title and a description for whoever does not see it, and the page has its figures as a table behind it.
Lines differ by marker and dash, not by colour alone, and have their names at their ends. Colours are CSS classes in
`static/charts.css`, for light and dark; the SVG itself has only places and sizes, in its own units of about a pixel.
"""

from webapp.rendering.charts.axes import Axis, Tick, linear, logarithmic
from webapp.rendering.charts.bars import Bar, BarChart
from webapp.rendering.charts.lines import LineChart, Series

__all__ = ["Axis", "Bar", "BarChart", "LineChart", "Series", "Tick", "linear", "logarithmic"]
