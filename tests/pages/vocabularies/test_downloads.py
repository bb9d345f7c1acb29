"""Vocabularies as files for other libraries: which formats each is offered in, and what the original libraries read."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import pytest
import sentencepiece
import tiktoken
import tokenizers
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from tiktoken.load import load_tiktoken_bpe
from tokenizers import models
from tokenizers.implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer

from tests.core.tekken_files import RANKS, tekken_file
from tests.core.texts import CORPUS, any_text
from tests.site import HTMX
from webapp.core.formats import huggingface
from webapp.core.formats.recognize import recognize
from webapp.core.formats.save import save as saved_file
from webapp.core.formats.tiktoken import ENCODINGS
from webapp.core.recipes import BYTE_BPE, sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes
from webapp.pages.vocabularies import found
from webapp.pages.vocabularies.downloads import FORMAT_OF
from webapp.vocabularies import CATALOGUE, StillFetchingError, find, library, shipped_tokenizer
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import LANGUAGES

BYTE_LEVEL = {"tokenizer.json", "ranks.tiktoken", "encoding.json", "vocab.json", "merges.txt", "bpe.json"}
OFFERED = {
    "jieba": set(),
    "ngram": {"ngrams.json"},
    "bpe-bytes": BYTE_LEVEL,
    "bpe-characters": {"tokenizer.json"},
    "wordpiece": {"tokenizer.json", "vocab.txt"},
    "unigram": {"tokenizer.json"},
}


@pytest.fixture(scope="module")
def save(app: Flask, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Download a file and save it under the name that the site gives it."""
    folder = tmp_path_factory.mktemp("downloads")

    def save(name: str, file: str) -> Path:
        answer = app.test_client().get(f"/vocabularies/{name}/{file}")
        assert answer.status_code == 200, answer.text
        (saved,) = re.findall(r"^attachment; filename=([\w.-]+)$", answer.headers["Content-Disposition"])
        (folder / saved).write_bytes(answer.data)
        return folder / saved

    return save


def upload(app: Flask, content: bytes, companion: bytes | None = None) -> str:
    with app.app_context():
        return library().store(content, companion).name


# --- the original libraries


@pytest.fixture(scope="module")
def byte_bpe(save: Callable[[str, str], Path]) -> tuple[Tokenizer, Any, Tokenizer]:
    """The shipped byte-level BPE: its two downloaded files as `tokenizers` reads them, and as this site reads them."""
    files = [save("bpe-bytes", file) for file in ("vocab.json", "merges.txt")]
    read = recognize(*(file.read_bytes() for file in files))
    assert read.format == "vocab.json"
    return shipped_tokenizer("bpe-bytes"), ByteLevelBPETokenizer(*map(str, files)), read.tokenizer


@given(text=any_text)
def test_vocab_json_and_merges_txt(byte_bpe: tuple[Tokenizer, Any, Tokenizer], text: str) -> None:
    ours, theirs, again = byte_bpe
    assert ours.ids(text) == theirs.encode(text).ids == again.ids(text)
    honoured = text + "<|endoftext|>" + text
    assert ours.ids(honoured, special=True) == again.ids(honoured, special=True)


@pytest.fixture(scope="module")
def bert(save: Callable[[str, str], Path]) -> tuple[Tokenizer, Any, Tokenizer]:
    """The shipped vocabulary, its `vocab.txt` as `tokenizers` reads it, and as this site reads it."""
    file = save("wordpiece", "vocab.txt")
    assert models.WordPiece.from_file(str(file)).unk_token == "[UNK]"
    theirs = BertWordPieceTokenizer(str(file), lowercase=False)
    theirs._tokenizer.encode_special_tokens = True
    read = recognize(file.read_bytes())
    assert read.format == "vocab.txt"
    return shipped_tokenizer("wordpiece"), theirs, read.tokenizer


@given(text=any_text)
def test_vocab_txt(bert: tuple[Tokenizer, Any, Tokenizer], text: str) -> None:
    ours, theirs, again = bert
    assert ours.ids(text) == theirs.encode(text, add_special_tokens=False).ids == again.ids(text)
    honoured = text + " [MASK] " + text
    assert ours.ids(honoured, special=True) == again.ids(honoured, special=True)


