"""A site without room for another snapshot: the visitor keeps the text, and gets what needs no storage."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page
from webapp import create_app

ADDRESS = re.compile(r'id="state-link" readonly value="([^"]+)"')
TEXT = "研究 and all of it"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    """Return a client of a site whose limit is smaller than any snapshot."""
    app = create_app({"DATABASE_FILE": str(tmp_path / "site.sqlite"), "MAX_SNAPSHOTS_BYTES": 10})
    with app.test_client() as client:
        yield client


FORMS = [
    ("/", {"text": TEXT, "algorithm": "unigram"}),
    ("/compare", {"text": TEXT, "with": ["bpe:bpe-bytes", "unigram:unigram"]}),
]


@pytest.mark.parametrize(("page", "form"), FORMS)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "partial"])
def test_a_full_site_offers_a_link_that_needs_no_storage(
    client: FlaskClient, page: str, form: dict[str, str], headers: dict[str, str]
) -> None:
    answer = client.post("/share?lang=en", data=form, headers=headers)
    assert answer.status_code == 507
    assert "no storage left for shared results" in answer.text
    address = urlsplit(html.unescape(ADDRESS.findall(answer.text)[0]))
    assert address.path == page
    assert parse_qs(address.query)["text"] == [TEXT]
    opened = client.get(f"{address.path}?{address.query}")
    assert opened.status_code == 200
    assert TEXT in Page(opened.text).text
    if not headers:
        assert f'name="text" value="{TEXT}"' in answer.text


def test_a_text_that_no_address_can_hold_gets_no_such_link(client: FlaskClient) -> None:
    answer = client.post("/share?lang=en", data={"text": TEXT * 200})
    assert answer.status_code == 507
    assert "download the tokens instead" in answer.text
    assert not ADDRESS.findall(answer.text)


def test_the_api_says_that_shared_results_have_no_room(client: FlaskClient) -> None:
    answer = client.post("/api/v1/snapshots", json={"text": TEXT})
    assert answer.status_code == 507
    assert "shared results is full" in answer.json["detail"]
