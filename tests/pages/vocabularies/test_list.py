"""The list of vocabularies: filters, search, samples, downloads and uploads."""

import io
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.core.small_files import small
from tests.pages.vocabularies.test_vocabularies import SHIPPED
from tests.site import HTMX, words
from webapp.core.formats import packed_files, packed_ranks
from webapp.vocabularies import hash_of, well_known
from webapp.vocabularies.fetching import Fetcher, FetchProgress


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    return storing_app


def test_the_list_has_every_vocabulary(client: FlaskClient) -> None:
    answer = client.get("/vocabularies")
    names = [*SHIPPED, *(entry.name for entry in well_known())]
    assert set(listed(answer)) == set(names)
    ready = {name for name in names if name in {*packed_ranks.FILES, *packed_files.FILES}} | set(SHIPPED)
    assert f"{len(names)} vocabularies, {len(ready)} of them ready to use." in words(answer)
    assert set(listed(answer)[: len(ready)]) == ready


def listed(answer: TestResponse) -> list[str]:
    """Return the names of the vocabularies in the list."""
    return re.findall('<li id="v-(.*?)"', answer.text)


@pytest.mark.parametrize(
    ("show", "some"),
    [("ready", SHIPPED), ("bpe", ["gpt2", "bpe-bytes"]), ("unigram", ["t5", "unigram"]), ("dictionary", ["jieba"])],
)
def test_the_list_is_filtered_by_kind(client: FlaskClient, show: str, some: list[str]) -> None:
    everything = listed(client.get("/vocabularies"))
    page = client.get(f"/vocabularies?show={show}")
    found = listed(page)
    assert set(some) <= set(found) < set(everything)
    assert re.search(f'href="/vocabularies\\?show={show}" aria-current=true', page.text)
    both = client.get(f"/vocabularies?show={show}&find={some[0]}", headers=HTMX)
    assert some[0] in listed(both)
    assert both.headers["HX-Replace-Url"] == f"/vocabularies?find={some[0]}&show={show}"


def test_vocabularies_that_are_here_split_a_sample(client: FlaskClient) -> None:
    seen = words(client.get("/vocabularies?find=wordpiece+ships"))
    assert "WordPiece 32,000 ids tokeniz ation 分 词 Use" in seen
    everything = client.get("/vocabularies")
    for name in listed(everything):
        row = re.search(f'<li id="v-{name}"(.*?)</li>', everything.text, re.DOTALL)
        assert row is not None
        if "Download" not in row[1] and "chunk" not in row[1]:  # what takes long asks for its sample by itself
            assert 'hx-trigger="load"' in row[1]
            assert 'class="chunk' in client.get(f"/vocabularies/{name}/row", headers=HTMX).text


def test_finding_a_vocabulary(client: FlaskClient) -> None:
    for find, there, not_there in (("GPT openai", "gpt2", "roberta"), ("ships", "unigram", "roberta")):
        page = client.get("/vocabularies", query_string={"find": find})
        assert there in listed(page)
        assert not_there not in listed(page)
    assert "No vocabulary matches." in words(client.get("/vocabularies?find=zzzzz"))
    assert client.get("/vocabularies", query_string={"find": "z" * 101}).status_code == 422
    assert "32,000 ids 0.5 MB" in words(client.get("/vocabularies?find=llama+2"))


# --- downloads


