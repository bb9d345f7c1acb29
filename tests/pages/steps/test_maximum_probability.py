"""Maximum probability on the page: every number can be followed."""

from __future__ import annotations

import re
from html import unescape
from math import log
from typing import Any

import pytest
from flask.testing import FlaskClient

TEXT = "他来到了网易杭研大厦"
TOTAL = 60_101_967


def page(client: FlaskClient, text: str = TEXT, **query: Any) -> str:
    answer = client.get("/steps/max-probability", query_string={"text": text, "lang": "en", **query})
    assert answer.status_code == 200
    return answer.text


def shown(html: str) -> str:
    without = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", html)
    return " ".join(unescape(without).split())


def steps(client: FlaskClient, text: str = TEXT, **query: Any) -> list[dict[str, Any]]:
    answer = client.get("/steps/max-probability", query_string={"text": text, "format": "json", **query})
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json["steps"]
    return found


def test_the_sums_are_filled_from_the_right_and_add_up(client: FlaskClient) -> None:
    found = [step for step in steps(client) if step["kind"] == "sum"]
    assert [step["start"] for step in found] == list(range(len(TEXT) - 1, -1, -1))
    best = {len(TEXT): 0.0}
    for step in found:
        for one in step["candidates"]:
            assert one["score"] == pytest.approx(log(one["frequency"] / TOTAL))
            assert one["after"] == best[one["end"]]
            assert one["total"] == pytest.approx(one["score"] + one["after"])
        best[step["start"]] = max(one["total"] for one in step["candidates"])
        assert step["candidates"][step["winner"]]["total"] == best[step["start"]]


def test_the_path_goes_to_the_hmm_where_single_characters_are_left(client: FlaskClient) -> None:
    found = steps(client)
    (path,) = [step for step in found if step["kind"] == "path"]
    assert path["words"] == ["他", "来到", "了", "网易", "杭", "研", "大厦"]
    assert path["runs"] == [{"start": 6, "end": 8, "kind": "hmm", "words": ["杭研"]}]
    (states,) = [step for step in found if step["kind"] == "states"]
    assert (states["text"], states["states"], states["words"]) == ("杭研", "BE", ["杭研"])
    assert found[-1]["words"] == ["他", "来到", "了", "网易", "杭研", "大厦"]
    without = steps(client, hmm="0")
    assert without[-1]["words"] == path["words"]
    assert {step["kind"] for step in without} == {"pretokens", "sum", "path", "words"}


def test_each_state_shows_its_transition_and_emission(client: FlaskClient) -> None:
    html = page(client, step=13)
    assert '<th scope="col" class="end">Emission</th>' in html
    row = re.search(r"<tr class=hit><td>E</td><td>B</td>(.*?)</tr>", html)
    assert row is not None
    before, transition, emission, total = re.findall(r">([^<]+)</td>", row[1])
    numbers = [float(each.replace("−", "-")) for each in (before, transition, emission, total)]
    assert sum(numbers[:3]) == pytest.approx(numbers[3], abs=0.002)
    assert "−∞ stands for jieba’s −3.14 × 10¹⁰⁰" in html


def test_a_sentence_says_why_a_character_stands_alone(client: FlaskClient) -> None:
    assert "No word of the dictionary starts at 0" in shown(page(client, "龥", step=1))
    assert "they become one token" in shown(page(client, "ab", step=3, hmm="0"))
    assert "has nothing to do" in shown(page(client, "研究生命", step=5))
    # The best path takes the characters of a word that is rarer than they are.
    own = {"vocabulary": "own-dictionary", "dictionary": "台 900\n中 900\n台中 1"}
    assert "they stay single" in shown(page(client, "台中", step=3, **own))


def test_only_the_part_around_the_step_of_a_long_block_is_drawn(client: FlaskClient) -> None:
    assert "so only the part around this step is drawn" in page(client, "研究生命科学的人" * 6, step=10)


def test_a_token_leads_to_its_step(client: FlaskClient) -> None:
    assert "This step decides the token" in shown(page(client, token=4))
    assert "Traced back, the states are B E" in shown(page(client, token=4))
    assert "The text has" in shown(page(client, "研究，生命", token=1))  # a comma is in no block


def test_a_graph_with_too_many_words_is_refused(client: FlaskClient) -> None:
    dictionary = "\n".join("哈" * length for length in range(1, 60))
    answer = client.get(
        "/steps/max-probability",
        query_string={"text": "哈" * 200, "vocabulary": "own-dictionary", "dictionary": dictionary, "lang": "en"},
    )
    assert answer.status_code == 413
    assert "has more than 4,000 words" in answer.text


# --- bidirectional matching


def test_bidirectional_matching_shows_both_directions_and_the_decision(client: FlaskClient) -> None:
    own = {"vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n生命\n科学", "text": "研究生命科学"}
    found = client.get("/steps/bidirectional", query_string={**own, "format": "json"}).json["steps"]
    assert [step.get("direction") for step in found[1:-1]] == ["forward"] * 3 + ["backward"] * 3
    assert (found[-1]["kind"], found[-1]["taken"]) == ("verdict", "backward")
    first = shown(client.get("/steps/bidirectional", query_string={**own, "lang": "en", "step": 1}).text)
    assert "Follows after FMM." in first
    fourth = shown(client.get("/steps/bidirectional", query_string={**own, "lang": "en", "step": 4}).text)
    assert "Finished." in fourth
    last = shown(client.get("/steps/bidirectional", query_string={**own, "lang": "en", "step": 7}).text)
    assert "Bidirectional matching chooses BMM" in last
    assert "Words of BMM" in last
    decided = client.get("/steps/bidirectional", query_string={**own, "lang": "en", "token": 0}).text
    assert 'data-step="6"' in decided  # BMM reads from the right, so its last decision is the first word
