"""`tokenscope count --model`: the tokens, the price and the share of the context window of a language model."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from tests.command_line.test_command_line import output, run
from webapp.core import load


@pytest.fixture
def ranks(shared: Path) -> Path:
    return shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken"


def test_the_price_follows_the_count(ranks: Path, tmp_path: Path) -> None:
    text = "GET /api/v1/count 200 研究\n" * 2_000
    log = tmp_path / "log.txt"
    log.write_text(text, encoding="utf-8")
    tokens = len(load(ranks).ids(text))
    printed = output("count", "--model", "gpt-4-turbo", "--price", "-v", ranks, log)
    price = (tokens * Decimal(10) / 1_000_000).normalize()
    assert printed == (
        f"{tokens} {log}\t${price:f} as input, {tokens / 128_000:.1%} of 128,000 "
        "(https://pypi.org/project/litellm/1.109.1/ as of 2026-11-12)\n"
    )
    found = json.loads(output("count", "--json", "--model", "gpt-4-turbo", "--price", "-v", ranks, log))
    assert (found["tokens"], found["model"], found["price_in"]) == (tokens, "gpt-4-turbo", f"{price:f}")
    assert output("count", "--model", "gpt-4-turbo", "-v", ranks, log) == f"{tokens} {log}\n"


def test_a_vocabulary_is_found_by_the_model(tmp_path: Path) -> None:
    folder = str(tmp_path / "vocabularies")
    assert output("count", "--model", "gpt-4o", given="low lower") == "2\n"
    done = run("count", "--model", "qwen3", given="low", TOKENSCOPE_VOCABULARY_FOLDER=folder)
    assert done.returncode == 1
    assert b"qwen3 is not on this disk; `flask --app webapp vocabularies fetch qwen3`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--model", "gpt4o"), 2, "there is no model called gpt4o in the list; similar: gpt-4o"),
        (("--model", "zzqx"), 2, "there is no model called zzqx in the list\n"),
        (("--model", "claude-opus-5"), 1, "the tokenizer of Claude Opus 5 is not public, so it cannot count"),
        (("--price",), 2, "--price needs --model"),
    ],
)
def test_what_cannot_be_counted_is_explained(arguments: tuple[str, ...], status: int, message: str) -> None:
    done = run("count", *arguments, given="low")
    assert done.returncode == status
    assert message in done.stderr.decode()
