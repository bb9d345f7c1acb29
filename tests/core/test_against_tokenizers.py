"""The same file yields the same ids, offsets and text as in Hugging Face's `tokenizers`."""

import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import CORPUS, any_text
from tests.properties import SAME_FIXTURE
from webapp.core.formats import huggingface


def assert_same(pair: Pair, text: str) -> None:
    theirs = pair.theirs.encode(text, add_special_tokens=False)
    ours = pair.ours.encode(text)
    assert list(ours.ids) == theirs.ids == pair.ours.ids(text)
    assert list(zip(ours.starts, ours.ends, strict=True)) == theirs.offsets


@SAME_FIXTURE
@given(text=any_text)
@example(text="")
@example(text=" ")
@example(text=CORPUS)
@example(text="▁▁ a")
def test_ids_and_offsets_equal_tokenizers(pair: Pair, text: str) -> None:
    assert_same(pair, text)


@SAME_FIXTURE
@given(text=any_text)
def test_tokenizers_loads_what_we_write_and_encodes_the_same(pair: Pair, text: str) -> None:
    written = getattr(pair, "written", None)
    if written is None:
        written = tokenizers.Tokenizer.from_str(huggingface.write(pair.ours))
        written.encode_special_tokens = True
        pair.written = written  # type: ignore[attr-defined]
    assert_same(Pair(pair.ours, written), text)


@SAME_FIXTURE
@given(text=any_text)
def test_decoding_equals_tokenizers(pair: Pair, text: str) -> None:
    ids = pair.ours.ids(text)
    assert pair.ours.decode(ids) == pair.theirs.decode(ids, skip_special_tokens=False)
    assert pair.ours.decode(ids, skip_special=True) == pair.theirs.decode(ids, skip_special_tokens=True)


@SAME_FIXTURE
@given(data=st.data())
def test_decoding_of_any_ids_equals_tokenizers(pair: Pair, data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.integers(0, len(pair.ours.model.pieces) - 1), max_size=12))
    assert pair.ours.decode(ids) == pair.theirs.decode(ids, skip_special_tokens=False)


@SAME_FIXTURE
@given(parts=st.lists(st.one_of(any_text, st.none()), max_size=6), data=st.data())
def test_special_tokens_in_the_text_equal_tokenizers(pair: Pair, parts: list[str | None], data: st.DataObject) -> None:
    names = sorted(pair.ours.special_tokens)
    text = "".join(data.draw(st.sampled_from(names)) if part is None else part for part in parts)
    pair.theirs.encode_special_tokens = False
    try:
        theirs = pair.theirs.encode(text, add_special_tokens=False)
    finally:
        pair.theirs.encode_special_tokens = True
    ours = pair.ours.encode(text, special=True)
    assert list(ours.ids) == theirs.ids == pair.ours.ids(text, special=True)
    assert list(zip(ours.starts, ours.ends, strict=True)) == theirs.offsets
    for index in ours.special:
        assert ours.ids[index] == pair.ours.special_tokens[text[ours.starts[index] : ours.ends[index]]]
