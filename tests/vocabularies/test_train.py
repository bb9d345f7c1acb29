"""The shipped vocabularies match their record, and training is reproducible."""

import gzip
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from webapp.core.formats import huggingface
from webapp.vocabularies import record
from webapp.vocabularies import train as training

SHIPPED = Path(training.__file__).parent / "shipped"
NAMES = ["bpe-bytes", "bpe-characters", "wordpiece", "unigram"]

# Words typical of each kind of text should have become a piece.
WORDS = {
    "bpe-bytes": [" the", " adventure", " self", " return", "什么", "我们"],
    "bpe-characters": ["the</w>", "adventure</w>", "self</w>", "return</w>", "什么", "我们"],
    "wordpiece": ["the", "adventure", "self", "return", "我"],
    "unigram": ["▁the", "▁self", "▁return", "什么", "我们"],
}


@pytest.mark.parametrize("name", NAMES)
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


def test_each_kind_of_text_is_a_third_of_the_corpus() -> None:
    shares = record()["shares"]
    chinese = shares["Chinese, modern"]["bytes"] + shares["Chinese, classical"]["bytes"]
    kinds = [shares["English"]["bytes"], chinese, shares["code"]["bytes"]]
    assert max(kinds) < 1.01 * min(kinds)
    assert shares["Chinese, modern"]["bytes"] == pytest.approx(shares["Chinese, classical"]["bytes"], rel=0.01)


def test_the_beginning_of_a_text_is_whole_lines_within_the_budget() -> None:
    text = "ab\n研究\nlast"
    assert [training.beginning_of(text, budget) for budget in (2, 3, 9, 10, 99)] == [
        "",
        "ab\n",
        "ab\n",
        "ab\n研究\n",
        text,
    ]


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