@pytest.fixture(scope="module")
def cl100k(app: Flask, save: Callable[[str, str], Path]) -> tuple[Tokenizer, Any, Tokenizer]:
    """A vocabulary that ships packed, its `.tiktoken` as `tiktoken` reads it, and as this site reads it."""
    file = save("cl100k_base", "ranks.tiktoken")
    assert file.name == "cl100k_base.tiktoken"
    assert (sha256(file.read_bytes()).hexdigest(),) == WELL_KNOWN["cl100k_base"].source.sha256
    parts = ENCODINGS["cl100k_base"]
    theirs = tiktoken.Encoding(
        "cl100k", pat_str=parts.pattern, mergeable_ranks=load_tiktoken_bpe(str(file)), special_tokens={}
    )
    with app.app_context():
        return library().tokenizer("cl100k_base"), theirs, recognize(file.read_bytes()).tokenizer


@given(text=any_text)
def test_tiktoken(cl100k: tuple[Tokenizer, Any, Tokenizer], text: str) -> None:
    ours, theirs, again = cl100k
    assert ours.ids(text) == theirs.encode_ordinary(text) == again.ids(text)


# --- what is offered


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", OFFERED)
def test_a_page_offers_the_files_that_can_hold_its_vocabulary(client: FlaskClient, name: str, language: str) -> None:
    page = client.get(f"/vocabularies/{name}", query_string={"lang": language}).text
    links = {f"/vocabularies/{name}/{file}": file for file in FORMAT_OF}
    assert {file for link, file in links.items() if f'href="{link}" download' in page} == OFFERED[name]
    for link, file in links.items():
        answer = client.get(link, query_string={"lang": language})
        assert answer.status_code == (200 if file in OFFERED[name] else 404)
        assert answer.mimetype == (FORMAT_OF[file].files[file] if file in OFFERED[name] else "text/html")


def test_every_shipped_vocabulary_is_tested() -> None:
    assert [entry.name for entry in CATALOGUE.values() if entry.origin == "shipped"] == list(OFFERED)


def test_an_address_of_a_file_that_does_not_fit_says_why(client: FlaskClient) -> None:
    answer = client.get("/vocabularies/unigram/vocab.txt?lang=en")
    assert answer.status_code == 404
    assert "There is no vocab.txt of “Demo: Unigram, 32k”: Unigram cannot be written to a vocab.txt" in answer.text
    assert "Content-Disposition" not in answer.headers


def test_unknown_files_and_vocabularies_are_not_found(client: FlaskClient) -> None:
    assert client.get("/vocabularies/wordpiece/tokenizer.bin").status_code == 404
    answer = client.get("/vocabularies/wordpeice/vocab.txt?lang=en")
    assert answer.status_code == 404
    assert 'href="/vocabularies/wordpiece"' in answer.text
    assert client.get("/vocabularies/own-dictionary/vocab.txt").status_code == 404


