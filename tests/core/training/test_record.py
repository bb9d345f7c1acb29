"""The record of a training: the command that trains the same, and the code that loads each file, which is run here."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import CORPUS
from webapp.core.formats import (
    huggingface,
    minimal_bpe,
    sentencepiece,
    tiktoken_encoding,
    vocab_json,
    vocab_txt,
)
from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, UNIGRAM, sentencepiece_tokenizer, wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, unigram, wordpiece_top_down
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.record import TrainingRecord, command_line, python_code


def record_of(plan: TrainingPlan, files: tuple[str, ...] = ("corpus.txt",), json_field: str = "text") -> TrainingRecord:
    return TrainingRecord(
        plan=plan,
        files=files,
        bytes=5,
        characters=4,
        sha256="ab" * 32,
        pieces=plan.size,
        characters_per_token=None,
        json_field=json_field,
    )


def bytes_of(plan: TrainingPlan) -> Tokenizer:
    trained = bpe.train_bytes(BYTE_BPE.count(CORPUS), plan.size, plan.special_tokens)
    return BYTE_BPE.tokenizer(trained.model, trained.special_tokens)


def characters_of(plan: TrainingPlan) -> Tokenizer:
    trained = bpe.train_characters(CHARACTER_BPE.count(CORPUS), plan.size)
    return CHARACTER_BPE.tokenizer(trained.model, trained.special_tokens)


def unigram_of(plan: TrainingPlan) -> Tokenizer:
    model = unigram.train(UNIGRAM.count(CORPUS), plan.size).model
    return sentencepiece_tokenizer(model.pieces, model.scores, algorithm="unigram")


def wordpiece_of(plan: TrainingPlan) -> Tokenizer:
    recipe = wordpiece("lowercase" in plan.normalization)
    trained = wordpiece_top_down.train(recipe.count(CORPUS), plan.size, special_tokens=("[UNK]",))
    return recipe.tokenizer(trained.model, trained.special_tokens)


def files_of(tokenizer: Tokenizer, file: str) -> Mapping[str, bytes | str]:
    match file:
        case "tokenizer.json":
            return {file: huggingface.write(tokenizer)}
        case "own.model":
            return {file: sentencepiece.write(tokenizer)}
        case "own.tiktoken":
            return dict(zip((file, "encoding.json"), tiktoken_encoding.write(tokenizer), strict=True))
        case "vocab.json":
            return dict(zip((file, "merges.txt"), vocab_json.write(tokenizer), strict=True))
        case "vocab.txt":
            return {file: vocab_txt.write(tokenizer)}
        case _:
            return {file: minimal_bpe.write(tokenizer)}


BYTES = TrainingPlan(trainer="bpe-bytes", size=400, special_tokens=("<|end|>",))
FILES = [
    *((BYTES, file) for file in ("tokenizer.json", "own.tiktoken", "vocab.json", "bpe.json")),
    (TrainingPlan(trainer="bpe-characters", size=400), "tokenizer.json"),
    *((TrainingPlan(trainer="unigram", size=400), file) for file in ("tokenizer.json", "own.model")),
    *((TrainingPlan(trainer="wordpiece", size=500), file) for file in ("tokenizer.json", "vocab.txt")),
    (TrainingPlan(trainer="wordpiece", size=500, normalization="lowercase"), "vocab.txt"),
]
TRAINERS = {
    "bpe-bytes": bytes_of,
    "bpe-characters": characters_of,
    "unigram": unigram_of,
    "wordpiece": wordpiece_of,
}


@pytest.mark.parametrize(("plan", "file"), FILES)
def test_the_code_of_each_file_gives_the_same_ids(plan: TrainingPlan, file: str, tmp_path: Path) -> None:
    tokenizer = TRAINERS[plan.trainer](plan)
    for name, content in files_of(tokenizer, file).items():
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


def test_code_of_an_unknown_file() -> None:
    with pytest.raises(KeyError):
        python_code(record_of(BYTES), "vocabulary.exe")


NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=9)


@given(names=st.lists(NAMES, min_size=1, max_size=3), token=NAMES, pattern=NAMES)
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


def test_the_command_is_run_by_a_shell_as_it_is(tmp_path: Path) -> None:
    plan = TrainingPlan(special_tokens=("$(touch harm)", "`id`", "a'b", "-x"))
    command = command_line(record_of(plan, ("../../etc/passwd", "; touch harm", "-rf")))
    shown = subprocess.run(
        ["sh", "-c", command.replace("tokenscope train", 'printf "%s\\n"', 1)],
        cwd=tmp_path, capture_output=True, text=True, timeout=20, check=True,
    )  # fmt: skip
    assert shown.stdout.splitlines() == [
        "passwd", "; touch harm", "./-rf", "--algorithm", "bpe-bytes", "--size", "8000", "--special-tokens",
        "$(touch harm)", "--special-tokens", "`id`", "--special-tokens", "a'b", "--special-tokens=-x",
    ]  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_json() -> None:
    record = TrainingRecord(
        plan=BYTES,
        files=("a.txt", "b.jsonl.gz"),
        bytes=10,
        characters=9,
        sha256="ab",
        pieces=400,
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
