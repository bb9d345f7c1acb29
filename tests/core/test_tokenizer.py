"""Tokenizers: offsets, threads, long texts; the ids, offsets and text of the original library from the same file."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.small_files import TRAINED
from tests.core.texts import CORPUS, any_text
from tests.properties import SAME_FIXTURE
from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.trainers.bpe import train_characters

BYTES = recipes.BYTE_BPE.tokenizer(TRAINED.model)
CHARACTERS = recipes.CHARACTER_BPE.tokenizer(train_characters(recipes.CHARACTER_BPE.count(CORPUS), 400).model)


def test_special_and_unknown_tokens_are_distinguished(wordpiece_pair: Pair) -> None:
    encoding = wordpiece_pair.ours.encode("the [UNK] ☃", special=True)
    found = [(token.piece, token.special, token.unknown) for token in encoding]
    assert found == [("the", False, False), ("[UNK]", True, False), ("☃", False, True)]
    assert encoding.ids[1] == encoding.ids[2]


# --- encodings


@given(text=any_text)
def test_an_encoding_is_a_sequence_of_tokens(wordpiece_pair: Pair, text: str) -> None:
    encoding = wordpiece_pair.ours.encode(text)
    tokens = list(encoding)
    assert [encoding[index] for index in range(len(encoding))] == tokens
    assert list(encoding[1:3]) == tokens[1:3]
    encoding.forget_places()  # they are computed again
    assert list(encoding) == tokens
    for index, token in enumerate(tokens):
        assert token.index == index
        assert (token.start, token.end) == (encoding.starts[index], encoding.ends[index])
        assert token.unknown == (index in encoding.unknown) == (token.id == wordpiece_pair.ours.model.unknown_id)
        assert token.piece == encoding.piece(index)
        if token.unknown:
            assert token.piece == text[token.start : token.end]
        else:
            assert token.piece == wordpiece_pair.ours.model.pieces[token.id]
    with pytest.raises(IndexError):
        encoding[len(encoding)]


@given(text=st.text(st.one_of(st.characters(), st.sampled_from("\ud800\udfff\ud83d")), max_size=20))
def test_lone_surrogates_are_read_as_replacement_characters(text: str) -> None:
    tokenizer = recipes.BYTE_BPE.tokenizer(BPE([bytes([byte]) for byte in range(256)], [], byte_level=True))
    replaced = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # a pair is one character
    encoding = tokenizer.encode(text)
    assert list(encoding.ids) == list(replaced.encode()) == tokenizer.ids(text)
    assert encoding.text == text
    assert list(encoding.ends)[-1:] == ([len(text)] if text else [])
    assert tokenizer.decode(encoding.ids) == replaced


@pytest.mark.parametrize("text", [CORPUS, "  two spaces", " leading", "trailing  ", "a\n\n\tb\r\n", "1,234.5 (a) [b]"])
def test_unigram_decoding_restores_ordinary_text(text: str) -> None:
    characters = sorted({*text, "▁", "u", "z"} - {" "})
    pieces = ["<unk>", *characters, "▁the", "▁(", "..", "ing"]
    model = Unigram(pieces, [0.0, *([-5.0] * (len(pieces) - 1))], unknown_id=0)
    tokenizer = recipes.UNIGRAM.tokenizer(model)
    assert tokenizer.decode(tokenizer.ids(text)) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("id", [-1, 10_000])
def test_an_error_names_the_id_outside_the_vocabulary(id: int) -> None:
    with pytest.raises(ValueError, match=str(id)):
        BYTES.decode([97, id])


# --- hostile input: up to a megabyte without a boundary; the suite's time limit is the criterion


# Letters, line ends, punctuation, characters beyond the basic plane and words of them, marks, decomposed letters.
HOSTILE = ["a", "ab", " ", "\r\n", "!", "'", "研", "𝐀", "𝐀 ", "\u0301\u0323", "e\u0301"]


MEGABYTES = [pytest.param(part, 1_000_000, marks=pytest.mark.exhaustive) for part in ("a", "e\u0301")]


@pytest.mark.parametrize(("part", "size"), [*((part, 40_000) for part in HOSTILE), *MEGABYTES])
def test_long_text_without_a_boundary(part: str, size: int) -> None:
    text = "e" + part * (size // len(part.encode()))
    encoding = BYTES.encode(text)
    assert BYTES.decode(encoding.ids) == text
    assert encoding.ends[-1] == len(text)
    pieces = ["<unk>", "▁", "a", "aa", "aaaa", "a" * 16, "研", "研研", "é"]
    unigram = Unigram(pieces, [0.0, *(-1.0 - at for at in range(8))], unknown_id=0)
    dictionary = Dictionary(["a", "aa", "研究", "研" * 7, "研" * 2])
    for tokenizer in (
        CHARACTERS,
        recipes.wordpiece(lowercase=True).tokenizer(WordPiece(["[UNK]", "a", "##a"])),
        recipes.UNIGRAM.tokenizer(unigram),
        *(recipes.MATCHING.tokenizer(Matching(dictionary, "both", keep_runs)) for keep_runs in (True, False)),
    ):
        found = tokenizer.encode(text)
        assert len(found.ends) == len(found)


# --- threads


def test_threads_can_share_a_tokenizer(pair: Pair) -> None:
    lines = CORPUS.splitlines() * 4
    expected = [pair.theirs.encode(line, add_special_tokens=False) for line in lines]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(pair.ours.encode, lines))
    for ours, theirs in zip(found, expected, strict=True):
        assert list(ours.ids) == theirs.ids
        assert list(zip(ours.starts, ours.ends, strict=True)) == theirs.offsets


@pytest.fixture(scope="module")
def written(pair: Pair) -> Pair:
    """The file that we write, read by `tokenizers`."""
    return Pair(pair.ours, tokenizers.Tokenizer.from_str(huggingface.write(pair.ours)))


@SAME_FIXTURE
@given(text=any_text)
@example(text="")
@example(text=" ")
@example(text=CORPUS)
@example(text="▁▁ a")
def test_ids_offsets_and_text_equal_tokenizers(pair: Pair, written: Pair, text: str) -> None:
    for each in (pair, written):
        each.assert_same(text)
        each.assert_decoded(pair.ours.ids(text))


@SAME_FIXTURE
@given(data=st.data())
def test_decoding_of_any_ids_equals_tokenizers(pair: Pair, data: st.DataObject) -> None:
    pair.assert_decoded(data.draw(st.lists(st.integers(0, len(pair.ours.model.pieces) - 1), max_size=12)))


@SAME_FIXTURE
@given(parts=st.lists(st.one_of(any_text, st.none()), max_size=6), data=st.data())
def test_special_tokens_in_the_text_equal_tokenizers(pair: Pair, parts: list[str | None], data: st.DataObject) -> None:
    names = sorted(pair.ours.special_tokens)
    text = "".join(data.draw(st.sampled_from(names)) if part is None else part for part in parts)
    pair.assert_same(text, special=True)
    assert not pair.ours.encode(text).special
    ours = pair.ours.encode(text, special=True)
    for index in ours.special:
        assert ours.ids[index] == pair.ours.special_tokens[text[ours.starts[index] : ours.ends[index]]]
