"""Maximum probability in the playground, the API and comparisons: HMM, modes, and the frequencies of dictionaries."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page

TEXT = "他来到了网易杭研大厦"
CHOSEN = {"algorithm": "max-probability", "lang": "en"}


def get(client: FlaskClient, text: str = TEXT, **query: Any) -> Page:
    answer = client.get("/", query_string={**CHOSEN, "text": text, **query})
    assert answer.status_code == 200
    return Page(answer.text)


def words(page: Page) -> list[str]:
    return [token[0] for token in page.tokens]


def test_the_hmm_can_be_turned_off(client: FlaskClient) -> None:
    assert get(client).pieces == ["他", "来到", "了", "网易", "杭研", "大厦"]
    assert get(client, hmm="0").pieces == ["他", "来到", "了", "网易", "杭", "研", "大厦"]


def test_full_and_search_mode_list_overlapping_words_beside_the_tokens(client: FlaskClient) -> None:
    text = "小明硕士毕业于中国科学院计算所"
    full = get(client, text, mode="full")
    search = get(client, text, mode="search")
    assert full.pieces == search.pieces == get(client, text).pieces
    assert "words in full mode" in full.text
    assert "words in search mode" in search.text
    assert "中国科学院" in full.pieces
    assert "These words overlap, so the tokens, ids and figures stay those of the precise mode." in full.text


def test_the_words_of_a_long_text_are_not_listed(client: FlaskClient) -> None:
    page = Page(client.post("/", data={**CHOSEN, "mode": "full", "text": "研究" * 10_001}, headers=HTMX).text)
    assert "The words of this mode are listed for texts of up to 20,000 characters." in page.text


@pytest.mark.parametrize(("field", "value"), [("mode", "fast"), ("order", "4"), ("smoothing", "none")])
def test_a_value_that_does_not_exist_gets_a_message_and_keeps_the_text(
    client: FlaskClient, field: str, value: str
) -> None:
    answer = client.get("/", query_string={**CHOSEN, "text": TEXT, field: value})
    assert answer.status_code == 422
    page = Page(answer.text)
    (problem,) = page.problems
    label = {"mode": "Words listed", "order": "Words in an n-gram", "smoothing": "Smoothing"}[field]
    assert problem.startswith(f"“{value}” is not a value of “{label}”. Use one of these: ")
    assert re.search(rf'name="{field}" id="{field}" aria-invalid="true" aria-describedby="{field}-error"', answer.text)
    assert f'<p id="{field}-error" class="error">{problem}</p>' in answer.text
    assert '<details class="pop settings" open>' in answer.text
    assert answer.text.count('aria-invalid="true"') == 1
    assert page.box is not None
    assert page.box.strip() == TEXT


def test_the_settings_have_the_fields_of_the_algorithm(client: FlaskClient) -> None:
    html = client.get("/", query_string={**CHOSEN, "text": TEXT, "mode": "search", "hmm": "0"}).text
    assert re.search(r'id="a-max-probability"[^>]* class="has-hmm has-mode"[^>]* checked', html)
    assert re.search(r'id="a-fmm"[^>]* class="has-runs"', html)
    assert '<option value="search" selected>' in html
    assert re.search(r'name="hmm" value="1"><input type="hidden" name="hmm" value="0">', html)


def test_equal_results_have_one_address(client: FlaskClient) -> None:
    sent = {"text": TEXT, "algorithm": "fmm", "hmm": "0", "mode": "full"}
    address = client.post("/", data=sent, headers=HTMX).headers["HX-Replace-Url"]
    assert "hmm" not in address
    assert "mode" not in address
    address = client.post("/", data={**sent, "algorithm": "max-probability"}, headers=HTMX).headers["HX-Replace-Url"]
    assert "hmm=0" in address
    assert "mode=full" in address


def test_frequencies_of_a_visitors_dictionary_count(client: FlaskClient) -> None:
    own = {"vocabulary": "own-dictionary", "hmm": "0"}
    rare = get(client, "研究生命", dictionary="研究 90\n研究生 1\n生命 90\n命 1", **own)
    often = get(client, "研究生命", dictionary="研究 1\n研究生 9000\n生命 1\n命 9000", **own)
    assert (rare.pieces, often.pieces) == (["研究", "生命"], ["研究生", "命"])
    bare = get(client, "研究生命", dictionary="研究\n研究生\n生命", **own)
    assert "The dictionary has no frequencies: each word counts once" in bare.text
    partly = get(client, "研究生命", dictionary="研究 5\n研究生\n生命 7", **own)
    assert "A word without a frequency counts once." in partly.text
    matching = get(client, "研究生命", algorithm="fmm", dictionary="研究 5\n生命 7", vocabulary="own-dictionary")
    assert "Maximum matching ignores the frequencies of the dictionary" in matching.text


def test_the_result_leads_to_the_suggested_frequency(client: FlaskClient) -> None:
    html = client.get("/", query_string={**CHOSEN, "text": TEXT}).text
    link = re.search(r'href="(/steps/max-probability\?[^"]+#suggest)"', html)
    assert link is not None
    assert 'id="suggest"' in client.get(link[1].replace("&amp;", "&")).text


def test_the_picker_has_rows_of_at_most_three(client: FlaskClient) -> None:
    html = client.get("/?lang=en").text
    picker = html[html.index('class="seg rows"') : html.index("vocabulary list-1")]
    rows = [re.findall(r'name="algorithm" value="([^"]+)"', row) for row in picker.split("<div>")[1:]]
    assert rows[0] == ["fmm", "bmm", "bidirectional"]
    assert rows[1][0] == "max-probability"
    assert rows[2] == ["bpe", "wordpiece", "unigram"]


# --- API, comparison, shared results


def test_the_api_lists_the_words_of_a_mode(client: FlaskClient) -> None:
    body = {"algorithm": "max-probability", "mode": "search", "text": "中国科学院计算所"}
    answer = client.post("/api/v1/tokenize", json=body).json
    assert answer["pieces"] == ["中国科学院", "计算所"]
    listed = [one["word"] for one in answer["words"]]
    assert listed == ["中国", "科学", "学院", "科学院", "中国科学院", "计算", "计算所"]
    assert [answer["words"][0][key] for key in ("start", "end")] == [0, 2]
    assert "words" not in client.post("/api/v1/tokenize", json={**body, "mode": "precise"}).json
    both = client.post(
        "/api/v1/tokenize", json={"algorithm": "max-probability", "mode": "full", "texts": ["研究生", "科学"]}
    ).json
    assert [[one["word"] for one in words] for words in both["words"]] == [["研究", "研究生"], ["科学"]]
    refused = client.post("/api/v1/tokenize", json={**body, "mode": "fast"})
    assert refused.status_code == 422
    off = client.post("/api/v1/tokenize", json={"algorithm": "max-probability", "hmm": False, "text": TEXT}).json
    assert "杭研" not in off["pieces"]


def test_the_page_as_json_has_the_words(client: FlaskClient) -> None:
    answer = client.get("/", query_string={**CHOSEN, "text": "研究生", "mode": "full", "format": "json"}).json
    assert answer["mode"] == "full"
    assert [one["word"] for one in answer["words"]] == ["研究", "研究生"]


def test_a_comparison_has_the_option(client: FlaskClient) -> None:
    rows = ["max-probability:jieba", "fmm:jieba"]
    compared = client.get("/compare", query_string={"with": rows, "text": TEXT, "hmm": "0", "format": "json"}).json
    assert compared["rows"][0]["pieces"] == ["他", "来到", "了", "网易", "杭", "研", "大厦"]
    html = client.get("/compare", query_string={"with": rows, "text": TEXT, "mode": "full"}).text
    assert '<select name="mode" class="live">' in html
    assert '<input type="hidden" name="order" value="2">' in html


def test_a_shared_result_keeps_the_options(client: FlaskClient) -> None:
    body = {"algorithm": "max-probability", "hmm": False, "mode": "full", "text": TEXT}
    shared = client.post("/api/v1/snapshots", json=body).json
    stored = client.get(f"/api/v1/snapshots/{shared['id']}").json
    assert stored["options"] == {"hmm": False, "mode": "full"}
    assert stored["pieces"] == ["他", "来到", "了", "网易", "杭", "研", "大厦"]
    assert "words in full mode" in client.get(f"/s/{shared['id']}?lang=en").text
