"""A further algorithm needs two records and a vocabulary: the rest of the site picks it up."""

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
from webapp.core.reference.matching import forward
from webapp.pages.steps.requests import WALKTHROUGHS
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.trainings import PRESETS, TRAININGS
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
TEXTS = AlgorithmTexts(name="Letters", caption="Letters splits at every character.")
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
    (number,) = re.findall(r'value="letters" id="a-letters" data-list="(\d+)"', html)
    assert f'class="vocabulary list-{number}"' in html
    assert f'[data-list="{number}"]:checked' in Path("static/playground.css").read_text(encoding="utf-8")
    assert "/steps/letters" not in html
    assert "/steps/letters" not in client.get("/steps").text


def one_step(result: Result, model: object, n: int) -> Walkthrough:
    """The only step says how many characters there are."""
    ids = result.encoding.ids
    frame = Frame("steps/_windows.html", f"Letters finds {len(ids)} characters.", {"kind": "letters"})
    return Walkthrough([lambda: frame], ids, [0] * len(ids))


def test_its_steps_and_its_training_are_shown(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    request = TrainingRequest("letters", corpus="ab ab ac", size=1, text="abc")
    training = replace(TRAININGS["bpe"], algorithm="letters", title="Letters")
    texts = replace(TEXTS, steps="Every character of Letters.", examples=[TEXT])
    monkeypatch.setitem(WALKTHROUGHS, EveryCharacter, one_step)
    monkeypatch.setitem(TRAININGS, "letters", training)
    monkeypatch.setitem(PRESETS, "letters", [("ab ab ac", request)])
    monkeypatch.setitem(ALGORITHMS, "letters", replace(ALGORITHM, has_steps=True, reference=(forward,)))
    monkeypatch.setitem(ALGORITHM_TEXTS, "letters", texts)
    html = client.get("/steps?lang=en").text
    assert re.search(r'(?s)href="/steps/letters\?[^>]*>Letters</a></h2>.*?Every character of Letters\.', html)
    assert 'href="/steps/training/letters">Letters</a>' in html
    assert '<span class="nf">forward</span>' in client.get("/steps/letters?lang=en").text
    steps = client.get("/steps/letters?format=json&lang=en").json
    assert steps["steps"][1]["sentence"] == "Letters finds 6 characters."
    assert steps["ids"] == [1, 2, 4, 3, 1, 0]
    html = client.get("/steps/training/letters?lang=en").text
    assert "<h1>Letters, training round by round</h1>" in html
    assert '<a href="/steps/training/letters?corpus=ab+ab+ac' in html
    assert client.post("/steps/training/letters", data={"corpus": "ab"}).status_code == 303


def test_pages_that_list_all_algorithms_include_it(client: FlaskClient) -> None:
    # The site has six kinds already, as many as a comparison takes.
    html = client.get("/compare", query_string={"text": TEXT, "with": ["letters:abc", "bpe:bpe-bytes"]}).text
    assert '<option value="letters:abc" selected>' in html
    html = client.get("/", query_string={"text": TEXT}).text
    assert re.search(r'data-algorithm="letters"[^>]*><span>Letters</span><i>20.0% unknown</i><b>6</b></a>', html)
    html = client.get("/choices?find=letters+a").text
    assert "<h3>Letters</h3>" in html
    assert 'value="abc"' in html
    assert 'href="/vocabularies?show=letters"' in client.get("/vocabularies").text
    assert "The letters a, b and c" in client.get("/vocabularies?show=letters").text
    assert client.get("/vocabularies/abc").status_code == 200
    (problem,) = Page(client.get("/?algorithm=lzw&text=a&lang=en").text).problems
    assert "WordPiece, Unigram or Letters." in problem


def test_the_api_tokenizes_with_it_and_documents_it(client: FlaskClient) -> None:
    for chosen in ({"algorithm": "letters"}, {"vocabulary": "abc"}):
        answer = client.post("/api/v1/tokenize", json={"text": TEXT, **chosen})
        assert answer.json is not None
        assert answer.json["ids"] == [1, 2, 4, 3, 1, 0]
        assert answer.json["counts"] == {"tokens": 6, "characters": 6, "bytes": 6, "unknown": 1}
    schemas = client.get("/api/v1/openapi.json").json["components"]["schemas"]
    assert "letters" in schemas["TokenizeBody"]["properties"]["algorithm"]["anyOf"][0]["enum"]
    assert "letters" in schemas["VocabularyEntry"]["properties"]["algorithms"]["items"]["enum"]
    listed = client.get("/api/v1/vocabularies").json["vocabularies"]
    assert [one["algorithms"] for one in listed if one["name"] == "abc"] == [["letters"]]
