"""Pictures of a comparison: columns that fit and wrap, tracks, names, limits."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree.ElementTree import fromstring

import pytest

from webapp.rendering.pictures import (
    ComparisonPicture,
    PictureCell,
    PictureColumn,
    PictureRow,
    comparison_card,
    comparison_png,
    comparison_svg,
)
from webapp.rendering.pictures.comparison import MOST_LINES, WIDTH
from webapp.rendering.pictures.palette import PALETTES, Theme

pytestmark = pytest.mark.usefixtures("machine")


def picture(*columns: PictureColumn, rows: int = 2) -> ComparisonPicture:
    return ComparisonPicture([PictureRow(n, f"row {n}", 3 + n) for n in range(1, rows + 1)], columns, "A sentence.")


def column(*rows: str, ways: int = 1, ends_line: bool = False, direction: int | None = 0) -> PictureColumn:
    cells = [[PictureCell(at % 6, token) for at, token in enumerate(row.split("|"))] for row in rows]
    return PictureColumn(cells, ways, ends_line, direction)


def rectangles(svg: str) -> list[tuple[float, float, float, float, str]]:
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]* fill="(#\w+)"', svg)
    return [(float(x), float(y), float(width), float(height), fill) for x, y, width, height, fill in found]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_track_has_the_colour_for_the_number_of_ways(theme: Theme) -> None:
    palette = PALETTES[theme]
    columns = [column("low", "lo|w", ways=ways) for ways in (1, 2, 3, 4, 6)]
    tracks = [
        fill for *_place, height, fill in rectangles(comparison_svg(picture(*columns), theme=theme)) if height == 5
    ]
    assert tracks == [palette.line, *palette.track, palette.accent, palette.accent]


def test_columns_stand_beside_each_other_and_wrap_together() -> None:
    svg = comparison_svg(picture(*[column("un|believ|ably ", "un|bel|ievably ") for _ in range(30)]))
    tracks = [rectangle for rectangle in rectangles(svg) if rectangle[3] == 5]
    assert len(tracks) == 30
    assert len({y for _x, y, *_rest in tracks}) > 1
    assert max(x + width for x, _y, width, *_rest in tracks) < WIDTH
    first = [(x, x + width) for x, y, width, *_rest in tracks if y == tracks[0][1]]
    assert all(before[1] < after[0] for before, after in pairwise(first))


def test_columns_from_right_to_left_begin_at_the_right() -> None:
    columns = [column("مرحبا", "مر|حبا", direction=1), column(" low", " lo|w")]
    tracks = [x for x, _y, _width, height, _fill in rectangles(comparison_svg(picture(*columns))) if height == 5]
    assert tracks[0] < tracks[1]  # drawn in visual order
    texts = re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)</text>', comparison_svg(picture(*columns)))
    arabic = [float(x) for x, text in texts if "م" in text]
    latin = [float(x) for x, text in texts if "low" in text or text == "w"]
    assert min(arabic) > max(latin)


def test_names_counts_and_the_sentence_are_written() -> None:
    svg = comparison_svg(picture(column("low", "low")))
    root = fromstring(svg)
    texts = ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")]
    assert {"4", "5", "A sentence."} <= set(texts)
    assert any("row 1" in text for text in texts)


def test_a_long_text_is_drawn_in_part() -> None:
    svg = comparison_svg(picture(*[column("low", "low", ends_line=True) for _ in range(MOST_LINES["svg"] + 50)]))
    assert "Only the beginning of the text is shown." in svg


@pytest.mark.parametrize("rows", [2, 6])
@pytest.mark.parametrize("count", [0, 1, 400])
def test_every_comparison_has_a_card(rows: int, count: int) -> None:
    columns = [column(*["low "] * rows) for _ in range(count)]
    assert comparison_card(picture(*columns, rows=rows), title="A <title>").startswith(b"\x89PNG")
    assert comparison_png(picture(*columns, rows=rows)).startswith(b"\x89PNG")
