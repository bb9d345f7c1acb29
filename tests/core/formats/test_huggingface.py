"""A tokenizer.json: the same ids, offsets and text as in the original library."""

import json
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, models, pre_tokenizers, processors, trainers

from tests.core.formats.test_huggingface_parts import assert_same_for_every_code_point, spelling
from tests.core.pairs import Pair, built, paired
from tests.core.texts import CORPUS, HARD, any_text
from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.models.bpe import BPE
from webapp.core.models.unigram import Unigram
from webapp.core.tokenizer import Tokenizer


def test_reading_and_writing_gives_the_same_file(pair: Pair) -> None:
    written = huggingface.write(pair.ours)
    assert huggingface.write(huggingface.read(written)) == written
    ours, theirs = json.loads(written), json.loads(tokenizers.Tokenizer.from_str(written).to_str())
    if ours["model"]["type"] == "Unigram":
        # `tokenizers` reads a score with many digits off by one in the last bit.
        expected = [[piece, pytest.approx(score, rel=1e-15)] for piece, score in ours["model"].pop("vocab")]
        assert theirs["model"].pop("vocab") == expected
    assert theirs["model"] == ours["model"]


@pytest.mark.parametrize("length", [10_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("file", ["gpt2.json", "bert_base_cased.json", "mistral01.json"])
def test_published_files_equal_tokenizers(shared: Path, file: str, length: int) -> None:
    source = (shared / "vocabularies" / "tokenizers" / file).read_text(encoding="utf-8")
    pair = Pair(huggingface.read(source), tokenizers.Tokenizer.from_str(source))
    for path, special, template in product(sorted((shared / "texts").iterdir()), (True, False), (True, False)):
        text = path.read_text(encoding="utf-8")[:length]
        pair.assert_same(text, special=special, template=template)
        pair.assert_decoded(pair.ours.ids(text, special=special, template=template))


# --- added tokens

VOCABULARY = {"<unk>": 0, "a": 1, "b": 2, "ab": 3}


def document(added: list[dict[str, Any]], model: str = "BPE") -> str:
    parts: dict[str, Any] = {"type": model, "unk_token": "<unk>", "vocab": VOCABULARY}
    if model == "BPE":
        parts["merges"] = [["a", "b"]]
    return json.dumps({"version": "1.0", "added_tokens": added, "model": parts})


def added(content: str, id: int, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"content": content, "id": id, **{name: flags.get(name, False) for name in names}}


tokens = st.builds(
    added,
    content=st.sampled_from(["<pad>", "<s>", "</s>", "<unk>", "ab", "<mask>"]),
    id=st.integers(0, 9),
    special=st.booleans(),
    lstrip=st.booleans(),
)


@given(
    parts=st.lists(tokens, max_size=6, unique_by=lambda part: part["content"]),
    text=st.lists(st.sampled_from(["a", "b", "ab", " ", "<pad>", "<s>", "</s>", "<mask>", "<unk>"]), max_size=8),
    model=st.sampled_from(["BPE", "WordLevel"]),
)
def test_ids_of_added_tokens_equal_tokenizers_whatever_is_declared(
    parts: list[dict[str, Any]], text: list[str], model: str
) -> None:
    file = document(parts, model)
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert ours.ids("".join(text), special=True) == theirs.encode("".join(text)).ids
    assert {token.content: token.id for token in ours.added_tokens} == {
        token.content: id for id, token in theirs.get_added_tokens_decoder().items()
    }
    for part in parts:
        token = next(token for token in ours.added_tokens if token.content == part["content"])
        assert token.declared_id == (None if part["id"] == token.id else part["id"])


def test_a_token_listed_twice_has_one_id() -> None:
    file = document([added("<s>", 4), added("<s>", 5), added("<pad>", 6)])
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert ours.ids("a<s><pad>", special=True) == theirs.encode("a<s><pad>").ids == [1, 4, 5]


# --- models

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
SOME = ["<unk>", *BYTES[:0xE3], *"aetsh▁研", "##h", "##e", "e</w>", "##e</w>", "th", "the", "hats", "▁a", "the</w>"]


def bpe(**options: Any) -> Pair:
    ids = {piece: id for id, piece in enumerate(SOME)}
    prefix, suffix = options.get("continuing_subword_prefix", ""), options.get("end_of_word_suffix", "")
    merges = [("t", prefix + "h"), ("th", prefix + "e" + suffix), *([] if prefix or suffix else [("▁", "a")])]
    cut = pre_tokenizers.Split(Regex("[ .]"), "isolated")
    return paired(built(models.BPE(ids, merges, **options), pre_tokenizer=cut))


def separate_end() -> Pair:
    """The end of a word as a separate symbol, with merges as in Sennrich et al."""
    pieces = ["<unk>", "</w>", *"thewranduoiscl.,日本\u0301é", "th", "the", "the</w>", "er", "er</w>", "e</w>"]
    pieces = list(dict.fromkeys(pieces))
    merges = [("t", "h"), ("th", "e"), ("the", "</w>"), ("e", "r"), ("er", "</w>"), ("e", "</w>")]
    ids = [(pieces.index(left), pieces.index(right)) for left, right in merges]
    model = BPE(pieces, ids, byte_level=False, end_of_word_suffix="</w>", unknown="<unk>")
    ours = recipes.CHARACTER_BPE.tokenizer(model, {"<unk>": 0})
    return Pair(ours, paired(tokenizers.Tokenizer.from_str(huggingface.write(ours))).theirs)


def wordpiece(**options: Any) -> Pair:
    pieces = ["[UNK]", *"aehst研", *(f"##{letter}" for letter in "aehst究"), "th", "the", "##ea", "研究", "<0x2E>"]
    model = models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token="[UNK]", **options)
    return paired(built(model, pre_tokenizer=pre_tokenizers.Whitespace()))


def unigram(*, byte_fallback: bool) -> Pair:
    pieces = [("<unk>", 0.0), *((piece, -9.0) for piece in BYTES[:0xE3]), ("a", -1.0), ("th", -2.0), ("e", -2.0)]
    pieces += [("研究", -3.0), ("the", -3.9), (" t", -2.5), ("s", -2.0)]
    return paired(built(models.Unigram(pieces, unk_id=0, byte_fallback=byte_fallback)))


def llama3(**options: Any) -> Pair:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False)
    split = pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?\p{L}+|\s+|[^\s\p{L}\p{N}]+"), "isolated")
    cut = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    document = json.loads(paired(built(models.BPE(), pre_tokenizer=cut), trainer).theirs.to_str())
    # Words that no merge produces: only `ignore_merges` yields them.
    for word in ("Ġuniversally", "acknowledged", "çłĶç©¶çĶŁåĳ½", "ĠBennetBennet"):
        document["model"]["vocab"].setdefault(word, len(document["model"]["vocab"]))
    document["model"].update(options)
    return paired(tokenizers.Tokenizer.from_str(json.dumps(document)))


