"""Unigram step by step on the page: the lattice and its table, the n best segmentations."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st
from markupsafe import Markup

from tests.core.sentencepieces import trained
from tests.core.texts import any_text
from tests.pages.steps.test_steps import told
from tests.properties import EXPENSIVE
from tests.site import HTMX
from webapp.core.formats import sentencepiece
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.tokenizer import Tokenizer
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.pages.steps.routes import StepContext
from webapp.pages.walkthrough.engine import ShownStep, Walkthrough
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import default_for
from webapp.web.templates import render

TEXT = "unbelievable hugs!"
HUGS = Unigram(
    ["<unk>", "h", "u", "g", "s", "hu", "ug", "hug", "gs"], [0, -2, -2, -2, -2, -3, -3, -4, -4], unknown_id=0
)

STEEP = SentencePieceUnigram(ScoredPieces(["<unk>", "a"], [0.0, -60_000.0], [PieceKind.UNKNOWN, PieceKind.NORMAL]))


def get(client: FlaskClient, text: str = TEXT, **query: Any) -> Any:
    answer = client.get("/steps/unigram", query_string={"text": text, "lang": "en", **query})
    return answer.get_json() if query.get("format") == "json" else answer


def result_of(text: str, tokenizer: Tokenizer | None = None, **options: Any) -> Result:
    return tokenize(State("unigram", "unigram", text, **options), corpus_limit=10_000, tokenizer=tokenizer)


def shown(
    app: Flask, text: str, model: Unigram | SentencePieceUnigram = HUGS, *, step: int | None = None
) -> tuple[Walkthrough, list[str]]:
    """Return the walkthrough of a text with a bare model, and all its steps drawn, or one of them."""
    with app.test_request_context("/?lang=en"):
        result = result_of(text, Tokenizer(model))
        show = walkthrough_of(result)
        drawn = [
            render(
                StepContext(
                    frame=ShownStep(show, step, str),
                    problems=[],
                    wanted=StepsRequest(result.state),
                    state=result.state,
                    default_for=default_for,
                )
            )
            for step in (range(1, len(show)) if step is None else [step])
        ]
        return show, drawn if step is not None else ["", *drawn]


def kinds(html: str) -> dict[str, list[str]]:
    """Return the pieces on the arcs of a picture, by the arcs' role in the step."""
    found: dict[str, list[str]] = {}
    for kind, title in re.findall(r'<path class="(\w+)"[^>]*><title>([^<]*)</title>', html):
        found.setdefault(kind, []).append(title.split("  ")[0])
    return {kind: sorted(pieces) for kind, pieces in found.items()}


# --- the steps


def test_the_table_is_filled_from_left_to_right_and_traced_back(app: Flask) -> None:
    show, drawn = shown(app, "hugs")
    # The opening, four columns, two arcs traced back, the tokens.
    assert len(show) == 1 + 4 + 2 + 1
    assert "8 spans of “hugs” are pieces of the vocabulary: each is an arc." in told(drawn[1])
    assert "Only one arc ends at position 1: “h”" in told(drawn[1])
    assert told(drawn[2]).endswith("“hu”, from the start, wins with −3.00.")
    assert kinds(drawn[2]) == {"best": ["h"], "win": ["hu"], "cand": ["u"], "soon": ["g", "gs", "hug", "s", "ug"]}
    assert "3 arcs end at position 3. “hug”, from the start, wins with −4.00." in told(drawn[3])
    assert kinds(drawn[3])["win"] == ["hug"]
    assert re.search(r"ug</bdi></td>.*?−5.00</td></tr>", drawn[3])
    assert (
        "“s” wins: the best sum at its start, position 3, is −4.00; adding its log-probability, −2.00, gives"
        in told(drawn[4])
    )
    assert "The table is full. Tracing back from the end: the best arc to position 4 is “s”, from position 3." in told(
        drawn[5]
    )
    assert kinds(drawn[6])["win"] == ["hug", "s"]
    assert "This reaches the start: the best path is hug / s, with the sum −6.00." in told(drawn[6])
    assert kinds(drawn[7])["win"] == ["hug", "s"]
    assert "Every pre-token is done: 2 tokens. This vocabulary allows 6 segmentations of the text" in told(drawn[7])


@pytest.mark.parametrize(
    ("text", "model", "shown_at_step_2"),
    [
        (
            "aa",
            Unigram(["<unk>", "a", "aa"], [0, -1, -2], unknown_id=0),
            "has the same sum, −2.00; on a tie the longer",
        ),
        ("aa", Unigram(["<unk>", "a", "aa"], [0, -1, -1.99996], unknown_id=0), "from the start, wins with −1.99996."),
        ("aa", Unigram(["<unk>", "a", "aa"], [0, -1, -1.99996], unknown_id=0), "−2.00000</td>"),
        ("aaa", STEEP, "Here the sums exceed 100,000 in magnitude and are reset to 0"),
        ("שלום", Unigram(["<unk>", "שלום", "של"], [0, -1, -2], unknown_id=0), ' direction="rtl">של</text>'),
    ],
)
def test_special_cases_are_explained(
    app: Flask, text: str, model: Unigram | SentencePieceUnigram, shown_at_step_2: str
) -> None:
    _show, drawn = shown(app, text, model)
    assert shown_at_step_2 in Markup(drawn[2]).unescape()


