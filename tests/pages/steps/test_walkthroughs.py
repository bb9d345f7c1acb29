"""Every walkthrough ends in the tokens of the playground, for any text, and has a sentence at every step."""

import json
import re
from typing import Any

import pytest
from flask import Flask
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import quick
from tests.core.texts import any_text
from tests.properties import EXPENSIVE
from webapp.core.tokenizer import Tokenizer
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.pages.steps.routes import StepContext
from webapp.pages.walkthrough.engine import ShownStep, Walkthrough
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import default_for
from webapp.web.templates import render

SPACES = " \t\n\r\n\x0b\x0c\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000\ufeff"
EVERY = ("fmm", "bmm", "ngram", "bpe", "wordpiece", "unigram")
FOLLOWED = ("fmm", "bmm", "wordpiece")


def result_of(algorithm: str, text: str, tokenizer: Tokenizer | None = None, **options: Any) -> Result:
    state = State(algorithm, default_for(algorithm), text, **options)
    return tokenize(state, corpus_limit=10_000, tokenizer=tokenizer)


def drawn_step(show: Walkthrough, state: State, step: int) -> str:
    """A step as HTML."""
    return render(
        StepContext(
            frame=ShownStep(show, step, str),
            problems=[],
            wanted=StepsRequest(state),
            state=state,
            default_for=default_for,
        )
    )


@pytest.mark.parametrize("algorithm", FOLLOWED)
@given(text=any_text, runs=st.booleans(), special=st.booleans(), lowercase=st.booleans())
@example(text=f"a{SPACES}b", runs=True, special=False, lowercase=True)
@example(text="[UNK][SEP] Un\u0301believ ☃x " + "x" * 101, runs=True, special=True, lowercase=False)
def test_the_step_of_a_token_is_the_one_that_produced_it(
    app: Flask, algorithm: str, text: str, runs: bool, special: bool, lowercase: bool
) -> None:
    with app.test_request_context("/"):
        options = {"runs": runs} if algorithm != "wordpiece" else {"special": special, "lowercase": lowercase}
        result = result_of(algorithm, text, **options)
        show = walkthrough_of(result)
        steps = [show.step_of(token) for token in range(len(show.ids))]
        assert sorted(steps, reverse=algorithm == "bmm") == steps
        assert [show.at(step).record["id"] for step in steps] == list(result.encoding.ids)
        for step in range(len(show)):
            assert show.at(step).sentence
            json.dumps(show.at(step).record).encode()


@pytest.mark.parametrize("algorithm", quick(EVERY, {*EVERY} - {"ngram"}))
@EXPENSIVE
@given(text=any_text)
@example(text="<script>alert(1)</script> [UNK] مرحبا e\u0301 👩‍👩‍👧 \x00\x1b\u202e" + SPACES)
@example(text="")
def test_a_walkthrough_ends_in_the_tokens_of_the_playground_and_is_drawn(app: Flask, algorithm: str, text: str) -> None:
    with app.test_request_context("/"):
        result = result_of(algorithm, text)
        show = walkthrough_of(result)
        assert list(show.ids) == list(result.encoding.ids)
        assert all(0 < show.step_of(token) < len(show) for token in range(len(show.ids)))
        last = len(show) - 1
        for step in {*range(1, 4), last // 2, last - 1, last} & {*range(1, last + 1)}:
            drawn = drawn_step(show, result.state, step)
            drawn = re.sub("(?s)<textarea[^>]* hidden>.*?</textarea>", "", drawn)  # the hidden fields of the form
            assert "<script" not in drawn
            assert "style=" not in drawn
            assert "\x1b" not in drawn
            assert "\u202e" not in drawn
