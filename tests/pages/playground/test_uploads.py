"""Vocabulary files that visitors upload: accepted, refused, used, and found again."""

import io
import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import tokenizers
from flask import Flask
from flask.testing import FlaskClient
from tokenizers import models, pre_tokenizers, trainers
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, stream_encode_multipart

from tests.core import gguf_files, sentencepieces
from tests.core.gguf_files import written
from tests.core.small_files import RANKS
from tests.core.texts import CORPUS
from tests.site import HTMX, NOWHERE, Page
from webapp import create_app
from webapp.core.formats.recognize import recognize
from webapp.storage import storage
from webapp.vocabularies import find, hash_of
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN

TEXT = "However little known, 研究生 👍🏽 naïve\n"


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    return storing_app


def upload(client: FlaskClient, *files: bytes, name: str = "file", **state: object) -> TestResponse:
    """Send a form with vocabulary files, as the page does."""
    fields = {
        "text": TEXT,
        "algorithm": "bpe",
        "vocabulary": "bpe-bytes",
        **state,
        "vocabulary_file": [FileStorage(io.BytesIO(content), filename=name) for content in files],
    }
    stream, length, boundary = stream_encode_multipart(fields)
    with stream:
        return client.post(
            "/upload",
            input_stream=stream,
            content_length=length,
            content_type=f'multipart/form-data; boundary="{boundary}"',
        )


def query_of(answer: TestResponse) -> dict[str, str]:
    """Return the query of the address that an upload redirects to."""
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.location).query).items()}


def bpe() -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainer)
    return tokenizer


def word_level(**parts: object) -> bytes:
    """Return a small `tokenizer.json` with the given parts."""
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, **parts}).encode()


FILES: list[tuple[Callable[[], bytes], str]] = [
    (lambda: bpe().to_str().encode(), "bpe"),
    (word_level, "words"),
    (lambda: sentencepieces.trained(model_type="unigram"), "unigram"),
    (lambda: b"".join(b64encode(piece) + b" %d\n" % at for at, piece in enumerate(RANKS)), "bpe"),
    (lambda: b"[UNK]\nhow\n##ever\nlittle\nknown\n,\n", "wordpiece"),
    (lambda: written(gguf_files.byte_level()), "bpe"),
    (lambda: written(gguf_files.scored()), "bpe"),
    (lambda: written(gguf_files.words()), "wordpiece"),
    (lambda: written(gguf_files.unigram()), "unigram"),
]


@pytest.mark.parametrize(("make", "algorithm"), FILES)
def test_a_file_of_each_format_is_used_at_once(client: FlaskClient, make: Callable[[], bytes], algorithm: str) -> None:
    content = make()
    answer = upload(client, content)
    assert query_of(answer)["algorithm"] == algorithm
    page = Page(client.get(answer.location).text)
    assert page.ids == recognize(content).tokenizer.ids(TEXT)
    assert page.box == "\n" + TEXT


def test_a_model_is_stored_without_its_tensors(client: FlaskClient) -> None:
    header = written(gguf_files.byte_level(**{"tokenizer.chat_template": "{{ messages[0].content }}<|x|>"}), tensors=1)
    name = query_of(upload(client, header + bytes(100_000), name="model.gguf"))["vocabulary"]
    assert name == f"upload-{hash_of(header)[:16]}"
    assert "model.gguf" in client.get(f"/vocabularies/{name}").text
    conversation = {"messages": json.dumps([{"role": "user", "content": "abc"}]), "vocabulary": name}
    shown = client.get("/messages.json", query_string={**conversation, "template": "vocabulary", "reply": "0"}).json
    assert shown is not None
    assert shown["ids"] == [257, 259]
    cut = upload(client, header[:-5])
    assert cut.status_code == 422
    assert "at least 5 more are needed" in cut.text


