"""The race: its lanes, their steps, and what it refuses."""

import re
from html import unescape
from itertools import pairwise
from urllib.parse import urlencode

import pytest
import segno
from flask.testing import FlaskClient

from webapp.pages.steps.race import MOST
from webapp.pages.walkthrough.cells import cell
from webapp.tokenization.result import tokenize
from webapp.tokenization.state import State

ALL = ("bpe:bpe-bytes", "wordpiece:wordpiece", "unigram:unigram", "bpe:bpe-characters")
WORDS = ("fmm:jieba", "bmm:jieba", "max-probability:jieba", "ngram:ngram")


def race(client: FlaskClient, text: str, lanes: tuple[str, ...], step: int = 0, **more: str) -> tuple[int, str]:
    query = urlencode([("text", text), *(("with", lane) for lane in lanes), ("step", step), *more.items()])
    response = client.get(f"/steps/race?{query}")
    return response.status_code, response.text


def lanes_of(page: str) -> list[list[str]]:
    """The pieces in each lane."""
    tracks = re.findall(r'<p class="track.*?</p>', page, re.DOTALL)
    return [[unescape(piece) for piece in re.findall(r"<bdi[^>]*>(.*?)</bdi>", track)] for track in tracks]


def last_of(page: str) -> int:
    return int(re.search(r'data-last="(\d+)"', page)[1])  # type: ignore[index]


@pytest.mark.parametrize("lanes", [ALL, WORDS])
@pytest.mark.parametrize("text", ["unbelievable tokenizers", "研究生命科学的人 👍🏽 café!", "a"])
def test_every_lane_ends_with_its_tokens(client: FlaskClient, lanes: tuple[str, ...], text: str) -> None:
    status, page = race(client, text, lanes)
    assert status == 200
    status, page = race(client, text, lanes, last_of(page))
    for lane, pieces in zip(lanes, lanes_of(page), strict=True):
        algorithm, vocabulary = lane.split(":")
        encoding = tokenize(State(algorithm, vocabulary, text), corpus_limit=0).encoding
        assert pieces == [cell(encoding.piece(at)).text for at in range(len(encoding.ids))]
    assert page.count('class="lane done') == len(lanes)


@pytest.mark.parametrize("lanes", [ALL, WORDS])
def test_every_step_shows_the_whole_text(client: FlaskClient, lanes: tuple[str, ...]) -> None:
    text = "lower研究生"
    for step in range(last_of(race(client, text, lanes)[1]) + 1):
        for pieces in lanes_of(race(client, text, lanes, step)[1]):
            parts = [bytes.fromhex(piece[1:-1]) if piece.startswith("⟨") else piece.encode() for piece in pieces]
            assert re.sub("##|</w>|▁", "", b"".join(parts).decode()) == text


def test_merges_are_seen_one_by_one(client: FlaskClient) -> None:
    counts = [len(lanes_of(race(client, "lower", ALL[:2], step)[1])[0]) for step in range(6)]
    assert counts[0] == 5
    assert all(0 <= before - after <= 1 for before, after in pairwise(counts))
    assert counts[-1] < 5


@pytest.mark.parametrize(
    ("text", "lanes", "status", "words"),
    [
        ("x" * (MOST + 1), ALL, 413, "a race is shown for up to 80"),
        ("low", ALL[:1], 422, "at least two tokenizers"),
        ("low", (*ALL, "fmm:jieba"), 422, "at most four tokenizers"),
        ("low", ("bpe:nothing", "fmm:jieba"), 404, "There is no vocabulary"),
        ("low", ("", "fmm:jieba", "", "bmm:jieba"), 200, "1 / "),
        ("", ALL, 200, "Fewest: 0"),
        ("\ud800\x00 <script>", ALL, 200, "&lt;"),
    ],
)
def test_what_it_refuses(client: FlaskClient, text: str, lanes: tuple[str, ...], status: int, words: str) -> None:
    query = urlencode([("text", text), *(("with", lane) for lane in lanes), ("step", "1")], errors="replace")
    response = client.get(f"/steps/race?{query}")
    assert response.status_code == status
    assert words in re.sub("</?b>", "", response.text)


@pytest.mark.parametrize("step", ["²", "-1", "9" * 30, "x", ""])
def test_a_step_that_is_none_is_the_first_or_the_last(client: FlaskClient, step: str) -> None:
    assert client.get("/steps/race", query_string={"step": step}).status_code == 200


def test_the_code_is_that_of_the_start(client: FlaskClient) -> None:
    page = client.get("/steps/race?text=low&view=large&step=2&" + urlencode([("with", lane) for lane in ALL])).text
    query = urlencode([*(("with", lane) for lane in ALL), ("text", "low")])
    code = segno.make(f"http://localhost/steps/race?{query}", micro=False)
    drawn = re.search(r'<path[^>]* d="([^"]+)"', code.svg_inline(omitsize=True))
    assert drawn is not None
    assert drawn[1] in page


def test_words_are_no_tokens_and_unknown_text_does_not_win(client: FlaskClient) -> None:
    lanes = ("fmm:jieba", "bpe:o200k_base", "unigram:t5")
    page = client.get("/steps/race", query_string={"text": "结婚", "with": lanes, "step": "99"})
    scores = re.findall(r'<p class="score"><b>(\d+)</b> <span>(.*?)</span>', page.text)
    assert scores[0] == ("1", "word")
    assert scores[1][1] in ("token", "tokens")
    assert scores[2][1].endswith("<br>1 unknown")
    assert re.findall('<li class="lane done( wins)?"', page.text) == [" wins", "", ""]
    assert "Fewest: 1, FMM · jieba" in unescape(re.sub("</?b>", "", page.text))
