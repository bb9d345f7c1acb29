"""`tokenizer.json`: what we write is loaded with the same meaning, and a bad file gives one clear error."""

import json
from itertools import product
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import any_text
from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.formats.huggingface import FormatError
from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.tokenizer import Tokenizer

# The end of a word as a separate symbol, with merges as in Sennrich et al.
APART_PIECES = [
    "<unk>",
    "</w>",
    *dict.fromkeys("thewranduoiscl.,日本\u0301é"),
    "th",
    "the",
    "the</w>",
    "er",
    "er</w>",
    "e</w>",
]
APART = BPE(
    APART_PIECES,
    [
        (APART_PIECES.index(left), APART_PIECES.index(right))
        for left, right in [("t", "h"), ("th", "e"), ("the", "</w>"), ("e", "r"), ("er", "</w>"), ("e", "</w>")]
    ],
    byte_level=False,
    end_of_word_suffix="</w>",
    unknown="<unk>",
)


@pytest.fixture(scope="module")
def apart() -> Pair:
    ours = recipes.CHARACTER_BPE.tokenizer(APART, {"<unk>": 0})
    theirs = tokenizers.Tokenizer.from_str(huggingface.write(ours))
    theirs.encode_special_tokens = True
    return Pair(ours, theirs)


@given(text=st.one_of(any_text, st.text("the wranduo.,\n日本é\u0301\ue000\ue001", max_size=30)))
def test_end_of_word_symbol_equals_tokenizers(apart: Pair, text: str) -> None:
    theirs = apart.theirs.encode(text)
    ours = apart.ours.encode(text)
    assert list(ours.ids) == theirs.ids
    assert list(zip(ours.starts, ours.ends, strict=True)) == theirs.offsets
    assert apart.ours.decode(ours.ids) == apart.theirs.decode(theirs.ids, skip_special_tokens=False)


def test_reading_and_writing_gives_the_same_file(pair: Pair) -> None:
    written = huggingface.write(pair.ours)
    assert huggingface.write(huggingface.read(written)) == written
    ours, theirs = json.loads(written), json.loads(tokenizers.Tokenizer.from_str(written).to_str())
    if ours["model"]["type"] == "Unigram":
        # `tokenizers` reads a score with many digits off by one in the last bit.
        expected = [[piece, pytest.approx(score, rel=1e-15)] for piece, score in ours["model"].pop("vocab")]
        assert theirs["model"].pop("vocab") == expected
    assert theirs["model"] == ours["model"]


def test_matching_cannot_be_written() -> None:
    with pytest.raises(FormatError, match="Matching"):
        huggingface.write(recipes.MATCHING.tokenizer(Matching(Dictionary(["a"]), "forward")))


def test_an_end_of_word_symbol_needs_its_pipeline() -> None:
    with pytest.raises(FormatError, match="Whitespace"):
        huggingface.write(Tokenizer(APART))


@pytest.mark.parametrize("length", [10_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("file", ["gpt2.json", "bert_base_cased.json", "mistral01.json"])
def test_published_files_equal_tokenizers(shared: Path, file: str, length: int) -> None:
    source = (shared / "vocabularies" / "tokenizers" / file).read_text(encoding="utf-8")
    ours, theirs = huggingface.read(source), tokenizers.Tokenizer.from_str(source)
    for path, special, template in product(sorted((shared / "texts").iterdir()), (True, False), (True, False)):
        text = path.read_text(encoding="utf-8")[:length]
        theirs.encode_special_tokens = not special
        expected = theirs.encode(text, add_special_tokens=template)
        encoding = ours.encode(text, special=special, template=template)
        assert list(encoding.ids) == expected.ids, path.name
        assert list(zip(encoding.starts, encoding.ends, strict=True)) == expected.offsets, path.name
        for skip in (True, False):
            assert ours.decode(encoding.ids, skip_special=skip) == theirs.decode(expected.ids, skip_special_tokens=skip)
