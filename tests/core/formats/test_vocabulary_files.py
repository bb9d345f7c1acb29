"""Files of merges, pieces and scores: what each holds, and the same ids as in the original libraries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer

from tests.core.sentencepieces import trained
from tests.core.tekken_files import RANKS, tekken_file
from tests.core.texts import CORPUS, any_text
from webapp.core.formats import subword_nmt, tekken, tokens_and_scores, vocab_json, vocab_txt
from webapp.core.formats.reading import FormatError
from webapp.core.models.unigram import Unigram
from webapp.core.recipes import BYTE_BPE, UNIGRAM
from webapp.core.reference.bpe import characters, encode_everywhere
from webapp.core.text import split_patterns
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes

LINES = CORPUS.splitlines(keepends=True)
BYTES = [bytes([byte]) for byte in range(256)]

# --- vocab.txt


@pytest.fixture(scope="module", params=[True, False], ids=["lower case", "cased"])
def bert(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Tokenizer, Any]:
    """Return a vocab.txt trained by `tokenizers`, read by us and by it."""
    trained = BertWordPieceTokenizer(lowercase=request.param)
    trained.train_from_iterator(LINES, vocab_size=600, limit_alphabet=200, show_progress=False)
    folder = tmp_path_factory.mktemp("bert")
    trained.save_model(str(folder))
    file = folder / "vocab.txt"
    rival = BertWordPieceTokenizer(str(file), lowercase=request.param)
    rival._tokenizer.encode_special_tokens = True
    return vocab_txt.read(file.read_text(encoding="utf-8")), rival


@given(text=any_text)
def test_vocab_txt_equals_tokenizers(bert: tuple[Tokenizer, Any], text: str) -> None:
    ours, rival = bert
    theirs = rival.encode(text, add_special_tokens=False)
    encoding = ours.encode(text)
    assert list(encoding.ids) == theirs.ids
    assert list(zip(encoding.starts, encoding.ends, strict=True)) == theirs.offsets
    assert ours.decode(theirs.ids) == rival.decode(theirs.ids, skip_special_tokens=False)


def test_vocab_txt_is_written_unchanged(bert: tuple[Tokenizer, Any]) -> None:
    written = vocab_txt.write(bert[0])
    again = vocab_txt.read(written)
    assert vocab_txt.write(again) == written
    assert (again.model.pieces, again.special_tokens) == (bert[0].model.pieces, bert[0].special_tokens)
    assert again.normalizer == bert[0].normalizer


def test_vocab_txt_line_ends_and_letter_case() -> None:
    assert vocab_txt.read("[UNK]\r\nlow\r\n##er\r\n").ids("lower") == [1, 2]
    assert vocab_txt.read("[UNK]\nlow\n", lowercase=False).ids("Low") == [0]
    assert vocab_txt.read("[UNK]\nlow\n").ids("Low") == [1]
    assert vocab_txt.read("[UNK]\nlow\nLow\n").ids("Low") == [2]


# --- vocab.json and merges.txt


@pytest.fixture(scope="module")
def gpt2_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return both files, trained by `tokenizers`."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(LINES, vocab_size=800, special_tokens=["<|endoftext|>"], show_progress=False)
    folder = tmp_path_factory.mktemp("gpt2")
    vocabulary, merges = trained.save_model(str(folder))
    return Path(vocabulary), Path(merges)


@pytest.fixture(scope="module")
def gpt2(gpt2_files: tuple[Path, Path]) -> tuple[Tokenizer, Any]:
    """Return both files, read by us and by `tokenizers`."""
    vocabulary, merges = (file.read_text(encoding="utf-8") for file in gpt2_files)
    return vocab_json.read(json.loads(vocabulary), merges), ByteLevelBPETokenizer(*map(str, gpt2_files))


@given(text=any_text)
def test_vocab_json_equals_tokenizers(gpt2: tuple[Tokenizer, Any], text: str) -> None:
    ours, rival = gpt2
    theirs = rival.encode(text)
    encoding = ours.encode(text)
    assert list(encoding.ids) == theirs.ids
    assert ours.decode(theirs.ids) == rival.decode(theirs.ids) == text


def test_vocab_json_is_written_unchanged(gpt2: tuple[Tokenizer, Any], gpt2_files: tuple[Path, Path]) -> None:
    vocabulary, merges = (file.read_text(encoding="utf-8") for file in gpt2_files)
    written = vocab_json.write(gpt2[0])
    assert (json.loads(written[0]), written[1]) == (json.loads(vocabulary), merges)


def test_models_without_a_vocab_json_are_not_written() -> None:
    unigram = UNIGRAM.tokenizer(Unigram(["<unk>", "a"], [0, -1], unknown_id=0))
    with pytest.raises(FormatError, match="Unigram cannot be written"):
        vocab_json.write(unigram)
    with pytest.raises(FormatError, match="Unigram cannot be written"):
        vocab_txt.write(unigram)
    model = train_bytes({}, 256).model
    with pytest.raises(FormatError, match="GPT-2's split pattern"):
        vocab_json.write(Tokenizer(model))
    with pytest.raises(FormatError, match="has the id 300, but no piece has the id 256"):
        vocab_json.write(BYTE_BPE.tokenizer(model, {"<s>": 300}))


# --- tekken.json

OURS = tekken.read(tekken_file())
MISTRALS = tiktoken.Encoding(
    "tekken",
    pat_str=split_patterns.TEKKEN,
    mergeable_ranks={piece: rank for rank, piece in enumerate(RANKS[:600])},
    special_tokens={},
)


@given(text=any_text)
def test_tekken_equals_tiktoken(text: str) -> None:
    """Mistral's reader is `tiktoken` with the first ids reserved for special tokens."""
    ids = [id + 100 for id in MISTRALS.encode_ordinary(text)]
    assert OURS.ids(text) == ids
    assert OURS.decode(ids) == text


