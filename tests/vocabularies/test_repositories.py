"""Repositories of the hub by their names: on the page, in the API and on the command line, and what is refused."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.core import gguf_files
from tests.site import words
from tests.vocabularies.conftest import TOKENIZER
from tests.vocabularies.publisher import Answer, Publisher
from webapp import create_app
from webapp.command_line.inputs import InputError
from webapp.command_line.tokenizers import tokenizer_of
from webapp.core.formats import huggingface
from webapp.core.models.bpe import BPE
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import library
from webapp.vocabularies import tokenizer_of as tokenizer_of_site
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.repositories import Repository
from webapp.vocabularies.wellknown import WELL_KNOWN

WHOLE = "/Qwen/Small/resolve/main/tokenizer.json"
Site = Callable[..., Flask]


@pytest.fixture
def site(publisher: Publisher, tmp_path: Path) -> Site:
    def site(**settings: Any) -> Flask:
        folders = {"DATABASE_FILE": str(tmp_path / "a.sqlite"), "VOCABULARY_FOLDER": str(tmp_path / "vocabularies")}
        return create_app({"HUB": publisher.address, **folders, **settings})

    return site


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ((" Qwen/Qwen3-8B ",), ("Qwen/Qwen3-8B", "main", "")),
        (("Qwen/Qwen3-8B", "v1.0", "/onnx/"), ("Qwen/Qwen3-8B", "v1.0", "onnx")),
        (("https://huggingface.co/Qwen/Qwen3-8B",), ("Qwen/Qwen3-8B", "main", "")),
        (("https://huggingface.co/a/b/blob/abc/x/tokenizer.json",), ("a/b", "abc", "x/tokenizer.json")),
    ],
)
def test_names_are_read(name: tuple[str, ...], read: tuple[str, str, str]) -> None:
    assert Repository.read(*name) == Repository(*read)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (("",), "OWNER/NAME"),
        (("gpt2",), "OWNER/NAME"),
        (("a/..",), "OWNER/NAME"),
        (("a/b/c",), "OWNER/NAME"),
        (("https://example.org/a/b",), "OWNER/NAME"),
        (("a/b", "../x"), "A revision is"),
        (("a/b", "", "../../api/whoami"), "A path is"),
        (("a/b", "", "x?y"), "A path is"),
        (("a/b", "", "model.safetensors"), "has weights"),
    ],
)
def test_other_names_are_refused(name: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Repository.read(*name)


def test_the_page_stores_the_first_file_that_there_is(site: Site, publisher: Publisher) -> None:
    publisher.answers["/Qwen/Small/resolve/v2/onnx/tokenizer.model"] = Answer(TOKENIZER)
    client = site().test_client()
    stored = client.post(
        "/vocabularies/repository", data={"repository": "Qwen/Small", "revision": "v2", "path": "onnx"}
    )
    assert stored.status_code == 303
    assert [path for path, _headers in publisher.requests] == [
        f"/Qwen/Small/resolve/v2/onnx/{file}" for file in ("tokenizer.json", "tokenizer.model")
    ]
    assert "Small: tokenizer.model" in words(client.get(stored.headers["Location"]))
    assert "Small: tokenizer.model" in words(client.get("/vocabularies"))


def test_the_api_and_the_command_line_give_the_same(
    site: Site, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.answers[WHOLE] = Answer(TOKENIZER)
    client = site().test_client()
    answer = client.post("/api/v1/repositories", json={"repository": "Qwen/Small"})
    assert answer.status_code == 201
    body = {"text": "lower", "vocabulary": answer.get_json()["name"], "want": ["ids"]}
    assert client.post("/api/v1/tokenize", json=body).get_json()["ids"] == [1, 2]
    monkeypatch.setenv("TOKENSCOPE_HUB", publisher.address)
    assert tokenizer_of("hf:Qwen/Small").ids("lower") == [1, 2]
    with pytest.raises(InputError, match=r"has no other\.json"):
        tokenizer_of("hf:Qwen/Small@main:other.json")
    publisher.answers[WHOLE] = Answer(status=403, headers={"X-Error-Code": "GatedRepo"})
    with pytest.raises(InputError, match=r"Qwen/Small: .* requires an account with access to it; set HF_TOKEN"):
        tokenizer_of("hf:Qwen/Small")


def test_a_file_that_the_site_has_is_not_fetched_again(site: Site, publisher: Publisher) -> None:
    headers = {"Location": "/storage/1", "X-Linked-ETag": f'"{sha256(TOKENIZER).hexdigest()}"'}
    publisher.answers[WHOLE] = Answer(b"Found", 302, headers)
    publisher.answers["/storage/1"] = Answer(TOKENIZER)
    client = site().test_client()
    names = {
        client.post("/api/v1/repositories", json={"repository": "Qwen/Small"}).get_json()["name"] for _ in range(3)
    }
    assert len(names) == 1
    assert [path for path, _headers in publisher.requests] == [WHOLE, "/storage/1", WHOLE, WHOLE]


def test_two_visitors_at_once_fetch_a_repository_once(site: Site, publisher: Publisher) -> None:
    headers = {"Location": "/storage/1", "X-Linked-ETag": f'"{sha256(TOKENIZER).hexdigest()}"'}
    publisher.answers[WHOLE] = Answer(b"Found", 302, headers)
    publisher.answers["/storage/1"] = Answer(TOKENIZER, manner="half")

    def post(app: Flask) -> str:
        name: str = app.test_client().post("/api/v1/repositories", json={"repository": "Qwen/Small"}).get_json()["name"]
        return name

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(post, site())
        assert publisher.asked.wait(9)
        second = pool.submit(post, site())  # another process
        done, _waiting = wait((first, second), timeout=0.5)
        assert not done
        publisher.gate.set()
        assert first.result() == second.result()
    assert [path for path, _headers in publisher.requests].count("/storage/1") == 1


GGUF = "/Qwen/Small/resolve/main/model.gguf"


def test_of_a_gguf_file_only_the_beginning_is_fetched(site: Site, publisher: Publisher) -> None:
    vocabulary = gguf_files.written(gguf_files.byte_level())
    publisher.answers[GGUF] = Answer(vocabulary + bytes(200_000_000), status=206)
    client = site().test_client()
    asked = {"repository": "Qwen/Small", "path": "model.gguf"}
    stored = client.post("/vocabularies/repository", data=asked)
    assert stored.status_code == 303
    assert "Small: model.gguf" in words(client.get(stored.headers["Location"]))
    assert publisher.requests[-1][1]["Range"] == "bytes=0-67108863"
    publisher.answers[GGUF] = Answer(vocabulary[:-9])  # all of the file: it is damaged
    refused = client.post("/vocabularies/repository", data=asked)
    assert refused.status_code == 422
    assert "end inside its metadata; at least" in words(refused)
    publisher.answers[GGUF] = Answer(b"<html>" + bytes(2_000_000))
    assert client.post("/vocabularies/repository", data=asked).status_code == 422


@pytest.mark.parametrize(
    ("answer", "status", "sentence"),
    [
        (Answer(status=404, headers={"X-Error-Code": "EntryNotFound"}), 404, "has no tokenizer.json, tokenizer.model"),
        (Answer(status=404, headers={"X-Error-Code": "RepoNotFound"}), 404, "Check the name on the hub"),
        (Answer(status=401, headers={"X-Error-Code": "RepoNotFound"}), 404, "Check the name on the hub"),
        (Answer(status=403, headers={"X-Error-Code": "GatedRepo"}), 403, "requires an account with access to it"),
        (Answer(b"x", headers={"Content-Length": "99999999"}), 413, "larger than this site accepts"),
        (Answer(b'{"architectures": []}'), 422, "this JSON is not a known vocabulary format"),
        (Answer(status=500), 502, "reported an error"),
        (Answer(TOKENIZER, manner="cut off"), 502, "was interrupted"),
    ],
)
def test_refusals_stand_beside_the_field_and_keep_the_name(
    site: Site, publisher: Publisher, answer: Answer, status: int, sentence: str
) -> None:
    publisher.answers[WHOLE] = answer
    client = site().test_client()
    refused = client.post("/vocabularies/repository", data={"repository": "Qwen/Small"})
    assert refused.status_code == status
    page = refused.get_data(as_text=True)
    problem = re.search(r'<p class="error" id="repository-error" role="alert">(.*?)</p>', page)
    assert problem is not None
    assert sentence in problem[1]
    assert 'value="Qwen/Small"' in page
    refused = client.post("/api/v1/repositories", json={"repository": "Qwen/Small"})
    assert refused.status_code == (409 if status == 422 else status)


def test_an_operator_switches_it_off(site: Site, publisher: Publisher) -> None:
    client = site(HUB=f"{publisher.address} catalogue").test_client()
    assert 'name="repository"' not in client.get("/vocabularies").get_data(as_text=True)
    refused = client.post("/vocabularies/repository", data={"repository": "Qwen/Small"})
    assert (refused.status_code, "does not fetch from repositories by name" in refused.text) == (403, True)
    assert client.post("/api/v1/repositories", json={"repository": "Qwen/Small"}).status_code == 403
    assert not publisher.requests


def test_a_hub_that_is_down_is_said(site: Site) -> None:
    client = site(HUB="http://127.0.0.1:9").test_client()
    refused = client.post("/vocabularies/repository", data={"repository": "Qwen/Small"})
    assert (refused.status_code, "there is no connection to 127.0.0.1:9" in words(refused)) == (502, True)


def test_a_large_vocabulary_is_read_once_and_then_from_its_compact_form(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.core.formats.compact_bpe.LEAST_PIECES", 1)
    monkeypatch.setattr("webapp.vocabularies.disk_cache.LARGE", 1)
    known = WELL_KNOWN["gpt-neox"]
    model = BPE([*(bytes([byte]) for byte in range(256)), b"lo", b"low"], [(108, 111), (256, 119)], byte_level=True)
    cache = DiskCache(Path(site().config["VOCABULARY_FOLDER"]))
    cache.put(known, [huggingface.write(Tokenizer(model)).encode()])

    def read() -> list[int]:
        with site().app_context():
            return tokenizer_of_site(known.name).ids("lower")

    assert not [*cache.folder.glob("*.compact")]
    assert read() == [257, 101, 114]
    (compact,) = cache.folder.glob("*.compact")
    with monkeypatch.context() as patched:
        patched.setattr("webapp.vocabularies.disk_cache.recognize", lambda *_: pytest.fail("read from its file"))
        assert read() == [257, 101, 114]
        client = site().test_client()
        for address in (
            "/steps/bpe?vocabulary=gpt-neox&text=lower",
            "/vocabularies/gpt-neox",
            "/vocabularies/gpt-neox/tokens/257",
        ):
            answer = client.get(address)
            assert (answer.status_code, "MappedBPE" in answer.text) == (200, False)
        same = client.get(f"/vocabularies/diff?a={known.name}&b={known.name}&lang=en", follow_redirects=True)
        assert "The same at each stage" in same.text
    content = compact.read_bytes()
    compact.write_bytes(content[:-1])
    assert read() == [257, 101, 114]
    assert compact.read_bytes() == content
    cache.expire(datetime.now(UTC) + timedelta(days=1))
    assert list(cache.folder.iterdir()) == []


def test_vocabularies_named_by_the_operator_are_loaded_before_workers_fork(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.vocabularies.preload", lambda: None)
    known = WELL_KNOWN["bert-base-uncased"]
    with site().app_context():
        library().fetcher.disk_cache.put(known, [TOKENIZER])
    app = site(PRELOAD=True, FETCH="bert-base-uncased gpt-neox no-such-name")
    with app.app_context():
        assert list(library().inherited) == ["bert-base-uncased"]
        assert tokenizer_of_site(known.name) is library().inherited[known.name]
        assert not library().must_be_fetched(known.name)
        assert not library().loaded.names()
