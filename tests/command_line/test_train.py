"""`tokenscope train`, run as from a shell."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest

from tests.cluster.generated import text
from tests.command_line.test_command_line import COMMAND, ROOT, run
from webapp.chat.templates import BUILT_IN
from webapp.command_line import main, train
from webapp.command_line.progress_bar import ProgressBar
from webapp.core import load
from webapp.core.training.plan import Progress, TrainingRecord, command_line, python_code


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text(text(120_000, seed=6), encoding="utf-8")
    return path


def test_a_tokenizer_and_its_record_are_written(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.json"
    special = ["--special-tokens", "<|a|>", "--special-tokens=-b"]
    done = run("train", corpus, "--size", "700", "-o", out, "--split", "cl100k", "--ties", "greater", *special)
    assert (done.returncode, done.stdout) == (0, b"")
    assert f"\n{out}: 700 pieces, " in done.stderr.decode()
    tokenizer = load(out.read_bytes())
    assert tokenizer.decode(tokenizer.ids("hello 研究")) == "hello 研究"
    assert set(tokenizer.special_tokens) == {"<|a|>", "-b"}
    document = json.loads((tmp_path / "small.record.json").read_bytes())
    assert document["command"].startswith(f"tokenscope train {corpus} --size 700 ")
    record = TrainingRecord.from_json(document)
    assert (record.files, record.pieces, record.plan.split) == (("corpus.txt",), 700, "cl100k")
    assert record.plan.ties == "greater"
    assert {path.name for path in tmp_path.iterdir()} == {"small.json", "small.record.json", "small_config.json"}
    config = json.loads((tmp_path / "small_config.json").read_bytes())
    assert config["additional_special_tokens"] == ["<|a|>", "-b"]


def test_a_chat_template_is_written_or_refused_before_anything_is(corpus: Path, tmp_path: Path) -> None:
    own, broken = tmp_path / "own.jinja", tmp_path / "config.json"
    own.write_text("{{ messages[0].content }}")
    broken.write_text("{}")
    there = {"own.jinja", "config.json"}
    for name, message in ((broken, "has no chat_template"), ("nope", "the built-in ones are chatml, ")):
        done = run("train", corpus, "--size", "700", "-o", tmp_path / "a.json", "--chat-template", name)
        assert (done.returncode, message in done.stderr.decode()) == (2, True)
        assert {path.name for path in tmp_path.iterdir()} == there
    for given, source in (("chatml", BUILT_IN["chatml"].source), (own, "{{ messages[0].content }}")):
        run("train", corpus, "--size", "700", "-o", tmp_path / "a.json", "--quiet", "--chat-template", given)
        assert json.loads((tmp_path / "a_config.json").read_bytes())["chat_template"] == source


def test_the_same_is_trained_from_anywhere(corpus: Path, tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/train/corpus.txt", corpus.read_bytes())
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    for source, out in ((str(corpus), here), ("memory://train/*.txt", there)):
        assert main.main(["train", source, "--algorithm", "unigram", "--size", "3300", "--quiet", "-o", str(out)]) == 0
    assert here.read_bytes() == there.read_bytes()


def test_a_refused_training_leaves_nothing(corpus: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"low \xff")
    for source, status in ((corpus, 2), (bad, 1)):
        assert run("train", source, "--size", "99999", "-o", tmp_path / "t.json").returncode == status
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


def test_a_smaller_size_after_a_refusal_uses_what_took_long_to_count(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "SECONDS_WORTH_KEEPING", 0.0)
    out = tmp_path / "t.json"
    refused = run("train", corpus, "--size", "99999", "-o", out)
    assert refused.returncode == 2
    assert b"choose a lower --size, or add text" in refused.stderr
    assert list(tmp_path.glob("t.json.counting/*/counts"))
    again = run("train", corpus, "--size", "600", "-o", out)
    assert again.returncode == 0
    assert b"Counting" not in again.stderr
    assert not (tmp_path / "t.json.counting").exists()


def test_ctrl_c_says_how_to_go_on(corpus: Path, tmp_path: Path) -> None:
    command = [*COMMAND, "train", str(corpus), "--size", "5000", "-o", str(tmp_path / "t.json")]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Counting")
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait(60) == 130
    assert rest == "tokenscope: stopped\n"
    process.stderr.close()


def test_ngrams_are_trained_and_the_code_of_their_record_runs(tmp_path: Path) -> None:
    lines = "他 来到 了 北京 大学 。\n我们/在/北京/生活/。\n人生 如 梦境 。\n"
    (tmp_path / "sentences.txt").write_text(lines * 200, encoding="utf-8")
    out = tmp_path / "ngrams.json"
    arguments = ["--algorithm", "ngram", "--order", "3", "--smoothing", "jelinek-mercer", "--quiet"]
    assert main.main(["train", str(tmp_path / "sentences.txt"), *arguments, "-o", str(out)]) == 0
    record = TrainingRecord.from_json(json.loads((tmp_path / "ngrams.record.json").read_bytes()))
    assert record.held_out["ngrams"]["perplexity"].keys() == {"1", "2", "3"}
    assert command_line(record) == (
        "tokenscope train sentences.txt --algorithm ngram --order 3 --smoothing jelinek-mercer"
    )
    code = python_code(record, out.name)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout.decode() == "['人生', '如', '梦境']\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none*.txt"], "none*.txt: there is no such file, and none matches"),
        (["FILE", "--size", "1"], "--size: Enter a number from 2 to 256,000."),
        (["FILE", "--algorithm", "wordpiece", "--split", "none"], "--split: WordPiece needs words"),
        (["FILE", "--out", "/nowhere/t.json"], "--out: /nowhere is not a folder that can be written to"),
        (["FILE", "--drop-rarer-than", "0"], "--drop-rarer-than must be at least 1"),
        (["FILE", "--drop-rarer-than", "1000000"], "--drop-rarer-than: no word occurs 1,000,000 times"),
        (["FILE", "--scheduler", "nowhere"], "there is no Dask scheduler at nowhere: missing port number"),
        (["s3://bucket/a.txt"], "s3://bucket/a.txt: "),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
def test_what_is_wrong_with_an_argument_is_one_line_below_the_usage(
    corpus: Path,
    tmp_path: Path,
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main.main(["train", "--quiet", *(str(corpus) if argument == "FILE" else argument for argument in arguments)])
    assert ended.value.code == 2
    usage, line = capsys.readouterr().err.split("tokenscope: error: ")
    assert usage.startswith("usage: ")
    assert line.startswith(said)
    assert line.count("\n") == 1


@pytest.mark.parametrize(("trainer", "unit"), [("tagger", "sentences"), ("ngram", "steps"), ("unigram", "pieces")])
def test_progress_counts_what_the_algorithm_goes_through(trainer: str, unit: str) -> None:
    stream = io.StringIO()
    bar = ProgressBar(stream)
    bar.trainer = trainer
    bar(Progress("count", 1_000_000, 2_000_000))
    bar(Progress("train", 2_000, 4_000))
    assert stream.getvalue() == f"Counting: 1 of 2 MB (50%)\nTraining: 2,000 of 4,000 {unit} (50%)\n"
