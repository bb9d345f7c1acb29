"""The API returns what the core computes."""

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from hypothesis import given

from tests.api.conftest import Ask, problem_of
from tests.core.texts import texts
from tests.properties import EXPENSIVE_WITH_SAME_FIXTURE
from webapp.core.analysis.decoding import decoded
from webapp.core.inference import infer
from webapp.core.text.utf8 import bytes_to_characters
from webapp.vocabularies.language_models import SHIPPED
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_encoding, shipped_tokenizer


@pytest.mark.parametrize("name", NAMES)
@EXPENSIVE_WITH_SAME_FIXTURE
@given(text=texts)
def test_tokens_equal_those_of_the_core(post: Ask, name: str, text: str) -> None:
    encoding = shipped_tokenizer(name).encode(text)
    answer = post("tokenize", text=text, vocabulary=name)
    assert answer["ids"] == list(encoding.ids)
    assert answer["offsets"] == [list(pair) for pair in zip(encoding.starts, encoding.ends, strict=True)]
    assert answer["counts"]["tokens"] == len(encoding) == post("count", text=text, vocabulary=name)["tokens"]
    for index, piece in enumerate(answer["pieces"]):
        data = bytes.fromhex(piece["bytes"]) if isinstance(piece, dict) else piece.encode()
        expected = encoding.piece(index)
        assert data == (expected if isinstance(expected, bytes) else expected.encode())
    assert post("decode", ids=answer["ids"], vocabulary=name)["text"] == shipped_tokenizer(name).decode(encoding.ids)


def test_options_are_those_of_the_playground(post: Ask) -> None:
    counts = {"tokens": 1, "characters": 3, "bytes": 3, "unknown": 0}
    assert post("tokenize", text="low", want=["counts"]) == {"counts": counts}
    assert set(post("tokenize", text="low")) == {"ids", "pieces", "offsets", "counts"}
    assert post("count", text="<|endoftext|>", special=True)["tokens"] == 1
    assert post("count", text="<|endoftext|>")["tokens"] > 1
    own = {"vocabulary": "own-dictionary", "dictionary": "研究\n生命", "want": ["pieces"]}
    assert post("tokenize", text="研究生命", **own)["pieces"] == ["研究", "生命"]
    assert post("tokenize", text="ab", vocabulary="jieba", runs=False, want=["ids"])["ids"] != []
    lower = {"vocabulary": "wordpiece", "want": ["ids"]}
    assert post("tokenize", text="LOW", lowercase=True, **lower) == post("tokenize", text="low", **lower)


def test_vocabularies_are_trained_on_the_text_or_the_corpus(post: Ask) -> None:
    learned = {"vocabulary": "learned-bytes", "size": 3}
    alone = post("tokenize", text="low lower lowest", **learned)
    assert len(alone["ids"]) < len("low lower lowest")
    assert alone == post("tokenize", text="low lower lowest", corpus="low lower lowest", **learned)
    assert alone != post("tokenize", text="low lower lowest", ties="greater", **learned)
    ids = alone["ids"]
    assert post("decode", ids=ids, corpus="low lower lowest", **learned)["text"] == "low lower lowest"


def test_vocabularies_are_listed_and_described(client: FlaskClient) -> None:
    listed = client.get("/api/v1/vocabularies")
    names = [entry["name"] for entry in listed.get_json()["vocabularies"]]
    assert {"bpe-bytes", "jieba", "learned-unigram", "cl100k_base"} <= set(names)
    assert "max-age" in listed.headers["Cache-Control"]
    again = client.get("/api/v1/vocabularies", headers={"If-None-Match": listed.headers["ETag"]})
    assert again.status_code == 304
    details = client.get("/api/v1/vocabularies/wordpiece").get_json()
    assert details["size"] == 32_000
    assert {"id": 1, "content": "[UNK]", "special": True} in details["added_tokens"]
    assert client.get("/vocabularies/wordpiece.json").get_json() == details


