"""Rank against frequency of the tokens of a text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.frequencies import ranked, thinned

TEXT = "the cat and the dog and the bird"
BPE = {"algorithm": "bpe", "text": TEXT}


@given(st.lists(st.integers(0, 2_000), min_size=1, max_size=4_000), st.integers(2, 60))
def test_ranks_count_every_token_and_thinning_keeps_first_and_last(ids: list[int], most: int) -> None:
    tokens = ranked(ids)
    assert sum(token.count for token in tokens) == len(ids)
    assert [token.rank for token in tokens] == list(range(1, len(set(ids)) + 1))
    assert all(before.count >= after.count for before, after in pairwise(tokens))
    kept = thinned(tokens, most)
    assert len(kept) <= most
    assert (kept[0], kept[-1]) == (tokens[0], tokens[-1])


@pytest.mark.parametrize(("text", "different"), [("a", 1), ("a a a a", 2), (TEXT, 6), (TEXT * 200, 6)])
def test_every_mark_is_inside_the_chart(client: FlaskClient, text: str, different: int) -> None:
    page = client.post("/", data={"algorithm": "bpe", "text": text, "frequencies": "1"}, follow_redirects=True).text
    chart = page[page.index('id="frequencies-chart-title"') :].partition("</svg>")[0]
    marks = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', chart)
    assert len(marks) == different
    assert all(34 <= float(x) <= 310 and 26 <= float(y) <= 258 for x, y in marks)


def test_the_panel_has_an_address_a_table_and_a_json_twin(client: FlaskClient) -> None:
    assert 'name="frequencies"' in client.get("/", query_string={"text": TEXT}).text
    assert 'id="frequencies"' not in client.get("/", query_string={"text": TEXT}).text
    assert ">·the</bdi>" in client.get("/frequencies", query_string=BPE, follow_redirects=True).text
    assert 'id="frequencies"' in client.get("/frequencies", follow_redirects=True).text  # of the text of a first visit
    answer = client.get("/frequencies", query_string={**BPE, "format": "json"}).get_json()
    assert (answer["tokens"], answer["different"], answer["ranked"][0]["count"]) == (8, 6, 2)
    assert client.get("/frequencies.json", query_string=BPE).get_json() == answer
    moved = client.post("/frequencies", data=BPE)
    assert (moved.status_code, moved.location) == (307, "/?frequencies=1#frequencies")
    assert client.post("/", data={**BPE, "frequencies": "1"}).location.endswith("&frequencies=1#frequencies")
    long = client.post("/", data={**BPE, "text": TEXT * 200, "frequencies": "1"}).text
    assert 'formaction="/frequencies?format=csv"' in long


def test_chart_and_table_are_exported(client: FlaskClient) -> None:
    svg = client.get("/frequencies", query_string={**BPE, "format": "svg"})
    assert (svg.mimetype, svg.text.count("<circle")) == ("image/svg+xml", 6)
    assert client.get("/frequencies.png", query_string=BPE).data.startswith(b"\x89PNG")
    lines = client.get("/frequencies", query_string={**BPE, "format": "csv"}).text.splitlines()
    assert lines[0].endswith("rank,token,id,count,share")
    assert len(lines) == 1 + 6
    assert client.post("/frequencies?format=csv", data={**BPE, "text": TEXT * 200}).mimetype == "text/csv"


def test_empty_texts_and_errors_have_a_message(client: FlaskClient) -> None:
    empty = client.get("/frequencies?text=", follow_redirects=True)
    assert (empty.status_code, 'id="frequencies"' in empty.text) == (200, False)
    assert client.get("/frequencies.svg?text=").status_code == 404
    assert client.get("/frequencies.nope?text=a").status_code == 404
    wrong = client.get("/frequencies?algorithm=nothing&text=a", follow_redirects=True)
    assert (wrong.status_code, 'class="notice bad"' in wrong.text) == (404, True)
    assert client.get("/frequencies?algorithm=nothing&text=a&format=json").mimetype == "application/problem+json"