def wordlevel() -> Pair:
    trainer = trainers.WordLevelTrainer(special_tokens=["<unk>"], show_progress=False)
    return paired(built(models.WordLevel(unk_token="<unk>"), pre_tokenizer=pre_tokenizers.Whitespace()), trainer)


PREFIX, SUFFIX = {"continuing_subword_prefix": "##"}, {"end_of_word_suffix": "</w>"}
FUSED, FALLBACK = {"fuse_unk": True}, {"byte_fallback": True}
WHOLE: dict[str, Any] = {"ignore_merges": True}
OPTIONS = [FUSED, FALLBACK, FALLBACK | FUSED, WHOLE, PREFIX, SUFFIX, PREFIX | SUFFIX]
MODELS = {
    "WordPiece": wordpiece,
    "WordPiece, short words": partial(wordpiece, max_input_chars_per_word=3),
    "WordPiece, another prefix": partial(wordpiece, continuing_subword_prefix="t"),
    "WordLevel": wordlevel,
    "Unigram": partial(unigram, byte_fallback=False),
    "Unigram with bytes": partial(unigram, byte_fallback=True),
    "byte-level BPE": llama3,
    "byte-level BPE of whole words": partial(llama3, ignore_merges=True),
    "BPE with a separate end of words": separate_end,
    "BPE, unknown left out": bpe,
    "BPE": partial(bpe, unk_token="<unk>"),
    **{f"BPE, {' '.join(options)}": partial(bpe, unk_token="<unk>", **options) for options in OPTIONS},
}
TEXTS = ["", "the the. xx", "universally acknowledged universally", "BennetBennet BennetBennet", "研究生命 a研究生命"]


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Pair:
    return MODELS[request.param]()


