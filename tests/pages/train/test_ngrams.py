"""Training n-grams of words on the site: a corpus without spaces, and the finished page."""

import html
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.jobs import running
from tests.pages.train.conftest import send
from tests.site import Page
from webapp.core.training.plan import TrainingRecord

LINES = ("他 来到 了 北京 大学 。", "我们/在/北京/生活/。/她/来到/了/大学/。", "人生 如 梦境 ， 人生 如 戏 。")
TEXT = "".join(LINES[at % 3] + "\n" for at in range(900))
RAW = TEXT.replace(" ", "").replace("/", "")


def corpus_of(client: FlaskClient, text: str) -> str:
    return send(client, (text.encode(), "sentences.txt")).headers["Location"].partition("corpus=")[2]


def test_a_corpus_without_spaces_needs_a_method(client: FlaskClient) -> None:
    corpus = corpus_of(client, RAW)
    answer = client.get(f"/train?corpus={corpus}&trainer=ngram")
    assert answer.status_code == 422
    assert Page(answer.text).invalid == ["segmentation"]
    assert "no spaces or /" in " ".join(Page(answer.text).problems)
    assert client.get(f"/train?corpus={corpus}&trainer=ngram&segmentation=fmm").status_code == 200


@pytest.mark.parametrize("segmentation", [pytest.param("words", marks=pytest.mark.exhaustive), "max-probability"])
@pytest.mark.parametrize("_storing_app", ["sqlite"], indirect=True)
def test_a_finished_training_can_be_used(client: FlaskClient, storing_app: Flask, segmentation: str) -> None:
    corpus = corpus_of(client, TEXT if segmentation == "words" else RAW)
    data = {"corpus": corpus, "trainer": "ngram", "order": "3", "smoothing": "jelinek-mercer"}
    job = client.post("/train", data={**data, "segmentation": segmentation}).headers["Location"].rpartition("/")[2]
    done = running.run(storing_app, job)
    assert (done.state, done.failure) == ("finished", None)
    figures = TrainingRecord.from_json(done.record).held_out["ngrams"]
    assert set(figures["perplexity"]) == {"1", "2", "3"}
    assert figures["built_in"]["perplexity"].keys() == figures["perplexity"].keys()

    page = html.unescape(client.get(f"/train/{job}").text)
    name = done.vocabulary
    assert "Perplexity" in page
    assert "tokenscope train sentences.txt --algorithm ngram --order 3 --smoothing jelinek-mercer" in page
    links = {link for link in re.findall(r'href="(/[^"#]*)"', page) if name in link and "cl100k" not in link}
    assert any("order=3" in link and "smoothing=jelinek-mercer" in link for link in links)
    for link in links:
        assert client.get(link).status_code == 200, link
    assert client.get(f"/vocabularies/{name}/ngrams.txt").status_code == 200
    fields = {"text": "人生如梦境", "algorithm": "ngram", "vocabulary": name, "order": "3"}
    assert client.post("/api/v1/tokenize", json=fields).status_code == 200
