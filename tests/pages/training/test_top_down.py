"""The steps of training WordPiece from the top down."""

from __future__ import annotations

from flask.testing import FlaskClient

HUGS = {"symbols": "top-down", "corpus": "hug 10\npug 5\npun 12\nbun 4\nhugs 5", "size": "10", "lang": "en"}


def test_a_round_shows_what_longer_pieces_take(client: FlaskClient) -> None:
    html = client.get("/steps/training/wordpiece", query_string=HUGS | {"step": "1"}).text
    assert "Round 1 counts every part of every word." in html
    assert "4 are kept" in html
    assert "Taken by longer pieces" in html
    assert "−15" in html
    later = client.get("/steps/training/wordpiece", query_string=HUGS | {"step": "2"}).text
    assert "begins where a piece begins" in later


def test_the_first_step_searches_for_the_threshold(client: FlaskClient) -> None:
    html = client.get("/steps/training/wordpiece", query_string=HUGS).text
    assert "at most 10 pieces: 6." in html
    assert "too many" in html
    assert "fits" in html


def test_the_last_step_has_the_vocabulary_of_the_trainer(client: FlaskClient) -> None:
    steps = client.get("/steps/training/wordpiece", query_string=HUGS | {"format": "json"}).get_json()["steps"]
    assert [step["kind"] for step in steps] == ["start", "round", "round", "round", "round", "end"]
    assert steps[0]["threshold"] == 6
    assert steps[1]["candidates"][2] == {"piece": "hu", "count": 15, "left": 0, "kept": False}
    assert steps[-1]["vocabulary"][-3:] == ["hug", "pun", "hugs"]
    assert steps[-1]["below_threshold"] == ["hugs"]
    page = client.get("/steps/training/wordpiece", query_string=HUGS | {"step": "5"}).text
    assert "The vocabulary has 11 pieces, [UNK] included." in page
    assert "One more, from the threshold 5, fills it up." in page


def test_without_a_size_half_of_the_frequent_pieces_are_kept(client: FlaskClient) -> None:
    query = {"symbols": "top-down", "corpus": "low lower lowest low slow slower", "lang": "en"}
    assert client.get("/steps/training/wordpiece", query_string=query).status_code == 200
    for kind in ("svg", "png"):
        for step in range(6):
            picture = client.get("/steps/training/wordpiece", query_string=query | {"format": kind, "step": step})
            assert picture.status_code == 200
