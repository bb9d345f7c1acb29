"""Splitting a long text: no part too long, no character lost, near-linear time, for any text and tokenizer."""

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import texts
from webapp.core.analysis.chunking import BOUNDARIES, Boundary, ChunkPart, PartTooSmallError, boundaries_of, split
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

PROSE = "It rains today. Take an umbrella! Will you?\n\nYes, 我会带伞。你呢？ (Of course.) e.g. this\nnext line\n" * 20


def checked(text: str, tokenizer: Tokenizer, **options: object) -> list[ChunkPart]:
    """Return the parts after checking all that `split` promises."""
    parts = list(split(text, tokenizer, **options))  # type: ignore[arg-type]
    most, overlap = options["most"], options.get("overlap", 0)
    assert isinstance(most, int)
    assert isinstance(overlap, int)
    end = 0
    for part in parts:
        assert part.start <= end < part.end
        assert part.tokens == len(tokenizer.ids(text[part.start : part.end])) <= most
        assert len(tokenizer.ids(text[part.start : end])) <= overlap or part.start == end
        end = part.end
    assert end == len(text)
    return parts


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("name", NAMES)
@given(text=texts, most=st.integers(8, 40), data=st.data())
def test_no_part_is_too_long_and_nothing_is_lost(
    name: str, boundary: Boundary, text: str, most: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, most // 2))
    with suppress(PartTooSmallError):
        checked(text, shipped_tokenizer(name), most=most, overlap=overlap, boundary=boundary)


@pytest.mark.parametrize("most", [12, 16, 64, 100_000])
@pytest.mark.parametrize("overlap", [0, 5])
def test_prose_is_split_at_sentences(most: int, overlap: int) -> None:
    parts = checked(PROSE, shipped_tokenizer("bpe-bytes"), most=most, overlap=overlap, boundary="sentence")
    ends = {*boundaries_of(PROSE, "sentence"), len(PROSE)}
    assert sum(part.end in ends for part in parts) >= len(parts) // 2
    if most == 64:
        assert all(part.end in ends and part.tokens > 32 for part in parts[:-1])


LOG = "".join(f"2026-05-04 12:00:{n % 60:02} INFO request id={n * 7_919_003:x} took {n} ms\n" for n in range(300))


@pytest.mark.parametrize(("most", "overlap"), [(40, 0), (128, 64), (512, 100)])
@pytest.mark.parametrize("boundary", ["sentence", "line"])
def test_the_lines_of_a_log_stay_whole(most: int, overlap: int, boundary: Boundary) -> None:
    parts = checked(LOG, shipped_tokenizer("bpe-bytes"), most=most, overlap=overlap, boundary=boundary)
    assert all(LOG[part.end - 1] == "\n" and LOG[part.start : part.start + 5] == "2026-" for part in parts)


def test_an_overlap_repeats_the_end_of_the_previous_part() -> None:
    words = "a cat and a dog and a cow " * 50
    parts = checked(words, shipped_tokenizer("bpe-bytes"), most=20, overlap=8, boundary="token")
    assert all(one.end - other.start >= len("a dog and") for one, other in pairwise(parts))


def test_template_and_special_tokens_count_towards_the_limit() -> None:
    tokenizer, text = shipped_tokenizer("bpe-bytes"), "one<|endoftext|>two " * 10
    for part in split(text, tokenizer, most=6, boundary="token", special=True):
        assert part.tokens == len(tokenizer.ids(text[part.start : part.end], special=True)) <= 6


def test_impossible_limits_are_refused() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    for most, overlap in ((0, 0), (10, 6), (10, -1)):
        with pytest.raises(ValueError, match="part"):
            split("text", tokenizer, most=most, overlap=overlap)
    with pytest.raises(PartTooSmallError) as refused:
        list(split("a🜁", tokenizer, most=2))
    assert refused.value.character == "🜁"
    assert list(split("", tokenizer, most=1)) == []


class Counting(Tokenizer):
    """A tokenizer that counts the characters it encodes."""

    def __init__(self, inner: Tokenizer) -> None:
        super().__init__(
            inner.model, normalizer=inner.normalizer, pretokenizer=inner.pretokenizer, decoder=inner.decoder
        )
        self.given = 0

    def ids(self, text: str, *, special: bool = False, template: bool = False) -> list[int]:
        self.given += len(text)
        return super().ids(text, special=special, template=template)


@pytest.mark.parametrize(
    "text",
    [PROSE * 5, "." * 10_000, "!" * 5_000 + " A", ".)" * 5_000, "\n" * 9_000, " " * 9_000, "a" * 9_000, "。”" * 4_000],
    ids=["prose", "dots", "marks", "brackets", "lines", "spaces", "letters", "quotes"],
)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_splitting_encodes_little_more_than_the_text(text: str, name: str, boundary: Boundary) -> None:
    tokenizer = Counting(shipped_tokenizer(name))
    list(split(text, tokenizer, most=64, overlap=16, boundary=boundary))
    assert tokenizer.given <= 8 * len(text)
