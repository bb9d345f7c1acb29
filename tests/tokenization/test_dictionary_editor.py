"""The editor of a dictionary: what its buttons do, and what the panel says."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.core.models.dictionary_edits import MOST_EDITS
from webapp.pages.playground.form import pressed, with_change
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State


@pytest.mark.parametrize(
    ("before", "form", "after"),
    [
        ("", {"edit": "add", "edit_word": " 研究 ", "edit_frequency": "5"}, "研究 5"),
        ("", {"edit": "add", "edit_word": "New York"}, "New York\t"),
        ("研究 5\n人 1", {"edit": "add", "edit_word": "研究", "edit_frequency": "7"}, "人 1\n研究 7"),
        ("研究 5", {"edit": "remove", "edit_word": "研究", "edit_frequency": "x"}, "-研究"),
        ("研究 5\n-人", {"undo": "研究"}, "-人"),
        ("研究 5\n-人", {"edit": "clear"}, ""),
        ("", {"remove_word": "研究生"}, "-研究生"),
        ("", {"edit_word": "研究"}, "研究"),
    ],
)
def test_a_button_changes_the_list(app: Flask, before: str, form: dict[str, str], after: str) -> None:
    with app.test_request_context("/"):
        assert pressed(form, plain=True)
        state = with_change(State("fmm", "jieba", edits=before, token=3), form)
    assert (state.edits, state.token) == (after, None)


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        ({"edit": "add", "edit_word": " "}, "edit_word", "Type the word"),
        ({"edit": "add", "edit_word": "研究", "edit_frequency": "9" * 19}, "edit_frequency", "at most 18 digits"),
        ({"edit": "add", "edit_word": "-研究"}, "edit_word", "begin with a hyphen"),
        ({"edit": "add", "edit_word": "研\x08究"}, "edit_word", "control character"),
        ({"edit": "remove", "edit_word": "长" * 65}, "edit_word", "65 characters; the limit is 64"),
        ({"edit": "add", "edit_word": "又一个"}, "edits", "more than 500 changes"),
    ],
)
def test_a_wrong_change_is_refused(app: Flask, form: dict[str, str], field: str, message: str) -> None:
    before = State("fmm", "jieba", edits="\n".join(f"词{at}" for at in range(MOST_EDITS)))
    with app.test_request_context("/"), pytest.raises(InputProblem, match=message) as refused:
        with_change(before, form)
    assert refused.value.field == field


def test_live_typing_changes_nothing() -> None:
    assert not pressed({"edit_word": "研"}, plain=False)
    assert not pressed({"edit_word": " "}, plain=True)


def test_what_each_change_does_is_said(client: FlaskClient) -> None:
    given = {
        "algorithm": "fmm",
        "vocabulary": "own-dictionary",
        "dictionary": "研究 5\n人 1",
        "text": "人",
        "lang": "en",
    }
    page = client.get("/", query_string={**given, "edits": "-研究\n-无\n人 7\n人民 3\n研究"}).text
    changes = page[page.index('aria-label="Changes to the dictionary"') :]
    assert re.findall('<bdi lang="zh">(.+?)</bdi> <span class="quiet small">(.+?)</span>', changes) == [
        ("无", "removed, but the dictionary does not have it"),
        ("人", "frequency 7 instead of 1"),
        ("人民", "added, frequency 3"),
        ("研究", "added, but the dictionary has it already"),
    ]