def test_unknown_characters_and_their_bytes_are_explained(app: Flask) -> None:
    _show, drawn = shown(app, "hx")
    assert "“x” is not a piece: it counts as an unknown character with log-probability −14.00, 10 below" in told(
        drawn[2]
    )
    assert "it becomes its bytes" not in told(drawn[2])
    every = ["<unk>", "h", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, *[PieceKind.BYTE] * 256]
    vocabulary = ScoredPieces(every, [0.0, -2.0, *[0.0] * 256], kinds, byte_ids=range(2, 258))
    show, drawn = shown(app, "hé", SentencePieceUnigram(vocabulary))
    assert "At the end it becomes its bytes, one token each." in told(drawn[2])
    assert list(show.ids) == [1, 2 + 0xC3, 2 + 0xA9]
    assert [show.step_of(token) for token in range(3)] == [1, 2, 2]


def test_a_large_lattice_is_drawn_around_the_step(app: Flask) -> None:
    pieces = ["<unk>", *("a" * length for length in range(1, 31))]
    model = Unigram(pieces, [0, *(-1 - length / 100 for length in range(1, 31))], unknown_id=0)
    _show, (page,) = shown(app, "a" * 200, model, step=100)
    assert (
        "The lattice is large, so only the part around this step is drawn: positions 70 to 104 out of 0 to 200." in page
    )
    assert re.search(r"\d+ arcs are not drawn", page)
    assert page.count("<path class=") < 250
    assert kinds(page)["win"]
    assert "30 arcs end at position 100." in told(page)
    _show, (page,) = shown(app, "a" * 10, model, step=8)
    assert "only the part around" not in page


def test_a_gigantic_lattice_is_refused(app: Flask) -> None:
    pieces = ["<unk>", *("a" * length for length in range(1, 60))]
    with pytest.raises(InputProblem) as refused:
        shown(app, "a" * 250, Unigram(pieces, [-1.0] * 60, unknown_id=0))
    assert refused.value.status == 413
    assert "more than 10,000 arcs" in refused.value.message


MODELS = {"plain": {}, "bytes": {"byte_fallback": True, "vocab_size": 600}}


@pytest.mark.parametrize("variant", MODELS)
@EXPENSIVE
@given(text=any_text, special=st.booleans())
@example(text="x\x00\u202e é 👩‍👩‍👧 שלום", special=True)
def test_a_walkthrough_of_sentencepiece_ends_in_its_tokens(app: Flask, variant: str, text: str, special: bool) -> None:
    tokenizer = sentencepiece.read(trained(model_type="unigram", **MODELS[variant]))
    with app.test_request_context("/"):
        result = result_of(text, tokenizer, special=special)
        show = walkthrough_of(result)
        assert list(show.ids) == list(result.encoding.ids)
        last = show.at(len(show) - 1).record
        assert last["n_best"][0]["ids"] == list(result.encoding.ids)
        steps = [show.step_of(token) for token in range(len(show.ids))]
        assert steps == sorted(steps)


@EXPENSIVE
@given(text=any_text, special=st.booleans())
@example(text="<unk>a<unk> b", special=True)
def test_the_step_of_a_token_is_where_its_arc_wins(app: Flask, text: str, special: bool) -> None:
    with app.test_request_context("/"):
        result = result_of(text, special=special)
        show = walkthrough_of(result)
        for token, id in enumerate(show.ids):
            record = show.at(show.step_of(token)).record
            if record["kind"] == "added":
                assert record["id"] == id
            else:  # the last of several unknown characters that became one token
                assert record["candidates"][record["winner"]]["id"] in (id, None)


# --- the pages


def rows(html: str, label: str) -> list[list[str]]:
    """Return the pieces of each row of a table of segmentations."""
    table = re.search(rf'(?s)aria-label="{label}">(.*?)</table>', html)
    assert table is not None
    return [re.findall(r"<bdi[^>]*>([^<]*)</bdi>", row) for row in table[1].split("<tr")[2:]]


def test_the_n_best(client: FlaskClient) -> None:
    last = len(get(client, format="json")["steps"]) - 1
    page = get(client, step=last, n=7, temperature="1.5", seed=3)  # an older address has more parameters
    best = rows(page.text, "The best segmentations")
    assert len(best) == 7
    assert best[0] == ["▁un", "b", "eli", "e", "v", "able", "▁h", "ug", "s", "!"]
    assert all("".join(row) == "▁unbelievable▁hugs!" for row in best)
    assert 'name="n" min="1" max="20" value="7"' in page.text
    twin = get(client, format="json", n=7)["steps"][-1]
    assert [found["pieces"] for found in twin["n_best"]] == best
    assert sum(found["probability"] for found in twin["n_best"]) <= 1
    partial = client.get("/steps/unigram", query_string={"text": TEXT, "step": last, "n": 7}, headers=HTMX)
    assert "n=7" in partial.headers["HX-Replace-Url"]
