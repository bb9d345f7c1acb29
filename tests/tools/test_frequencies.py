"""Rank against frequency of the tokens of a text."""

from __future__ import annotations

from itertools import pairwise

from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.frequencies import ranked, thinned
from webapp.tools.frequencies import plot_of

TEXT = "the cat and the dog and the bird"


@given(st.lists(st.integers(0, 30), min_size=1))
def test_ranks_count_every_token(ids: list[int]) -> None:
    tokens = ranked(ids)
    assert sum(token.count for token in tokens) == len(ids)
    assert all(token.count == ids.count(token.id) for token in tokens)
    assert [token.rank for token in tokens] == list(range(1, len(set(ids)) + 1))
    assert all(before.count >= after.count for before, after in pairwise(tokens))


@given(st.lists(st.integers(0, 2_000), min_size=1, max_size=4_000), st.integers(2, 60))
def test_thinning_keeps_first_and_last(ids: list[int], most: int) -> None:
    tokens = ranked(ids)
    kept = thinned(tokens, most)
    assert len(kept) <= most
    assert (kept[0], kept[-1]) == (tokens[0], tokens[-1])


@given(st.lists(st.integers(0, 100), min_size=1))
def test_every_mark_is_inside_the_chart(ids: list[int]) -> None:
    plot = plot_of(ranked(ids))
    for point in (*plot.points, *plot.zipf):
        assert 0 <= point[0] <= 100
        assert 0 <= point[1] <= 100


def test_the_page_has_a_chart_and_a_table(client: FlaskClient) -> None:
    page = client.get("/frequencies", query_string={"algorithm": "bpe", "text": TEXT}).text
    assert page[page.index('class="plot"') :].count("<circle") == 6
    assert ">·the</bdi>" in page
    answer = client.get("/frequencies", query_string={"algorithm": "bpe", "text": TEXT, "format": "json"}).get_json()
    assert (answer["tokens"], answer["different"]) == (8, 6)
    assert answer["ranked"][0]["count"] == 2


def test_a_form_redirects_to_its_address(client: FlaskClient) -> None:
    response = client.post("/frequencies", data={"algorithm": "unigram", "text": TEXT})
    assert response.status_code == 303
    assert response.headers["Location"].startswith("/frequencies?algorithm=unigram")
    long = client.post("/frequencies", data={"algorithm": "unigram", "text": TEXT * 200})
    assert long.status_code == 200
    assert 'class="plot"' in long.text


def test_without_a_text_the_page_is_a_form(client: FlaskClient) -> None:
    page = client.get("/frequencies?lang=en").text
    assert '<textarea name="text"' in page
    assert '<option value="jieba">' in page
    assert "choose an example" in page
    assert 'class="notice bad"' not in page
    sent = client.post("/frequencies", data={"algorithm": "bpe", "pick": "jieba", "text": TEXT})
    assert "algorithm=fmm" in sent.headers["Location"]


def test_examples_are_long_enough_for_a_chart(client: FlaskClient) -> None:
    for example in ("alice", "home"):
        page = client.get(f"/frequencies?example={example}").text
        assert 'class="plot"' in page
        assert page.count("<circle") > 50


def test_chart_and_table_are_exported(client: FlaskClient) -> None:
    query = {"algorithm": "bpe", "text": TEXT}
    svg = client.get("/frequencies", query_string={**query, "format": "svg"})
    assert svg.mimetype == "image/svg+xml"
    assert svg.text.count("<circle") == 6
    assert client.get("/frequencies", query_string={**query, "format": "png"}).data.startswith(b"\x89PNG")
    lines = client.get("/frequencies", query_string={**query, "format": "csv"}).text.splitlines()
    assert lines[0].endswith("rank,token,id,count,share")
    assert len(lines) == 1 + 6
    # A text that does not fit into an address is posted.
    long = client.post("/frequencies?format=csv", data={"algorithm": "bpe", "text": TEXT * 200})
    assert long.mimetype == "text/csv"
    page = client.post("/frequencies", data={"algorithm": "bpe", "text": TEXT * 200}).text
    assert 'formaction="/frequencies?format=csv"' in page


def test_the_playground_links_to_it(client: FlaskClient) -> None:
    assert 'formaction="/frequencies"' in client.get("/", query_string={"text": TEXT}).text


def test_empty_texts_and_errors_have_a_message(client: FlaskClient) -> None:
    empty = client.get("/frequencies?text=")
    assert empty.status_code == 200
    assert 'class="plot"' not in empty.text
    wrong = client.get("/frequencies?algorithm=nothing&text=a")
    assert wrong.status_code == 404
    assert 'class="notice bad"' in wrong.text
    assert client.get("/frequencies?algorithm=nothing&text=a&format=json").mimetype == "application/problem+json"


def test_markup_stays_text(client: FlaskClient) -> None:
    page = client.get("/frequencies", query_string={"text": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in page
