"""Figures as files: well-formed, harmless, in the colours of the page, cropped to what they show."""

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.properties import EXPENSIVE
from tests.rendering.pictures.conftest import HOSTILE, assert_harmless, pixels
from webapp.rendering.pictures.figure import (
    MARGIN,
    MOST_PIXELS,
    MOST_SIDE,
    Figure,
    FigureBox,
    FigureDot,
    FigureLabel,
    FigurePath,
    figure_png,
    figure_svg,
    side_by_side,
)
from webapp.rendering.pictures.svg import Theme, figure_looks, look, palette_of

pytestmark = pytest.mark.usefixtures("machine")


def figure_of(text: str = "low", kind: str = "win halo") -> Figure:
    shapes = (
        FigurePath("M0 40C10 0 50 0 60 40", "win"),
        FigureBox(5, 5, 30, 12, "k2"),
        FigureDot(60, 40, 5, "now"),
        FigureLabel(30, 20, text, kind),
    )
    return Figure("lattice", 80, 60, shapes, title=text)


@EXPENSIVE
@example(HOSTILE)
@given(st.text(st.characters()))
def test_any_text_gives_xml_that_loads_nothing(text: str) -> None:
    source = figure_svg(figure_of(text))
    assert_harmless(source)
    assert text != HOSTILE or "<script>" in "".join(ElementTree.fromstring(source).itertext())
    assert pixels(figure_png(figure_of(text))).width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_file_has_the_colours_of_its_theme(theme: Theme) -> None:
    source = figure_svg(figure_of(), theme=theme)
    palette = palette_of(theme)
    for colour in (palette["accent"], palette["stage"], palette["t2"]):
        assert colour in source
    image = pixels(figure_png(figure_of(), theme=theme))
    assert image.getpixel((0, 0))[:3] == tuple(bytes.fromhex(palette["stage"][1:]))


def test_a_picture_is_cropped_to_its_figure_and_a_large_one_is_drawn_smaller() -> None:
    assert pixels(figure_png(figure_of())).size == (2 * (80 + 2 * MARGIN), 2 * (60 + 2 * MARGIN))
    for width, height in ((12_000, 500), (9_000, 14_000), (100_000, 40)):
        image = pixels(figure_png(Figure("lattice", width, height, figure_of().shapes)))
        assert image.width * image.height <= MOST_PIXELS
        assert max(image.size) <= MOST_SIDE


def test_every_kind_can_be_drawn() -> None:
    shapes = {"path": FigurePath("M0 0H9"), "rect": FigureBox(0, 0, 9, 9), "circle": FigureDot(5, 5, 3)}
    assert len(figure_looks()) > 40
    for tag, kind in figure_looks():
        shape = FigureLabel(5, 5, "a", kind) if tag == "text" else type(shapes[tag])(*_values(shapes[tag]), kind)
        assert_harmless(figure_svg(Figure("all", 10, 10, (shape,))))
    assert "paint-order" in look("text", "score halo")


def _values(shape: object) -> list[object]:
    return [value for name, value in vars(shape).items() if name not in ("kind", "title", "radius", "dx", "dy")] + (
        [3.0] if isinstance(shape, FigureDot) else []
    )


def test_figures_side_by_side_do_not_overlap() -> None:
    both = side_by_side([figure_of("a"), figure_of("b")], width=400)
    assert both.width >= 2 * 80
    labels = [shape for shape in both.shapes if isinstance(shape, FigureLabel)]
    assert labels[1].x - labels[0].x >= 80
    below = side_by_side([figure_of("a"), figure_of("b")], width=100)
    assert below.height >= 2 * 60