def test_tokens_of_a_vocabulary_are_searched_and_paged(client: FlaskClient) -> None:
    first = client.get("/api/v1/vocabularies/bpe-bytes/tokens").get_json()
    assert first["pages"] == 320
    assert [token["id"] for token in first["tokens"]] == list(range(100))
    third = client.get("/api/v1/vocabularies/bpe-bytes/tokens?page=3").get_json()
    assert third["tokens"][28] == {"id": 228, "piece": {"bytes": "e4"}, "text": None, "special": False}
    found = client.get("/api/v1/vocabularies/bpe-bytes/tokens?query=token").get_json()
    assert found["tokens"][0]["text"] == " token"


def test_uploaded_files_are_used_by_their_name(client: FlaskClient, post: Ask) -> None:
    def upload(*contents: bytes) -> str:
        files = [(io.BytesIO(content), "file") for content in contents]
        answer = client.post("/api/v1/vocabularies", data={"file": files})
        assert answer.status_code == 201, answer.text
        name: str = answer.get_json()["name"]
        assert client.get(answer.headers["Location"]).get_json()["name"] == name
        return name

    words = "研究\n生命科学\n".encode()
    name = upload(words)
    assert upload(words) == name
    assert post("tokenize", text="研究生命科学", vocabulary=name, want=["pieces"])["pieces"] == ["研究", "生命科学"]
    assert not client.get_cookie("uploads")
    pieces = [*map(bytes_to_characters, (bytes([byte]) for byte in range(256))), "lo", "low"]
    two = upload(json.dumps({piece: id for id, piece in enumerate(pieces)}).encode(), b"l o\nlo w\n")
    assert post("tokenize", text="low", vocabulary=two, want=["ids"])["ids"] == [257]


def test_each_decoded_token_has_its_bytes_and_the_state_after_it(post: Ask) -> None:
    tokenizer, text = shipped_encoding("o200k_base"), "a 🐉 饕"
    ids = tokenizer.ids(text)
    tokens = post("decode", ids=ids, want=["tokens"])["tokens"]
    for token, ours in zip(tokens, decoded(tokenizer, ids).tokens, strict=True):
        assert (token["id"], bytes.fromhex(token["bytes"])) == (ours.id, ours.data)
        assert token["complete"] == (not token["pending"])
    waiting = next(token for token in tokens if token["pending"] == "f0 9f 90")
    assert waiting["missing"] == ["80-bf"]
    assert tokens[waiting["completed_by"]]["streamed"] == "🐉"
    assert post("decode", ids=[64] * 100_001) == {"text": "a" * 100_001}


def test_other_operations_are_the_pages_and_the_core(client: FlaskClient, post: Ask) -> None:
    text = "It rains. Take an umbrella! 下雨了。带伞吧！ " * 9
    parts = post("split", text=text, max_tokens=12)["parts"]
    assert "".join(part["text"] for part in parts) == text
    assert all(part["tokens"] == post("count", text=part["text"])["tokens"] <= 12 for part in parts)
    assert all(part["text"] == text[part["start"] : part["end"]] for part in parts)
    overlapping = post("split", text=text, max_tokens=12, overlap=5, boundary="token")["parts"]
    assert any(one["end"] > other["start"] for one, other in pairwise(overlapping))
    text, gold = "Unbelievable 研究生命", "研究 生命"
    tokenizers = [{"vocabulary": "wordpiece"}, {"vocabulary": "jieba", "algorithm": "bmm"}, {"vocabulary": "x"}]
    answer = post("measures", text=text, gold=gold, tokenizers=tokenizers)
    query = {"with": ["wordpiece:wordpiece", "bmm:jieba"], "text": text, "gold": gold}
    assert answer["tokenizers"][:2] == client.get("/measures.json", query_string=query).get_json()["tokenizers"]
    assert "There is no vocabulary" in answer["tokenizers"][2]["problem"]
    playground = client.get("/?text=low+乸&format=json").get_json()
    assert playground["text"] == playground["decoded"] == "low 乸"
    assert client.get("/?text=low&vocabulary=nope&format=json").mimetype == "application/problem+json"
    assert len(client.get("/api/v1/models").get_json()["models"]) == len(SHIPPED.models)
    found = client.get("/api/v1/models?query=gpt-4o").get_json()["models"]
    assert (found[0]["id"], found[0]["price_in"], found[0]["context"]) == ("gpt-4o", "2.5", 128_000)
    assert client.get("/models.json?q=gpt-4o").get_json()["models"] == found
    for wrong in ({"query": "x" * 101}, {"q": "gpt"}):
        problem_of(client.get("/api/v1/models", query_string=wrong), 422)


