"""Line charts as SVG, drawn on the server by the template `charts/_lines.html`.

    axes → positions of values         `linear`, `logarithmic`
    lines → the chart                  `LineChart` of `Series`
    the template's macro → the SVG     `line_chart(chart)`
    figure → SVG and PNG files         `chart_figure(chart)`

Each chart has a title and a description for screen readers, and the page shows its figures as a table after it. Lines
differ by marker and dash, not by colour alone, and have labels at their ends. Colours are CSS classes in
`static/charts.css`, for light and dark; the SVG has only positions and sizes, in units of about a pixel.
"""

from webapp.rendering.charts.axes import Axis, Tick, linear, logarithmic
from webapp.rendering.charts.figure import chart_figure
from webapp.rendering.charts.lines import LineChart, Series
