"""What tests of the steps ask a site for, and how they read its pages."""

import html
import re
from typing import Any

from flask.testing import FlaskClient


def page_of(client: FlaskClient, algorithm: str, text: str, **query: object) -> str:
    """The page of a step, in English."""
    answer = client.get(f"/steps/{algorithm}", query_string={"text": text, "lang": "en", **query})
    assert answer.status_code == 200, answer.text
    return answer.text


def json_of(client: FlaskClient, algorithm: str, text: str, **query: object) -> dict[str, Any]:
    """All steps as JSON, in English."""
    query = {"text": text, "lang": "en", "format": "json", **query}
    answer = client.get(f"/steps/{algorithm}", query_string=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.get_json()
    return found


def steps_of(client: FlaskClient, algorithm: str, text: str, **query: object) -> list[dict[str, Any]]:
    """The records of all steps."""
    steps: list[dict[str, Any]] = json_of(client, algorithm, text, **query)["steps"]
    return steps


def told(page: str) -> str:
    """The sentence of the step that a page shows."""
    found = re.search(r'(?s)<p class="say"[^>]*>(.*?)</p>', page)
    assert found is not None
    return html.unescape(re.sub(r"<[^>]*>", "", found[1]))


def shown(page: str) -> str:
    """The text of a page, with single spaces."""
    without = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", page)
    return " ".join(html.unescape(without).split())
