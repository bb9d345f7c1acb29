"""The dictionary in the playground: changes, skipped lines, the download, and what maximum probability makes of it."""

import io
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import HTMX, Page, Read
from webapp.core.models.dictionary_edits import MOST_EDITS
from webapp.pages.playground.form import with_change
from webapp.tokenization.forms import InputProblem, pressed
from webapp.tokenization.state import State

FORM = {"algorithm": "fmm", "vocabulary": "jieba", "text": "研究生命科学"}


def shown(client: FlaskClient, **state: str) -> str:
    return client.get("/", query_string={**FORM, "lang": "en", **state}).text


def test_a_removed_word_is_not_found_any_more(client: FlaskClient) -> None:
    answer = client.post("/", data={**FORM, "edit": "remove", "edit_word": "研究生"})
    assert answer.status_code == 303
    assert parse_qs(urlsplit(answer.location).query)["edits"] == ["-研究生"]
    page = client.get(answer.location).text
    assert '<bdi lang="zh">研究生</bdi> <span class="quiet small">removed</span>' in page
    assert client.get(f"{answer.location}&format=json").get_json()["pieces"] == ["研究", "生命科学"]
    assert 'name="undo" value="研究生"' in page
    undone = client.post("/", data={**FORM, "edits": "-研究生", "undo": "研究生"})
    assert "edits" not in parse_qs(urlsplit(undone.location).query)


def test_a_wrong_change_has_a_message_beside_the_field_and_the_result_stays(client: FlaskClient) -> None:
    form = {**FORM, "edits": "-研究生", "edit": "add", "edit_word": "生命", "edit_frequency": "many"}
    answer = client.post("/", data=form, headers=HTMX)
    assert answer.status_code == 422
    assert "“many” is not a whole number of at most 18 digits" in answer.text
    assert 'value="生命"' in answer.text
    assert 'id="tokens"' in answer.text


def test_an_upload_says_which_lines_were_skipped_and_can_be_changed(client: FlaskClient) -> None:
    content = "研究\n研究生\n关\x08系\n让　雅克\n生命 often\n".encode()
    form = {**FORM, "vocabulary_file": (io.BytesIO(content), "words.txt")}
    answer = client.post("/upload", data=form, content_type="multipart/form-data")
    name = parse_qs(urlsplit(answer.location).query)["vocabulary"][0]
    page = client.get(answer.location).text
    assert "2 lines were skipped" in page
    assert "Line 3: it has the control character &#39;\\x08&#39;" in page
    assert "Line 5: the frequency &#39;often&#39;" in page
    assert "2 lines were skipped" in client.get(f"/vocabularies/{name}?lang=en").text


def test_a_pasted_list_says_which_lines_were_skipped_beside_its_field(client: FlaskClient) -> None:
    lines = "".join(f"词{at}\n坏 x{at}\n" for at in range(30))
    page = shown(client, vocabulary="own-dictionary", dictionary=f"研究\n{lines}")
    beside = page[page.index('id="dictionary-skipped"') :][:6000]
    assert "30 lines were skipped" in beside
    assert "and 10 more" in beside


def test_the_edited_dictionary_is_a_word_list(client: FlaskClient) -> None:
    state = {"vocabulary": "own-dictionary", "dictionary": "研究 5 v\n生命 3", "edits": "New York\t2\n-生命"}
    answer = client.post("/dictionary.txt", data={**FORM, **state})
    assert answer.headers["Content-Disposition"] == "attachment; filename=dictionary.txt"
    assert answer.text == "研究\t5\tv\nNew York\t2\n"
    assert client.get("/dictionary.txt?algorithm=bpe&text=x").status_code == 404


@pytest.mark.exhaustive
def test_a_list_of_a_megabyte_with_a_text_of_a_megabyte_works(client: FlaskClient) -> None:
    words = "".join(f"词{at:06}\n" for at in range(100_000))  # 1.0 MB
    form = {**FORM, "text": "研究生命" * 80_000, "vocabulary": "own-dictionary", "dictionary": words}
    answer = client.post("/", data=form, headers=HTMX)
    assert answer.status_code == 200
    assert "dictionary=" not in answer.headers["HX-Replace-Url"]
    assert "100,000 words" in answer.text
    assert "Use Share to get a link" in answer.text


def test_the_links_of_examples_do_not_repeat_a_long_list(client: FlaskClient) -> None:
    words = "".join(f"词{at}\n" for at in range(5_000))
    page = client.post("/", data={**FORM, "vocabulary": "own-dictionary", "dictionary": words})
    links = re.findall(r'class="example" href="([^"]*)"', page.text)
    assert links
    assert all("own-dictionary" in link and "dictionary=%" not in link for link in links)
    assert len(page.data) < 3 * len(words.encode())


# --- maximum probability: modes, wrong values, frequencies

TEXT = "他来到了网易杭研大厦"
CHOSEN = {"algorithm": "max-probability", "lang": "en"}


def test_full_and_search_mode_list_overlapping_words_beside_the_tokens(show: Read) -> None:
    text = "小明硕士毕业于中国科学院计算所"
    full, search = (show(text, algorithm="max-probability", mode=mode) for mode in ("full", "search"))
    assert full.pieces == search.pieces == show(text, algorithm="max-probability").pieces
    assert "words in full mode" in full.text
    assert "words in search mode" in search.text


def test_the_words_of_a_long_text_are_not_listed(client: FlaskClient) -> None:
    page = Page(client.post("/", data={**CHOSEN, "mode": "full", "text": "研究" * 10_001}, headers=HTMX).text)
    assert "The words of this mode are listed for texts of up to 20,000 characters." in page.text


# --- API, comparison, shared results


def test_the_api_lists_the_words_of_a_mode(client: FlaskClient) -> None:
    body = {"algorithm": "max-probability", "mode": "search", "text": "中国科学院计算所"}
    answer = client.post("/api/v1/tokenize", json=body).json
    assert answer["pieces"] == ["中国科学院", "计算所"]
    listed = [one["word"] for one in answer["words"]]
    assert listed == ["中国", "科学", "学院", "科学院", "中国科学院", "计算", "计算所"]
    assert [answer["words"][0][key] for key in ("start", "end")] == [0, 2]
    assert "words" not in client.post("/api/v1/tokenize", json={**body, "mode": "precise"}).json
    several = {"algorithm": "max-probability", "mode": "full", "texts": ["研究生", "科学"]}
    both = client.post("/api/v1/tokenize", json=several).json
    assert [[one["word"] for one in words] for words in both["words"]] == [["研究", "研究生"], ["科学"]]
    off = client.post("/api/v1/tokenize", json={**body, "hmm": False, "text": TEXT}).json
    assert "杭研" not in off["pieces"]


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
