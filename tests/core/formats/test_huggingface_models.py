"""The models of a `tokenizer.json` with all their options, including those that only real files use."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, models, normalizers, pre_tokenizers, processors, trainers

from tests.core.formats.test_huggingface_parts import assert_same, assert_same_for_every_code_point, paired, spelling
from tests.core.pairs import Pair
from tests.core.sentencepieces import parsed, trained
from tests.core.texts import CORPUS, HARD, any_text
from webapp.core.formats import huggingface
from webapp.core.formats.huggingface import FormatError

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
words = st.one_of(st.text("thea▁s研究é.  \x00##", max_size=30), any_text)


def trained_by_tokenizers(model: Any, trainer: Any, pre_tokenizer: Any) -> tokenizers.Tokenizer:
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = pre_tokenizer
    theirs.train_from_iterator(CORPUS.splitlines(keepends=True), trainer)
    return theirs


def wordpiece(**options: Any) -> tokenizers.Tokenizer:
    pieces = ["[UNK]", *"aehst研", *(f"##{letter}" for letter in "aehst究"), "th", "the", "##ea", "研究", "<0x2E>"]
    theirs = tokenizers.Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, **options))
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    return theirs


def unigram(*, byte_fallback: bool) -> tokenizers.Tokenizer:
    pieces = [("<unk>", 0.0), *((piece, -9.0) for piece in BYTES[:0xE3]), ("a", -1.0), ("th", -2.0), ("e", -2.0)]
    pieces += [("研究", -3.0), ("the", -3.9), (" t", -2.5), ("s", -2.0)]
    return tokenizers.Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=byte_fallback))


def llama3(**options: Any) -> tokenizers.Tokenizer:
    trainer = trainers.BpeTrainer(
        vocab_size=700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    split = pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?\p{L}+|\s+|[^\s\p{L}\p{N}]+"), "isolated")
    cut = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    theirs = trained_by_tokenizers(models.BPE(), trainer, cut)
    document = json.loads(theirs.to_str())
    # Words that no merge produces: only `ignore_merges` yields them.
    for word in ("Ġuniversally", "acknowledged", "çłĶç©¶çĶŁåĳ½", "ĠBennetBennet"):
        document["model"]["vocab"].setdefault(word, len(document["model"]["vocab"]))
    document["model"].update(options)
    return tokenizers.Tokenizer.from_str(json.dumps(document))


MODELS = {
    "WordPiece": lambda: wordpiece(unk_token="[UNK]"),
    "WordPiece, short words": lambda: wordpiece(unk_token="[UNK]", max_input_chars_per_word=3),
    "WordPiece, another prefix": lambda: wordpiece(unk_token="[UNK]", continuing_subword_prefix="t"),
    "WordLevel": lambda: trained_by_tokenizers(
        models.WordLevel(unk_token="<unk>"),
        trainers.WordLevelTrainer(special_tokens=["<unk>"], show_progress=False),
        pre_tokenizers.Whitespace(),
    ),
    "Unigram": lambda: unigram(byte_fallback=False),
    "Unigram with bytes": lambda: unigram(byte_fallback=True),
    "byte-level BPE": llama3,
    "byte-level BPE of whole words": lambda: llama3(ignore_merges=True),
}
TEXTS = ["", "the the. xx", "universally acknowledged universally", "BennetBennet BennetBennet", "研究生命 a研究生命"]


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Pair:
    return paired(MODELS[request.param]())


@given(text=words)
def test_models_equal_tokenizers(model: Pair, text: str) -> None:
    assert_same(model, text)


def test_models_equal_tokenizers_on_difficult_texts(model: Pair) -> None:
    for text in [*TEXTS, *HARD, "".join(HARD), " ".join(HARD)]:
        assert_same(model, text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["WordLevel", "Unigram with bytes"])
def test_models_equal_tokenizers_on_every_code_point(name: str) -> None:
    assert_same_for_every_code_point(paired(MODELS[name]()))


def test_dropout_is_ignored() -> None:
    document = json.loads(llama3().to_str())
    plain = huggingface.read(json.dumps(document))
    document["model"]["dropout"] = 0.9
    assert huggingface.read(json.dumps(document)).ids(CORPUS) == plain.ids(CORPUS)


@pytest.mark.parametrize("options", [{"continuing_subword_prefix": "##"}, {"end_of_word_suffix": "</w>"}])
def test_bytes_of_a_prefix_stay_in_the_text(options: dict[str, str]) -> None:
    """`tokenizers` counts offsets beyond the end of the text."""
    vocabulary = {piece: id for id, piece in enumerate(["<unk>", *BYTES, "a", "##b"])}
    pair = paired(tokenizers.Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True, **options)))
    for text in ("aéb研", "ac", "éab", "研研", "x"):
        ours, theirs = pair.ours.encode(text), pair.theirs.encode(text)
        assert list(ours.ids) == theirs.ids
        assert all(0 <= start < end <= len(text) for start, end in zip(ours.starts, ours.ends, strict=True))


@pytest.fixture(scope="module", params=["trained", "published"])
def precompiled(request: pytest.FixtureRequest, shared: Path) -> Pair:
    if request.param == "trained":
        content = trained(model_type="unigram", normalization_rule_name="nmt_nfkc_cf")
    else:
        content = (shared / "vocabularies" / "sentencepiece" / "nai-t5.model").read_bytes()
    return spelling(normalizer=normalizers.Precompiled(parsed(content).normalizer_spec.precompiled_charsmap))


@given(text=any_text)
@example(text="".join(HARD))
@example(text="e\u0301\u0344ﬁ")
@example(text="³\u094dक ·\u0308\u094dक कः\u094dक ³\u094dक\u094dक e\u0301क\u094dक")
def test_a_character_map_equals_tokenizers(precompiled: Pair, text: str) -> None:
    assert_same(precompiled, text)


@pytest.mark.exhaustive
def test_a_character_map_equals_tokenizers_on_every_code_point(precompiled: Pair) -> None:
    assert_same_for_every_code_point(precompiled)


# --- contradictory templates


def templated(**changes: Any) -> str:
    processor = processors.TemplateProcessing("a $A", "a $A $B", [("a", 257)])
    document = json.loads(spelling(processor=processor).theirs.to_str())
    document["post_processor"].update(changes)
    return json.dumps(document)


A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
TEMPLATES = tomllib.loads(Path(__file__).with_name("templates.toml").read_text(encoding="utf-8"))["refused"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *TEMPLATES,
        ({"single": [A] * 11}, "adds too many tokens around a text"),
        ({"special_tokens": {"a": {"id": "a", "ids": [1] * 1000, "tokens": []}}}, "adds too many tokens around a text"),
        ({"single": [A] * 1001}, "1,001 parts; at most 1,000 are allowed"),
        ({"type": "Sequence", "processors": [{"type": "ByteLevel"}] * 101}, "more than 100 parts"),
    ],
)
def test_an_invalid_template_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        huggingface.read(templated(**changes))


def test_a_template_after_one_that_gives_three_spans_is_refused() -> None:
    first = json.loads(templated(pair=[A, B]))["post_processor"]
    three = {**first, "single": [A, *first["single"]]}
    with pytest.raises(FormatError, match="one or two texts, but the post-processor before it produces 3"):
        huggingface.read(templated(type="Sequence", processors=[three, first]))


def test_a_template_of_added_tokens_beyond_the_vocabulary() -> None:
    theirs = spelling().theirs
    theirs.add_special_tokens([AddedToken("<end>", special=True)])
    end = theirs.token_to_id("<end>")
    theirs.post_processor = processors.TemplateProcessing("$A <end>", "$A $B", [("<end>", end)])
    assert_same(paired(theirs), "the th", template=True)
