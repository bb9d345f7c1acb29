"""The picture of a lattice: the formula of its best path, and labels that keep off the lines."""

import pytest

from webapp.pages.walkthrough.lattice_drawing import LatticeArc, _aside, _points, draw
from webapp.rendering.pictures.figure import FigureLabel, FigurePath

AB, C, ABC = (LatticeArc(*span, text, True, (score,)) for span, text, score in (
    ((0, 2), "ab", "−1.50"), ((2, 3), "c", "−2.00"), ((0, 3), "abc", "−4.00"),
))  # fmt: skip
BEST = {2: (AB, -1.5), 3: (C, -3.5)}


def labels(**more: object) -> list[str]:
    drawn = draw("abc", [AB, C, ABC], BEST, **more)  # type: ignore[arg-type]
    return [shape.text for shape in drawn.figure.shapes if isinstance(shape, FigureLabel)]


@pytest.mark.parametrize(
    ("more", "formula"),
    [
        ({"path": [C, AB]}, "−1.50 − 2.00 ≈ −3.50"),
        ({"path": [AB], "here": 2}, None),
        ({"path": [AB, C], "formula": "1/2 · 1/3 = 1/6"}, "1/2 · 1/3 = 1/6"),
        ({"path": [AB, C], "formula": ""}, None),
    ],
)
def test_the_formula_of_a_complete_path_is_in_the_picture(more: dict[str, object], formula: str | None) -> None:
    found = labels(**more)
    assert [text for text in found if "≈" in text or "=" in text] == ([formula] if formula else [])


def test_a_label_moves_off_a_line() -> None:
    line = FigurePath("M0 100C0 0 0 0 0 -100", "best")  # upright, at x = 0
    touched: dict[int, list[tuple[float, float]]] = {at: [] for at in range(-2, 3)}
    for x, y in _points(line):
        touched[int(x // 62)].append((x, y))
    label = FigureLabel(4, 20, "−1.23", "score", 11)
    moved = _aside(label, touched)
    assert moved.x >= 20
    assert (moved.y, moved.text) == (label.y, label.text)
    free = FigureLabel(120, 20, "−1.23", "score", 11)
    assert _aside(free, touched) == free