def test_an_upload_has_one_name_and_is_listed_for_its_visitor_alone(app: Flask, client: FlaskClient) -> None:
    content = b"seven\neight\n"
    name = query_of(upload(client, content, name="wörter; v=1!.txt"))["vocabulary"]
    assert f"wörter; v=1!.txt · {name[7:15]}" in client.get("/?text=x&algorithm=fmm").text
    assert f"/vocabularies/{name}" in client.get("/vocabularies").text
    with app.test_client() as other:
        assert name not in other.get("/?text=x&algorithm=fmm").text
        assert name not in other.get("/vocabularies").text
        shown = other.get(f"/?text=eight&algorithm=fmm&vocabulary={name}").text
        assert f'<option value="{name}" selected' in shown
        assert Page(shown).pieces == ["eight"]
        assert query_of(upload(other, content))["vocabulary"] == name


def test_names_of_many_files_stay_below_the_limit_of_a_cookie(client: FlaskClient) -> None:
    for number in range(13):
        answer = upload(client, b"low\nlower\n%d\n" % number, name="很长的文件名" * 7 + f"{number}.txt")
        (cookie,) = (each for each in answer.headers.getlist("Set-Cookie") if each.startswith("uploads="))
        assert len(cookie) <= 4_096
    listed = client.get("/vocabularies").text
    assert listed.count('id="v-upload-') == 10


def test_a_text_too_long_for_an_address_survives_an_upload(client: FlaskClient) -> None:
    text = "lower " * 1000
    answer = upload(client, b"low\nlower\n", text=text, algorithm="fmm")
    page = Page(answer.text)
    assert answer.status_code == 200
    assert page.box == "\n" + text
    assert page.figures == len(page.tokens)


BROKEN = [
    (b"", "the file is empty"),
    (b"\x1f\x8b" + bytes(50), "gzip archive"),
    (b'{"a": ' + b"[" * 10_000, "nested"),
    (b'{"hello": "world"}', "not a known vocabulary format"),
    (b"\xff\xfe\x00", "UTF-16"),
]


@pytest.mark.parametrize(("content", "reason"), BROKEN, ids=[reason for _, reason in BROKEN])
def test_a_refused_file_has_its_reason_and_the_form_and_its_result_stay(
    client: FlaskClient, content: bytes, reason: str
) -> None:
    answer = upload(client, content, name="<b>odd</b>.json", text="the lowest", algorithm="bpe")
    page = Page(answer.text)
    assert answer.status_code == 422
    assert len(page.problems) == 1
    assert reason in page.problems[0]
    assert "“<b>odd</b>.json” was not accepted" in page.problems[0]
    assert page.box == "\nthe lowest"
    assert "".join(page.pieces) == "the lowest"
    assert '<div id="finder" class="panel" role="dialog"' in answer.text, "the panel with the message is open"
    assert "Set-Cookie" not in answer.headers
    by_api = client.post("/api/v1/vocabularies", data={"file": (io.BytesIO(content), "odd.json")})
    assert by_api.status_code == 409
    assert reason in by_api.get_json()["detail"]


def small_site(app: Flask, **settings: object) -> FlaskClient:
    """Return a client of another site on the same database, with its own settings."""
    database = {name: app.config[name] for name in ("DATABASE_URL", "DATABASE_FILE")}
    return create_app({**database, "MAX_DATABASE_SECONDS": 1, **NOWHERE, **settings}).test_client()


WORDS = b"some\nfew\nwords\n"


