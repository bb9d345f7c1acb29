"""The dictionary in the playground: its changes, the lines that were skipped, and the download."""

from __future__ import annotations

import io
import re
from urllib.parse import parse_qs, urlsplit

from flask.testing import FlaskClient

from tests.site import HTMX

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


def test_htmx_gets_the_result_with_the_new_segmentation(client: FlaskClient) -> None:
    answer = client.post("/", data={**FORM, "edit": "add", "edit_word": "研究生命"}, headers=HTMX)
    assert answer.status_code == 200
    assert "edits=" in answer.headers["HX-Replace-Url"]
    assert ">\n研究生命</textarea>" in answer.text
    again = client.post("/", data={**FORM, "edits": "研究生命", "edit_word": "half ty"}, headers=HTMX)
    assert 'value="half ty"' in again.text


def test_a_wrong_change_has_a_message_beside_the_field_and_the_result_stays(client: FlaskClient) -> None:
    form = {**FORM, "edits": "-研究生", "edit": "add", "edit_word": "生命", "edit_frequency": "many"}
    answer = client.post("/", data=form, headers=HTMX)
    assert answer.status_code == 422
    assert "“many” is not a whole number of at most 18 digits" in answer.text
    assert 'value="生命"' in answer.text
    assert 'id="tokens"' in answer.text


def test_a_wrong_list_of_changes_in_an_address_is_named(client: FlaskClient) -> None:
    page = client.get("/", query_string={**FORM, "edits": "研究\n生命 often"})
    assert page.status_code == 422
    assert "Line 2 of the changes: the frequency &#39;often&#39; is not a whole number" in page.text
    assert "Undo all" in page.text


def test_other_algorithms_ignore_changes(client: FlaskClient) -> None:
    page = client.get("/?algorithm=bpe&text=low&edits=x").text
    assert 'id="dictionary-panel"' not in page


def test_changes_apply_to_a_pasted_dictionary_too(client: FlaskClient) -> None:
    state = {"vocabulary": "own-dictionary", "dictionary": "研究\n生命", "edits": "科学\n-研究", "format": "json"}
    assert client.get("/", query_string={**FORM, **state}).get_json()["pieces"] == ["研", "究", "生命", "科学"]


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
    changed = client.get(
        "/", query_string={**FORM, "vocabulary": name, "edits": "-研究生", "format": "json"}
    ).get_json()
    assert changed["pieces"][0] == "研究"


def test_a_line_like_csv_in_another_list_is_pointed_out_for_uploads_too(client: FlaskClient) -> None:
    words = "研究 5 v\n生命,10,n\n科学 3 n\n"
    note = "Line 2 looks like CSV, but the list is not, so the commas count as part of the word."
    assert note in shown(client, vocabulary="own-dictionary", dictionary=words)
    form = {**FORM, "vocabulary_file": (io.BytesIO(words.encode()), "words.txt")}
    answer = client.post("/upload", data=form, content_type="multipart/form-data")
    name = parse_qs(urlsplit(answer.location).query)["vocabulary"][0]
    assert note in client.get(answer.location).text
    page = client.get(f"/vocabularies/{name}?lang=en").text
    assert note in page
    assert "Commas in words" in page
    assert "Lines that were skipped" not in page


def test_a_pasted_list_says_which_lines_were_skipped_beside_its_field(client: FlaskClient) -> None:
    lines = "".join(f"词{at}\n坏 x{at}\n" for at in range(30))
    page = shown(client, vocabulary="own-dictionary", dictionary=f"研究\n{lines}")
    beside = page[page.index('id="dictionary-skipped"') :][:6000]
    assert "30 lines were skipped" in beside
    assert "and 10 more" in beside
    commas = shown(client, vocabulary="own-dictionary", dictionary="研究,100\n生命\n人,3")
    assert "line 2 has not, so commas count as part of the words" in commas


def test_a_text_that_is_no_list_is_refused_beside_the_field(client: FlaskClient) -> None:
    prose = "It is a truth universally\nthat a single man\nin possession of"
    page = client.get("/", query_string={**FORM, "vocabulary": "own-dictionary", "dictionary": prose})
    assert page.status_code == 422
    assert "This is not a word list: 3 of its 3 lines are not entries. Line 1, for example: 5 fields" in page.text


def test_the_edited_dictionary_is_a_word_list(client: FlaskClient) -> None:
    state = {"vocabulary": "own-dictionary", "dictionary": "研究 5 v\n生命 3", "edits": "New York\t2\n-生命"}
    answer = client.post("/dictionary.txt", data={**FORM, **state})
    assert answer.headers["Content-Disposition"] == "attachment; filename=dictionary.txt"
    assert answer.text == "研究\t5\tv\nNew York\t2\n"
    assert client.get("/dictionary.txt?algorithm=bpe&text=x").status_code == 404


def test_the_details_of_a_token_offer_to_change_the_dictionary(client: FlaskClient) -> None:
    page = shown(client, token="1")
    assert 'name="add_word" value="研究生命"' in page
    assert 'name="remove_word" value="命"' in page


def test_a_list_of_a_megabyte_with_a_text_of_a_megabyte_works(client: FlaskClient) -> None:
    words = "".join(f"词{at:06}\n" for at in range(100_000))  # 1.0 MB
    form = {**FORM, "text": "研究生命" * 80_000, "vocabulary": "own-dictionary", "dictionary": words}
    answer = client.post("/", data=form, headers=HTMX)
    assert answer.status_code == 200
    assert "dictionary=" not in answer.headers["HX-Replace-Url"]
    assert "100,000 words" in answer.text
    assert "Use Share to get a link" in answer.text


def test_a_shared_result_keeps_the_changes(client: FlaskClient) -> None:
    receipt = client.post("/share", data={**FORM, "edits": "-研究生\n研究生命科 2"}, follow_redirects=True).text
    address = re.search(r"/s/[0-9a-z]+", receipt)
    assert address is not None
    page = client.get(f"{address[0]}?lang=en").text
    assert '<bdi lang="zh">研究生</bdi> <span class="quiet small">removed</span>' in page
    assert 'name="undo"' not in page


def test_the_links_of_examples_do_not_repeat_a_long_list(client: FlaskClient) -> None:
    words = "".join(f"词{at}\n" for at in range(5_000))
    page = client.post("/", data={**FORM, "vocabulary": "own-dictionary", "dictionary": words})
    links = re.findall(r'class="example" href="([^"]*)"', page.text)
    assert links
    assert all("own-dictionary" in link and "dictionary=%" not in link for link in links)
    assert len(page.data) < 3 * len(words.encode())
    short = re.findall(r'class="example" href="([^"]*)"', shown(client, edits="-研究生"))
    assert short
    assert all("edits=-%" in link for link in short)