def test_special_tokens_of_tekken() -> None:
    assert OURS.ids("<s>a<SPECIAL_99>", special=True) == [1, 100 + 97, 99]
    assert OURS.decode([1, 197], skip_special=True) == "a"
    assert len(OURS.special_tokens) == 100
    unnamed = tekken.read(tekken_file(special_tokens=None))
    names = {"<unk>": 0, "[INST]": 3, "[TOOL_CONTENT]": 19, "<SPECIAL_20>": 20}
    assert names.items() <= unnamed.special_tokens.items()


# --- subword-nmt's codes


def plainly(word: str, codes: dict[tuple[str, str], int], version: str) -> list[str]:
    """Return what `apply_bpe.py` prints for a word: its pieces without the end-of-word mark."""
    if len(word) == 1:
        return [word]
    pieces = encode_everywhere(characters(word, glued=version != "0.1"), sorted(codes, key=codes.__getitem__))
    return [piece.removesuffix("</w>") for piece in pieces if piece != "</w>"]


@st.composite
def codes(draw: st.DrawFn) -> tuple[str, dict[tuple[str, str], int], str]:
    """Draw a file, its merges by rank, and its version: pairs that are adjacent in some word, in any order."""
    version = draw(st.sampled_from(["0.1", "0.2"]))
    merges: dict[tuple[str, str], int] = {}
    for word in draw(st.lists(st.text("abcd", min_size=2, max_size=8), min_size=1, max_size=8)):
        symbols = [*word, "</w>"] if version == "0.1" else [*word[:-1], word[-1] + "</w>"]
        while len(symbols) > 1 and draw(st.booleans()):
            at = draw(st.integers(0, len(symbols) - 2))
            merges.setdefault((symbols[at], symbols[at + 1]), 0)
            symbols[at : at + 2] = ["".join(symbols[at : at + 2])]
    order = draw(st.permutations([*merges, ("a", "b")]))
    header = {"0.2": "#version: 0.2\n", "0.1": draw(st.sampled_from(["", "#version: 0.1\n"]))}[version]
    file = header + "".join(f"{left} {right}\n" for left, right in order)
    return file, {pair: rank for rank, pair in reversed([*enumerate(order)])}, version


