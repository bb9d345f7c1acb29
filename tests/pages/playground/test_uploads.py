"""Vocabulary files that visitors upload: accepted, refused, used, and found again."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import sentencepiece
import tokenizers
from flask import Flask
from flask.testing import FlaskClient
from tokenizers import models, pre_tokenizers, processors, trainers
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, stream_encode_multipart

from tests.conftest import SHARED
from tests.core import sentencepieces
from tests.core.tekken_files import tekken_file
from tests.core.texts import CORPUS
from tests.site import HTMX, NOWHERE, Page
from webapp import create_app
from webapp.core.formats import tiktoken
from webapp.core.recipes import BYTE_BPE
from webapp.core.trainers.bpe import train_bytes
from webapp.storage import storage
from webapp.vocabularies import find, hash_of

TEXT = "However little known, 研究生 👍🏽 naïve\n"
VOCABULARIES = SHARED / "vocabularies"


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


def used(client: FlaskClient, *files: bytes, **state: object) -> Page:
    """Upload files that must be accepted, and return the page that the response redirects to."""
    answer = upload(client, *files, **state)
    assert answer.status_code == 303, Page(answer.text).problems
    return Page(client.get(answer.location).text)


def query_of(answer: TestResponse) -> dict[str, str]:
    """Return the query of the address that an upload redirects to."""
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.location).query).items()}


def huggingface(model: object, trainer: object, pretokenizer: object) -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = pretokenizer
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainer)
    return tokenizer


def bpe() -> tokenizers.Tokenizer:
    return huggingface(
        models.BPE(unk_token="[UNK]"),
        trainers.BpeTrainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False),
        pre_tokenizers.Whitespace(),
    )


def wordpiece() -> tokenizers.Tokenizer:
    tokenizer = huggingface(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False),
        pre_tokenizers.BertPreTokenizer(),
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return tokenizer


def unigram() -> tokenizers.Tokenizer:
    trainer = trainers.UnigramTrainer(vocab_size=400, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)
    return huggingface(models.Unigram(), trainer, pre_tokenizers.Metaspace())


def words() -> tokenizers.Tokenizer:
    trainer = trainers.WordLevelTrainer(special_tokens=["[UNK]"], show_progress=False)
    return huggingface(models.WordLevel(unk_token="[UNK]"), trainer, pre_tokenizers.Whitespace())


@pytest.mark.parametrize(
    ("make", "algorithm"), [(bpe, "bpe"), (wordpiece, "wordpiece"), (unigram, "unigram"), (words, "words")]
)
def test_a_tokenizer_json_gives_the_ids_of_the_original(
    client: FlaskClient, make: Callable[[], tokenizers.Tokenizer], algorithm: str
) -> None:
    original = make()
    answer = upload(client, original.to_str().encode())
    assert query_of(answer)["algorithm"] == algorithm
    page = Page(client.get(answer.location).text)
    assert page.ids == original.encode(TEXT, add_special_tokens=False).ids
    assert page.box == "\n" + TEXT


def test_the_template_is_added_on_request(client: FlaskClient) -> None:
    original = wordpiece()
    page = used(client, original.to_str().encode(), template="1")
    assert page.ids == original.encode(TEXT).ids
    assert (page.pieces[0], page.pieces[-1]) == ("[CLS]", "[SEP]")
    assert page.tokens[0][1] == page.tokens[-1][1] == {"x"}
    assert page.pieces[1] != "[CLS]"
    assert not any("b" in classes for text, classes, _ in page.tokens if text and text.isascii())


@pytest.mark.parametrize(("kind", "algorithm"), [("bpe", "bpe"), ("unigram", "unigram"), ("char", "words")])
def test_a_sentencepiece_model_gives_the_ids_of_the_original(client: FlaskClient, kind: str, algorithm: str) -> None:
    content = sentencepieces.trained(model_type=kind)
    answer = upload(client, content)
    assert query_of(answer)["algorithm"] == algorithm
    original = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert Page(client.get(answer.location).text).ids == original.encode(TEXT)


def rank_lines() -> bytes:
    pieces = [bytes([byte]) for byte in range(256)]
    pieces += [
        piece for piece in train_bytes(BYTE_BPE.count(CORPUS), 500).model.pieces[256:] if isinstance(piece, bytes)
    ]
    return b"".join(b"%b %d\n" % (base64.b64encode(piece), rank) for rank, piece in enumerate(pieces))


def test_a_tiktoken_file_gives_the_ids_of_the_original(client: FlaskClient) -> None:
    assert used(client, rank_lines()).ids == tiktoken.read(rank_lines()).ids(TEXT)


def test_a_tekken_json_gives_the_ids_of_the_original(client: FlaskClient) -> None:
    page = used(client, json.dumps(tekken_file()).encode())
    assert page.figures
    assert "tekken.json" in page.text


def test_two_files_that_belong_together_in_any_order(client: FlaskClient) -> None:
    tokenizer = huggingface(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    )
    model = json.loads(tokenizer.to_str())["model"]
    vocabulary = json.dumps(model["vocab"]).encode()
    merges = "\n".join(["#version: 0.2", *map(" ".join, model["merges"])]).encode()
    orders = [(vocabulary, merges), (merges, vocabulary)]
    for files in orders:
        assert used(client, *files).ids == tokenizer.encode(TEXT).ids
    assert len({query_of(upload(client, *files))["vocabulary"] for files in orders}) == 1


def test_a_vocab_txt(client: FlaskClient) -> None:
    answer = upload(client, b"[UNK]\nhow\n##ever\nlittle\nknown\n,\n")
    assert query_of(answer)["algorithm"] == "wordpiece"
    assert Page(client.get(answer.location).text).ids[:5] == [1, 2, 3, 4, 5]


def test_a_word_list_serves_both_directions(client: FlaskClient) -> None:
    content = "研究\n研究生\n生命\n科学\n".encode()
    answer = upload(client, content, text="研究生命科学", algorithm="bmm")
    assert query_of(answer)["algorithm"] == "bmm"
    assert Page(client.get(answer.location).text).pieces == ["研究", "生命", "科学"]
    name = query_of(answer)["vocabulary"]
    page = Page(client.get("/", query_string={"text": "研究生命科学", "algorithm": "fmm", "vocabulary": name}).text)
    assert page.pieces == ["研究生", "命", "科学"]
    assert "FMM and BMM disagree at one place" in page.text


def test_the_same_content_has_the_same_name_for_every_visitor(app: Flask) -> None:
    content = b"low\nlower\n"
    names = set()
    for number in range(2):
        with app.test_client() as visitor:
            names.add(query_of(upload(visitor, content, name=f"{number}.txt"))["vocabulary"])
    assert len(names) == 1
    with app.test_client() as other:
        page = Page(other.get("/", query_string={"algorithm": "fmm", "vocabulary": names.pop(), "text": "lower"}).text)
    assert page.pieces == ["lower"]


def test_uploads_appear_only_in_the_picker_of_their_visitor(app: Flask, client: FlaskClient) -> None:
    name = query_of(upload(client, b"one\ntwo\nthree\n"))["vocabulary"]
    assert f'value="{name}"' in client.get("/?text=x&algorithm=fmm").text
    with app.test_client() as other:
        assert name not in other.get("/?text=x&algorithm=fmm").text
        shown = other.get(f"/?text=x&algorithm=fmm&vocabulary={name}").text
    assert f'<option value="{name}" selected' in shown


def test_uploads_are_in_the_list_of_vocabularies_and_have_a_page(app: Flask, client: FlaskClient) -> None:
    name = query_of(upload(client, b"four\nfive\nsix\n"))["vocabulary"]
    assert f"/vocabularies/{name}" in client.get("/vocabularies").text
    with app.test_client() as other:
        assert name not in other.get("/vocabularies").text
        page = other.get(f"/vocabularies/{name}")
    assert page.status_code == 200
    assert "five" in page.text


def test_a_text_too_long_for_an_address_survives_an_upload(client: FlaskClient) -> None:
    text = "lower " * 1000
    answer = upload(client, b"low\nlower\n", text=text, algorithm="fmm")
    page = Page(answer.text)
    assert answer.status_code == 200
    assert page.box == "\n" + text
    assert page.figures == len(page.ids)


BROKEN = [
    (b"", "the file is empty"),
    (b"PK\x03\x04" + bytes(50), "zip archive"),
    (b"\x1f\x8b" + bytes(50), "gzip archive"),
    (bpe().to_str().encode()[:-40], "not JSON"),
    (sentencepieces.trained(model_type="bpe")[:-500], "SentencePiece"),
    (rank_lines()[:-3], "line"),
    (b'{"a": ' + b"[" * 10_000, "nested"),
    (b'{"hello": "world"}', "not a known vocabulary format"),
    (b"\xff\xfe\x00", "UTF-16"),
]


@pytest.mark.parametrize(("content", "reason"), BROKEN, ids=[reason for _, reason in BROKEN])
def test_a_file_that_is_no_vocabulary_is_refused_and_the_form_stays(
    client: FlaskClient, content: bytes, reason: str
) -> None:
    answer = upload(client, content, name="<b>odd</b>.json", algorithm="unigram", vocabulary="unigram")
    page = Page(answer.text)
    assert answer.status_code == 422
    assert len(page.problems) == 1
    assert reason in page.problems[0]
    assert "“<b>odd</b>.json” was not accepted" in page.problems[0]
    assert page.box == "\n" + TEXT
    assert 'value="unigram" selected' in answer.text
    assert "Set-Cookie" not in answer.headers


def test_no_file_and_too_many_files_are_refused(client: FlaskClient) -> None:
    assert "Choose a vocabulary file first" in Page(upload(client).text).problems[0]
    three = upload(client, b"a\n", b"b\n", b"c\n")
    assert three.status_code == 422
    assert "one vocabulary at a time" in Page(three.text).problems[0]


def small_site(app: Flask, **settings: object) -> FlaskClient:
    """Return a client of another site on the same database, with its own settings."""
    database = {name: app.config[name] for name in ("DATABASE_URL", "DATABASE_FILE")}
    return create_app({**database, "MAX_DATABASE_SECONDS": 1, **NOWHERE, **settings}).test_client()


def test_a_file_over_the_limit_is_refused(app: Flask) -> None:
    with small_site(app, MAX_UPLOAD_BYTES=1000) as client:
        answer = upload(client, b"word\n" * 201)
        assert answer.status_code == 413
        assert "has 1,005 bytes; the limit is 1,000 bytes" in Page(answer.text).problems[0]
        assert Page(answer.text).box == "\n" + TEXT
    with small_site(app, MAX_UPLOAD_BYTES=1000, MAX_CONTENT_LENGTH=1000) as client:
        answer = upload(client, b"word\n" * 2000)
        assert answer.status_code == 413
        assert "a vocabulary file may have up to 1,000 bytes" in answer.text


def test_a_file_larger_than_any_text_is_accepted(app: Flask) -> None:
    with small_site(app, MAX_TEXT_BYTES=1000, MAX_CORPUS_BYTES=1000, MAX_CONTENT_LENGTH=200_000) as client:
        content = "\n".join(map(str, range(100_000, 150_000))).encode()
        assert upload(client, content, algorithm="fmm").status_code == 303


def test_a_full_store_refuses_uploads(app: Flask) -> None:
    with small_site(app, MAX_UPLOADS_BYTES=10) as client:
        answer = upload(client, b"some\nfew\nwords\n")
        assert answer.status_code == 507
        assert "no storage left for uploaded vocabularies" in Page(answer.text).problems[0]
        assert Page(answer.text).box == "\n" + TEXT
        assert client.get("/?text=hello").status_code == 200
        with client.application.app_context():
            assert storage().vocabularies.total_bytes() == 0


def test_a_database_that_cannot_be_created_at_first_is_created_later(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with create_app(
        {"DATABASE_URL": "", "DATABASE_FILE": str(tmp_path / "file" / "x"), **NOWHERE}
    ).test_client() as client:
        client.set_cookie("uploads", "upload-0123456789abcdef")
        answer = upload(client, b"some\nfew\nwords\n")
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "10"
        assert "could not be stored" in Page(answer.text).problems[0]
        assert Page(answer.text).box == "\n" + TEXT
        assert client.get("/?text=hello").status_code == 200
        answer = client.get("/?text=hello&vocabulary=upload-0123456789abcdef&lang=en")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
        assert "storage cannot be reached" in Page(answer.text).problems[0]
        assert 'href="/?text=hello&amp;vocabulary=upload-0123456789abcdef&amp;lang=en"' in answer.text
        (tmp_path / "file").unlink()
        assert upload(client, b"some\nfew\nwords\n").status_code == 303


def test_a_stored_file_that_was_deleted(app: Flask) -> None:
    content = b"low\nlower\n"
    with small_site(app) as client:
        name = query_of(upload(client, content))["vocabulary"]
    with small_site(app) as client:
        with client.application.app_context():
            assert find(name)  # the vocabulary is now in this process's cache
            assert storage().vocabularies.delete(hash_of(content))
        answer = client.get(f"/?algorithm=fmm&vocabulary={name}&text=lower&lang=en")
        assert answer.status_code == 503
        assert (
            "can no longer be read: the stored file no longer exists. Upload the file again."
            in Page(answer.text).problems[0]
        )
        assert client.get(f"/?algorithm=fmm&vocabulary={name}&text=lower").status_code == 404


@pytest.mark.parametrize(
    ("name", "rival"),
    [
        ("sentencepiece/llama2.model", "sentencepiece"),
        ("sentencepiece/nai-t5.model", "sentencepiece"),
        ("tokenizers/bert_base_cased.json", "tokenizers"),
        ("tokenizers/gpt2.json", "tokenizers"),
    ],
)
def test_published_files_are_accepted_and_broken_copies_refused(client: FlaskClient, name: str, rival: str) -> None:
    path = VOCABULARIES / name
    if not path.exists():
        pytest.skip("the folder with published vocabularies is not here")
    content = path.read_bytes()
    if rival == "sentencepiece":
        ids = sentencepiece.SentencePieceProcessor(model_proto=content).encode(TEXT)
    else:
        ids = tokenizers.Tokenizer.from_file(str(path)).encode(TEXT, add_special_tokens=False).ids
    assert used(client, content).ids == ids
    broken = upload(client, content[: len(content) // 2])
    assert broken.status_code == 422
    assert len(Page(broken.text).problems) == 1


def test_a_refused_file_leaves_the_result_as_it_was(client: FlaskClient) -> None:
    answer = upload(client, b'{"hello": "world"}', text="the lowest")
    page = Page(answer.text)
    assert answer.status_code == 422
    assert "".join(page.pieces) == "the lowest"
    assert '<div id="finder" class="panel" role="dialog"' in answer.text, "the panel with the message is open"


def test_uploads_are_listed_by_the_names_of_their_files(client: FlaskClient) -> None:
    name = query_of(upload(client, b"seven\neight\n", name="wörter; v=1!.txt"))["vocabulary"]
    assert f"wörter; v=1!.txt · {name[7:15]}" in client.get("/?text=x&algorithm=fmm").text
    assert f"Dictionary · {name[7:15]}" in client.application.test_client().get(f"/vocabularies/{name}").text


def pipeline(**parts: object) -> bytes:
    """Return a small `tokenizer.json` with the given parts."""
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, **parts}).encode()


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        (
            {"normalizer": {"type": "Replace", "pattern": {"Regex": "(qz|q|zq|z)+Z"}, "content": ""}},
            "qz" * 40 + " Z",
            "times out on this text",
        ),
        (
            {"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 900}},
            "a" * 100_000,
            "makes this text too long",
        ),
    ],
)  # fmt: skip
def test_a_text_that_a_vocabulary_cannot_handle_is_refused(
    client: FlaskClient, part: dict[str, object], text: str, message: str
) -> None:
    name = query_of(upload(client, pipeline(**part), text="a"))["vocabulary"]
    answer = client.post("/", data={"text": text, "algorithm": "words", "vocabulary": name}, headers=HTMX)
    assert answer.status_code == 422
    assert message in Page(answer.text).problems[0]
    assert client.get("/?text=as+ever").status_code == 200


LONG_PIECES = json.dumps(
    {"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *(["a" * at, -1.0] for at in range(1, 1001))]}}
).encode()


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("en", "ends with 48 other pieces of more than 32 characters; at most 47 are allowed"),
        ("zh-CN", "以另外 48 个超过 32 个字符的词片结尾，最多允许 47 个"),
    ],
)
def test_pieces_that_would_take_minutes_are_refused_next_to_the_field(
    client: FlaskClient, language: str, reason: str
) -> None:
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    answer = upload(client, LONG_PIECES, name="long.json")
    page = Page(answer.text)
    assert answer.status_code == 422
    assert len(page.problems) == 1
    assert reason in page.problems[0]
    assert page.box == "\n" + TEXT


def test_the_api_refuses_pieces_that_would_take_minutes(client: FlaskClient) -> None:
    answer = client.post("/api/v1/vocabularies", data={"file": (io.BytesIO(LONG_PIECES), "long.json")})
    assert answer.status_code == 409
    assert "at most 47 are allowed" in answer.get_json()["detail"]
