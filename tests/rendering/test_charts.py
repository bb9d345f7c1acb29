"""Charts: their values are also in text and in a table, and their lines are distinguishable without colour."""

import re
from itertools import pairwise

import pytest
from flask import Flask, render_template_string
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from webapp.rendering.charts import LineChart, Series, linear, logarithmic, spread_labels
from webapp.vocabularies import sizes_record
from webapp.web.localization import number


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=6))
def test_a_linear_axis_covers_its_values(app: Flask, values: list[float]) -> None:
    with app.test_request_context():
        axis = linear("", values, number)
    assert axis.low == 0
    assert all(0 <= axis.place(value) <= 1 for value in values)
    assert 1 < len(axis.ticks) <= 8
    steps = [after.value - before.value for before, after in pairwise(axis.ticks)]
    assert max(steps) == pytest.approx(min(steps))
    assert len({tick.label for tick in axis.ticks}) == len(axis.ticks)
    assert axis.place(max(values)) > 0.7


@given(st.lists(st.floats(20, 200), min_size=1, max_size=8))
def test_names_do_not_overlap(places: list[float]) -> None:
    moved = spread_labels(places, 15, 20, 200)
    for before, after in pairwise(sorted(moved)):
        assert after - before >= 14.8
    assert all(19.9 <= place <= 200.1 for place in moved)
    order = sorted(range(len(places)), key=places.__getitem__)
    assert [moved[index] for index in order] == sorted(moved)


def test_a_line_chart_works_without_colour(app: Flask) -> None:
    with app.test_request_context():
        axes = {"x": logarithmic("size", 1, 100, (1, 10, 100), number, (1, 100)), "y": linear("<y>", [1, 5], number)}
        lines = tuple(Series(name, ((1, place), (100, place + 1))) for place, name in enumerate("ab<c"))
        chart = LineChart("key", "Title & more", "What there is to see.", series=lines, **axes)
        html = render_template_string(
            '{% from "charts/_lines.html" import line_chart %}{{ line_chart(chart) }}', chart=chart
        )
    assert 'role="img"' in html
    assert '<title id="key-title">Title &amp; more</title>' in html
    assert '<desc id="key-about">What there is to see.</desc>' in html
    assert ">&lt;</text>" in html
    assert "&lt;y&gt;" in html
    assert "style=" not in html
    shapes = [
        set(re.findall(r"<(circle|rect)|(l4 7h-8z|l4.2 4.2)", part)) for part in html.split('class="chart-line')[1:]
    ]
    assert len({str(sorted(shape)) for shape in shapes}) == 4


@pytest.mark.parametrize("path", ["/vocabularies", "/vocabularies/unigram"])
def test_shipped_vocabularies_have_a_chart_of_their_growth(client: FlaskClient, path: str) -> None:
    html = client.get(path, query_string={"lang": "en"}).text
    assert html.count('class="chart"') == 2
    assert html.count("chart-line kind-") == 8
    record = sizes_record()
    for language, text in record["texts"].items():
        for line in record["vocabularies"].values():
            assert f"{text['characters'] / line[-1]['tokens'][language]:.2f}" in html
    svg = client.get("/vocabularies/growth/english.svg")
    assert svg.mimetype == "image/svg+xml"
    assert "WordPiece" in svg.text
    assert client.get("/vocabularies/growth/chinese.png").data.startswith(b"\x89PNG")
    assert client.get("/vocabularies/growth/french.svg").status_code == 404