def test_a_download_starts_in_the_list_and_shows_its_progress(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    running: dict[str, FetchProgress] = {}

    def start(fetcher: Fetcher, known: object, *, again: bool) -> None:
        started.append("bloom")
        running["bloom"] = FetchProgress(620_000, 1_000_000)

    monkeypatch.setattr(Fetcher, "start", start)
    monkeypatch.setattr(Fetcher, "progress", lambda fetcher, name: running.get(name))
    answer = client.post("/vocabularies/bloom/fetch", data={"find": "bl", "show": "bpe"})
    assert (answer.status_code, answer.location) == (303, "/vocabularies?find=bl&show=bpe#v-bloom")
    assert started == ["bloom"]
    page = client.get(answer.location)
    assert "62%" in words(page)
    assert '<noscript><meta http-equiv="refresh"' in page.text
    part = client.get("/vocabularies/bloom/row?find=bl&show=bpe", headers=HTMX)
    assert part.text.strip() in page.text
    assert 'hx-trigger="load delay' in part.text


def test_only_well_known_vocabularies_are_downloaded(client: FlaskClient) -> None:
    for name in ("jieba", "nope", "upload-0000000000000000"):
        assert client.post(f"/vocabularies/{name}/fetch").status_code == 404
    foreign = client.post("/vocabularies/bloom/fetch", headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403


# --- uploads


def upload(client: FlaskClient, *files: tuple[bytes, str], **headers: str) -> TestResponse:
    content = {"vocabulary_file": [(io.BytesIO(content), name) for content, name in files]}
    return client.post("/vocabularies", data=content, headers=headers)


def test_an_upload_leads_to_the_page_of_the_vocabulary_and_is_in_the_list(client: FlaskClient) -> None:
    content = "研究,5\n生命,4\n".encode()
    answer = upload(client, (content, "words.csv"))
    assert (answer.status_code, answer.location) == (303, f"/vocabularies/upload-{hash_of(content)[:16]}")
    page = client.get("/vocabularies")
    assert listed(page)[0] == f"upload-{hash_of(content)[:16]}"
    assert "words.csv" in words(page)


@pytest.mark.parametrize(
    ("files", "status", "message"),
    [
        ([], 422, "Choose a vocabulary file first"),
        ([(b"{", "tokenizer.json")], 422, "“tokenizer.json” was not accepted"),
        ([(b"a", "a"), (b"b", "b"), (b"c", "c")], 422, "one vocabulary at a time"),
        ([(b"x" * 68_000_000, "large.txt")], 413, "the limit is"),
    ],
)
def test_a_refused_upload_has_its_problem_beside_the_field(
    client: FlaskClient, files: list[tuple[bytes, str]], status: int, message: str
) -> None:
    answer = upload(client, *files)
    assert answer.status_code == status
    assert message in words(answer)
    assert re.search('<input type="file"[^>]*aria-describedby="upload-error[^>]*aria-invalid="true"', answer.text)
    assert upload(client, *files, **{"Sec-Fetch-Site": "cross-site"}).status_code in (403, 413)


def test_a_tiktoken_of_no_known_encoding_says_that_its_pattern_is_a_guess(client: FlaskClient) -> None:
    [ranks] = small("tiktoken")
    guess = "The split pattern is a guess"
    address = upload(client, (ranks, "own.tiktoken")).location

    def in_playground(address: str) -> str:
        return words(client.get("/", query_string={"vocabulary": address.rpartition("/")[2], "text": "low"}))

    assert guess in words(client.get(address))
    assert guess in in_playground(address)
    assert client.get(f"{address}.json").json["pipeline"]["pattern_guessed"] is True
    for pattern in ("cl100k_base", r"\w+|\W+"):
        data = {"vocabulary_file": (io.BytesIO(ranks), "own.tiktoken"), "pattern": pattern}
        chosen = client.post("/vocabularies", data=data).location
        assert chosen != address
        assert guess not in words(client.get(chosen)) + in_playground(chosen)
        assert client.get(f"{chosen}.json").json["pipeline"]["pattern_guessed"] is False


@pytest.mark.parametrize(
    ("name", "pattern", "message"),
    [
        ("tiktoken", "(", "cannot be compiled: missing ) at position 1"),
        ("tiktoken", "(a+)+$", "times out on a run of"),
        ("tiktoken", "a" * 6000, "at most 5,000 are allowed"),
        ("tiktoken", "o200k-base", "is not the name of an encoding"),
        ("vocab.txt", "cl100k_base", "Only a .tiktoken file by itself takes a split pattern."),
        ("encoding", "cl100k_base", "Only a .tiktoken file by itself takes a split pattern."),
    ],
)
def test_a_refused_pattern_stays_in_its_field(client: FlaskClient, name: str, pattern: str, message: str) -> None:
    files = [(io.BytesIO(content), "file") for content in small(name)]
    answer = client.post("/vocabularies", data={"vocabulary_file": files, "pattern": pattern})
    assert answer.status_code == 422
    assert message in words(answer)
    assert re.search('<input type="text" name="pattern"[^>]*pattern-error[^>]*aria-invalid="true"', answer.text)
    assert f'value="{pattern}"' in answer.text
    posted = [(io.BytesIO(content), "file") for content in small(name)]
    refused = client.post("/api/v1/vocabularies", data={"file": posted, "pattern": pattern})
    assert refused.status_code in (409, 422)
    assert refused.json["errors"][0]["pointer"] == "#/pattern"
