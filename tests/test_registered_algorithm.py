"""A further algorithm needs two records and a vocabulary: the rest of the site picks it up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.site import Page
from webapp import create_app
from webapp.core.algorithms import ALGORITHMS, Algorithm
from webapp.core.recipes import MATCHING
from webapp.core.reference import matching as reference_matching
from webapp.pages.steps.requests import WALKTHROUGHS
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.trainings import TRAININGS
from webapp.pages.walkthrough.engine import Frame, Walkthrough
from webapp.tokenization.algorithms import TEXTS as ALGORITHM_TEXTS
from webapp.tokenization.algorithms import AlgorithmTexts
from webapp.tokenization.result import Result
from webapp.vocabularies import catalogue
from webapp.vocabularies.catalogue import CatalogueEntry

TEXT = "ab ca?"


class EveryCharacter:
    """A model that splits at every character; all but a, b, c and the space are unknown."""

    pieces: Sequence[str] = ("<unk>", "a", "b", "c", " ")
    unknown_id: int | None = 0

    def id_of(self, piece: str | bytes) -> int | None:
        return self.pieces.index(piece) if piece in self.pieces else None

    def ids(self, pretoken: str, /) -> Sequence[int]:
        return [self.id_of(character) or 0 for character in pretoken]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        return [(id, at, at + 1) for at, id in enumerate(self.ids(pretoken))]


ALGORITHM = Algorithm("letters", "pieces", (EveryCharacter,))
TEXTS = AlgorithmTexts("Letters", "Letters splits at every character.")
VOCABULARY = CatalogueEntry(
    "abc",
    ("letters",),
    "shipped",
    5,
    title="The letters a, b and c",
    load=lambda: MATCHING.tokenizer(EveryCharacter()),
)


@pytest.fixture(scope="module")
def client() -> Iterator[FlaskClient]:
    with pytest.MonkeyPatch.context() as patch, catalogue.registered(VOCABULARY):
        patch.setitem(ALGORITHMS, "letters", ALGORITHM)
        patch.setitem(ALGORITHM_TEXTS, "letters", TEXTS)
        yield create_app({"TESTING": True}).test_client()


def test_the_playground_offers_it_and_tokenizes_with_it(client: FlaskClient) -> None:
    html = client.get("/", query_string={"algorithm": "letters", "text": TEXT}).text
    page = Page(html)
    assert page.ids == [1, 2, 4, 3, 1, 0]
    assert page.pieces == ["a", "b", " ", "c", "a", "?"]
    assert not page.problems
    assert "Letters splits at every character." in page.text
    assert re.search(r'<meta name="description" content="[^"]*, Unigram (or|或) Letters', html)
    assert re.search(r'<input type="radio" name="algorithm" value="letters"[^>]* checked>', html)
    assert re.search(r'<option value="abc" selected[^>]*>The letters a, b and c · 5</option>', html)


def one_step(result: Result, model: object, n: int) -> Walkthrough:
    """The only step says how many characters there are."""
    ids = result.encoding.ids
    frame = Frame("steps/_windows.html", f"Letters finds {len(ids)} characters.", {"kind": "letters"})
    return Walkthrough([lambda: frame], ids, [0] * len(ids))


@pytest.fixture
def traced_client(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """The site with the algorithm, its steps, its training and its reference."""
    monkeypatch.setitem(WALKTHROUGHS, EveryCharacter, one_step)
    request = TrainingRequest("letters", corpus="ab ab ac", size=1, text="abc")
    training = replace(TRAININGS["bpe"], algorithm="letters", title="Letters", presets=[("ab ab ac", request)])
    monkeypatch.setitem(TRAININGS, "letters", training)
    algorithm = replace(ALGORITHM, has_steps=True, reference=(reference_matching.forward,))
    texts = replace(TEXTS, steps="Every character of Letters.", examples=[TEXT])
    monkeypatch.setitem(ALGORITHMS, "letters", algorithm)
    monkeypatch.setitem(ALGORITHM_TEXTS, "letters", texts)
    return client


def test_the_steps_page_lists_it_with_its_examples_and_its_training(traced_client: FlaskClient) -> None:
    html = traced_client.get("/steps?lang=en").text
    assert re.search(
        r'(?s)<h2>Letters</h2>.*?Every character of Letters..*?<a class="btn" href="/steps/letters\?', html
    )
    assert 'href="/steps/training/letters">Letters</a>' in html


def test_its_steps_are_shown_with_its_reference_algorithm(traced_client: FlaskClient) -> None:
    answer = traced_client.get("/steps/letters", query_string={"lang": "en"})
    assert answer.status_code == 200
    assert '<span class="nf">forward</span>' in answer.text
    steps = traced_client.get("/steps/letters", query_string={"format": "json", "lang": "en"}).json
    assert steps["steps"][1]["sentence"] == "Letters finds 6 characters."
    assert steps["ids"] == [1, 2, 4, 3, 1, 0]


def test_its_training_is_shown_round_by_round(traced_client: FlaskClient) -> None:
    html = traced_client.get("/steps/training/letters?lang=en").text
    assert "<h1>Letters, training round by round</h1>" in html
    assert '<a href="/steps/training/letters?corpus=ab+ab+ac' in html
    assert ">ab ab ac</textarea>" in html.replace("\n", "")
    assert traced_client.post("/steps/training/letters", data={"corpus": "ab"}).status_code == 303


def test_the_comparison_of_all_algorithms_includes_it(client: FlaskClient) -> None:
    html = client.post("/compare", data={"text": TEXT, "preset": "methods"}, follow_redirects=True).text
    assert '<option value="letters:abc" selected>' in html


def test_other_algorithms_show_its_count_next_to_theirs(client: FlaskClient) -> None:
    html = client.get("/", query_string={"text": TEXT}).text
    assert re.search(r'data-algorithm="letters"[^>]*><span>Letters</span><svg .*?</svg><b>6</b></a>', html)


def test_the_picker_finds_its_vocabulary_by_name(client: FlaskClient) -> None:
    html = client.get("/choices", query_string={"find": "letters a"}).text
    assert "<h3>Letters</h3>" in html
    assert 'value="abc"' in html


def test_the_api_tokenizes_with_it(client: FlaskClient) -> None:
    for chosen in ({"algorithm": "letters"}, {"vocabulary": "abc"}):
        answer = client.post("/api/v1/tokenize", json={"text": TEXT, **chosen})
        assert answer.status_code == 200
        assert answer.json is not None
        assert answer.json["ids"] == [1, 2, 4, 3, 1, 0]
        assert answer.json["counts"] == {"tokens": 6, "characters": 6, "bytes": 6, "unknown": 1}


def test_the_openapi_document_lists_it(client: FlaskClient) -> None:
    schemas = client.get("/api/v1/openapi.json").json["components"]["schemas"]
    assert "letters" in schemas["TokenizeBody"]["properties"]["algorithm"]["anyOf"][0]["enum"]
    assert "letters" in schemas["VocabularyEntry"]["properties"]["algorithms"]["items"]["enum"]


def test_the_list_of_vocabularies_has_a_filter_for_it(client: FlaskClient) -> None:
    html = client.get("/vocabularies").text
    assert 'href="/vocabularies?show=letters"' in html
    assert "The letters a, b and c" in client.get("/vocabularies?show=letters").text
    assert client.get("/vocabularies/abc").status_code == 200
    listed = client.get("/api/v1/vocabularies").json["vocabularies"]
    assert [one["algorithms"] for one in listed if one["name"] == "abc"] == [["letters"]]


def test_the_error_for_an_unknown_algorithm_lists_it(client: FlaskClient) -> None:
    page = Page(
        client.get("/", query_string={"algorithm": "lzw", "text": TEXT}, headers={"Accept-Language": "en"}).text
    )
    assert page.problems == [
        "There is no such algorithm. Choose FMM, BMM, Bidirectional, Max probability, N-gram, BPE, "
        "WordPiece, Unigram or Letters."
    ]


def test_an_algorithm_without_steps_shows_no_steps(client: FlaskClient) -> None:
    html = client.get("/", query_string={"algorithm": "letters", "text": TEXT}).text
    assert "/steps/letters" not in html
    assert "/steps/letters" not in client.get("/steps").text


def test_the_stylesheet_shows_its_list_of_vocabularies(client: FlaskClient) -> None:
    html = client.get("/", query_string={"algorithm": "letters", "text": TEXT}).text
    (number,) = re.findall(r'value="letters" id="a-letters" data-list="(\d+)"', html)
    assert f'class="vocabulary list-{number}"' in html
    assert f'[data-list="{number}"]:checked' in Path("static/app.css").read_text(encoding="utf-8")
