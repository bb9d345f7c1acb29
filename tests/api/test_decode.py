"""`/api/v1/decode`: the text, and with `tokens` the state after each."""

from flask.testing import FlaskClient

from webapp.core.analysis.decoding import decoded
from webapp.vocabularies.shipped_vocabularies import shipped_encoding, shipped_tokenizer

TEXT = "a 🐉 饕"


def post(client: FlaskClient, status: int = 200, **body: object) -> dict[str, object]:
    answer = client.post("/api/v1/decode", json=body)
    assert answer.status_code == status
    told: dict[str, object] = answer.get_json()
    return told


def test_only_the_text_is_answered_unless_more_is_wanted(client: FlaskClient) -> None:
    ids = shipped_encoding("o200k_base").ids(TEXT)
    assert post(client, ids=ids) == {"text": TEXT}
    assert post(client, ids=ids, want=[]) == {}
    assert set(post(client, ids=ids, want=["tokens"])) == {"tokens"}
    assert set(post(client, ids=ids, want=["tokens", "text"])) == {"tokens", "text"}


def test_each_token_has_its_bytes_and_the_state_after_it(client: FlaskClient) -> None:
    tokenizer = shipped_encoding("o200k_base")
    ids = tokenizer.ids(TEXT)
    tokens = post(client, ids=ids, want=["tokens"])["tokens"]
    assert isinstance(tokens, list)
    assert "".join(token["streamed"] for token in tokens) == TEXT
    for token, ours in zip(tokens, decoded(tokenizer, ids).tokens, strict=True):
        assert token["id"] == ours.id
        assert bytes.fromhex(token["bytes"]) == ours.data
        assert token["text"] == tokenizer.decode([ours.id])
        assert token["complete"] == (not token["pending"])
    waiting = next(token for token in tokens if token["pending"] == "f0 9f 90")
    assert waiting["missing"] == ["80-bf"]
    assert tokens[waiting["completed_by"]]["streamed"] == "🐉"


def test_special_tokens_are_marked_and_left_out(client: FlaskClient) -> None:
    ids = shipped_tokenizer("wordpiece").ids("[CLS] low", special=True)
    answer = post(client, ids=ids, vocabulary="wordpiece", want=["text", "tokens"], skip_special=True)
    assert answer["text"] == "low"
    tokens = answer["tokens"]
    assert isinstance(tokens, list)
    assert [(token["special"], token["text"]) for token in tokens] == [(True, ""), (False, "low")]


def test_limits_and_errors(client: FlaskClient) -> None:
    assert "100,000" in str(post(client, 413, ids=[1] * 100_001, want=["tokens"])["detail"])
    assert post(client, ids=[64] * 100_001) == {"text": "a" * 100_001}
    post(client, 404, ids=[10**9], want=["tokens"])
    post(client, 422, ids=[1], want=["pieces"])
