"""Unigram step by step on the page: the lattice and its table, the n best segmentations."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st
from markupsafe import Markup

from tests.core.sentencepieces import trained
from tests.core.texts import any_text
from tests.pages.steps import page_of, steps_of, told
from tests.pages.steps.test_walkthroughs import drawn_step, result_of
from tests.properties import EXPENSIVE
from tests.site import HTMX
from webapp.core.formats import sentencepiece
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.tokenizer import Tokenizer
from webapp.pages.steps.requests import walkthrough_of
from webapp.tokenization.forms import InputProblem

TEXT = "unbelievable hugs!"
HUGS = Unigram(
    ["<unk>", "h", "u", "g", "s", "hu", "ug", "hug", "gs"], [0, -2, -2, -2, -2, -3, -3, -4, -4], unknown_id=0
)

BYTES = SentencePieceUnigram(
    ScoredPieces(
        ["<unk>", "h", *(f"<0x{byte:02X}>" for byte in range(256))],
        [0.0, -2.0, *[0.0] * 256],
        [PieceKind.UNKNOWN, PieceKind.NORMAL, *[PieceKind.BYTE] * 256],
        byte_ids=range(2, 258),
    )
)
STEEP = SentencePieceUnigram(ScoredPieces(["<unk>", "a"], [0.0, -60_000.0], [PieceKind.UNKNOWN, PieceKind.NORMAL]))


def drawn(app: Flask, text: str, model: Unigram | SentencePieceUnigram = HUGS, *, step: int | None = None) -> list[str]:
    """All steps of a text with a bare model as HTML, from the first, or one of them."""
    with app.test_request_context("/?lang=en"):
        result = result_of("unigram", text, Tokenizer(model))
        show = walkthrough_of(result)
        return [drawn_step(show, result.state, each) for each in (range(1, len(show)) if step is None else [step])]


def kinds(html: str) -> dict[str, list[str]]:
    """Return the pieces on the arcs of a picture, by the arcs' role in the step."""
    found: dict[str, list[str]] = {}
    for kind, title in re.findall(r'<path class="(\w+)"[^>]*><title>([^<]*)</title>', html):
        found.setdefault(kind, []).append(title.split("  ")[0])
    return {kind: sorted(pieces) for kind, pieces in found.items()}


def test_the_table_is_filled_from_left_to_right_and_traced_back(app: Flask) -> None:
    pages = drawn(app, "hugs")
    # Four columns, two arcs traced back, the tokens.
    assert len(pages) == 7
    assert "3 arcs end at position 3. “hug”, from the start, wins with −4.00." in told(pages[2])
    assert kinds(pages[1]) == {"best": ["h"], "win": ["hu"], "cand": ["u"], "soon": ["g", "gs", "hug", "s", "ug"]}
    assert kinds(pages[2])["win"] == ["hug"]
    assert "This reaches the start: the best path is hug / s, with the sum −6.00." in told(pages[5])
    assert kinds(pages[5])["win"] == kinds(pages[6])["win"] == ["hug", "s"]


def tie(score: float) -> Unigram:
    return Unigram(["<unk>", "a", "aa"], [0, -1, score], unknown_id=0)


@pytest.mark.parametrize(
    ("text", "model", "step_2"),
    [
        ("aa", tie(-2), "has the same sum, −2.00; on a tie the longer"),
        ("aa", tie(-1.99996), "from the start, wins with −1.99996."),
        ("aaa", STEEP, "Here the sums exceed 100,000 in magnitude and are reset to 0"),
        ("שלום", Unigram(["<unk>", "שלום", "של"], [0, -1, -2], unknown_id=0), ' direction="rtl">של</text>'),
        ("hx", HUGS, "“x” is not a piece: it counts as an unknown character with log-probability −14.00, 10 below"),
        ("hé", BYTES, "At the end it becomes its bytes, one token each."),
    ],
)
def test_special_cases_are_explained(app: Flask, text: str, model: Unigram | SentencePieceUnigram, step_2: str) -> None:
    page = Markup(drawn(app, text, model)[1])
    assert step_2 in page.unescape() or step_2 in told(page)


def test_the_bytes_of_an_unknown_character_belong_to_its_step(app: Flask) -> None:
    with app.test_request_context("/"):
        show = walkthrough_of(result_of("unigram", "hé", Tokenizer(BYTES)))
    assert list(show.ids) == [1, 2 + 0xC3, 2 + 0xA9]
    assert [show.step_of(token) for token in range(3)] == [1, 2, 2]


def every_length(longest: int) -> Unigram:
    """A piece of each length, the longer ones slightly less probable."""
    lengths = range(1, longest + 1)
    scores = [0.0, *(-1 - length / 100 for length in lengths)]
    return Unigram(["<unk>", *("a" * length for length in lengths)], scores, unknown_id=0)


def test_a_large_lattice_is_drawn_around_the_step(app: Flask) -> None:
    (page,) = drawn(app, "a" * 200, every_length(30), step=100)
    assert "so only the part around this step is drawn: positions 70 to 104 out of 0 to 200." in page
    assert page.count("<path class=") < 250
    assert kinds(page)["win"]


def test_a_gigantic_lattice_is_refused(app: Flask) -> None:
    with pytest.raises(InputProblem, match="more than 10,000 arcs") as refused:
        drawn(app, "a" * 250, every_length(59))
    assert refused.value.status == 413


@EXPENSIVE
@given(text=any_text, special=st.booleans())
@example(text="x\x00\u202e é 👩‍👩‍👧 שלום", special=True)
def test_a_walkthrough_of_sentencepiece_ends_in_its_tokens(app: Flask, text: str, special: bool) -> None:
    tokenizer = sentencepiece.read(trained(model_type="unigram", byte_fallback=True, vocab_size=600))
    with app.test_request_context("/"):
        result = result_of("unigram", text, tokenizer, special=special)
        show = walkthrough_of(result)
        assert list(show.ids) == list(result.encoding.ids)
        assert show.at(len(show) - 1).record["n_best"][0]["ids"] == list(result.encoding.ids)
        steps = [show.step_of(token) for token in range(len(show.ids))]
        assert steps == sorted(steps)


def test_the_n_best(client: FlaskClient) -> None:
    last = len(steps_of(client, "unigram", TEXT)) - 1
    # An older address has more parameters.
    page = page_of(client, "unigram", TEXT, step=last, n=7, temperature="1.5", seed=3)
    assert 'name="n" min="1" max="20" value="7"' in page
    twin = steps_of(client, "unigram", TEXT, n=7)[-1]
    best = [found["pieces"] for found in twin["n_best"]]
    assert best[0] == ["▁un", "b", "eli", "e", "v", "able", "▁h", "ug", "s", "!"]
    assert len(best) == 7
    assert all(f">{piece}</bdi>" in page for piece in best[6])
    partial = client.get("/steps/unigram", query_string={"text": TEXT, "step": last, "n": 7}, headers=HTMX)
    assert "n=7" in partial.headers["HX-Replace-Url"]
