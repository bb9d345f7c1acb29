"""Maximum probability on the page: every number can be followed, and a word's frequency is suggested and applied."""

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


def test_every_step_has_a_picture(client: FlaskClient) -> None:
    last = len(steps(client)) - 1
    for step in (1, 8, 11, 12, 14, last):
        answer = client.get("/steps/max-probability", query_string={"text": TEXT, "step": step, "format": "svg"})
        assert answer.status_code == 200
        assert answer.mimetype == "image/svg+xml"
        assert "…" not in answer.text


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


# --- the frequency that a word would need


def test_a_word_that_should_be_whole_gets_a_frequency_which_a_link_applies(client: FlaskClient) -> None:
    html = page(client, "南京市长江大桥", want="江大桥")
    text = shown(html)
    assert "For “江大桥” to be more probable than its parts, it would need the frequency" in text
    assert "Even so, words around it win in this text" in text
    html = page(client, hmm="0", want="杭研")
    assert "With this frequency, the text is segmented as you want." in shown(html)
    link = re.search(r'href="([^"]+)">Show the steps with this frequency', html)
    assert link is not None
    assert link[1].endswith("&amp;step=11")  # after a sum for each of the ten characters: the path
    assert "网易 / 杭研" in shown(client.get(unescape(link[1])).text)
    applied = client.get(unescape(link[1]) + "&format=json").json
    assert applied["edits"] == "杭研 1"
    assert applied["steps"][-1]["words"] == ["他", "来到", "了", "网易", "杭研", "大厦"]
    playground = re.search(r'href="([^"]+)">Use it in the playground', html)
    assert playground is not None
    assert "杭研 1" in unescape(client.get(unescape(playground[1])).text)


def test_a_word_that_should_be_divided_gets_the_highest_frequency(client: FlaskClient) -> None:
    text = shown(page(client, "研究生", want="研究 生"))
    assert "For “研究 / 生” to be more probable than “研究生”, the word may have the frequency 13 at most." in text
    assert re.search(r"Wanted 研究 35,029 生 22,579 Sum −15.334, probability 2.2 × 10⁻⁷ As one word 研究生 13", text)


@pytest.mark.parametrize(
    ("want", "message"),
    [
        ("生物", "“生物” does not occur in the text. Check its spelling."),
        ("研", "A single character needs no frequency"),
        ("究 生", "“究生” is not in the dictionary, so no frequency keeps it together."),
        ("<b>", "“&lt;b&gt;” does not occur in the text."),
    ],
)
def test_a_word_that_cannot_have_one_gets_a_message(client: FlaskClient, want: str, message: str) -> None:
    html = page(client, "研究生命", want=want)
    assert message in html
    assert 'aria-invalid="true" aria-describedby="want-error"' in html


def test_a_frequent_word_is_told_that_it_has_enough(client: FlaskClient) -> None:
    assert "has the frequency 35,029, enough to be more probable" in shown(page(client, "研究生命", want="研究"))


def test_no_frequency_can_divide_some_words(client: FlaskClient) -> None:
    text = shown(page(client, "今天天气", want="今 天", vocabulary="own-dictionary", dictionary="今天 5\n天气 9"))
    assert "the dictionary must not have the word" in text


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
