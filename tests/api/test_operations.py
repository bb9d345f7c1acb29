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


def test_a_response_has_only_the_requested_keys(post: Ask) -> None:
    assert post("tokenize", text="low", want=["counts"]) == {
        "counts": {"tokens": 1, "characters": 3, "bytes": 3, "unknown": 0}
    }
    assert set(post("tokenize", text="low")) == {"ids", "pieces", "offsets", "counts"}


def test_options_are_those_of_the_playground(post: Ask) -> None:
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
    both = post("tokenize", texts=["low lower", "lowest"], want=["pieces"], **learned)["pieces"]
    assert len(both[1]) < len("lowest")
    ids = alone["ids"]
    assert post("decode", ids=ids, corpus="low lower lowest", **learned)["text"] == "low lower lowest"


def test_split_returns_the_parts_of_a_text(post: Ask) -> None:
    text = "It rains. Take an umbrella! 下雨了。带伞吧！ " * 9
    parts = post("split", text=text, max_tokens=12)["parts"]
    assert "".join(part["text"] for part in parts) == text
    assert all(part["tokens"] == post("count", text=part["text"])["tokens"] <= 12 for part in parts)
    assert all(part["text"] == text[part["start"] : part["end"]] for part in parts)
    overlapping = post("split", text=text, max_tokens=12, overlap=5, boundary="token")["parts"]
    assert any(one["end"] > other["start"] for one, other in pairwise(overlapping))


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
    assert client.get("/api/v1/vocabularies/bpe-bytes/tokens?page=320").get_json()["tokens"]


def test_an_uploaded_vocabulary_is_used_by_its_name(client: FlaskClient, post: Ask) -> None:
    def upload() -> str:
        file = (io.BytesIO("研究\n生命科学\n".encode()), "words.txt")
        answer = client.post("/api/v1/vocabularies", data={"file": file})
        assert answer.status_code == 201
        assert client.get(answer.headers["Location"]).get_json()["name"] == answer.get_json()["name"]
        name: str = answer.get_json()["name"]
        return name

    name = upload()
    assert upload() == name
    assert post("tokenize", text="研究生命科学", vocabulary=name, want=["pieces"])["pieces"] == ["研究", "生命科学"]
    assert not client.get_cookie("uploads")


def test_two_files_make_one_vocabulary(client: FlaskClient, post: Ask) -> None:
    pieces = [*map(bytes_to_characters, (bytes([byte]) for byte in range(256))), "lo", "low"]
    vocabulary = json.dumps({piece: id for id, piece in enumerate(pieces)})
    files = [(io.BytesIO(vocabulary.encode()), "vocab.json"), (io.BytesIO(b"l o\nlo w\n"), "merges.txt")]
    answer = client.post("/api/v1/vocabularies", data={"file": files})
    assert answer.status_code == 201, answer.text
    name = answer.get_json()["name"]
    assert post("tokenize", text="low", vocabulary=name, want=["ids"])["ids"] == [257]


def test_the_playground_has_a_json_version(client: FlaskClient) -> None:
    page = client.get("/?text=low+乸&vocabulary=bpe-bytes")
    assert "format=json" in page.text
    twin = client.get("/?text=low+乸&format=json")
    assert twin.mimetype == "application/json"
    details = twin.get_json()
    assert details["text"] == details["decoded"] == "low 乸"
    assert details["pieces"][0] == "low"
    wrong = client.get("/?text=low&vocabulary=nope&format=json")
    assert wrong.mimetype == "application/problem+json"
    assert wrong.status_code == 404
    assert client.get("/vocabularies/nope.json").mimetype == "application/problem+json"


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


def test_each_decoded_token_has_its_bytes_and_the_state_after_it(post: Ask) -> None:
    tokenizer, text = shipped_encoding("o200k_base"), "a 🐉 饕"
    ids = tokenizer.ids(text)
    tokens = post("decode", ids=ids, want=["tokens"])["tokens"]
    assert "".join(token["streamed"] for token in tokens) == text
    for token, ours in zip(tokens, decoded(tokenizer, ids).tokens, strict=True):
        assert (token["id"], bytes.fromhex(token["bytes"])) == (ours.id, ours.data)
        assert token["text"] == tokenizer.decode([ours.id])
        assert token["complete"] == (not token["pending"])
    waiting = next(token for token in tokens if token["pending"] == "f0 9f 90")
    assert waiting["missing"] == ["80-bf"]
    assert tokens[waiting["completed_by"]]["streamed"] == "🐉"
    assert post("decode", ids=[64] * 100_001) == {"text": "a" * 100_001}