@given(made=codes(), words=st.lists(st.text("abcdé", min_size=1, max_size=14), max_size=5))
def test_codes_equal_subword_nmt(made: tuple[str, dict[tuple[str, str], int], str], words: list[str]) -> None:
    file, merges, version = made
    tokenizer = subword_nmt.read(file)
    encoding = tokenizer.encode("  ".join(words))
    # The mark alone is no token in subword-nmt; in ours it is a token at the word's last character.
    found = [str(token.piece).removesuffix("</w>") for token in encoding if token.piece != "</w>"]
    assert found == [part for word in words for part in plainly(word, merges, version)]
    assert list(encoding.ids) == tokenizer.ids("  ".join(words))


def test_the_versions_differ() -> None:
    lines = "l o\nlo w</w>\n"
    assert [token.piece for token in subword_nmt.read("#version: 0.2\n" + lines).encode("low")] == ["low</w>"]
    assert [token.piece for token in subword_nmt.read(lines).encode("low")] == ["lo", "w", "</w>"]


def test_a_very_long_word_is_encoded() -> None:
    tokenizer = subword_nmt.read("#version: 0.2\na a\naa aa\naaaa aaaa\naa aa</w>\n")
    assert len(tokenizer.ids("a" * 300_000)) == 299_999 // 8 + 4  # seven more and the last, with its mark


def exported(rival: sentencepiece.SentencePieceProcessor) -> dict[str, list[Any]]:
    """Return the JSON of a model, as llama2.c exports it."""
    pieces = [rival.id_to_piece(id).replace("▁", " ") for id in range(rival.get_piece_size())]
    first = pieces.index("<0x00>")
    pieces[first : first + 256] = map(chr, range(256))
    return {"tokens": pieces, "scores": [rival.get_score(id) for id in range(rival.get_piece_size())]}


@pytest.fixture(scope="module")
def rival() -> sentencepiece.SentencePieceProcessor:
    model = trained(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", vocab_size=700)
    return sentencepiece.SentencePieceProcessor(model_proto=model)


@pytest.fixture(scope="module")
def ours(rival: sentencepiece.SentencePieceProcessor) -> Tokenizer:
    return tokens_and_scores.read(json.dumps(exported(rival)))


@given(text=any_text.filter(lambda text: text == " ".join(text.split(" ")).strip(" ") and "▁" not in text and text))
def test_ids_equal_the_model_given_a_leading_space(
    rival: sentencepiece.SentencePieceProcessor, ours: Tokenizer, text: str
) -> None:
    text = " ".join(filter(None, text.split(" ")))  # the model removes extra spaces, which the JSON does not record
    ids = ours.ids(" " + text)
    assert ids == rival.encode(text)
    assert ours.decode(ids) == " " + text


def test_worked_example(shared: Path, worked_examples: dict[str, Any]) -> None:
    text = (shared / "vocabularies" / "scores" / "stories15m_tokens_scores.json").read_text(encoding="utf-8")
    ours = tokens_and_scores.read(text)
    example = worked_examples["scored_bpe"]
    for piece, id in example["ids"].items():
        assert ours.model.id_of(piece) == id
    assert ours.ids(",") == [29892]
    assert ours.ids("\U0010ffff") == [byte + example["first_byte_id"] for byte in "\U0010ffff".encode()]
    rival = sentencepiece.SentencePieceProcessor(
        model_file=str(shared / "vocabularies" / "sentencepiece" / "llama2.model")
    )
    for path in sorted((shared / "texts").iterdir()):
        content = path.read_text(encoding="utf-8")[:50_000].replace("▁", "")
        assert ours.ids(" " + content) == rival.encode(content), path.name


def small() -> dict[str, Any]:
    tokens = ["<unk>", "<s>", "</s>", *map(chr, range(256)), "a", "b", "ab"]
    return {"tokens": tokens, "scores": [0.0] * 259 + [-3.0, -2.0, -1.0]}


def changed(**change: Any) -> str:
    return json.dumps({**small(), **change})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(small()).replace("-1.0", "1e999"), "which is not a number"),
        (changed(tokens=[*small()["tokens"][:-1], "a"]), "'a' occurs twice"),
        (changed(tokens=[*small()["tokens"][:-1], ""]), "is empty"),
        (changed(tokens=["<s>", "x", *small()["tokens"][2:]]), '"<unk>" is missing'),
    ],
)
def test_bad_files_are_refused_in_one_clear_sentence(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as refused:
        tokens_and_scores.read(text)
    assert "\n" not in str(refused.value)
