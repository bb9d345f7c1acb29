"""SVG and PNG, of one result or of a comparison: well-formed, harmless, of the right size, and not empty."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from tests.properties import EXPENSIVE
from tests.rendering.pictures.conftest import HOSTILE, WORDS, assert_harmless, encode, pixels
from webapp.rendering.pictures.drawing import (
    CARD,
    MOST_CHARACTERS,
    MOST_CHARACTERS_OF_ROWS,
    PictureRow,
    card,
    comparison_card,
    comparison_picture,
    picture,
)
from webapp.rendering.pictures.fonts import Face, Fonts, fonts
from webapp.rendering.pictures.layout import cells, lay_out
from webapp.rendering.pictures.svg import Sheet, Theme, palette_of

SCRIPTS = {
    "Latin": "Hello",
    "Chinese": "研究生命",
    "Japanese": "ひらがな",
    "Korean": "한국어",
    "Arabic": "السلام",
    "Hebrew": "שלום",
    "Greek": "λόγος",
    "Cyrillic": "слово",
    "Devanagari": "नमस्ते",
    "Thai": "สวัสดี",
    "emoji": "👍",
    "joined emoji": "👨‍👩‍👧",
    "flag": "🇫🇷",
}

pytestmark = pytest.mark.usefixtures("machine")


def svg(text: str, vocabulary: str = "bpe-bytes", *, theme: Theme = "light", title: str = "") -> str:
    return str(picture(encode(text, vocabulary), "svg", WORDS, theme=theme, title=title))


def png(text: str, vocabulary: str = "bpe-bytes") -> Image.Image:
    drawn = picture(encode(text, vocabulary), "png", WORDS)
    assert isinstance(drawn, bytes)
    return pixels(drawn)


@EXPENSIVE
@example(HOSTILE)
@given(st.text(st.characters()))
def test_any_text_gives_xml_that_loads_nothing(text: str) -> None:
    source = svg(text, title=text)
    assert_harmless(source)
    if text == HOSTILE:
        assert {"<script>", "⟨202E⟩"} <= set(re.findall(r"<script>|⟨202E⟩", written(source)))
        assert png(text).width


def test_every_token_has_its_colour_and_kind_and_text_can_be_selected() -> None:
    source = svg("low lower lowest", theme="dark")
    assert all(tint in source for tint in palette_of("dark").tints[: len(encode("low lower lowest"))])
    assert "low lower lowest" in "".join(ElementTree.fromstring(source).itertext())
    bad = palette_of("light")["bad"]
    assert (bad in svg("\U00013000 a", "wordpiece"), bad in svg("a", "wordpiece")) == (True, False)
    assert ">F0<" in svg("👍")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_drawn_or_named_as_missing(script: str) -> None:
    """Boxes for missing characters do not count as drawn: they look the same for every text."""
    text = SCRIPTS[script]
    encoding = encode(text, "wordpiece")
    layout = lay_out(cells(encoding), fonts(), 40)
    assert ("no font" in written(picture(encoding, "svg", WORDS))) is False  # the viewer may have one
    if layout.missing:
        pytest.skip(f"no font on this machine for {script}: the picture says so")
    for tile in layout.lines[0].tiles:
        for run in fonts().runs(tile.text):
            assert run.face
            if run.text.strip():
                assert text_pixels(run.text, run.face) != text_pixels("\U000fffff" * len(run.text), run.face)


def written(source: str | bytes) -> str:
    return "".join(ElementTree.fromstring(source).itertext())


def text_pixels(text: str, face: Face) -> bytes:
    sheet = Sheet("light", drawing=True)
    sheet.known = Fonts([face])
    sheet.say(text, 5, 40, 32, "#000000")
    return pixels(sheet.png(300, 60, "")).tobytes()


def test_a_card_has_its_size() -> None:
    for text in ("", "研究生命起源 lowest " * 30):
        assert pixels(card(encode(text), WORDS)).size == CARD


def test_a_long_text_is_truncated_and_the_rest_counted() -> None:
    text = "a b " * MOST_CHARACTERS["png"]
    assert png(text).height < 8_000
    more = re.search(r"and (\d+) more", svg("a b " * MOST_CHARACTERS["svg"]))
    assert more
    assert 0 < int(more[1]) < len(encode("a b " * MOST_CHARACTERS["svg"]))


@pytest.mark.parametrize("text", ["\n" * 25_000, "a" + "\u0301" * 25_000, "שלום (" * 4_200, "\t" * 25_000])
def test_pictures_have_a_size_limit_for_any_text(text: str) -> None:
    assert png(text, "wordpiece").height < 8_000
    assert len(svg(text, "wordpiece")) < 20_000_000


def test_the_renderer_gets_no_character_that_its_fonts_lack() -> None:
    for drawing in (True, False):
        sheet = Sheet("light", drawing=drawing)
        sheet.known = Fonts(fonts().faces[:1])
        layout = lay_out(cells(encode("नमस्ते ok", "wordpiece")), sheet.known, 40)
        assert layout.missing == ["Deva"]
        sheet.lines(layout.lines, 0, 0, 17)
        assert bool(re.search("[\u0900-\u097f]", sheet.document(100, 100, ""))) is not drawing


# --- a comparison: a row for each tokenizer

NAMES = ("bpe-bytes", "wordpiece", "unigram", "jieba", "bpe-characters", "bpe-bytes")


def rows_of(text: str, count: int = 2) -> list[PictureRow]:
    return [PictureRow(at, f"row {at}", encode(text, name)) for at, name in enumerate(NAMES[:count], 1)]


@pytest.mark.parametrize("text", ["研究生命 unbelievably", "مرحبا low", HOSTILE])
def test_each_row_has_its_name_its_count_and_its_text(text: str) -> None:
    rows = rows_of(text, 3)
    svg = str(comparison_picture(rows, "svg", WORDS, summary="A sentence."))
    assert_harmless(svg)
    assert all(f"{row.number}  {row.name}" in written(svg) for row in rows)
    assert palette_of("light")["accent"] in svg  # the fewest tokens
    assert all(part in written(svg) for part in (f"{len(rows[0].encoding):,}", text[:2], "A sentence."))
    long = rows_of("low " * MOST_CHARACTERS_OF_ROWS["svg"])
    assert WORDS.beginning in str(comparison_picture(long, "svg", WORDS, summary=""))


@pytest.mark.parametrize(("rows", "count"), [(2, 0), (2, 1), (6, 0), (6, 400)])
def test_every_comparison_has_a_card(rows: int, count: int) -> None:
    shown = rows_of("low " * count, rows)
    assert comparison_card(shown, WORDS, title="A <title>").startswith(b"\x89PNG")
    drawn = comparison_picture(shown, "png", WORDS, summary="")
    assert isinstance(drawn, bytes)
    assert pixels(drawn).width