@pytest.mark.parametrize(
    ("settings", "files", "status", "message"),
    [
        ({}, [], 422, "Choose a vocabulary file first"),
        ({}, [b"a\n", b"b\n", b"c\n"], 422, "one vocabulary at a time"),
        ({"MAX_UPLOAD_BYTES": 1000}, [b"word\n" * 201], 413, "has 1,005 bytes; the limit is 1,000 bytes."),
        ({"MAX_UPLOAD_BYTES": 1000}, [b"GGUF" + bytes(1000)], 413, "which has the tokenizer: head -c 1000 "),
        ({"MAX_UPLOADS_BYTES": 10}, [WORDS], 507, "no storage left for uploaded vocabularies"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_the_text_stays(
    app: Flask, settings: dict[str, object], files: list[bytes], status: int, message: str
) -> None:
    with small_site(app, **settings) as client:
        answer = upload(client, *files)
        assert answer.status_code == status
        assert message in Page(answer.text).problems[0]
        assert Page(answer.text).box == "\n" + TEXT
        assert client.get("/?text=hello").status_code == 200
        with client.application.app_context():
            assert storage().inventory.uploads() == []


def test_a_form_over_all_limits_is_not_read(app: Flask) -> None:
    with small_site(app, MAX_UPLOAD_BYTES=1000, MAX_CONTENT_LENGTH=1000) as client:
        answer = upload(client, b"word\n" * 2000)
        assert answer.status_code == 413
        assert "a vocabulary file may have up to 1,000 bytes" in answer.text


def test_pages_work_without_a_database_until_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    settings = {"DATABASE_URL": "", "DATABASE_FILE": str(tmp_path / "file" / "x")}
    with create_app({**settings, **NOWHERE}).test_client() as client:
        client.set_cookie("uploads", "upload-0123456789abcdef")
        assert client.get("/?text=hello").status_code == 200
        answer = upload(client, WORDS)
        assert Page(answer.text).box == "\n" + TEXT
        for each in (answer, client.get("/?text=hello&vocabulary=upload-0123456789abcdef")):
            assert (each.status_code, each.headers["Retry-After"]) == (503, "10")
        (tmp_path / "file").unlink()
        assert upload(client, WORDS).status_code == 303


def test_a_stored_file_that_was_deleted(app: Flask) -> None:
    content = b"low\nlower\n"
    with small_site(app) as client:
        name = query_of(upload(client, content))["vocabulary"]
    with small_site(app) as client:
        with client.application.app_context():
            assert find(name)  # the vocabulary is now in this process's cache
            assert storage().inventory.remove_upload(hash_of(content)).count == 1
        answer = client.get(f"/?algorithm=fmm&vocabulary={name}&text=lower&lang=en")
        assert answer.status_code == 503
        assert (
            "can no longer be read: the stored file no longer exists. Upload the file again."
            in Page(answer.text).problems[0]
        )
        assert client.get(f"/?algorithm=fmm&vocabulary={name}&text=lower").status_code == 404


@pytest.mark.parametrize(
    ("pattern", "content", "text", "message"),
    [
        ({"Regex": "(qz|q|zq|z)+Z"}, "", "qz" * 40 + " Z", "times out on this text"),
        ({"String": "a"}, "b" * 900, "a" * 100_000, "makes this text too long"),
    ],
)
def test_a_text_that_a_vocabulary_cannot_handle_is_refused(
    client: FlaskClient, pattern: dict[str, str], content: str, text: str, message: str
) -> None:
    file = word_level(normalizer={"type": "Replace", "pattern": pattern, "content": content})
    name = query_of(upload(client, file, text="a"))["vocabulary"]
    answer = client.post("/", data={"text": text, "algorithm": "words", "vocabulary": name}, headers=HTMX)
    assert answer.status_code == 422
    assert message in Page(answer.text).problems[0]


def test_a_well_known_file_is_called_by_its_name_and_that_of_the_file(client: FlaskClient, shared: Path) -> None:
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    title = "GPT-4, GPT-3.5: cl100k_base"
    vocabulary = f"upload-{hash_of(content)[:16]}"
    answer = upload(client, content, name="my file.bin")
    assert query_of(answer)["vocabulary"] == vocabulary
    assert title in client.get(answer.location).text
    assert f"<h1>{title} · my file.bin</h1>" in client.get(f"/vocabularies/{vocabulary}").text
    assert client.get(f"/api/v1/vocabularies/{vocabulary}").get_json()["title"] == title


def test_a_file_is_recognized_once_this_site_has_fetched_it(app: Flask, client: FlaskClient) -> None:
    content, known = bpe().to_str().encode(), WELL_KNOWN["clip"]
    page, heading = f"/vocabularies/upload-{hash_of(content)[:16]}", f"<h1>{known.title} · mine.json</h1>"
    assert client.get(page).status_code == 404
    answer = upload(client, content, name="mine.json")
    assert heading not in client.get(page).text
    fetcher_of(app).disk_cache.put(known, [content])
    assert heading in client.get(page).text
    assert known.title in client.get(answer.location).text