def test_measures_are_those_of_the_page(client: FlaskClient, post: Ask) -> None:
    text, gold = "Unbelievable 研究生命", "研究 生命"
    tokenizers = [{"vocabulary": "wordpiece"}, {"vocabulary": "jieba", "algorithm": "bmm"}, {"vocabulary": "x"}]
    answer = post("measures", text=text, gold=gold, tokenizers=tokenizers)
    query = {"with": ["wordpiece:wordpiece", "bmm:jieba"], "text": text, "gold": gold}
    page = client.get("/measures.json", query_string=query).get_json()
    assert answer["tokenizers"][:2] == page["tokenizers"]
    assert (answer["words"], answer["han_words"], answer["bytes"]) == (3, 2, 25)
    assert answer["tokenizers"][1]["gold"]["f1"] == 1
    assert "There is no vocabulary" in answer["tokenizers"][2]["problem"]


# --- language models, and tokens around a text


@pytest.fixture
def gpt4(client: FlaskClient, shared: Path) -> str:
    """The name of GPT-4's vocabulary, uploaded."""
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    answer = client.post("/api/v1/vocabularies", data={"file": (io.BytesIO(content), "cl100k_base.tiktoken")})
    name: str = answer.get_json()["name"]
    return name


def test_the_list_is_searched(client: FlaskClient) -> None:
    assert len(client.get("/api/v1/models").get_json()["models"]) == len(SHIPPED.models)
    found = client.get("/api/v1/models?query=gpt-4o").get_json()["models"]
    assert found[0] == {
        "id": "gpt-4o", "title": "GPT-4o", "publisher": "OpenAI", "vocabulary": "o200k_base", "public": True,
        "context": 128_000, "price_in": "2.5", "price_out": "10.0", "price_up_to": None, "ends": None, "note": None,
        "source": "https://developers.openai.com/api/docs/pricing", "via": "litellm 1.109.1", "as_of": "2026-11-12",
        "also": ["gpt-4o-2024-08-06", "gpt-4o-2024-11-20"],
    }  # fmt: skip
    assert client.get("/models.json?q=gpt-4o").get_json()["models"] == found
    assert client.get("/api/v1/models?query=zzqx").get_json() == {"models": []}
    for query in ({"query": "x" * 101}, {"q": "gpt"}):
        problem_of(client.get("/api/v1/models", query_string=query), 422)


def test_a_count_with_a_model_has_its_price(post: Ask, gpt4: str) -> None:
    text = "research 研究 " * 1_000
    counted = post("count", text=text, vocabulary=gpt4, model="gpt-4")
    tokens = counted["tokens"]
    assert tokens == post("count", text=text, vocabulary=gpt4)["tokens"]
    meter = counted["meter"]
    assert (meter["model"], meter["tokens"], meter["context"]) == ("gpt-4", tokens, 8_192)
    assert meter["price_in"] == f"{tokens * 30}"[:-6].rjust(1, "0") + f".{tokens * 30 % 1_000_000:06}".rstrip("0")
    several = post("count", texts=[text, text], vocabulary=gpt4, model="gpt-4")
    assert several["meter"]["tokens"] == 2 * tokens
    assert "meter" not in post("count", text=text, vocabulary=gpt4)
    assert post("tokenize", text="low", vocabulary=gpt4, model="gpt-4", want=["ids"]) == {"ids": [10516]}


def test_a_model_whose_vocabulary_is_not_here(client: FlaskClient) -> None:
    problem_of(client.post("/api/v1/count", json={"text": "a", "model": "qwen3"}), 503)
    counted = client.post("/api/v1/count", json={"text": "a", "model": "gpt-4o"}).get_json()
    assert (counted["tokens"], counted["meter"]["context"]) == (1, 128_000)


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
