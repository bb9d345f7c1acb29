"""SVG and PNG: well-formed, harmless, of the right size, and not empty."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import EXPENSIVE
from tests.rendering.pictures.conftest import HOSTILE, assert_harmless, encode, pixels
from tests.rendering.pictures.test_palette import CSS, variables
from webapp.rendering.pictures import CARD, PictureTexts, card, png, svg
from webapp.rendering.pictures.cells import cells
from webapp.rendering.pictures.drawing import MOST_CHARACTERS, rendered
from webapp.rendering.pictures.fonts import Face, Fonts, fonts
from webapp.rendering.pictures.layout import lay_out
from webapp.rendering.pictures.palette import MONO, PALETTES, SANS, Theme
from webapp.rendering.pictures.svg import Writer, document

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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_palette_is_that_of_the_page(theme: Theme) -> None:
    colours, palette = variables(theme), PALETTES[theme]
    assert palette.tints == tuple(colours[f"t{number}"] for number in range(1, 7))
    assert palette.stage == colours["stage"]
    for name in ("ink", "quiet", "line", "edge", "accent", "on-accent", "wash", "sunk", "bad"):
        assert palette.colour(name) == colours[name]


def test_the_fonts_are_those_of_the_page() -> None:
    css = CSS.read_text(encoding="utf-8").replace('"', "'")
    assert f"--sans: {SANS};" in css
    assert f"--mono: {MONO};" in css


@EXPENSIVE
@given(st.text(st.characters()))
def test_any_text_gives_xml_that_loads_nothing(text: str) -> None:
    assert_harmless(svg(encode(text), title=text[:20]))


def test_a_hostile_text_is_escaped() -> None:
    source = svg(encode(HOSTILE), title=HOSTILE)
    assert_harmless(source)
    text = "".join(ElementTree.fromstring(source).itertext())
    assert "<script>" in text
    assert "⟨202E⟩" in text
    assert pixels(png(encode(HOSTILE), title=HOSTILE)).width


def test_every_token_has_its_colour_and_text_can_be_selected() -> None:
    encoding = encode("low lower lowest")
    source = svg(encoding, theme="dark")
    for index in range(len(encoding)):
        assert PALETTES["dark"].tints[index % 6] in source
    assert "low lower lowest" in "".join(ElementTree.fromstring(source).itertext())


def test_kinds_of_tokens_look_different() -> None:
    palette = PALETTES["light"]
    unknown = svg(encode("\U00013000 a", "wordpiece"))
    assert palette.bad in unknown
    assert palette.bad not in svg(encode("a", "wordpiece"))
    assert ">F0<" in svg(encode("👍"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_drawn_or_named_as_missing(script: str) -> None:
    """Boxes for missing characters do not count as drawn: they look the same for every text."""
    text = SCRIPTS[script]
    encoding = encode(text, "wordpiece")
    layout = lay_out(cells(encoding), fonts(), 40)
    said: list[str] = []

    def missing(scripts: object) -> str:
        said.append(str(scripts))
        return "missing"

    png(encoding, words=PictureTexts(missing=missing))
    assert bool(said) == bool(layout.missing)
    if layout.missing:
        pytest.skip(f"no font on this machine for {script}: the picture says so")
    for run in layout.lines[0].runs:
        if run.face and run.role == "text":
            assert text_pixels(run.text, run.face) != text_pixels("\U000fffff" * len(run.text), run.face)


def text_pixels(text: str, face: Face) -> bytes:
    body = f'<text x="5" y="40" font-size="32" font-family="{face.family}">{text}</text>'
    return pixels(rendered(document(body, 300, 60, title="", background="#ffffff"), [face])).tobytes()


def test_a_picture_has_the_requested_width_and_the_card_its_exact_size() -> None:
    encoding = encode("研究生命起源 lowest " * 30)
    assert pixels(png(encoding, width=500)).width == 1000
    assert pixels(png(encoding, width=1200, height=630)).size == CARD
    assert pixels(card(encode(""))).size == CARD


def test_the_margins_of_the_card_stay_empty() -> None:
    image = pixels(card(encode("Chinese 研究生命起源 and שלום, " * 40), title="A very long name of a vocabulary " * 5))
    paper = tuple(bytes.fromhex(PALETTES["light"].stage[1:]))
    for box in ((0, 0, 1200, 60), (0, 0, 60, 630), (1140, 0, 1200, 630), (0, 580, 1200, 630)):
        assert image.crop(box).getcolors() == [((box[2] - box[0]) * (box[3] - box[1]), paper)]


def test_a_long_text_is_truncated_and_the_rest_counted() -> None:
    encoding = encode("a b " * MOST_CHARACTERS["png"])
    said: list[int] = []

    def more(count: int) -> str:
        said.append(count)
        return "more"

    image = pixels(png(encoding, words=PictureTexts(more=more)))
    assert len(said) == 1
    assert 0 < said[0] < len(encoding)
    assert image.height < 8_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", ["\n" * 50_000, "a" + "\u0301" * 50_000, "שלום (" * 10_000, "\t" * 50_000])
def test_pictures_have_a_size_limit_for_any_text(text: str) -> None:
    assert pixels(png(encode(text, "wordpiece"))).height < 8_000
    assert len(svg(encode(text, "wordpiece"))) < 20_000_000


def test_the_renderer_gets_no_character_that_its_fonts_lack() -> None:
    layout = lay_out(cells(encode("नमस्ते", "wordpiece")), Fonts(fonts().faces[:1]), 40)
    source = Writer(PALETTES["light"], 17, drawing=True).lines(layout, 0, 0)
    assert re.search("[\u0900-\u097f]", source) is None
    assert re.search("[\u0900-\u097f]", Writer(PALETTES["light"], 17).lines(layout, 0, 0))
