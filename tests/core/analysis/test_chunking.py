"""Splitting a long text: no part too long, no character lost, near-linear time, for any text and tokenizer."""

from contextlib import suppress
from copy import copy
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import texts
from webapp.core.analysis.chunking import BOUNDARIES, Boundary, ChunkPart, PartTooSmallError, boundaries_of, split
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

PROSE = "It rains today. Take an umbrella! Will you?\n\nYes, 我会带伞。你呢？ (Of course.) e.g. this\nnext line\n" * 20
LOG = "".join(f"2026-05-04 12:00:{n % 60:02} INFO request id={n * 7_919_003:x} took {n} ms\n" for n in range(300))


def checked(
    text: str, name: str, most: int, overlap: int, boundary: Boundary, *, special: bool = False
) -> list[ChunkPart]:
    """Return the parts after checking all that `split` promises."""
    tokenizer = shipped_tokenizer(name)
    parts = list(split(text, tokenizer, most=most, overlap=overlap, boundary=boundary, special=special))
    end = 0
    for part in parts:
        assert part.start <= end < part.end
        assert part.tokens == len(tokenizer.ids(text[part.start : part.end], special=special)) <= most
        assert len(tokenizer.ids(text[part.start : end], special=special)) <= overlap or part.start == end
        end = part.end
    assert end == len(text)
    return parts


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("name", NAMES)
@given(text=texts, most=st.integers(8, 40), data=st.data(), special=st.booleans())
def test_no_part_is_too_long_and_nothing_is_lost(
    name: str, boundary: Boundary, text: str, most: int, data: st.DataObject, special: bool
) -> None:
    text = data.draw(st.sampled_from([text, f"{text}<|endoftext|>" * 9]))
    with suppress(PartTooSmallError):
        checked(text, name, most, data.draw(st.integers(0, most // 2)), boundary, special=special)


def test_parts_end_at_sentences_and_lines_and_overlap() -> None:
    ends = {*boundaries_of(PROSE, "sentence"), len(PROSE)}
    for most, overlap in ((12, 0), (12, 5), (16, 0), (64, 5), (100_000, 0)):
        parts = checked(PROSE, "bpe-bytes", most, overlap, "sentence")
        assert sum(part.end in ends for part in parts) >= len(parts) // 2
        assert most != 64 or all(part.end in ends and part.tokens > 32 for part in parts[:-1])
    for (most, overlap), boundary in product(((40, 0), (128, 64), (512, 100)), ("sentence", "line")):
        parts = checked(LOG, "bpe-bytes", most, overlap, boundary)
        assert all(LOG[part.end - 1] == "\n" and LOG[part.start : part.start + 5] == "2026-" for part in parts)
    parts = checked("a cat and a dog and a cow " * 50, "bpe-bytes", 20, 8, "token")
    assert all(one.end - other.start >= len("a dog and") for one, other in pairwise(parts))


def test_impossible_limits_are_refused() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    for most, overlap in ((0, 0), (10, 6), (10, -1)):
        with pytest.raises(ValueError, match="part"):
            split("text", tokenizer, most=most, overlap=overlap)
    with pytest.raises(PartTooSmallError) as refused:
        list(split("a🜁", tokenizer, most=2))
    assert refused.value.character == "🜁"
    assert list(split("", tokenizer, most=1)) == []


@pytest.mark.parametrize(
    "text",
    [PROSE * 5, "." * 10_000, "!" * 5_000 + " A", ".)" * 5_000, "\n" * 9_000, " " * 9_000, "a" * 9_000, "。”" * 4_000],
    ids=["prose", "dots", "marks", "brackets", "lines", "spaces", "letters", "quotes"],
)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_splitting_encodes_little_more_than_the_text(
    text: str, name: str, boundary: Boundary, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = copy(shipped_tokenizer(name))
    encode, given = tokenizer.ids, []
    monkeypatch.setattr(tokenizer, "ids", lambda part, **choices: given.append(len(part)) or encode(part, **choices))
    list(split(text, tokenizer, most=64, overlap=16, boundary=boundary))
    assert 0 < sum(given) <= 8 * len(text)
