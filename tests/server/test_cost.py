"""The estimated cost of requests with several tokenizers."""

import pytest

from webapp.server.cost import Costs


@pytest.mark.parametrize(
    "tokenizer", [b'{"vocabulary":"v"}', b'{"algorithm":"a"}', b'{"algorithm":"a","vocabulary":"v"}']
)
def test_each_tokenizer_of_a_json_request_counts(tokenizer: bytes) -> None:
    environment = {"REQUEST_METHOD": "POST", "PATH_INFO": "/api/v1/measures", "QUERY_STRING": ""}

    def estimate(count: int) -> float:
        body = b'{"tokenizers":[' + b",".join([tokenizer] * count) + b"]}"
        return Costs().estimate(environment, body, 1_000_000)[1]

    assert estimate(6) == pytest.approx(6 * estimate(1), rel=0.01)
