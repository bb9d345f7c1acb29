"""Vocabularies as files for other libraries: which formats each is offered in, and what the original libraries read."""

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
import sentencepiece
import tokenizers
from flask import Flask
from flask.testing import FlaskClient

from tests.cases import quick
from tests.core.small_files import RANKS, tekken_file
from tests.core.texts import CORPUS
from tests.core.training.test_train import TEXT, trained
from webapp.core.formats import huggingface
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize, save
from webapp.core.recipes import BYTE_BPE, sentencepiece_tokenizer
from webapp.core.trainers.bpe import train_bytes
from webapp.core.training.plan import TrainingPlan
from webapp.pages.vocabularies.vocabulary import FORMAT_OF, FORMATS
from webapp.vocabularies import library

BYTE_LEVEL = {"tokenizer.json", "ranks.tiktoken", "encoding.json", "vocab.json", "merges.txt", "bpe.json"}
OFFERED = {
    "jieba": set(),
    "ngram": {"ngrams.json"},
    "byte-level": BYTE_LEVEL,  # an upload, which is small
    "bpe-characters": {"tokenizer.json"},
    "wordpiece": {"tokenizer.json", "vocab.txt"},
    "unigram": {"tokenizer.json"},
}


def upload(app: Flask, content: bytes, companion: bytes | None = None) -> str:
    with app.app_context():
        return library().store(content, companion).name


# --- what is offered


@pytest.mark.parametrize("name", quick(OFFERED, OFFERED.keys() - {"ngram"}))
def test_a_page_offers_the_files_that_can_hold_its_vocabulary(app: Flask, client: FlaskClient, name: str) -> None:
    expected = OFFERED[name]
    name = upload(app, byte_pairs().encode()) if name == "byte-level" else name
    page = client.get(f"/vocabularies/{name}").text
    links = {f"/vocabularies/{name}/{file}": file for file in FORMAT_OF}
    assert {file for link, file in links.items() if f'href="{link}" download' in page} == expected
    for link, file in links.items():
        answer = client.get(link)
        assert answer.status_code == (200 if file in expected else 404)
        assert answer.mimetype == (FORMAT_OF[file].files[file] if file in expected else "text/html")


def test_a_download_has_an_etag_and_an_upload_comes_back(app: Flask, client: FlaskClient) -> None:
    answer = client.get("/vocabularies/wordpiece/vocab.txt")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    again = client.get("/vocabularies/wordpiece/vocab.txt", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    content = b"[PAD]\n[UNK]\nlow\n##er\n"
    assert client.get(f"/vocabularies/{upload(app, content)}/vocab.txt").data == content
    for address in ("wordpiece/tokenizer.bin", "own-dictionary/vocab.txt"):
        refused = client.get(f"/vocabularies/{address}")
        assert (refused.status_code, "Content-Disposition" in refused.headers) == (404, False)
    unigram = client.get("/vocabularies/unigram/vocab.txt?lang=en").text
    assert "There is no vocab.txt of “Demo: Unigram, 32k”: Unigram cannot be written to a vocab.txt" in unigram


def word_pieces() -> str:
    return huggingface.write(recognize(b"[UNK]\nlow\n##er\n").tokenizer)


def byte_pairs() -> str:
    return huggingface.write(BYTE_BPE.tokenizer(train_bytes(BYTE_BPE.count(CORPUS), 300).model, {"<|end|>": 300}))


@pytest.mark.parametrize(
    ("make", "before", "after"),
    [
        (word_pieces, '"max_input_chars_per_word":100', '"max_input_chars_per_word":99'),
        (word_pieces, '"lowercase":true', '"lowercase":false'),
        (word_pieces, '"strip_accents":null', '"strip_accents":true'),
        (word_pieces, '"cleanup":true', '"cleanup":false'),
        (word_pieces, '{"type":"BertPreTokenizer"}', '{"type":"WhitespaceSplit"}'),
        (word_pieces, '"added_tokens":[', '"added_tokens":[{"id":2,"content":"low","special":false},'),
        (word_pieces, '"added_tokens":[', '"added_tokens":[{"id":2,"content":"low","special":true},'),
        (word_pieces, '"lstrip":false', '"lstrip":true'),
        (byte_pairs, '"add_prefix_space":false', '"add_prefix_space":true'),
        (byte_pairs, '"ignore_merges":false', '"ignore_merges":true'),
        (byte_pairs, '"normalizer":null', '"normalizer":{"type":"NFC"}'),
        (byte_pairs, '"added_tokens":[', '"added_tokens":[{"id":301,"content":"<a>","special":false},'),
        (byte_pairs, '"special":true', '"special":false'),
        (byte_pairs, '"rstrip":false', '"rstrip":true'),
    ],
)
def test_what_a_format_cannot_hold_is_not_dropped(
    app: Flask, client: FlaskClient, make: Callable[[], str], before: str, after: str
) -> None:
    document = make()
    assert before in document
    kept, changed = (upload(app, one.encode()) for one in (document, document.replace(before, after, 1)))
    for file in ("vocab.txt",) if make is word_pieces else ("vocab.json", "merges.txt"):
        assert client.get(f"/vocabularies/{kept}/{file}").status_code == 200
        assert client.get(f"/vocabularies/{changed}/{file}").status_code == 404
        assert f"/{file}" not in client.get(f"/vocabularies/{changed}").text


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
    name = upload(app, save(ours))
    model = client.get(f"/vocabularies/{name}/tokenizer.model")
    assert model.headers["Content-Disposition"] == f"attachment; filename={name}.model"
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.data)
    document = client.get(f"/vocabularies/{name}/tokenizer.json").data
    theirs = tokenizers.Tokenizer.from_buffer(document)
    for text in ("low lower  lowest", " a\n"):
        assert processor.encode(text) == theirs.encode(text).ids == ours.ids(text)


