"""Ids in brackets of any kind, decimal and hexadecimal."""

import contextlib
import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.tokenization.ids import IdsError, ids_outside, read_ids
from webapp.vocabularies import shipped_tokenizer

SHAPES: dict[str, Callable[[list[int]], str]] = {
    "spaces": lambda ids: " ".join(map(str, ids)),
    "commas": lambda ids: ",".join(map(str, ids)),
    "Chinese commas": lambda ids: "，".join(map(str, ids)),
    "JSON, indented": lambda ids: json.dumps(ids, indent=2),
    "ids": lambda ids: json.dumps({"text": '12 "]', "tokens": ["1", "x"], "ids": ids, "more": {"a": [7.5, None]}}),
    "input_ids": lambda ids: str({"input_ids": [ids], "attention_mask": [1 for _ in ids]}),
    "hexadecimal": lambda ids: " ".join(map(hex, ids)),
    "cut": lambda ids: f"{', '.join(map(str, ids))}]], [[",
}


@pytest.mark.parametrize("shape", SHAPES)
@given(ids=st.lists(st.integers(0, 1 << 32), min_size=1, max_size=12))
def test_any_list_in_any_shape_is_read_back(shape: str, ids: list[int]) -> None:
    text = SHAPES[shape](ids)
    found = read_ids(text)
    assert list(found.ids) == ids
    for index, id in enumerate(ids):
        place = found.place(index)
        line = text.split("\n")[place.line - 1]
        assert line[place.column - 1 :].startswith((str(id), hex(id)))


@given(text=st.text() | st.text("[]{}()<>0123456789,:='\"x .-#/*\n\\u_"))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    wrong: IdsError | None = None
    try:
        found = read_ids(text)
    except IdsError as error:
        wrong = error
    if wrong is None:
        assert len(found.ids) == len(found.offsets)
        return
    lines = text.split("\n")
    assert 1 <= wrong.line <= len(lines)
    assert 1 <= wrong.column <= len(lines[wrong.line - 1]) + 1


@pytest.mark.parametrize("text", ["", " \n", "[]", "[[], []]", "()", '{"ids": []}'])
def test_no_ids_are_no_error(text: str) -> None:
    assert list(read_ids(text).ids) == []


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("12\n13 hello 14", (2, 4), "“hello” is not an id"),
        ("[1, 2.5]", (1, 5), "“2.5” is not a whole number"),
        ("1F 20", (1, 1), "“1F” is not an id; write a hexadecimal number as 0x1F"),
        ("[101, 2023, ..., 102]", (1, 13), "shortened with “...”"),
        ("[1,\n 2, “3”]", (2, 5), "““3”” is not an id"),
        ('["a", 1]', (1, 2), '“"a"” is not an id'),
        ('{"vocab": [1]}', (1, 2), '“"vocab":” is not an id'),
        ('{"ids": [1, {"x": 2}]}', (1, 14), '“"x":” is not an id'),
        ("0: 15, 1: 16", (1, 2), "“:” is not an id"),
        ("٣ 4", (1, 1), "“٣” is not an id"),
    ],
)
def test_what_is_no_id_is_named_with_its_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(IdsError) as told:
        read_ids(text)
    assert message in str(told.value)
    assert (told.value.line, told.value.column) == place


def test_ids_outside_the_vocabulary_are_named_by_place() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    size = len(tokenizer.model.pieces) + len(tokenizer.special_tokens)
    found = ids_outside(read_ids(f"[5, -1, {size - 1},\n {size}, 0xFFFFFFFFFFFFFFFFFFFFFFFF, {'9' * 5000}]"), tokenizer)
    assert [(place.line, place.column) for place in found.places] == [(1, 5), (2, 2), (2, 9), (2, 37)]
    assert [place.written for place in found.places] == ["-1", str(size), "0xFFFFFFFFFFFFFFFFFFFFFFFF", "9" * 40 + "…"]
    many = ids_outside(read_ids("-5 " * 1000), tokenizer)
    assert (many.count, len(many.places)) == (1000, 20)


def test_too_many_ids_are_refused() -> None:
    for text in ("1 " * 100_001, "[" + "0x1," * 100_001 + "]"):
        with pytest.raises(IdsError, match="more than 100,000 ids") as told:
            read_ids(text)
        assert told.value.too_many
        assert len(read_ids(text, most=None).ids) == 100_001
    assert len(read_ids("1 " * 100_000).ids) == 100_000


MEGABYTE = 1 << 20
HOSTILE = ["9", "[", "1 ", "'", '{"ids":[', "{1:", "0x", "1_", "a ", "[{(<", "'ids' "]


@pytest.mark.parametrize("part", HOSTILE)
def test_a_megabyte_of_anything_takes_a_moment(part: str) -> None:
    text = part * (MEGABYTE // len(part))
    began = time.process_time()
    with contextlib.suppress(IdsError):
        read_ids(text)
    assert time.process_time() - began < 10  # about 1 s
