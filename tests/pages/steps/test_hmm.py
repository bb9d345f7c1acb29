"""`/steps/hmm` with tables in its address."""

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, words

ADDRESS = "/steps/hmm?lang=en&observed=3+1+3"


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("", "Each cell gets the probability of the best path to its state."),
        ("1", "The highest is v1(H) = 0.8 × 0.4 = 0.32."),
        ("2", "The highest is v2(C) = 0.32 × 0.4 × 0.5 = 0.064."),
        ("4", "The last column is highest at H, with 0.0128. Traced back from there, the best path is H C H."),
        ("999999999", "Traced back from there, the best path is H C H."),
        ("-1", "Each cell gets the probability of the best path to its state."),
    ],
)
def test_a_step_of_the_tables_of_the_textbook(client: FlaskClient, step: str, sentence: str) -> None:
    page = client.get(f"{ADDRESS}&step={step}")
    assert page.status_code == 200
    assert sentence in words(page)
    part = client.get(f"{ADDRESS}&step={step}", headers=HTMX)
    assert sentence in words(part)
    assert "<form" not in part.text
    assert sentence in words(client.get(f"{ADDRESS.replace('?', '/embed?')}&step={step}"))


def test_the_steps_as_json_and_as_pictures(client: FlaskClient) -> None:
    steps = client.get(f"{ADDRESS}&format=json").get_json()["steps"]
    assert [step["kind"] for step in steps] == ["tables", "column", "column", "column", "path"]
    assert steps[-1]["path"] == ["H", "C", "H"]
    assert client.get(f"{ADDRESS}&step=2&format=png").data.startswith(b"\x89PNG")
    assert b"0.064" in client.get(f"{ADDRESS}&step=2&format=svg").data


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"observed": " "}, "Write one to 40 short observations."),
        ({"observed": "3 " * 41}, "Write one to 40 short observations."),
        ({"start": "H 2"}, "“H 2” should be a state and its probability at the start: 0 to 1"),
        ({"start": ""}, "“” should be a state and its probability at the start"),
        ({"transition": "H H 0.6 C"}, "“C” should be a state, the next one and the probability of this step"),
        ({"transition": "H X 0.6"}, "“X” is not among the states of the start: give it 0 there."),
        ({"emission": "X 3 0.6"}, "“X” is not among the states of the start: give it 0 there."),
        ({"emission": "H 3 1e999999999"}, "“H 3 1e999999999” should be a state, an observation"),
        ({"start": " ".join(f"{state} 0" for state in range(13))}, "Give at most 12 states."),
        ({"start": "H" * 21 + " 1"}, "should be a state and its probability at the start"),
        ({"observed": "3 " + "1" * 21}, "Write one to 40 short observations."),
        ({"start": "H 4/3"}, "“H 4/3” should be a state"),
        ({"start": "H 1/0"}, "“H 1/0” should be a state"),
        ({"start": "<b> 3"}, "“<b> 3” should be a state"),
    ],
)
def test_what_cannot_be_read_is_said(client: FlaskClient, query: dict[str, str], message: str) -> None:
    asked = {"observed": "3 1 3", "lang": "en"} | query
    page = client.get("/steps/hmm", query_string=asked)
    assert page.status_code == 422
    assert message in words(page)
    assert 'aria-invalid="true"' in page.text
    assert page.text.count('role="alert"') == 1  # beside its field
    assert next(iter(query.values())).strip()[:60] in words(page)
    assert client.get("/steps/hmm", query_string=asked | {"format": "json"}).status_code == 422


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"observed": "4 1"}, "every product is 0: no state that can be reached emits it."),
        ({"observed": "4 1", "step": "3"}, "No path is possible: every one has a transition or an emission of 0."),
        ({"observed": "313", "step": "2"}, "v2(C) = 0.32 × 0.4 × 0.5 = 0.064"),
        ({"observed": "3, 1, 3", "step": "2"}, "v2(C) = 0.32 × 0.4 × 0.5 = 0.064"),
        ({"observed": "3", "start": "H 4/5 C 1/5"}, "v1(H) = 0.8 × 0.4 = 0.32"),
        ({"observed": "3" * 40, "step": "40"}, "× 10⁻"),
    ],
)
def test_impossible_and_tiny_paths(client: FlaskClient, query: dict[str, str], sentence: str) -> None:
    assert sentence in words(client.get("/steps/hmm", query_string={"lang": "en", "step": "1"} | query))


@pytest.mark.parametrize(("query", "told"), [("", True), ("&start=H+0.5+C+0.5", False)])
def test_the_letters_of_the_textbook_are_explained(client: FlaskClient, query: str, *, told: bool) -> None:
    assert ("H, C: a hot or a cold day." in words(client.get(f"{ADDRESS}+2{query}"))) == told
