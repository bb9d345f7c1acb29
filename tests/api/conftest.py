"""The API in a test client, on sites with the tests' own settings."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

Ask = Callable[..., Any]


@pytest.fixture
def post(client: FlaskClient) -> Ask:
    """``post("count", text="…")`` returns the JSON response to a body."""

    def post(path: str, *, status: int = 200, **body: Any) -> Any:
        answer = client.post(f"/api/v1/{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.get_json()

    return post


def problem_of(answer: TestResponse, status: int) -> Any:
    """Return the problem details of an error response, which must not be HTML."""
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "application/problem+json"
    details = answer.get_json()
    assert details["status"] == status
    assert details["type"] == "about:blank"
    assert details["title"]
    assert details["detail"]
    return details
