"""The shipped vocabularies match their record, and training is reproducible."""

import gzip
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from webapp.core.formats import huggingface
from webapp.vocabularies import record, shipped_tokenizer
from webapp.vocabularies import train as training
from webapp.vocabularies.corpus import read_corpus

SHIPPED = Path(training.__file__).parent / "shipped"
NAMES = ["bpe-bytes", "bpe-characters", "wordpiece", "unigram"]

# Words typical of each kind of text should have become a piece.
WORDS = {
    "bpe-bytes": [" the", " adventure", " self", " return", "什么", "我们"],
    "bpe-characters": ["the</w>", "adventure</w>", "self</w>", "return</w>", "什么", "我们"],
    "wordpiece": ["the", "adventure", "self", "return", "我"],
    "unigram": ["▁the", "▁self", "▁return", "什么", "我们"],
}


@pytest.mark.parametrize("name", [*NAMES, "ngram"])
def test_files_are_as_recorded(name: str) -> None:
    recorded = record()["outputs"][f"{name}.json.gz"]
    content = (SHIPPED / f"{name}.json.gz").read_bytes()
    assert sha256(content).hexdigest() == recorded["sha256"]
    assert len(content) == recorded["bytes"] < 2**20
    assert content[4:8] == b"\0\0\0\0"  # no timestamp in the gzip header


@pytest.mark.parametrize("name", NAMES)
def test_vocabularies_have_exactly_32_000_pieces(name: str) -> None:
    tokenizer = huggingface.read(gzip.decompress((SHIPPED / f"{name}.json.gz").read_bytes()).decode())
    assert training.size(tokenizer) == 32_000
    for word in WORDS[name]:
        piece = word.encode() if name == "bpe-bytes" else word
        assert tokenizer.model.id_of(piece) is not None, word


@pytest.mark.parametrize("name", NAMES)
def test_no_name_or_boilerplate_of_one_source_is_a_piece(name: str) -> None:
    pieces = shipped_tokenizer(name).model.pieces
    texts = [piece.decode(errors="replace") if isinstance(piece, bytes) else piece for piece in pieces]
    for words in ("武松", "周瑞家的", "贾母", "賈母", "Rucastle", "Jephro", "Gutenberg", "PseudoColor"):
        assert not any(words in text for text in texts), words


@pytest.mark.parametrize("name", NAMES)
def test_traditional_text_is_known(name: str) -> None:
    tokenizer = shipped_tokenizer(name)
    ids = tokenizer.ids("這個國家的經濟發展，學習語言與歷史的時間。")
    assert tokenizer.model.unknown_id is None or tokenizer.model.unknown_id not in ids


def test_unigram_pieces_may_be_longer_than_16_characters() -> None:
    assert max(map(len, shipped_tokenizer("unigram").model.pieces)) == training.LONGEST_PIECE


def test_english_in_tokens_of_wordpiece(shared: Path) -> None:
    novel = (shared / "texts" / "en_pride_and_prejudice.txt").read_text(encoding="utf-8")
    assert len(novel) / len(shipped_tokenizer("wordpiece").ids(novel)) > 4.1


@pytest.mark.exhaustive
def test_wordpiece_uses_its_pieces(shared: Path) -> None:
    pytest.importorskip("opencc", reason="the extra `corpora` is not installed")
    tokenizer = shipped_tokenizer("wordpiece")
    used = {id for part in read_corpus(shared / "corpora") for id in tokenizer.ids(part.text)}
    assert len(used) > 0.97 * len(tokenizer.model.pieces)


@pytest.mark.exhaustive
def test_training_the_ngram_model_again_gives_the_same_file(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "RECORD.json").write_text((SHIPPED / "RECORD.json").read_text(encoding="utf-8"), encoding="utf-8")
    training.main(["--corpora", str(shared / "corpora"), "--out", str(tmp_path), "--only", "ngram"])
    assert (tmp_path / "ngram.json.gz").read_bytes() == (SHIPPED / "ngram.json.gz").read_bytes()


def test_each_kind_of_text_is_a_third_of_the_corpus() -> None:
    shares = {kind: share["bytes"] for kind, share in record()["shares"].items()}
    simplified = shares["Chinese, modern"] + shares["Chinese, classical"]
    traditional = shares["Chinese, modern, traditional"] + shares["Chinese, classical, traditional"]
    kinds = [shares["English"], simplified, 2 * traditional, shares["code"]]
    assert max(kinds) < 1.02 * min(kinds)
    assert shares["Chinese, modern"] == pytest.approx(shares["Chinese, classical"], rel=0.01)


def test_training_does_not_depend_on_how_strings_hash() -> None:
    program = (
        "from webapp.core.trainers import bpe, unigram, wordpiece\n"
        "from webapp.core.recipes import BYTE_BPE\n"
        "counts = BYTE_BPE.count('the cat sat on the mat and that cat had a hat, the other cat had not ' * 3)\n"
        "print(bpe.train_characters(counts).merges, bpe.train_bytes(counts).merges)\n"
        "print(wordpiece.train(counts).merges, unigram.train(counts, 30))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=SHIPPED.parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert len(printed.pop()) > 1_000
