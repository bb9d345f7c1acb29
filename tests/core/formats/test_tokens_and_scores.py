"""`{tokens, scores}` JSON against the SentencePiece model it was exported from; bad files are refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import given

from tests.core.sentencepieces import trained
from tests.core.texts import any_text
from webapp.core.formats import tokens_and_scores
from webapp.core.formats.tokens_and_scores import FormatError
from webapp.core.tokenizer import Tokenizer


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