def test_headers_of_a_download(client: FlaskClient) -> None:
    answer = client.get("/vocabularies/wordpiece/vocab.txt")
    head = client.head("/vocabularies/wordpiece/vocab.txt")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert head.data == b""
    assert {**head.headers, "Date": ""} == {**answer.headers, "Date": ""}
    again = client.get("/vocabularies/wordpiece/vocab.txt", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert client.post("/vocabularies/wordpiece/vocab.txt").status_code == 405


def test_an_uploaded_vocabulary_comes_back(app: Flask, client: FlaskClient) -> None:
    content = b"[PAD]\n[UNK]\nlow\n##er\n"
    name = upload(app, content)
    page = client.get(f"/vocabularies/{name}?lang=en").text
    assert f'href="/vocabularies/{name}/vocab.txt"' in page
    assert "BertWordPieceTokenizer(lowercase=True)" in page
    assert client.get(f"/vocabularies/{name}/vocab.txt").data == content


@pytest.mark.parametrize(
    "change",
    [
        ('"max_input_chars_per_word":100', '"max_input_chars_per_word":99'),
        ('"lowercase":true', '"lowercase":false'),
        ('"strip_accents":null', '"strip_accents":true'),
        ('"cleanup":true', '"cleanup":false'),
        ('{"type":"BertPreTokenizer"}', '{"type":"WhitespaceSplit"}'),
        ('"added_tokens":[', '"added_tokens":[{"id":2,"content":"low","special":false},'),
        ('"added_tokens":[', '"added_tokens":[{"id":2,"content":"low","special":true},'),
        ('"lstrip":false', '"lstrip":true'),
    ],
)
def test_what_a_vocab_txt_cannot_hold_is_not_dropped(app: Flask, client: FlaskClient, change: tuple[str, str]) -> None:
    document = huggingface.write(recognize(b"[UNK]\nlow\n##er\n").tokenizer)
    assert change[0] in document
    kept = upload(app, document.encode())
    assert client.get(f"/vocabularies/{kept}/vocab.txt").status_code == 200
    changed = upload(app, document.replace(*change, 1).encode())
    assert client.get(f"/vocabularies/{changed}/vocab.txt").status_code == 404
    assert "/vocab.txt" not in client.get(f"/vocabularies/{changed}").text


@pytest.mark.parametrize(
    "change",
    [
        ('"add_prefix_space":false', '"add_prefix_space":true'),
        ('"ignore_merges":false', '"ignore_merges":true'),
        ('"normalizer":null', '"normalizer":{"type":"NFC"}'),
        ('"added_tokens":[', '"added_tokens":[{"id":301,"content":"<a>","special":false},'),
        ('"special":true', '"special":false'),
        ('"rstrip":false', '"rstrip":true'),
    ],
)
def test_what_a_vocab_json_cannot_hold_is_not_dropped(app: Flask, client: FlaskClient, change: tuple[str, str]) -> None:
    model = train_bytes(BYTE_BPE.count(CORPUS), 300).model
    assert len(model.pieces) == 300
    document = huggingface.write(BYTE_BPE.tokenizer(model, {"<|end|>": 300}))
    assert change[0] in document
    kept = upload(app, document.encode())
    assert client.get(f"/vocabularies/{kept}/vocab.json").status_code == 200
    changed = upload(app, document.replace(*change, 1).encode())
    for file in ("vocab.json", "merges.txt"):
        assert client.get(f"/vocabularies/{changed}/{file}").status_code == 404


def test_a_tiktoken_file_comes_with_its_pattern(app: Flask, client: FlaskClient) -> None:
    ranks = b"".join(b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(RANKS))
    kept = upload(app, ranks)
    assert client.get(f"/vocabularies/{kept}/ranks.tiktoken").data == ranks
    other = upload(app, json.dumps(tekken_file()).encode())
    ranks = client.get(f"/vocabularies/{other}/ranks.tiktoken").data
    encoding = client.get(f"/vocabularies/{other}/encoding.json").data
    assert json.loads(encoding)["pat_str"] == tekken_file()["config"]["pattern"]
    again = upload(app, ranks, encoding)
    answer = client.get(f"/vocabularies/{again}/encoding.json")
    assert answer.data == encoding
    with app.app_context():
        assert library().tokenizer(again).ids(CORPUS) == library().tokenizer(other).ids(CORPUS)


@pytest.mark.parametrize("algorithm", ["unigram", "bpe"])
def test_a_sentencepiece_model_and_its_tokenizer_json(
    app: Flask, client: FlaskClient, algorithm: Literal["unigram", "bpe"]
) -> None:
    pieces, scores = ["<unk>", "▁low", "l", "o", "w", "▁", "er", "e", "r"], [0.0, -1, -5, -6, -7, -8, -3, -9, -10]
    ours = sentencepiece_tokenizer(pieces, scores, algorithm=algorithm)
    name = upload(app, saved_file(ours))
    page = client.get(f"/vocabularies/{name}?lang=en").text
    assert f'href="/vocabularies/{name}/tokenizer.model" download' in page
    assert f"SentencePieceProcessor(model_file=&#34;{name}.model&#34;)" in page
    model = client.get(f"/vocabularies/{name}/tokenizer.model")
    assert model.headers["Content-Disposition"] == f"attachment; filename={name}.model"
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.data)
    document = client.get(f"/vocabularies/{name}/tokenizer.json").data
    theirs = tokenizers.Tokenizer.from_buffer(document)
    for text in ("low lower  lowest", " a\n"):
        assert processor.encode(text) == theirs.encode(text).ids == ours.ids(text)


def test_a_vocabulary_that_is_still_being_fetched(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(name: str) -> None:
        entry = find(name)
        assert entry
        raise StillFetchingError(entry, 500_000, 2_000_000)

    monkeypatch.setattr(found, "tokenizer_of", wait)
    answer = client.get("/vocabularies/gpt2/vocab.json", headers=HTMX)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
