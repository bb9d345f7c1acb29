"""`tokenizer.json`: what we write is loaded with the same meaning, and a bad file gives one clear error."""

import json
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import CORPUS, any_text
from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.formats.huggingface import FormatError
from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_characters

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


def test_end_of_word_symbol_is_read_back(apart: Pair) -> None:
    back = huggingface.read(huggingface.write(apart.ours))
    assert back.model.pieces == APART.pieces
    assert isinstance(back.model, BPE)
    assert (back.model.merges, back.model.end_of_word_suffix) == (APART.merges, "</w>")
    assert (back.normalizer, back.pretokenizer, back.decoder) == (
        apart.ours.normalizer,
        apart.ours.pretokenizer,
        apart.ours.decoder,
    )
    assert huggingface.write(back) == huggingface.write(apart.ours)


def test_a_trained_tokenizer_is_written_and_read_back() -> None:
    trained = train_characters(recipes.CHARACTER_BPE.count(CORPUS), 600)
    ours = recipes.CHARACTER_BPE.tokenizer(trained.model)
    theirs = tokenizers.Tokenizer.from_str(huggingface.write(ours))
    theirs.encode_special_tokens = True
    assert theirs.encode(CORPUS).ids == list(ours.encode(CORPUS).ids)


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


# --- bad files

GOOD: dict[str, Any] = {
    "version": "1.0",
    "added_tokens": [{"id": 0, "content": "<unk>", "special": True}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Replace",
                   "pattern": {"Regex": "a+"}, "content": "a"}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace", "replacement": "▁",
                      "prepend_scheme": "always", "split": True},
                      {"type": "Split", "pattern": {"String": "."}, "behavior": "Isolated", "invert": False}]},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1, "▁": 2, "▁a": 3},
              "merges": [["▁", "a"]]},
}  # fmt: skip


def test_the_good_file_is_read() -> None:
    tokenizer = huggingface.read(json.dumps(GOOD))
    assert tokenizer.ids("a aaa") == [3, 3]
    assert tokenizers.Tokenizer.from_str(json.dumps({**GOOD, "added_tokens": []})).encode("a aaa").ids == [3, 3]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["model"], None, "model"),
        (["model", "type"], "Chart", "Chart"),
        (["model", "vocab"], [], "vocab"),
        (["model", "vocab", "a"], "1", "an integer id"),
        (["model", "vocab", "a"], 7, "run from 0 to 3"),
        (["model", "merges"], [["▁", "b"]], "'b'"),
        (["model", "vocab", "a"], 3, "id 3"),
        (["added_tokens", 0, "lstrip"], 1, "lstrip"),
        (["normalizer"], {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "character map"),
        (["normalizer"], {"type": "Precompiled", "precompiled_charsmap": "?"}, "character map"),
        (
            ["post_processor"],
            {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}], "special_tokens": {}},
            "'x'",
        ),
        (["post_processor"], {"type": "Stamp"}, "Stamp"),
        (["pre_tokenizer"], {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"}, "times out"),
        (["pre_tokenizer"], {"type": "FixedLength", "length": 0}, "length"),
        (["decoder"], {"type": "Strip", "content": "ab", "start": 0, "stop": 0}, "content"),
        (["model", "merges"], [["▁"]], "pairs"),
        (["model", "merges"], [["a", "a"]], "'aa'"),
        (["model", "merges"], ["▁ a b"], "pairs"),
        (["added_tokens", 0, "id"], "0", "id"),
        (["added_tokens", 0], "x", "added_tokens"),
        (["normalizer", "normalizers", 1, "pattern"], {"Regex": "("}, "compiled"),
        (["pre_tokenizer", "pretokenizers", 0, "replacement"], "__", "replacement"),
        (["pre_tokenizer", "pretokenizers", 1, "behavior"], "Sideways", "Sideways"),
        (["pre_tokenizer", "pretokenizers", 1, "pattern"], {}, "Regex"),
        (["decoder"], [], "decoder"),
    ],
)
def test_a_bad_file_says_what_is_wrong(path: list[Any], value: Any, message: str) -> None:
    document = deepcopy(GOOD)
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(FormatError, match=message):
        huggingface.read(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "5", "{}", '{"model": 1}', "[" * 100_000, '{"model": {}}'])
def test_a_text_that_is_no_tokenizer_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        huggingface.read(text)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.floats(allow_nan=False), st.sampled_from(
        ["", "a", "▁", "BPE", "WordPiece", "Unigram", "Sequence", "ByteLevel", "Replace", "<unk>"]
    )),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(
        st.sampled_from(["type", "vocab", "merges", "pattern", "Regex", "normalizers", "pretokenizers", "a"]), inner,
        max_size=3,
    )),
    max_leaves=6,
)  # fmt: skip


@given(data=st.data(), value=json_values)
def test_any_change_is_read_or_refused_with_a_format_error(data: st.DataObject, value: Any) -> None:
    """Put any value anywhere into a good file: it is read, or refused with a FormatError; never a KeyError."""
    document = deepcopy(GOOD)
    inner: Any = document
    while True:
        steps = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        step = data.draw(st.sampled_from(steps))
        if not isinstance(inner[step], dict | list) or not inner[step] or data.draw(st.booleans()):
            inner[step] = value
            break
        inner = inner[step]
    try:
        tokenizer = huggingface.read(json.dumps(document))
    except FormatError:
        return
    tokenizer.encode("a aa. b")
