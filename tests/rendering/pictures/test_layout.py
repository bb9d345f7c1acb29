"""Layout: every character is drawn once, in place, within the width."""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rendering.pictures.conftest import encode
from webapp.rendering.pictures.fonts import Fonts, fonts
from webapp.rendering.pictures.layout import (
    Layout,
    PictureLine,
    base_level,
    cells,
    drawable,
    lay_out,
    levels,
    visual_order,
)

WIDTH = 12.0
TEXTS = st.text(
    st.one_of(st.sampled_from(list("aé 研究生命.\n\t(אבس1👨\u200d👩👧🇫🇷e\u0301न\x00\u202e")), st.characters())
)

pytestmark = pytest.mark.usefixtures("machine")


def layout_of(text: str, vocabulary: str = "bpe-bytes", width: float = WIDTH) -> Layout:
    return lay_out(cells(encode(text, vocabulary)), fonts(), width)


def text_of(line: PictureLine) -> str:
    return "".join(tile.text for tile in line.tiles)


@given(TEXTS, st.sampled_from(("bpe-bytes", "wordpiece", "unigram", "jieba")))
def test_every_character_is_drawn_once_in_adjacent_tiles_within_the_width(text: str, vocabulary: str) -> None:
    encoding = encode(text, vocabulary)
    layout = lay_out(cells(encoding), fonts(), WIDTH)
    drawn = Counter("".join(map(text_of, layout.lines)).replace("\u200d", ""))  # joins Arabic letters
    assert drawn == Counter(drawable(text).replace("\n", "").replace("\t", " " * 4).replace("\u200d", ""))
    numbers = {tile.cell.index for line in layout.lines for tile in line.tiles}
    assert layout.tokens == len(numbers - {None}) == len(encoding)
    for line in layout.lines:
        ends = 0.0
        for tile in line.tiles:
            assert tile.x >= ends - 1e-6
            ends = tile.x + tile.width
        assert ends <= WIDTH + 1e-6


@pytest.mark.parametrize(
    ("text", "vocabulary", "width", "lines"),
    [
        ("low lower lowest\nnew\n\nend", "wordpiece", 6, ["low lower ", "lowest", "new", "", "end"]),
        ("研究生命起源，北京大学。", "jieba", 4.5, ["研究生命", "起源，", "北京大学", "。"]),
        ("aaaa", "wordpiece", 1.2, ["aa", "aa"]),
    ],
)
def test_lines_break_between_words_at_line_ends_and_in_words_that_are_too_long(
    text: str, vocabulary: str, width: float, lines: list[str]
) -> None:
    assert list(map(text_of, layout_of(text, vocabulary, width).lines)) == lines


def test_letters_stay_joined_across_tokens(machine: Fonts) -> None:
    if machine.face_for("س") is None:
        pytest.skip("no Arabic font on this machine")
    layout = layout_of("عليكم", "jieba", width=40)
    assert layout.tokens == 5
    assert layout.lines[0].width == pytest.approx(machine.width("عليكم"), rel=0.01)


def test_the_first_token_of_right_to_left_text_is_at_the_right() -> None:
    line = layout_of("(שלום) abc 12", "wordpiece", width=40).lines[0]
    assert [tile.text.strip() for tile in line.tiles if tile.text.strip()] == ["abc", "12", ")", "שלום", "("]
    assert line.tiles[-1].x + line.tiles[-1].width == pytest.approx(40)


def test_a_family_emoji_is_one_character_followed_by_its_bytes() -> None:
    tiles = layout_of("👨‍👩‍👧", width=200).lines[0].tiles
    assert tiles[0].text == "👨‍👩‍👧"
    assert tiles[0].label.startswith("F0")


def test_tokens_beyond_the_limits_are_counted() -> None:
    encoding = encode("word " * 100)
    assert lay_out(cells(encoding), fonts(), WIDTH, most_lines=2).tokens < len(encoding)
    assert lay_out(cells(encoding), fonts(), WIDTH, most_characters=5).tokens == 2


@pytest.mark.parametrize(
    ("text", "order"),
    [("abc", "abc"), ("אבג", "גבא"), ("a אב b", "a בא b"), ("אב 12 ג", "ג 12 בא"), ("אב ab", "ab בא")],
)
def test_visual_order(text: str, order: str) -> None:
    found = visual_order(levels(list(text), base_level(text)))
    assert "".join(text[at] for at in found) == order


@pytest.mark.exhaustive
def test_a_letter_with_thousands_of_marks_is_not_cached(machine: Fonts) -> None:
    known = Fonts(machine.faces)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(30):
            known.width(f"a{chr(0x300 + number) * 20_000}")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 500_000
