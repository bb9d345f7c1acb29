"""FMM and BMM on the page: the dictionary to read and change, and the kind of each ambiguity."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from flask.testing import FlaskClient

OWN = {"vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n生命\n生\n科学"}


def get(client: FlaskClient, text: str = "研究生命科学", **query: Any) -> str:
    return client.get("/steps/fmm", query_string={"text": text, "lang": "en", **query}).text


def words_in_box(page: str) -> list[str]:
    box = re.search(r'(?s)<textarea name="dictionary" rows[^>]*>(.*?)</textarea>', page)
    assert box is not None
    return unescape(box[1]).split()


def test_an_own_dictionary_is_shown_and_can_be_changed(client: FlaskClient) -> None:
    page = get(client, **OWN)
    assert words_in_box(page) == OWN["dictionary"].split()
    sent = {"text": "研究生命科学", "vocabulary": "own-dictionary", "dictionary": "研究\n生命"}
    answer = client.post("/steps/fmm", data=sent)
    assert answer.status_code == 303
    assert words_in_box(client.get(answer.headers["Location"]).text) == ["研究", "生命"]


def test_the_kind_of_ambiguity_is_named(client: FlaskClient) -> None:
    last = len(
        client.get("/steps/fmm", query_string={"text": "研究生命科学", "format": "json", **OWN}).get_json()["steps"]
    )
    page = get(client, step=last - 1, **OWN)
    assert "overlapping ambiguity" in page
    assert "All ambiguities of this text" in page


def test_a_text_without_ambiguity_says_so(client: FlaskClient) -> None:
    own = {"vocabulary": "own-dictionary", "dictionary": "研究\n生命"}
    page = get(client, "研究生命", step=3, **own)
    assert "Both directions segment this text the same way" in page
    assert "overlapping ambiguity" not in page


def test_the_windows_are_a_picture_and_a_table(client: FlaskClient) -> None:
    page = get(client, step=1, **OWN)
    assert 'class="diagram"' in page
    rows = re.findall(r'<td class="window"><bdi>([^<]*)</bdi></td><td class="outcome">([^<]*)</td>', page)
    assert rows == [("研究生", "a word: taken")]
    joined = client.get("/steps/wordpiece", query_string={"text": "مرحبا", "step": 1, "lang": "en"})
    assert joined.status_code == 200
