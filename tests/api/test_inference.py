"""`inference` in `/tokenize` and `/count`: the tokens of the core, its limits, and what does not apply."""

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import Ask
from webapp.core.inference import infer
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TEXT = "Unbelievably, antidisestablishmentarianism."


@pytest.mark.parametrize(
    ("vocabulary", "inference", "parameters"),
    [
        ("bpe-bytes", "longest", {}),
        ("wordpiece", "fewest", {}),
        ("bpe-characters", "dropout", {"dropout": 0.4, "seed": 7}),
        ("unigram", "sample", {"alpha": 0.2, "seed": 2**31}),
    ],
)
def test_tokens_are_those_of_the_core(post: Ask, vocabulary: str, inference: str, parameters: dict[str, float]) -> None:
    encoding = infer(shipped_tokenizer(vocabulary), inference, **parameters).encode(TEXT)  # type: ignore[arg-type]
    answer = post("tokenize", text=TEXT, vocabulary=vocabulary, inference=inference, **parameters)
    assert answer["ids"] == list(encoding.ids)
    assert answer["offsets"] == [list(pair) for pair in zip(encoding.starts, encoding.ends, strict=True)]
    assert post("count", text=TEXT, vocabulary=vocabulary, inference=inference, **parameters)["tokens"] == len(encoding)


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"inference": "dropout", "vocabulary": "unigram"}, 409, "#/inference"),
        ({"inference": "longest", "algorithm": "fmm"}, 409, "#/inference"),
        ({"inference": "sample", "vocabulary": "wordpiece"}, 409, "#/inference"),
        ({"inference": "best"}, 422, "#/inference"),
        ({"inference": "dropout", "dropout": 1.1}, 422, "#/dropout"),
        ({"inference": "sample", "vocabulary": "unigram", "alpha": 0}, 422, "#/alpha"),
        ({"inference": "dropout", "seed": -1}, 422, "#/seed"),
        ({"inference": "dropout", "seed": 2**31 + 1}, 422, "#/seed"),
    ],
)
def test_what_is_not_possible_is_refused_with_its_place(
    client: FlaskClient, body: dict[str, object], status: int, pointer: str
) -> None:
    answer = client.post("/api/v1/tokenize", json={"text": TEXT, **body})
    assert answer.status_code == status
    assert [error["pointer"] for error in answer.get_json()["errors"]] == [pointer]
