"""The `tokenscope` command, run as from a shell, with pipes."""

import json
import os
import signal
import subprocess
import sys
from decimal import Decimal
from importlib.metadata import version
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from tests.core.gguf_files import byte_level, written
from tests.serving import ROOT
from tests.vocabularies.conftest import TOKENIZER
from tests.vocabularies.publisher import Answer, publishing
from webapp.command_line.main import main as command_of
from webapp.core import load, train_bpe
from webapp.core.formats import huggingface, packed_files, packed_ranks
from webapp.core.inference import infer
from webapp.vocabularies.language_models import SHIPPED
from webapp.vocabularies.shipped_vocabularies import shipped_encoding, shipped_tokenizer

COMMAND = [sys.executable, "-m", "webapp.command_line"]
TEXT = "Tokens: low, lower, 研究生命 🎉\n\n  indented\r\nlast line without an end"


def run(*arguments: str | Path, given: str | bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in this process, with other standard files: a new process imports for seconds."""
    line = list(map(str, arguments))
    with pytest.MonkeyPatch.context() as patch:
        files = [BytesIO(given.encode() if isinstance(given, str) else given), BytesIO(), BytesIO()]
        for name, file in zip(("stdin", "stdout", "stderr"), files, strict=True):
            patch.setattr(sys, name, TextIOWrapper(file, "utf-8", write_through=True))
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            status: Any = command_of(line)
        except SystemExit as ended:
            status = ended.code
        return subprocess.CompletedProcess(line, status, files[1].getvalue(), files[2].getvalue())


def output(*arguments: str | Path, given: str | bytes = b"") -> str:
    done = run(*arguments, given=given)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A small dictionary, which loads quickly: 研究 is 0, 研究生 1, 生命 2, 起源 3, unknown 4."""
    path = tmp_path / "words.txt"
    path.write_text("研究\n研究生\n生命\n起源\n", encoding="utf-8")
    return path


def test_encode_prints_the_ids_that_the_site_shows_and_decode_prints_the_text() -> None:
    ids = output("encode", given=TEXT)
    assert ids == " ".join(map(str, shipped_encoding("o200k_base").ids(TEXT))) + "\n"
    assert output("decode", given=ids) == TEXT


def test_each_line_is_a_separate_text_and_json_can_be_read_back(words: Path) -> None:
    given = "研究生命\n\n生命起源\r\n起源"
    ids = output("encode", "-lv", words, given=given)
    assert ids == "0 2\n\n2 3\n3\n"
    assert output("decode", "-lv", words, given=ids) == "研究生命\n\n生命起源\n起源\n"
    lines = output("encode", "--json", "-lv", words, given="研究生命\n起源\n")
    assert json.loads(lines.splitlines()[0]) == {
        "file": "-", "line": 1, "ids": [0, 2], "pieces": ["研究", "生命"], "offsets": [[0, 2], [2, 4]],
    }  # fmt: skip
    decoded = output("decode", "--json", "-v", words, given=lines)
    assert [json.loads(line)["text"] for line in decoded.splitlines()] == ["研究生命", "起源"]


def test_decode_prints_a_line_for_each_token() -> None:
    ids = shipped_tokenizer("bpe-bytes").ids("a 🐉\n")
    lines = output("decode", "--tokens", "-v", "bpe-bytes", given=" ".join(map(str, ids))).splitlines()
    rows = [line.split("\t") for line in lines]
    assert [int(row[1]) for row in rows] == ids
    assert bytes.fromhex("".join(row[2] for row in rows)).decode() == "a 🐉\n"
    assert "".join(json.loads(row[4]) for row in rows) == "a 🐉\n"
    [told] = output("decode", "--tokens", "--json", "-v", "bpe-bytes", given=json.dumps({"ids": ids})).splitlines()
    assert json.loads(told)["text"] == "a 🐉\n"


def test_count_prints_a_total_for_several_files_like_wc(words: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("研究生命", encoding="utf-8")
    two.write_text("起源", encoding="utf-8")
    assert output("count", "-v", words, one, two) == f"2 {one}\n1 {two}\n3 total\n"
    assert output("count", "-v", words, given="研究生命") == "2\n"
    counted = json.loads(output("count", "--json", "-v", words, one))
    assert counted == {"file": str(one), "tokens": 2, "characters": 4, "bytes": 12}


def test_a_vocab_json_is_read_with_its_merges(tmp_path: Path) -> None:
    tokenizer, vocabulary, merges = (tmp_path / name for name in ("tokenizer.json", "vocab.json", "merges.txt"))
    tokenizer.write_text(huggingface.write(train_bpe("low low low lower lowest", merges=4)), encoding="utf-8")
    model = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]
    vocabulary.write_text(json.dumps(model["vocab"]), encoding="utf-8")
    rules = [rule if isinstance(rule, str) else " ".join(rule) for rule in model["merges"]]
    merges.write_text("\n".join(["#version: 0.2", *rules, ""]), encoding="utf-8")
    alone = run("encode", "-v", vocabulary, given="low lower")
    assert (alone.returncode, alone.stdout) == (1, b"")
    assert b"vocab.json" in alone.stderr
    both = output("encode", "-v", vocabulary, "--merges", merges, given="low lower")
    assert both == output("encode", "-v", tokenizer, given="low lower")


def test_a_model_is_read_up_to_its_tensors_also_in_a_folder(tmp_path: Path) -> None:
    with (tmp_path / "model.gguf").open("wb") as file:
        file.write(written(byte_level()))
        file.truncate(50_000_000_000)
    for vocabulary in (tmp_path / "model.gguf", tmp_path):
        assert output("count", "-v", vocabulary, given="abc abc") == "3\n"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["cut"], 2, "invalid choice"),
        (["encode", "-v", "no-such-thing"], 2, "no vocabulary and no file called no-such-thing"),
        (["split", "-n", "0"], 2, "'0' is not a whole number of at least 1"),
        (["split", "-n", "4", "--overlap", "3"], 2, "--overlap must be at most half of --tokens"),
        (["count", "--model", "gpt4o"], 2, "there is no model called gpt4o in the list; similar: gpt-4o"),
        (["count", "--model", "grok-4.7"], 1, "the tokenizer of Grok 4.7 is not public"),
        (["count", "--model", "phi-4"], 1, "could not be fetched"),
        (["count", "--model", "glm-5"], 1, "fetch it with -v hf:zai-org/GLM-5, or give its file"),
        (["count", "--model", "gpt-4o", "--model", "gpt-4", "-v", "gpt2"], 2, "--vocabulary is for one --model"),
        (["count", "--max", "-1"], 2, "is not a whole number of at least 0"),
        (["count", "--price"], 2, "--price needs --model"),
        (["count", "--inference", "sample"], 2, "has no inference"),
        (["count", "--inference", "dropout", "--dropout", "2"], 2, "--dropout must be from 0 to 1"),
        (["count", "--inference", "dropout", "--seed", "-1"], 2, "--seed must be from 0 to 2147483648"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_with_arguments_is_explained(
    arguments: list[str], status: int, said: str, tmp_path: Path
) -> None:
    offline = {"TOKENSCOPE_VOCABULARY_FOLDER": str(tmp_path), "TOKENSCOPE_HUB": "http://127.0.0.1:9"}
    done = run(*arguments, given="low", **offline)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(b"usage: tokenscope" if status == 2 else b"tokenscope: ")
    assert said in done.stderr.decode()


CONVERT = "convert it to UTF-8, for example from GB18030: iconv -f GB18030 -t UTF-8"


def test_unreadable_files_are_named_and_the_others_processed(words: Path, tmp_path: Path) -> None:
    latin, good = tmp_path / "latin.txt", tmp_path / "good.txt"
    latin.write_bytes(b"fine\nna\xefve\n")
    good.write_text("起源", encoding="utf-8")
    done = run("count", "-v", words, latin, tmp_path / "none.txt", tmp_path, good)
    assert done.returncode == 1
    assert done.stdout.decode() == f"1 {good}\n1 total\n"
    assert done.stderr.decode().splitlines() == [
        f"tokenscope: {latin}: not valid UTF-8 at byte 7; {CONVERT}",
        f"tokenscope: {tmp_path / 'none.txt'}: No such file or directory",
        f"tokenscope: {tmp_path}: Is a directory",
    ]
    by_line = run("count", "-lv", words, given=b"fine\nna\xefve\n")
    assert by_line.stdout == b"1\n"
    assert by_line.stderr.decode() == f"tokenscope: standard input: not valid UTF-8 at byte 7; {CONVERT}\n"
    wide = run("count", "-lv", words, given="起源".encode("utf-16"))
    assert b"not valid UTF-8 at byte 0; convert it to UTF-8, for example from UTF-16: iconv -f UTF-16" in wide.stderr


@pytest.mark.parametrize("option", ["--gold", "--training-words"])
def test_a_file_without_text_is_not_taken_for_the_sample(option: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n", encoding="utf-8")
    done = run("evaluate", "-m", "fmm:jieba", option, empty)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"tokenscope: {empty}: there is no text in it\n"


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["-l"], "0 2\n0 x 2\n", "standard input, line 2, column 3: “x” is not an id"),
        (["-l"], "9" * 5000, "standard input, line 1, column 1: “" + "9" * 40 + "…” is not an id"),
        (["-l"], "999", "standard input, line 1: id 999 is outside the vocabulary of 4 pieces"),
        (["--json"], '{"ids": [0]}\n{"ids": "no"}\n', 'standard input, line 2: expected an object with "ids"'),
        (["--json"], "[" * 200_000, "standard input, line 1: not valid JSON"),
    ],
    ids=["a word", "a giant", "an id too high", "no list", "deep"],
)
def test_invalid_ids_are_named(words: Path, arguments: list[str], given: str, said: str) -> None:
    done = run("decode", "-v", words, *arguments, given=given)
    assert done.returncode == 1
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_a_closed_pipe_ends_the_command_quietly(words: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "encode", "-lv", words], env=environment, **pipes) as process:
        process.stdin.write("起源\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"3\n", "each line is processed before the next arrives"
        process.stdout.close()
        process.stdin.write("起源\n".encode())
        process.stdin.close()
        assert process.wait(timeout=60) == -signal.SIGPIPE
        assert process.stderr.read() == b""


def test_a_full_disk_is_reported(words: Path) -> None:
    with open("/dev/full", "wb") as full:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [*COMMAND, "encode", "-v", str(words)]
        done = subprocess.run(command, input=b"text", env=environment, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1
    assert done.stderr == b"tokenscope: standard output: No space left on device\n"


def test_the_command_starts_without_loading_the_site(words: Path) -> None:
    script = (
        "import sys; from webapp.command_line.main import main; "
        f"main(['count', '-v', {str(words)!r}, {str(words)!r}]); main(['count', {str(words)!r}]); "
        "print(sorted({'flask', 'sqlalchemy', 'pydantic', 'granian'} & sys.modules.keys()), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, timeout=60)
    assert done.stderr == b"[]\n"


def test_the_skipped_lines_of_a_word_list_are_named_on_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("研究\n研究生 often\n生命\n", encoding="utf-8")
    done = run("encode", "--vocabulary", path, given="研究生命".encode())
    assert (done.returncode, done.stdout) == (0, b"0 1\n")
    assert b"skipped 1 line\n" in done.stderr
    assert b"line 2: the frequency 'often' is not a whole number" in done.stderr


def test_the_price_follows_the_count(shared: Path, tmp_path: Path) -> None:
    ranks = shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken"
    text = "GET /api/v1/count 200 研究\n" * 2_000
    log = tmp_path / "log.txt"
    log.write_text(text, encoding="utf-8")
    tokens = len(load(ranks).ids(text))
    model = SHIPPED.models["gpt-4-turbo"]
    printed = output("count", "--model", "gpt-4-turbo", "--price", "-v", ranks, log)
    price = (tokens * Decimal(10) / 1_000_000).normalize()
    assert printed == (
        f"{tokens} {log}\t${price:f} as input, {tokens / 128_000:.1%} of 128,000 ({model.source} as of {model.as_of})\n"
    )
    found = json.loads(output("count", "--json", "--model", "gpt-4-turbo", "--price", "-v", ranks, log))
    assert (found["tokens"], found["model"], found["price_in"]) == (tokens, "gpt-4-turbo", f"{price:f}")


def test_several_models_have_a_line_each_and_those_without_a_tokenizer_are_reported(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(TEXT, encoding="utf-8")
    models = ("--model", "gpt-4o", "--model", "gpt-4", "--model", "grok-4.7")
    done = run("count", *models, log, log)
    counts = [len(shipped_encoding(name).ids(TEXT)) for name in ("o200k_base", "cl100k_base")]
    lines = done.stdout.decode().splitlines()
    prices = [(counts[0] * Decimal(each) / 1_000_000).normalize() for each in ("2.5", "10")]
    assert lines[0].startswith(f"{counts[0]} {log} gpt-4o\t${prices[0]:f} as input, ${prices[1]:f} as output, 0.0% of ")
    assert lines[1].startswith(f"{counts[1]} {log} gpt-4\t$")
    assert lines[4:] == [f"{2 * counts[0]} total gpt-4o", f"{2 * counts[1]} total gpt-4"]
    assert (done.returncode, b"Grok 4.7 is not public" in done.stderr) == (1, True)
    objects = output("count", "--json", "--model", "gpt-5", "--model", "gpt-4", log)
    keys = [(found["model"], found["tokens"], found["max_input"]) for found in map(json.loads, objects.splitlines())]
    assert keys == [("gpt-5", counts[0], 272_000), ("gpt-4", counts[1], 8_192)]


def test_a_model_whose_tokenizer_is_not_public_has_a_range_from_a_calibration(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("low lower " * 50, encoding="utf-8")
    count = len(shipped_encoding("o200k_base").ids("low lower " * 50))
    low, high = count * 11 // 10, -(-count * 23 // 10)
    done = run("count", "--model", "claude-opus-5", "--max", str(high - 1), log, log)
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, lines[0], lines[2]) == (3, f"{low}-{high} {log}", f"{2 * low}-{2 * high} total")
    assert b"a calibration of 2026-08-12" in done.stderr
    refused = run("count", "--model", "grok-4.5", given="研究生命起源")
    assert (refused.returncode, b"does not cover a script of this text" in refused.stderr) == (1, True)
    found = json.loads(run("count", "--json", "--price", "--model", "claude-opus-5", log).stdout)
    assert (found["tokens"], found["tokens_low"], found["tokens_high"]) == (None, low, high)
    assert Decimal(found["price_in_high"]) > Decimal(found["price_in_low"])
    chosen = len(shipped_encoding("cl100k_base").ids(log.read_text(encoding="utf-8")))
    assert output("count", "--model", "claude-opus-5", "-v", "cl100k_base", log) == f"{chosen} {log}\n"


@pytest.mark.parametrize(
    ("arguments", "text", "status", "said"),
    [
        (["--max", "2"], "low lower", 0, ""),
        (["--max", "1"], "low lower", 3, "standard input: 2 tokens; --max is 1"),
        (["-l", "--max", "1"], "low\nlow lower\n", 3, "standard input, line 2: 2 tokens; --max is 1"),
        (["--fail-on-special"], "a <|endoftext| >", 0, ""),
        (["--fail-on-special"], "a <|endoftext|> b", 3, "standard input: has the special token <|endoftext|>"),
        (["--max", "0", "no-such-file"], "", 1, "no-such-file"),
    ],
)
def test_count_exits_with_3_for_what_is_forbidden(arguments: list[str], text: str, status: int, said: str) -> None:
    done = run("count", *arguments, given=text)
    assert (done.returncode, said in done.stderr.decode()) == (status, True)
    assert bool(done.stderr) == bool(status)


def test_the_version_is_that_of_the_package() -> None:
    assert output("--version") == f"tokenscope {version('tokenscope')}\n"


def test_a_vocabulary_is_fetched_by_its_name_once(tmp_path: Path) -> None:
    with publishing() as hub:
        hub.answers["/openai/clip-vit-base-patch32/resolve/main/tokenizer.json"] = Answer(TOKENIZER)
        settings = {"TOKENSCOPE_VOCABULARY_FOLDER": str(tmp_path / "new"), "TOKENSCOPE_HUB": hub.address}
        missing = run("count", "-v", "yi", given="low", **settings)
        assert (missing.returncode, list(tmp_path.iterdir())) == (1, [])
        done = run("count", "-v", "clip", given="low", **settings)
    expected = len(load(TOKENIZER).ids("low"))
    assert (done.returncode, done.stdout) == (0, b"%d\n" % expected), done.stderr
    assert done.stderr == b"tokenscope: fetching clip (openai/clip-vit-base-patch32: tokenizer.json)\n"
    again = run("count", "-v", "clip", given="low", **settings)  # the hub is gone
    assert (again.returncode, again.stdout, again.stderr) == (0, done.stdout, b"")


def test_ids_and_counts_are_those_of_the_core() -> None:
    text = "Unbelievably, antidisestablishmentarianism"
    assert output("count", "--model", "gpt-4o", given="low lower") == "2\n"
    bpe, unigram = shipped_encoding("o200k_base"), shipped_tokenizer("unigram")
    ids = infer(bpe, "fewest").ids(text)
    assert output("encode", "--inference", "fewest", given=text) == " ".join(map(str, ids)) + "\n"
    dropped = infer(bpe, "dropout", dropout=0.5, seed=4).ids(text)
    given = ("--inference", "dropout", "--dropout", "0.5", "--seed", "4")
    assert output("count", *given, given=text) == f"{len(dropped)}\n"
    sampled = infer(unigram, "sample", alpha=0.3).ids(text)
    given = ("-v", "unigram", "--inference", "sample", "--alpha", "0.3")
    assert output("count", *given, given=text) == f"{len(sampled)}\n"


def test_the_help_names_each_vocabulary_that_ships() -> None:
    listed = output("--help").replace(",", " ").replace(";", " ").split()
    assert {*packed_ranks.FILES, *packed_files.FILES} <= set(listed)
