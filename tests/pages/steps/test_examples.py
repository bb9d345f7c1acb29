"""The examples on the first page of the steps give the results of the worked examples."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from flask.testing import FlaskClient

from webapp.pages.steps.overview import DICTIONARIES

FORWARD = {"研究生命科学": ["研究生", "命", "科学"], "结婚的和尚未结婚的": ["结婚", "的", "和尚", "未", "结婚", "的"]}
BACKWARD = {
    "研究生命科学": ["研究", "生命", "科学"],
    "结婚的和尚未结婚的": ["结婚", "的", "和", "尚未", "结婚", "的"],
}


def test_small_dictionaries_have_steps_in_both_directions(client: FlaskClient) -> None:
    page = client.get("/steps").text
    addresses = [
        html.unescape(found) for found in re.findall(r'class="example" href="([^"]+own-dictionary[^"]+)"', page)
    ]
    assert len(addresses) == len(DICTIONARIES)
    for address, (text, words) in zip(addresses, DICTIONARIES, strict=True):
        for algorithm, expected in (("fmm", FORWARD[text]), ("bmm", BACKWARD[text])):
            answer = client.get(address.replace("/fmm?", f"/{algorithm}?") + "&format=json").get_json()
            ids = [words.index(word) if word in words else len(words) for word in expected]
            assert answer["ids"] == ids


def test_the_expected_words_are_those_of_the_worked_examples(shared: Path) -> None:
    worked = json.loads((shared / "examples" / "worked_examples.json").read_text(encoding="utf-8"))["maximum_matching"]
    assert {(one["text"], tuple(one["dictionary"])) for one in worked} == set(DICTIONARIES)
    assert {one["text"]: one["fmm"] for one in worked} == FORWARD
    assert {one["text"]: one["bmm"] for one in worked} == BACKWARD
