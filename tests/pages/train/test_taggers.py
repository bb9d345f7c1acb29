"""Training a tagger on the site: the finished page, the file, and its use."""

import html
import json
import re

from flask import Flask
from flask.testing import FlaskClient

from tests.jobs import running
from tests.pages.train.test_ngrams import RAW, TEXT, corpus_of
from tests.site import Page
from webapp.core import load
from webapp.core.models.tagger import Tagger
from webapp.core.training.counting import count_block
from webapp.core.training.ngrams import Forgotten
from webapp.core.training.plan import TrainingPlan, TrainingRecord
from webapp.core.training.taggers import keep_some


def test_a_finished_tagger_can_be_used_and_downloaded(client: FlaskClient, storing_app: Flask) -> None:
    assert Page(client.get(f"/train?corpus={corpus_of(client, RAW)}&trainer=tagger").text).invalid == ["segmentation"]
    without_words = client.get(f"/train?corpus={corpus_of(client, '/ / /')}&trainer=tagger")
    assert (without_words.status_code, Page(without_words.text).invalid) == (422, ["segmentation"])
    words = corpus_of(client, "研究\n生命\n的\n起源")
    listed = client.get(f"/train?lang=en&corpus={words}&trainer=tagger")
    assert "a list of words, one a line" in " ".join(Page(listed.text).problems)
    corpus = corpus_of(client, TEXT)
    form = client.get(f"/train?corpus={corpus}&trainer=tagger&rounds=0").text
    assert Page(form).invalid == ["rounds"]
    query = f"/train?corpus={corpus}&trainer="
    counted = re.findall(r"<dl class=\"facts\".*?</dl>", client.get(query + "tagger").text, re.S)
    assert counted != re.findall(r"<dl class=\"facts\".*?</dl>", client.get(query + "unigram").text, re.S)
    part = client.get(query + "tagger", headers={"HX-Request": "true", "HX-Request-Type": "partial"}).text
    assert re.findall(r"<dl .*?</dl>", part, re.S)[-1].replace(' hx-swap-oob="true"', "") == counted[0]
    job = client.post("/train", data={"corpus": corpus, "trainer": "tagger", "rounds": "3"}).headers["Location"]
    done = running.run(storing_app, job.rpartition("/")[2])
    assert (done.state, done.failure) == ("finished", None)
    assert done.progress is not None
    assert (done.progress.stage, done.progress.pieces) == ("write", 3)  # “3 of 3 rounds”
    record = TrainingRecord.from_json(done.record)
    figures = record.held_out["tagger"]
    assert figures["scores"]["tagger"]["f1"] == 1 == figures["scores"]["fmm"]["f1"]
    assert 1 > figures["scores"]["max-probability"]["f1"] > 0
    assert (len(figures["wrong"]), figures["wrong"][-1]) == (3, 0)
    assert record.plan.as_json().keys() >= {"rounds", "segmentation"}
    assert "order" not in record.plan.as_json()

    page = html.unescape(client.get(job).text)
    assert "Scores on sentences that this training has not seen" in page
    assert "tokenscope train sentences.txt --algorithm tagger --rounds 3" in page
    name = done.vocabulary
    links = {link for link in re.findall(r'href="(/[^"#]*)"', page) if name in link and "cl100k" not in link}
    assert f"/vocabularies/{name}/tagger.json" in links
    assert f"/evaluate?with=tagger:{name}&with=fmm:jieba&with=max-probability:jieba" in links
    for link in links:
        assert client.get(link).status_code == 200, link
    model = load(client.get(f"/vocabularies/{name}/tagger.json").data).model
    assert isinstance(model, Tagger)
    assert model.words("他来到了北京。") == ["他", "来到", "了", "北京", "。"]
    fields = {"text": "他来到了北京。", "algorithm": "tagger", "vocabulary": name}
    answer = client.post("/api/v1/tokenize", json=fields)
    assert answer.json["pieces"] == ["他", "来到", "了", "北京", "。"]
    steps = client.get(f"/steps/tagger?text=他来到&vocabulary={name}&format=json").json["steps"]
    assert [step["kind"] for step in steps] == ["pretokens", "tags", "tags", "tags", "path", "words"]
    assert steps[1]["features"][0]["value"] == "⟨⟩"


def test_the_playground_trains_on_own_sentences_and_gives_the_file(client: FlaskClient) -> None:
    fields = {"algorithm": "tagger", "vocabulary": "learned-tagger", "corpus": "小明 的 书\n小红 来", "text": "小明来"}
    assert client.post("/api/v1/tokenize", json=fields).json["pieces"] == ["小明", "来"]
    assert json.loads(client.post("/tagger.json", data=fields).data)["words"] == ["小明", "的", "书", "小红", "来"]
    assert client.post("/ngrams.json", data=fields).status_code == 404


def test_what_stays_of_a_large_corpus_does_not_depend_on_the_order() -> None:
    plan = TrainingPlan(trainer="tagger")
    sentences = [f"{at} 来 了" for at in range(200)]
    whole = count_block("\n".join(sentences), plan)
    assert len(whole) == 200
    found = []
    for order in (sentences, sentences[::-1]):
        counts: dict[str, int] = {}
        forgotten = Forgotten()
        for sentence in order:
            counts |= count_block(sentence, plan)
            if not len(counts) % 7:
                keep_some(counts, forgotten, 300)
        keep_some(counts, forgotten, 300)
        found.append((counts, forgotten.below))
    assert found[0] == found[1]
    assert 0 < sum(map(len, found[0][0])) <= 300
    assert found[0][1] > 2