# --- trained vocabularies: read back, each file gives the same ids


BYTES = {"tokenizer.json", "ranks.tiktoken", "bpe.json"}
SENTENCEPIECE = {"tokenizer.json", "tokenizer.model"}
CAPITALS = " Hello World’s DÉJÀ VU, 2024."


def test_other_ids_than_the_file_declares_are_announced_above_all_folds(app: Flask, client: FlaskClient) -> None:
    said = []
    for id in (300, 900):
        name = upload(app, byte_pairs().replace('{"id":300,', f'{{"id":{id},', 1).encode())
        said.append("declares different ids" in client.get(f"/vocabularies/{name}").text.partition('class="folds"')[0])
    assert said == [False, True]


PLANS: dict[str, tuple[TrainingPlan, set[str]]] = {
    "bytes": (TrainingPlan(size=400, special_tokens=("<|end|>",)), BYTES | {"vocab.json"}),
    "bytes, o200k": (TrainingPlan(size=400, split="o200k"), BYTES),
    "bytes, own pattern": (TrainingPlan(size=400, split="own", pattern=r"\p{L}+| "), BYTES),
    "bytes, NFC": (TrainingPlan(size=400, normalization="nfc"), {"tokenizer.json"}),
    "characters": (TrainingPlan(trainer="bpe-characters", size=400), {"tokenizer.json"}),
    "sentencepiece": (TrainingPlan(trainer="bpe-sentencepiece", size=500, special_tokens=("<s>",)), SENTENCEPIECE),
    "unigram": (TrainingPlan(trainer="unigram", size=400), SENTENCEPIECE),
    "unigram, NFKC": (TrainingPlan(trainer="unigram", size=400, normalization="nfkc"), {"tokenizer.json"}),
    "wordpiece": (TrainingPlan(trainer="wordpiece", size=400), {"tokenizer.json", "vocab.txt"}),
}


@pytest.mark.parametrize(("plan", "expected"), PLANS.values(), ids=PLANS)
def test_files_of_a_trained_vocabulary(plan: TrainingPlan, expected: set[str], tmp_path: Path) -> None:
    tokenizer = trained(plan, tmp_path, TEXT + CAPITALS * 200)[0].tokenizer
    text = TEXT[:500] + CAPITALS + "  研究 e\u0301 龘\n\t x"
    ids = tokenizer.ids(text)
    offered = set()
    for format in FORMATS:
        try:
            (format.check or format.write)(tokenizer)
        except FormatError:
            with pytest.raises(FormatError):
                format.write(tokenizer)
            continue
        offered.add(next(iter(format.files)))
        assert recognize(*format.contents(tokenizer)).tokenizer.ids(text) == ids
    assert offered == expected
    assert recognize(save(tokenizer)).tokenizer.ids(text) == ids