@given(texts=st.lists(st.text("thea▁s研究é.  \x00##", max_size=30) | st.text("the wranduo.,\n日é\u0301") | any_text))
@example(texts=[*TEXTS, *HARD, "".join(HARD), " ".join(HARD)])
def test_models_equal_tokenizers(model: Pair, texts: list[str]) -> None:
    for text in texts:
        model.assert_same(text)
        model.assert_decoded(model.ours.ids(text))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["WordLevel", "Unigram with bytes"])
def test_models_equal_tokenizers_on_every_code_point(name: str) -> None:
    assert_same_for_every_code_point(MODELS[name]())


def test_dropout_is_ignored() -> None:
    document = json.loads(llama3().theirs.to_str())
    plain = huggingface.read(json.dumps(document))
    document["model"]["dropout"] = 0.9
    assert huggingface.read(json.dumps(document)).ids(CORPUS) == plain.ids(CORPUS)


@pytest.mark.parametrize("options", [PREFIX, SUFFIX])
def test_bytes_of_a_prefix_stay_in_the_text(options: dict[str, str]) -> None:
    """`tokenizers` counts offsets beyond the end of the text."""
    vocabulary = {piece: id for id, piece in enumerate(["<unk>", *BYTES, "a", "##b"])}
    pair = paired(built(models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True, **options)))
    for text in ("aéb研", "ac", "éab", "研研", "x"):
        ours, theirs = pair.ours.encode(text), pair.theirs.encode(text)
        assert list(ours.ids) == theirs.ids
        assert all(0 <= start < end <= len(text) for start, end in zip(ours.starts, ours.ends, strict=True))


def test_a_template_of_added_tokens_beyond_the_vocabulary() -> None:
    theirs = spelling().theirs
    theirs.add_special_tokens([AddedToken("<end>", special=True)])
    end = theirs.token_to_id("<end>")
    theirs.post_processor = processors.TemplateProcessing("$A <end>", "$A $B", [("<end>", end)])
    paired(theirs).assert_same("the th", template=True)


decimals = st.from_regex(r"-?(0|[1-9][0-9]{0,8})\.[0-9]{1,30}([eE][+-]?1?[0-9])?", fullmatch=True)


@given(decimals | st.floats(-1000, 0, width=32).map(repr).filter(lambda number: "." in number))
def test_scores_equal_tokenizers(number: str) -> None:
    ours, theirs = unigram_of(f'["<unk>",0.0],["a",{number}]')
    assert isinstance(ours.model, Unigram)
    assert ours.model.scores[1] == json.loads(theirs.to_str())["model"]["vocab"][1][1]


def test_ties_between_equally_likely_paths_equal_tokenizers() -> None:
    # Sums of the same scores in another order differ only in the last digit.
    pieces = '["<unk>",0.0],["-",-5.8989838560],["----",-9.3112831115722656],["--",-7.0122928619384766]'
    ours, theirs = unigram_of(pieces)
    assert ours.ids("-" * 55) == theirs.encode("-" * 55).ids


def unigram_of(pieces: str) -> tuple[Tokenizer, tokenizers.Tokenizer]:
    file = f'{{"version":"1.0","added_tokens":[],"model":{{"type":"Unigram","unk_id":0,"vocab":[{pieces}]}}}}'
    return huggingface.read(file), tokenizers.Tokenizer.from_str(file)