@pytest.mark.parametrize(
    ("vocabulary", "inference", "parameters"),
    [
        ("bpe-bytes", "longest", {}),
        ("wordpiece", "fewest", {}),
        ("bpe-characters", "dropout", {"dropout": 0.4, "seed": 7}),
        ("unigram", "sample", {"alpha": 0.2, "seed": 2**31}),
    ],
)
def test_tokens_of_an_inference_are_those_of_the_core(
    post: Ask, vocabulary: str, inference: str, parameters: dict[str, float]
) -> None:
    text = "Unbelievably, antidisestablishmentarianism."
    encoding = infer(shipped_tokenizer(vocabulary), inference, **parameters).encode(text)  # type: ignore[arg-type]
    body = {"text": text, "vocabulary": vocabulary, "inference": inference, **parameters}
    answer = post("tokenize", **body)
    assert answer["ids"] == list(encoding.ids)
    assert answer["offsets"] == [list(pair) for pair in zip(encoding.starts, encoding.ends, strict=True)]
    assert post("count", **body)["tokens"] == len(encoding)


# --- language models, and tokens around a text


@pytest.fixture
def gpt4(client: FlaskClient, shared: Path) -> str:
    """The name of GPT-4's vocabulary, uploaded."""
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    answer = client.post("/api/v1/vocabularies", data={"file": (io.BytesIO(content), "cl100k_base.tiktoken")})
    name: str = answer.get_json()["name"]
    return name


def test_a_count_with_a_model_has_its_price(post: Ask, gpt4: str) -> None:
    text = "research 研究 " * 1_000
    counted = post("count", text=text, vocabulary=gpt4, model="gpt-4")
    tokens = counted["tokens"]
    assert tokens == post("count", text=text, vocabulary=gpt4)["tokens"]
    meter = counted["meter"]
    assert (meter["model"], meter["tokens"], meter["context"]) == ("gpt-4", tokens, 8_192)
    assert meter["price_in"] == f"{tokens * 30}"[:-6].rjust(1, "0") + f".{tokens * 30 % 1_000_000:06}".rstrip("0")
    assert "meter" not in post("count", text=text, vocabulary=gpt4)
    assert post("tokenize", text="low", vocabulary=gpt4, model="gpt-4", want=["ids"]) == {"ids": [10516]}


def test_tokens_around_and_added(post: Ask) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    size = len(tokenizer.model.pieces)
    first = max([size, *(token.id + 1 for token in tokenizer.added_tokens)])
    choice = {
        "vocabulary": "bpe-bytes",
        "prefix": ["[gMASK]", "\\n", "#7"],
        "suffix": ["sop"],
        "added": ["[gMASK]", "sop"],
    }
    answer = post("tokenize", text="low sop", want=["ids", "pieces", "offsets"], **choice)
    newline = tokenizer.ids("\n")[-1]
    assert answer["ids"] == [first, newline, 7, *tokenizer.ids("low "), first + 1, first + 1]
    assert answer["pieces"][0] == "[gMASK]"
    assert answer["offsets"][:3] == [[0, 0]] * 3
    assert post("count", text="low sop", **choice)["tokens"] == len(answer["ids"])
    decoded = post("decode", ids=[first, first + 1], vocabulary="bpe-bytes", added=["[gMASK]", "sop"])
    assert decoded["text"] == "[gMASK]sop"
