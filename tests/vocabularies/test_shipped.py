"""The shipped vocabularies match their record, and training is reproducible."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from webapp.vocabularies import record, shipped_tokenizer, sizes_record
from webapp.vocabularies.count_books import BOOKS, FIRST_BYTES, beginning_of
from webapp.vocabularies.shipped_vocabularies import FOLDER as SHIPPED

NAMES = ["bpe-bytes", "bpe-characters", "wordpiece", "unigram"]

# Words typical of each kind of text should have become a piece.
WORDS = {
    "bpe-bytes": [" the", " return", "什么"],
    "bpe-characters": ["the</w>", "return</w>", "什么"],
    "wordpiece": ["the", "return", "我"],
    "unigram": ["▁the", "▁return", "什么"],
}


@pytest.mark.parametrize("name", [*NAMES, "ngram", "tagger"])
def test_files_are_as_recorded(name: str) -> None:
    recorded = record()["outputs"][f"{name}.json.gz"]
    content = (SHIPPED / f"{name}.json.gz").read_bytes()
    assert sha256(content).hexdigest() == recorded["sha256"]
    assert len(content) == recorded["bytes"] < 2**20
    assert content[4:8] == b"\0\0\0\0"  # no timestamp in the gzip header


@pytest.mark.parametrize("name", NAMES)
def test_vocabularies_have_32_000_pieces_of_no_single_source(name: str) -> None:
    tokenizer = shipped_tokenizer(name)
    assert len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()}) == 32_000
    for word in WORDS[name]:
        piece = word.encode() if name == "bpe-bytes" else word
        assert tokenizer.model.id_of(piece) is not None, word
    pieces = [piece.decode(errors="replace") if isinstance(piece, bytes) else piece for piece in tokenizer.model.pieces]
    for words in ("武松", "周瑞家的", "贾母", "賈母", "Rucastle", "Jephro", "Gutenberg", "PseudoColor"):
        assert not any(words in piece for piece in pieces), words
    ids = tokenizer.ids("這個國家的經濟發展，學習語言與歷史的時間。")
    assert tokenizer.model.unknown_id is None or tokenizer.model.unknown_id not in ids


@pytest.mark.parametrize("name", NAMES)
def test_the_figures_of_the_chart_end_with_the_shipped_vocabulary(name: str, shared: Path) -> None:
    line = sizes_record()["vocabularies"][name]
    sizes, pieces = [one["pieces"] for one in line], shipped_tokenizer(name)
    assert sizes == sorted(sizes)
    assert sizes[-1] == 32_000
    novel = (shared / "texts" / "en_pride_and_prejudice.txt").read_text(encoding="utf-8")
    novel = novel.partition("START OF THE PROJECT GUTENBERG EBOOK")[2].partition("*** END OF THE PROJECT")[0]
    chinese = (shared / "corpora" / BOOKS[0]).read_text(encoding="utf-8")
    chinese = chinese.removeprefix(beginning_of(chinese, FIRST_BYTES))
    for language, text in {"English": novel.partition("\n")[2].strip(), "Chinese": chinese}.items():
        assert sha256(text.encode()).hexdigest() == sizes_record()["texts"][language]["sha256"]
        tokens = [one["tokens"][language] for one in line]
        assert tokens == sorted(tokens, reverse=True)
        assert tokens[-1] == len(pieces.ids(text))


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
