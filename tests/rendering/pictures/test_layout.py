"""Layout: every character is drawn once, in place, within the width."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rendering.pictures.conftest import encode
from webapp.rendering.pictures.cells import cells, drawable
from webapp.rendering.pictures.fonts import Fonts, fonts
from webapp.rendering.pictures.layout import Layout, base_level, lay_out, levels, visual_order

WIDTH = 12.0
VOCABULARIES = ("bpe-bytes", "wordpiece", "unigram", "jieba")
TEXTS = st.text(
    st.one_of(st.sampled_from(list("aé 研究生命.\n\t(אבس1👨\u200d👩👧🇫🇷e\u0301न\x00\u202e")), st.characters())
)

pytestmark = pytest.mark.usefixtures("machine")


def layout_of(text: str, vocabulary: str = "bpe-bytes", width: float = WIDTH) -> Layout:
    return lay_out(cells(encode(text, vocabulary)), fonts(), width)


def runs(layout: Layout) -> list[str]:
    return [run.text for line in layout.lines for run in line.runs]


@given(TEXTS, st.sampled_from(VOCABULARIES))
def test_every_character_is_drawn_once_and_every_token_has_a_position(text: str, vocabulary: str) -> None:
    encoding = encode(text, vocabulary)
    layout = lay_out(cells(encoding), fonts(), WIDTH)
    drawn = [run.text for line in layout.lines for run in line.runs if run.role in ("text", "missing")]
    assert Counter("".join(drawn)) == Counter(drawable(text).replace("\n", ""))
    assert layout.tokens == len({box.cell.index for line in layout.lines for box in line.boxes}) == len(encoding)


@given(TEXTS, st.sampled_from(VOCABULARIES))
def test_boxes_are_adjacent_and_within_the_width(text: str, vocabulary: str) -> None:
    for line in layout_of(text, vocabulary).lines:
        ends = 0.0
        for box in sorted(line.boxes, key=lambda box: (box.x, box.width)):
            assert box.x >= ends - 1e-6
            ends = box.x + box.width
        for item in (*line.boxes, *line.runs):
            assert item.x >= -1e-6
            assert item.x + item.width <= WIDTH + 1e-6


def test_each_token_begins_once_and_ends_once() -> None:
    boxes = [box for line in layout_of("a very long unbelievableness of words " * 9).lines for box in line.boxes]
    assert Counter(box.cell.index for box in boxes if box.first) == Counter({box.cell.index for box in boxes})
    assert Counter(box.cell.index for box in boxes if box.last) == Counter({box.cell.index for box in boxes})


def test_lines_break_between_words_and_at_line_ends() -> None:
    lines = [
        "".join(run.text for run in line.runs)
        for line in layout_of("low lower lowest\nnew\n\nend", "wordpiece", 6).lines
    ]
    assert lines == ["low lower ", "lowest", "new", "", "end"]


def test_a_word_longer_than_the_line_breaks_at_its_end_and_chinese_between_tokens() -> None:
    assert len(layout_of("a" * 200, width=20).lines) > 2
    lines = layout_of("研究生命起源，北京大学。", "jieba", width=4.5).lines
    assert ["".join(run.text for run in line.runs) for line in lines] == ["研究生命", "起源，", "北京大学", "。"]


def test_joined_letters_are_one_run_across_tokens(machine: Fonts) -> None:
    if machine.face_for("س") is None:
        pytest.skip("no Arabic font on this machine")
    layout = layout_of("السلام عليكم", "jieba", width=40)
    assert layout.tokens > 2
    assert runs(layout) == ["السلام عليكم"]


def test_the_first_token_of_right_to_left_text_is_at_the_right() -> None:
    line = layout_of("(שלום) abc 12", "wordpiece", width=40).lines[0]
    places = {box.cell.text: box.x for box in line.boxes}
    assert places["("] > places["שלום"] > places[")"] > places["12"] > places["abc"]
    assert line.boxes[-1].x + line.boxes[-1].width == pytest.approx(40)


def test_a_family_emoji_is_one_character_followed_by_its_bytes() -> None:
    layout = layout_of("👨‍👩‍👧", width=200)
    assert runs(layout)[0] == "👨‍👩‍👧"
    assert next(run.text for run in layout.lines[0].runs if run.role == "label").startswith("F0")


def test_characters_without_a_font_are_reported_by_script() -> None:
    layout = lay_out(cells(encode("नमस्ते ok", "wordpiece")), Fonts(fonts().faces[:1]), 40)
    assert layout.missing == ["Deva"]


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


@given(st.lists(st.integers(0, 5), max_size=20))
def test_visual_order_loses_nothing(embedding: list[int]) -> None:
    assert sorted(visual_order(embedding)) == list(range(len(embedding)))


@pytest.mark.exhaustive
def test_a_letter_with_thousands_of_marks_is_not_cached(machine: Fonts) -> None:
    known = Fonts(machine.faces)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(100):
            known.face_for(f"a{chr(0x300 + number) * 20_000}")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 500_000
