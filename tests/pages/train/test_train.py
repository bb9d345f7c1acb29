"""The choices of a training, its page in every state, and its result."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.train.conftest import TEXT, send
from tests.site import HTMX, Page
from webapp.core.formats.recognize import save
from webapp.core.training.counting import count_words
from webapp.core.training.plan import SUBWORD_TRAINERS, Progress, TrainingPlan, TrainingRecord
from webapp.core.training.train import train
from webapp.jobs import Failure, Jobs, jobs_of
from webapp.storage import VocabularyFile, storage
from webapp.vocabularies import library
from webapp.vocabularies.uploads import hash_of

PLAN = {"trainer": "bpe-bytes", "size": "320"}
CURVE = ((256, 1.0), (300, 1.8), (320, 1.9))


@pytest.fixture
def queue(client: FlaskClient) -> Jobs:
    """Return the jobs of the site."""
    return jobs_of(client.application)


@pytest.fixture
def job(client: FlaskClient, corpus: str) -> str:
    """Start a training; return its id."""
    answer = client.post("/train", data={"corpus": corpus, **PLAN})
    assert answer.status_code == 303, answer.text
    found = re.fullmatch(r"/train/([\w-]{22})", answer.headers["Location"])
    assert found is not None
    return found[1]


def claim(queue: Jobs, job: str) -> str:
    """Claim the training, as a worker does; return who holds it."""
    holder = queue.store.claim(job)
    assert holder is not None
    return holder


def finish(app: Flask, queue: Jobs, job: str, **held_out: object) -> str:
    """Train as a worker does; return the name of the vocabulary. Records before `measures` have none."""
    holder = claim(queue, job)
    with app.app_context():
        found = queue.find(job)
        assert found is not None
        counted = count_words(queue.corpora.files(found.corpus), found.plan, lambda _progress: None)
        trained = train(found.plan, counted, lambda _progress: None)
        entry = library().store(save(trained.tokenizer))
        record = TrainingRecord(
            plan=found.plan,
            files=found.file_names,
            bytes=counted.bytes,
            characters=counted.characters,
            sha256=counted.sha256,
            pieces=trained.pieces,
            characters_per_token=trained.characters_per_token,
            curve=CURVE,
            held_out={"characters": len(counted.held_out), **held_out},
            seconds={"count": 0.5, "train": 1.5},
        )
        assert queue.store.finish(job, holder, entry.name, record.as_json())
        queue.corpora.delete(found.corpus)
        return entry.name


def test_what_was_trained_with_picky_bpe_can_be_downloaded(client: FlaskClient, queue: Jobs, job: str) -> None:
    """Earlier versions stored such vocabularies; no model is read for them any more."""
    content = b'{"model": {"type": "PickyBPE", "vocab": {}, "events": []}}'
    hash = hash_of(content)
    with client.application.app_context():
        storage().vocabularies.put(VocabularyFile(hash, "huggingface", ("picky-bpe",), 400, content), most_bytes=9999)
    name = f"upload-{hash[:16]}"
    record = {"plan": {"size": 400, "variant": "picky", "removal_threshold": 0.9}, "files": ["a.txt"], "bytes": 9}
    facts = {"characters": 9, "sha256": "", "pieces": 400, "characters_per_token": 2.5}
    assert queue.store.finish(job, claim(queue, job), name, record | facts)
    page = client.get(f"/train/{job}?lang=en")
    assert page.status_code == 200
    assert "PickyBPE, which Tokenscope no longer supports" in page.text
    assert client.get(f"/train/{job}/record.json").get_json()["plan"]["variant"] == "picky"
    assert client.get(f"/vocabularies/{name}/tokenizer.json").data == content
    refused = client.get(f"/?text=low&algorithm=picky-bpe&vocabulary={name}&lang=en")
    assert refused.status_code == 503
    assert "the model &#39;PickyBPE&#39; is not supported" in refused.text


def test_wordpiece_from_the_top_down_keeps_its_name(client: FlaskClient, queue: Jobs, job: str) -> None:
    """Earlier versions had two trainers for WordPiece; this one is not run any more."""
    found = queue.find(job)
    assert found is not None
    plan = {**TrainingPlan(size=400).as_json(), "trainer": "wordpiece", "wordpiece": "top-down"}
    old = queue.store.add(TrainingPlan.from_json(plan), found.corpus, found.facts, ["a.txt"], "earlier")
    assert "WordPiece, top-down" in client.get(f"/train/{old.id}?lang=en").text


# --- the choices


@pytest.mark.parametrize(
    ("trainer", "shown", "hidden"),
    [
        ("bpe-bytes", {"variant-plain", "minimum_count", "ties"}, {"keep", "coverage"}),
        ("wordpiece", {"coverage"}, {"keep", "variant-plain", "ties"}),
        ("unigram", {"keep", "coverage", "longest_piece", "seeds-bpe"}, {"variant-plain"}),
        ("ngram", {"segmentation", "order-3", "smoothing", "minimum_pairs", "minimum_triples"}, {"size", "pattern"}),
    ],
)
def test_an_algorithm_shows_its_own_choices(
    client: FlaskClient, corpus: str, trainer: str, shown: set[str], hidden: set[str]
) -> None:
    address = f"/train?corpus={corpus}&trainer={trainer}" + ("" if trainer == "ngram" else "&size=900")
    page, part = client.get(address).text, client.get(address, headers=HTMX)
    choices, _, facts = part.text.replace(' hx-swap-oob="true"', "").rpartition("<dl ")
    assert choices.strip() in page  # the same templates
    assert facts.strip() in page
    assert part.headers["HX-Replace-Url"] == address.replace("trainer=bpe-bytes&", "")
    found = set(re.findall(r' id="([\w-]+)"', part.text))
    assert shown <= found
    assert not hidden & found
    assert trainer == "ngram" or 'value="900"' in part.text


def test_the_size_offered_is_one_that_the_corpus_allows(client: FlaskClient, corpus: str) -> None:
    page = client.get(f"/train?corpus={corpus}").text
    offered, allowed = re.search(r'id="size" value="(\d+)"', page), re.search(r"sizes from 256 to ([\d,]+)\.", page)
    assert offered is not None
    assert allowed is not None
    assert int(offered[1]) == int(allowed[1].replace(",", "")) < 8000
    assert 'id="size" value="7999"' in client.get(f"/train?corpus={corpus}&size=7999").text


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
@pytest.mark.parametrize("text", ["他来到了网易杭研大厦。" * 20, "好"])
def test_the_size_offered_for_a_tiny_corpus_can_be_trained(
    client: FlaskClient, queue: Jobs, trainer: str, text: str
) -> None:
    corpus = send(client, text=text).headers["Location"].partition("corpus=")[2]
    page = client.get(f"/train?corpus={corpus}&trainer={trainer}").text
    offered = re.search(r'id="size" value="(\d+)"', page)
    assert offered is not None
    answer = client.post("/train", data={"corpus": corpus, "trainer": trainer, "size": offered[1]})
    assert answer.status_code == 303
    assert finish(client.application, queue, answer.headers["Location"].rpartition("/")[2])  # raises if it cannot


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"size": "٣٠٠"}, "size", "is not a whole number"),
        ({"size": "9" * 5_000}, "size", "is not a whole number"),
        ({"special_tokens": "x" * 30_000}, "special_tokens", "the limit is 20,000"),
        ({"pattern": "x" * 6_000}, "pattern", "the limit is 5,000"),
        ({"trainer": "unigram", "coverage": "nan"}, "coverage", "from 0.9 to 1"),
        ({"size": "90000"}, "size", "The corpus is too small for this size"),
        ({"size": "255"}, "size", "The alphabet alone needs 256 pieces"),
        ({"trainer": "lstm"}, "", "There is no such algorithm"),
        ({"split": "own", "pattern": "(a+)+$"}, "pattern", "times out"),
        ({"split": "own", "pattern": "("}, "pattern", "cannot be compiled"),
        ({"trainer": "wordpiece", "split": "none"}, "split", "WordPiece needs words"),
        ({"special_tokens": "<a>\n<a>"}, "special_tokens", "twice"),
        ({"trainer": "ngram", "order": "4"}, "order", "There is no such choice."),
        ({"trainer": "ngram", "minimum_pairs": "0"}, "minimum_pairs", "Choose a number from 1"),
    ],
)
def test_a_wrong_choice_is_told_beside_its_field(
    client: FlaskClient, queue: Jobs, corpus: str, changes: dict[str, str], field: str, message: str
) -> None:
    answer = client.post("/train", data={"corpus": corpus, **PLAN, **changes})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert message in answer.text
    assert page.invalid == ([field] if field else [])
    if field and changes[field] and "choice" not in message:
        assert changes[field].split("\n")[0][:40] in answer.text.replace("&lt;", "<").replace("&gt;", ">")
    assert queue.store.next() == []


def test_a_pattern_that_is_slow_on_the_corpus_is_told_beside_its_field(
    client: FlaskClient, queue: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.core.text.pattern_matching.SECONDS", 0.05)
    answer = send(client, (("x" * 60 + "\n").encode() * 50, "words.txt"))
    plan = {"split": "own", "pattern": r"(?:[xz]|[xz][xz]|x+)+q|\S+|\s+", "size": "300"}
    corpus = answer.headers["Location"].partition("corpus=")[2]
    fields = {"corpus": corpus, **plan}
    for answer in (client.get("/train", query_string=fields), client.post("/train", data=fields)):
        assert answer.status_code == 422
        assert Page(answer.text).invalid == ["pattern"]
        assert "The regular expression takes too long on this corpus." in answer.text
        assert "[xz][xz]" in answer.text
    assert queue.store.corpora() == frozenset()


def test_a_switch_of_language_starts_no_training(client: FlaskClient, queue: Jobs, corpus: str) -> None:
    answer = client.post("/train", data={"corpus": corpus, **PLAN, "lang": "zh"})
    assert answer.status_code == 200
    assert 'value="320"' in answer.text
    assert queue.store.next() == []
    answer = client.post("/train/corpus", data={"text": "stays", "lang": "zh"})
    assert (answer.status_code, "stays" in answer.text) == (200, True)


def test_a_corpus_that_is_gone_keeps_the_choices(client: FlaskClient, queue: Jobs, corpus: str) -> None:
    queue.corpora.delete(corpus)
    for answer in (
        client.get(f"/train?corpus={corpus}&size=900"),
        client.post("/train", data={"corpus": corpus, "size": "900"}),
        client.get("/train?corpus=..%2F..&size=900"),
    ):
        assert answer.status_code == 410
        assert "This corpus is no longer here." in answer.text
        assert '<input type="hidden" name="size" value="900">' in answer.text


def test_a_corpus_is_kept_for_its_visitor_alone_until_it_is_deleted(
    client: FlaskClient, queue: Jobs, corpus: str, job: str
) -> None:
    kept = f'href="/train?corpus={corpus}"'
    assert kept in client.get("/train").text
    stranger = client.application.test_client()
    assert kept not in stranger.get("/train").text
    assert corpus not in stranger.get(f"/train/{job}").text
    for visitor, status in ((stranger, 303), (client, 409)):  # the training that waits needs it
        assert visitor.post("/train/corpus/delete", data={"corpus": corpus}).status_code == status
        assert queue.corpora.files(corpus)
    queue.cancel(job)
    assert "Delete this corpus" in client.get(f"/train?corpus={corpus}").text
    assert client.post("/train/corpus/delete", data={"corpus": corpus}).status_code == 303
    assert queue.corpora.files(corpus) == ()
    assert kept not in client.get("/train").text


def test_a_forecast_says_what_a_training_takes_and_whether_the_site_allows_it(
    client: FlaskClient, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/train?corpus={corpus}&lang=en"
    page = client.get(address).text
    assert re.search(r"takes about \d+ seconds? on an idle machine, and \d+(\.\d)? MB of memory\.", page)
    assert "more than this site allows" not in page
    for trainer in ("ngram", "tagger"):
        assert "on an idle machine" in client.get(f"{address}&trainer={trainer}&segmentation=fmm").text
    monkeypatch.setitem(client.application.config, "MAX_TRAINING_MEMORY_BYTES", 10_000_000)
    assert "more than this site allows" in client.get(address).text


def test_too_many_trainings_are_refused(client: FlaskClient) -> None:
    answers = []
    for _ in range(5):
        corpus = send(client, text=TEXT).headers["Location"].partition("corpus=")[2].partition("&")[0]
        answers.append(client.post("/train", data={"corpus": corpus, **PLAN}))
    assert [answer.status_code for answer in answers] == [303, 303, 303, 303, 429]
    assert "You have reached the limit per visitor (running: 0, waiting: 4)." in answers[-1].text
    assert 'value="320"' in answers[-1].text
    assert int(answers[-1].headers["Retry-After"]) > 0


# --- the page of a training


def same_part(client: FlaskClient, job: str) -> str:
    """Return the page of a training, which contains what htmx gets."""
    page, part = client.get(f"/train/{job}"), client.get(f"/train/{job}", headers=HTMX)
    for answer in (page, part):
        assert answer.status_code == 200
        assert answer.headers["X-Robots-Tag"] == "noindex"
        assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "<html" not in part.text
    assert part.text.strip() in page.text
    return page.text


def test_a_waiting_training_says_when(client: FlaskClient, job: str) -> None:
    page = same_part(client, job)
    assert "Yours is next." in page
    assert 'hx-trigger="every 1s"' in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    assert f'action="/train/{job}/cancel"' in page


def test_a_running_training_shows_how_far_it_is(client: FlaskClient, queue: Jobs, job: str) -> None:
    holder = claim(queue, job)
    started = '<li class="now" aria-current="step"><span>Read the corpus</span>'
    assert started in same_part(client, job), "its process may need seconds to start"
    queue.store.beat(job, holder, Progress("count", 5, 10), {})
    assert started not in same_part(client, job)
    latest = (" the", "<b>\u202e", "新的")
    queue.store.beat(job, holder, Progress("train", 160, 320, 300, latest, CURVE[:2]), {"count": 2.0})
    page = same_part(client, job)
    assert "<b>300</b> of 320 pieces" in page
    assert '<bdi class="tok k2">&lt;b&gt;⟨202E⟩</bdi>' in page
    assert '<li class="now" aria-current="step"><span>Merge</span><span class="num">50%</span></li>' in page
    assert "1.80 characters per token" in page


def test_a_training_whose_process_was_lost_says_that_it_started_over(
    client: FlaskClient, queue: Jobs, job: str
) -> None:
    assert "started over" not in same_part(client, job)
    queue.store.release(job, claim(queue, job))
    assert "The training started over." in same_part(client, job)
    claim(queue, job)
    assert "After 3 attempts the training fails." in same_part(client, job)


def test_a_training_is_cancelled(client: FlaskClient, queue: Jobs, corpus: str, job: str) -> None:
    claim(queue, job)
    answer = client.post(f"/train/{job}/cancel")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/train/{job}")
    page = same_part(client, job)
    assert "Its corpus is kept for a day" in page
    assert "http-equiv" not in page
    assert f'href="/train?corpus={corpus}&amp;size=320"' in page
    assert queue.corpora.files(corpus)
    # Again, or too late: nothing happens.
    assert "Cancelled." in client.post(f"/train/{job}/cancel", headers=HTMX).text


FAILURES = [
    (Failure("empty", {}), "The corpus has no text."),
    (Failure("not_utf8", {"file": "a.txt", "offset": 1234567}), "“a.txt” is not valid UTF-8 at byte 1,234,567."),
    (Failure("bad_json", {"file": "a.jsonl", "line": 12}), "Line 12 of “a.jsonl” is not JSON."),
    (Failure("no_field", {"file": "a.jsonl", "line": 2, "field": "text"}), "no text in the field “text”"),
    (Failure("long_line", {"file": "a.jsonl", "line": 2, "limit": 8 << 20}), "longer than 8 MB"),
    (Failure("damaged", {"file": "a.gz"}), "“a.gz” cannot be decompressed"),
    (Failure("too_large", {"limit": 200 << 20}), "Decompressed, the corpus is larger than 200 MB"),
    (Failure("too_small", {"possible": 5000}), "5,000 pieces are possible"),
    (Failure("alphabet", {"needed": 4000, "size": 300}), "The alphabet alone needs 4,000 pieces"),
    (Failure("slow_pattern", {}), "The regular expression takes too long"),
    (Failure("time", {"limit": 3600}), "it needs more than 1 hour"),
    (Failure("memory", {"limit": 4 << 30}), "more memory than the 4,096 MB"),
    (Failure("disk", {"limit": 1 << 30}), "more disk space than the 1,024 MB"),
    (Failure("lost", {"attempts": 3}), "The worker stopped 3 times"),
    (Failure("plan", {"field": "size", "message": "No."}), "A setting is not possible: No."),
    (Failure("expired", {}), "No worker picked up the training"),
    (Failure("full", {}), "no storage left"),
    (Failure("error", {}), "Something went wrong on our side."),
]


@pytest.mark.parametrize(("failure", "message"), FAILURES, ids=[failure.code for failure, _message in FAILURES])
def test_a_failed_training_says_what_to_change(
    client: FlaskClient, queue: Jobs, corpus: str, job: str, failure: Failure, message: str
) -> None:
    holder = claim(queue, job)
    queue.store.beat(job, holder, Progress("train", 160, 320, 300, (), CURVE[:2]), {"count": 2.0})
    queue.store.fail(job, holder, failure)
    page = same_part(client, job)
    assert message in page
    assert f'href="/train?corpus={corpus}&amp;size=320"' in page
    assert ("It reached the stage “Merge”" in page) == (failure.code in ("time", "memory", "disk", "lost"))
    assert "hx-trigger" not in page


def test_a_finished_training_can_be_used(client: FlaskClient, queue: Jobs, job: str) -> None:
    own = {"fertility": 1.5, "whole-words": 0.625, "unknown": 0.0, "renyi-efficiency": 0.5, "vocabulary-used": 0.75}
    measures = {"own_measures": own, "measures": {"bpe-bytes": {**own, "fertility": 1.25}}}
    others = {"bpe-bytes": 2.5, "gpt2": 1.25, "gone": 2.0}
    name = finish(client.application, queue, job, others=others, **measures)
    page = same_part(client, job)
    assert "hx-trigger" not in page
    assert "<b>320</b> pieces" in page
    rows = re.findall(r'<th scope="row"><a[^>]*>([^<]+)</a></th>(.*)</tr>', page)
    assert {title: re.findall(r'<td class="end">([^<]+)</td>', cells)[2:] for title, cells in rows} == {
        "Demo: byte-level BPE, 32k": ["1.25", "62.5%", "0.500", "75.0%"],
        "BPE over bytes 320, words.txt": ["1.50", "62.5%", "0.500", "75.0%"],
        "GPT-2": ["–"] * 4,
    }
    assert "tokenscope train words.txt --algorithm bpe-bytes --size 320" in page
    links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/[^"#]*)"', page) if name in link}
    assert len(links) == 6  # playground, vocabulary, file, two comparisons, languages
    for link in links:
        if "cl100k" not in link:  # which cannot be fetched here
            assert client.get(link).status_code == 200, link
    back = f'href="/train/{job}"'
    assert back in client.get(f"/vocabularies/{name}").text
    client.delete_cookie("uploads")  # a second client would share `g` with the request that this one keeps
    assert back not in client.get(f"/vocabularies/{name}").text  # another visitor
    record = client.get(f"/train/{job}/record.json")
    assert TrainingRecord.from_json(record.json or {}).plan == TrainingPlan(size=320)


def test_an_unknown_training_is_a_page(client: FlaskClient) -> None:
    for path in ("/train/nope", f"/train/{'x' * 22}", "/train/..", f"/train/{'x' * 22}/record.json"):
        assert client.get(path).status_code == 404
    assert client.post(f"/train/{'x' * 22}/cancel").status_code == 404


def test_a_wrong_pattern_is_not_tried_beside_another_mistake(client: FlaskClient, corpus: str) -> None:
    plan = {**PLAN, "size": "many", "split": "own", "pattern": "(a"}
    answer = client.post("/train", data={"corpus": corpus, **plan})
    assert answer.status_code == 422
    assert set(Page(answer.text).invalid) == {"size", "pattern"}
