"""A page computes nothing twice, and draws no more tokens than a browser can show."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import HTMX, Page
from webapp.pages.playground import routes
from webapp.rendering.markup import DRAWN
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.library import Library
from webapp.vocabularies.wellknown import WELL_KNOWN


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the look-ups of each name."""
    names: Counter[str] = Counter()
    find = Library.find

    def counting(self: Library, name: str) -> Any:
        names[name] += 1
        return find(self, name)

    monkeypatch.setattr(Library, "find", counting)
    return names


@pytest.fixture
def encodings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the texts that are encoded."""
    texts: list[str] = []
    tokenize = routes.tokenize_or_explain

    def counting(state: Any) -> Any:
        texts.append(state.text)
        return tokenize(state)

    monkeypatch.setattr(routes, "tokenize_or_explain", counting)
    return texts


@pytest.mark.parametrize("path", ["/?text=hello", "/?text=hello&token=0", "/?text=hello&vocabulary=bpe-characters"])
def test_a_page_looks_each_vocabulary_up_once(client: FlaskClient, looked_up: Counter[str], path: str) -> None:
    assert client.get(path).status_code == 200
    assert looked_up
    assert max(looked_up.values()) == 1


LONG = "hello " * 2_000  # too long for an address


@pytest.mark.parametrize("token", ["0", "1999", "5000"])
def test_a_form_with_an_open_token_encodes_its_text_once(client: FlaskClient, encodings: list[str], token: str) -> None:
    answer = client.post("/", data={"text": LONG, "token": token})
    assert answer.status_code == 200
    assert len(encodings) == 1
    assert Page(answer.text).problems == []


@pytest.mark.parametrize(
    "path", ["/?vocabulary=no-such&text=a", "/vocabularies/no-such", "/steps/bpe?vocabulary=no-such"]
)
def test_a_name_that_is_not_found_is_looked_up_once(client: FlaskClient, looked_up: Counter[str], path: str) -> None:
    client.get(path)
    assert looked_up["no-such"] == 1


def option(page: str, name: str) -> str:
    found = re.search(f'<option value="{name}".*?</option>', page)
    assert found is not None
    return found[0]


def test_a_vocabulary_loses_its_arrow_once_it_is_downloaded_and_gets_it_back(client: FlaskClient, app: Flask) -> None:
    cache = fetcher_of(app).disk_cache
    known = next(each for each in WELL_KNOWN.values() if each.algorithm == "bpe" and not each.source.sha256)
    assert option(client.get("/").text, known.name).endswith(" ↓</option>")
    cache.put(known, [b"content"] * len(known.source.files))
    assert "↓" not in option(client.get("/").text, known.name)
    cache.expire(datetime.now(UTC) + timedelta(days=1))
    assert option(client.get("/").text, known.name).endswith(" ↓</option>")


def test_the_page_says_how_many_tokens_it_draws(client: FlaskClient) -> None:
    count = DRAWN + 5_000
    answer = client.post("/", data={"algorithm": "fmm", "text": "\0" * count}, headers=HTMX)
    html = answer.text
    assert answer.status_code == 200
    assert f'data-tokens="{count}"' in html
    drawn = html.count('<i class="u">')
    assert DRAWN <= drawn < count
    assert f"The page draws the first {drawn:,} tokens." in html
    ids = "".join(part.split("</div>")[0].split(">", 1)[1] for part in html.split('<div class="ids"')[1:])
    assert len(ids.split()) == count
