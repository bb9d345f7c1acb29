"""The vocabulary picker: choosing by name, searching, and uploads that do not exist."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from flask.testing import FlaskClient

from tests.pages.playground.test_uploads import query_of
from tests.site import HTMX, Page


@pytest.mark.parametrize("name", ["upload-0000000000000000", "upload-../../etc/passwd", "upload-", "cl100k_base\0"])
def test_an_unknown_upload_is_404(client: FlaskClient, name: str) -> None:
    answer = client.get("/", query_string={"text": "hello", "vocabulary": name})
    assert answer.status_code == 404
    assert "There is no vocabulary" in Page(answer.text).problems[0]


def test_the_words_algorithm_without_a_word_vocabulary_is_404(client: FlaskClient) -> None:
    answer = client.get("/?algorithm=words&text=hello")
    assert answer.status_code == 404
    assert "There is no such algorithm" in Page(answer.text).problems[0]


def test_getting_the_upload_address_redirects_to_the_page(client: FlaskClient) -> None:
    assert client.get("/upload?text=low").location == "/?text=low"


def test_picking_a_vocabulary_selects_its_algorithm(client: FlaskClient) -> None:
    form = {"text": "hello", "algorithm": "bpe", "vocabulary": ["jieba", "bpe-bytes", "wordpiece"], "pick": "unigram"}
    assert query_of(client.post("/", data=form))["algorithm"] == "unigram"
    form["pick"] = "jieba"
    assert query_of(client.post("/", data=form | {"algorithm": "bmm"}))["algorithm"] == "bmm"


def finder_is_open(html: str) -> bool:
    """Return whether the panel with the vocabularies is a part of the page instead of a popover."""
    return '<div id="finder" class="panel" role="dialog"' in html


def names(html: str) -> Sequence[str]:
    return [part.partition('"')[0] for part in html.split('name="pick" value="')[1:]]


def test_searching_by_name(client: FlaskClient) -> None:
    everything = names(client.get("/choices").text)
    assert {"jieba", "bpe-bytes", "unigram", "cl100k_base", "bert-base-cased"} <= set(everything)
    assert len(everything) == len(set(everything))
    found = names(client.get("/choices?find=GPT+4").text)
    assert "cl100k_base" in found
    assert "bert-base-cased" not in found
    assert "No vocabulary name matches" in client.get("/choices?find=zzzz").text


def test_real_models_come_before_the_vocabularies_of_the_site(client: FlaskClient) -> None:
    everything = list(names(client.get("/choices").text))
    own = {"bpe-bytes", "bpe-characters", "learned-bytes", "learned-characters"}
    assert everything.index("cl100k_base") < min(everything.index(name) for name in own)
    page = client.get("/").text
    headings = ("OpenAI", "Same corpus, same size (for teaching)", "From your text")
    places = [page.index(f'<optgroup label="{heading}">', page.index('id="v-bpe"')) for heading in headings]
    assert places == sorted(places)


def test_the_first_visit_needs_no_download(client: FlaskClient) -> None:
    assert client.get("/?format=json").get_json()["vocabulary"] == "o200k_base"


def test_searching_without_javascript(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": "hello", "find": "bert", "search": "1"})
    assert answer.status_code == 303
    page = client.get(answer.location).text
    assert names(page) == names(client.get("/choices?find=bert").text)
    assert finder_is_open(page)
    assert not finder_is_open(client.get("/?text=hello").text), "a button opens it"
    assert "find" not in query_of(client.post("/", data={"text": "hello", "find": "bert"}))


def test_htmx_gets_the_fragment_that_the_page_includes(client: FlaskClient) -> None:
    part = client.get("/choices?find=llama", headers=HTMX).text
    assert part.strip() in client.get("/?text=x&find=llama").text
