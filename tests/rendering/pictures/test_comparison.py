"""Pictures of a comparison: a row for each tokenizer, names, counts, limits."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.rendering.pictures.conftest import HOSTILE, WORDS, assert_harmless, encode, pixels
from webapp.rendering.pictures import PictureRow, comparison_card, comparison_picture
from webapp.rendering.pictures.drawing import MOST_CHARACTERS_OF_ROWS
from webapp.rendering.pictures.svg import palette_of

pytestmark = pytest.mark.usefixtures("machine")
NAMES = ("bpe-bytes", "wordpiece", "unigram", "jieba", "bpe-characters", "bpe-bytes")


def rows_of(text: str, count: int = 2) -> list[PictureRow]:
    return [PictureRow(at, f"row {at}", encode(text, name)) for at, name in enumerate(NAMES[:count], 1)]


@pytest.mark.parametrize("text", ["研究生命 unbelievably", "مرحبا low", HOSTILE])
def test_each_row_has_its_name_its_count_and_its_text(text: str) -> None:
    rows = rows_of(text, 3)
    svg = str(comparison_picture(rows, "svg", WORDS, summary="A sentence."))
    assert_harmless(svg)
    written = "".join(ElementTree.fromstring(svg).itertext())
    assert all(f"{row.number}  {row.name}" in written for row in rows)
    assert written.count(f"{len(rows[0].encoding):,}") >= 1
    assert palette_of("light")["accent"] in svg  # the fewest tokens
    assert written.count(text[:2]) >= 1
    assert "A sentence." in written


def test_a_long_text_is_drawn_in_part() -> None:
    svg = str(comparison_picture(rows_of("low " * MOST_CHARACTERS_OF_ROWS["svg"]), "svg", WORDS, summary="Many."))
    assert WORDS.beginning in svg


@pytest.mark.parametrize(("rows", "count"), [(2, 0), (2, 1), (6, 0), (6, 400)])
def test_every_comparison_has_a_card(rows: int, count: int) -> None:
    shown = rows_of("low " * count, rows)
    assert comparison_card(shown, WORDS, title="A <title>").startswith(b"\x89PNG")
    drawn = comparison_picture(shown, "png", WORDS, summary="")
    assert isinstance(drawn, bytes)
    assert pixels(drawn).width
