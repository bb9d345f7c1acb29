"""Plans of trainings: which are possible, and how they are recorded."""

import json
import os
import pickle
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.texts import CORPUS
from webapp.core.formats import huggingface, minimal_bpe, tiktoken_encoding, vocab_json, vocab_txt
from webapp.core.formats.recognize import save
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import (
    NORMALIZATIONS,
    SPLITS,
    SUBWORD_TRAINERS,
    PlanError,
    TrainingPlan,
    TrainingRecord,
    command_line,
    python_code,
)
from webapp.core.training.recipe import check, recipe_of
from webapp.core.training.train import train

PLAN = TrainingPlan()


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_every_choice_splits_text(trainer: Any, split: Any, normalization: Any) -> None:
    plan = TrainingPlan(trainer=trainer, split=split, normalization=normalization, pattern=r"\w+|\s|[^\w\s]+")
    if trainer != "wordpiece" or split != "none":
        check(plan)
    words = recipe_of(plan).count("Hello, ﬁne  world!\nResearch 研究 12 34.")
    # Whatever a pattern does with spaces and marks, letters are counted once.
    assert sum(count for word, count in words.items() for letter in word if letter == "o") == 2
    assert any("fine" in word for word in words) == ("nfkc" in normalization)
    assert any("hello" in word for word in words) == ("lowercase" in normalization)


REFUSED: list[tuple[dict[str, Any], str]] = [  # the field that is named is the last one
    ({"trainer": "bpe"}, "Choose one of"),
    ({"split": "words"}, "Choose one of"),
    ({"size": 1}, "from 2 to 256,000"),
    ({"size": 256_001}, "from 2 to 256,000"),
    ({"size": "many"}, "from 2 to 256,000"),
    ({"minimum_count": 0}, "from 1 to"),
    ({"longest_word": 1}, "from 20 to"),
    ({"coverage": 0.5}, "from 0.9 to 1"),
    ({"coverage": float("nan")}, "from 0.9 to 1"),
    ({"keep": 1.0}, "from 0.5 to 0.95"),
    ({"special_tokens": ("<a>", "<a>")}, "'<a>' occurs twice"),
    ({"special_tokens": ("",)}, "is empty"),
    ({"special_tokens": (" ",)}, "is empty"),
    ({"special_tokens": ("a" * 101,)}, "has 101 characters; at most 100"),
    ({"special_tokens": ("a\x00",)}, "invisible"),
    ({"special_tokens": tuple(map(str, range(101)))}, "There are 101 special tokens"),
    ({"variant": "new"}, "Choose one of"),
    ({"variant": "picky"}, ""),  # of older records
    ({"trainer": "wordpiece", "split": "none"}, ""),
    ({"trainer": "unigram", "variant": "superbpe"}, ""),
    ({"variant": "superbpe", "split": "cl100k"}, ""),
    ({"split": "own", "pattern": ""}, ""),
    *(({"split": "own", "pattern": bad}, "") for bad in ("(", "(a+)+$", "a{99999999}", "a" * 100_000)),
    *(({"trainer": "ngram", name: "4"}, "") for name in ("order", "smoothing", "segmentation")),
    ({"trainer": "ngram", "minimum_pairs": 0}, ""),
    ({"trainer": "ngram", "minimum_triples": 0.5}, ""),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED)
def test_what_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message or None) as error:
        check(replace(PLAN, **choices))
    assert error.value.field == [*choices][-1]
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.field) == (str(error.value), error.value.field)


def record_of(plan: TrainingPlan, files: tuple[str, ...] = ("corpus.txt",), **more: Any) -> TrainingRecord:
    figures: dict[str, Any] = {"bytes": 5, "characters": 4, "sha256": "ab" * 32, "characters_per_token": None}
    return TrainingRecord(plan=plan, files=files, pieces=plan.size, **figures | more)


BYTES = TrainingPlan(trainer="bpe-bytes", size=400, special_tokens=("<|end|>",))
FILES = [
    *((BYTES, file) for file in ("tokenizer.json", "own.tiktoken", "vocab.json", "bpe.json")),
    (TrainingPlan(trainer="bpe-characters", size=400), "tokenizer.json"),
    *((TrainingPlan(trainer="unigram", size=400), file) for file in ("tokenizer.json", "own.model")),
    *((TrainingPlan(trainer="wordpiece", size=300), file) for file in ("tokenizer.json", "vocab.txt")),
    (TrainingPlan(trainer="wordpiece", size=300, normalization="lowercase"), "vocab.txt"),
]


WRITERS: dict[str, Callable[[Tokenizer], Mapping[str, bytes | str]]] = {
    "tokenizer.json": lambda own: {"tokenizer.json": huggingface.write(own)},
    "own.model": lambda own: {"own.model": save(own)},
    "own.tiktoken": lambda own: dict(zip(("own.tiktoken", "encoding.json"), tiktoken_encoding.write(own), strict=True)),
    "vocab.json": lambda own: dict(zip(("vocab.json", "merges.txt"), vocab_json.write(own), strict=True)),
    "vocab.txt": lambda own: {"vocab.txt": vocab_txt.write(own)},
    "bpe.json": lambda own: {"bpe.json": minimal_bpe.write(own)},
}


@pytest.mark.parametrize(("plan", "file"), FILES)
def test_the_code_of_each_file_gives_the_same_ids(plan: TrainingPlan, file: str, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text(CORPUS)
    counted = count_words([CorpusFile(str(tmp_path / "corpus.txt"), "corpus.txt")], plan, lambda _: None)
    tokenizer = train(plan, counted, lambda _: None).tokenizer
    for name, content in WRITERS[file](tokenizer).items():
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    code = python_code(record_of(plan), file)
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "TIKTOKEN_CACHE_DIR": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == tokenizer.ids("Hello world")


NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=9)


@given(names=st.lists(NAMES, min_size=1, max_size=3), token=NAMES, pattern=NAMES)
@example(["../../etc/passwd", "; touch harm", "-rf"], "$(touch harm)", "`id`").via("words that a shell would run")
@example(["a'b"], "-x", "'").via("quotes and options")
def test_hostile_names_stay_single_arguments(names: list[str], token: str, pattern: str) -> None:
    plan = TrainingPlan(trainer="unigram", size=500, split="own", pattern=pattern, special_tokens=(token,))
    record = record_of(plan, tuple(names), json_field=token)
    program, command, *words = shlex.split(command_line(record))
    assert (program, command) == ("tokenscope", "train")
    files, options = words[: len(names)], words[len(names) :]
    assert not any(file.startswith("-") or "/" in file.removeprefix("./") for file in files)
    expected = {"--algorithm": "unigram", "--size": "500", "--split": "own", "--pattern": pattern}
    if token != "text":
        expected["--field"] = token
    expected["--special-tokens"] = token
    read = {}
    while options:
        option = options.pop(0)
        name, equals, value = option.partition("=")
        read[name] = value if equals else options.pop(0)
    assert read == expected


def test_a_record_is_json() -> None:
    record = record_of(
        BYTES,
        ("a.txt", "b.jsonl.gz"),
        characters_per_token=2.5,
        curve=((300, 2.0), (400, 2.5)),
        held_out={"characters": 9, "others": {"gpt2": 2.25}},
        seconds={"count": 0.5},
        started="2026-11-22T15:00:00Z",
    )
    document = json.loads(json.dumps(record.as_json()))
    assert TrainingRecord.from_json({**document, "more": 1}) == record
    assert document["command"] == command_line(record)
    assert set(document["versions"]) == {"tokenscope", "python"}
