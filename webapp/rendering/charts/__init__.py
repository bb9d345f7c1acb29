"""Charts as SVG, drawn on the server by templates: `charts/_lines.html` and `charts/_bars.html`.

    axes → positions of values         `linear`, `logarithmic`
    lines, bars → the chart            `LineChart` of `Series`, `BarChart` of `Bar`
    a template's macro → the SVG       `line_chart(chart)`, `bar_chart(chart)`

Each chart has a title and a description for screen readers, and the page shows its figures as a table after it. Lines
differ by marker and dash, not by colour alone, and have labels at their ends. Colours are CSS classes in
`static/charts.css`, for light and dark; the SVG has only positions and sizes, in units of about a pixel.
"""

from webapp.rendering.charts.axes import Axis, Tick, linear, logarithmic
from webapp.rendering.charts.bars import Bar, BarChart
from webapp.rendering.charts.lines import LineChart, Series

__all__ = ["Axis", "Bar", "BarChart", "LineChart", "Series", "Tick", "linear", "logarithmic"]
