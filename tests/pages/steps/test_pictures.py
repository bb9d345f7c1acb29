"""The pictures of the steps as files: each step of each algorithm, in both formats and themes, and what has none."""

from typing import Any
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

TEXTS = {
    "bmm": "研究A4 生命科学的人",
    "bpe": "lower 研究生",
    "wordpiece": "unbelievably ☃",
    "unigram": "unbelievable hugs!",
}
NAMES = {"bmm": "segmentation", "bpe": "merge-tree", "wordpiece": "tokens", "unigram": "lattice"}


def get(client: FlaskClient, algorithm: str, **query: Any) -> Any:
    return client.get(f"/steps/{algorithm}", query_string={"text": TEXTS[algorithm], "lang": "en", **query})


@pytest.mark.parametrize("algorithm", TEXTS)
def test_every_step_has_a_picture_as_a_file(client: FlaskClient, algorithm: str) -> None:
    last = len(get(client, algorithm, format="json").get_json()["steps"]) - 1
    for step in range(1, last + 1):
        answer = get(client, algorithm, step=step, format="svg")
        assert answer.status_code == 200, step
        assert answer.mimetype == "image/svg+xml"
        assert f"-step-{step}.svg" in answer.headers["Content-Disposition"]
        root = ElementTree.fromstring(answer.text)
        assert root.get("width")
        assert "".join(root.itertext()).strip()
    assert f"filename={algorithm}-{NAMES[algorithm]}-step-{last}.svg" in answer.headers["Content-Disposition"]
    png = get(client, algorithm, step=last, format="png", colours="dark")
    assert f"format=png&amp;colours=dark&amp;step={last}" in get(client, algorithm, step=last).text
    assert png.data.startswith(b"\x89PNG")
    assert png.data != get(client, algorithm, step=last, format="png").data


@pytest.mark.parametrize(("query", "status"), [({"step": "999"}, 404), ({"text": ""}, 404), ({"text": "x" * 201}, 413)])
def test_what_has_no_picture_is_an_error(client: FlaskClient, query: dict[str, str], status: int) -> None:
    for kind in ("svg", "png"):
        answer = get(client, "unigram", **{**query, "format": kind})
        assert answer.status_code == status
        assert answer.mimetype == "application/problem+json"


@pytest.mark.parametrize("address", ["max-probability?text=研究生命", "ngram?text=研究生命", "training/ngram?"])
def test_graphs_of_words_have_pictures(client: FlaskClient, address: str) -> None:
    svg = client.get(f"/steps/{address}&step=4&format=svg")
    assert (svg.status_code, svg.mimetype) == (200, "image/svg+xml")
    assert client.get(f"/steps/{address}&step=4&format=png").data.startswith(b"\x89PNG")


def test_hostile_text_is_escaped_in_the_steps_of_ngrams(client: FlaskClient) -> None:
    text = "<script>alert(1)</script> مرحبا \x1b\u202e"
    for step in (1, 3):
        page = client.get("/steps/ngram", query_string={"text": text, "step": step}).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
