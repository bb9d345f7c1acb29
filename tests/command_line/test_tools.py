"""The commands of the site's tools: JSON of files, with vocabularies that the site has and that are files."""

import json
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from tests.command_line.test_command_line import output, run
from tests.vocabularies.publisher import Answer, publishing
from webapp.core.analysis.measures import measures_of
from webapp.core.analysis.words import words_of
from webapp.tokenization.measures.measured import article_measures
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.shipped_vocabularies import chinese_words
from webapp.vocabularies.uploads import number_of_ids

TALK = [{"role": "user", "content": "Hi <|im_end|>"}, {"role": "assistant", "content": "你好"}]
TEXT = "Unbelievable birds: 研究生命科学\n"


@pytest.fixture(autouse=True, scope="module")
def _one_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKENSCOPE_DATABASE_FILE", str(tmp_path_factory.mktemp("site") / "site.sqlite"))
        yield


def file(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_messages_are_counted_with_a_chosen_template(tmp_path: Path) -> None:
    talk = file(tmp_path, "talk.json", json.dumps({"messages": TALK, "tools": []}))
    own = file(tmp_path, "own.jinja", "{{ messages[1].content }}{% if add_generation_prompt %}!{% endif %}")

    def told(*arguments: str | Path) -> Any:
        return json.loads(output("messages", *arguments, talk))

    found = told("--json", "--want", "ids")
    assert found == {**told(), "ids": found["ids"]}
    assert found["tokens"] == len(found["ids"]) == sum(one["tokens"] for one in found["messages"]) + found["reply"]
    assert [each["text"] for each in found["injected"]] == ["<|im_end|>"]
    assert told("--want", "prompt", "--template-source", own)["prompt"] == "你好!"
    assert told("--want", "prompt", "--no-reply", "--template-source", own)["prompt"] == "你好"
    assert "<start_of_turn>" in told("--want", "prompt", "-t", "gemma")["prompt"]
    assert told("--markers", "text")["tokens"] > told("--markers", "single")["tokens"]


def test_measures_are_those_of_the_core(tmp_path: Path) -> None:
    text, gold = file(tmp_path, "text.txt", TEXT), file(tmp_path, "gold.txt", "研究 生命\nun break able\n")
    words = file(tmp_path, "words.txt", "研究\n生命\n科学\n")
    chosen = ("-v", "wordpiece", "-v", "bpe-bytes", "-v", str(words))
    lines = output("measure", text, text, *chosen, "--gold", gold, "--json").splitlines()
    assert len(set(lines)) == 1
    found = json.loads(lines[0])["tokenizers"]
    assert [each["vocabulary"] for each in found] == ["wordpiece", "bpe-bytes", str(words)]
    for each in found[:2]:
        tokenizer = shipped_tokenizer(each["vocabulary"])
        expected = measures_of(tokenizer.encode(TEXT), words_of(TEXT, chinese_words), number_of_ids(tokenizer))
        assert each["fertility"] == expected.fertility
        assert each["renyi_efficiency"] == expected.renyi_efficiency
        assert each["languages"]["gini"] == article_measures(tokenizer).gini
        assert 0 <= each["gold"]["f1"] <= 1


@pytest.mark.parametrize(
    ("arguments", "given", "status", "message"),
    [
        (("messages",), "[", 1, "standard input: not JSON"),
        (("messages",), '[{"role": "user"}]', 1, "Message 1: the content is missing"),
        (("messages", "-t", "nope"), json.dumps(TALK), 1, "There is no chat template"),
        (("messages", "-v", "nope"), json.dumps(TALK), 2, "no vocabulary and no file called nope"),
        (("messages", "-m", "nope"), json.dumps(TALK), 1, "There is no model"),
        (("messages", "-m", "gpt-4o", "-v", "wordpiece"), json.dumps(TALK), 0, ""),
        (("messages", "missing.json"), "", 1, "missing.json"),
        (("messages", "--reply=2"), "", 2, "ignored explicit argument"),
        (("measure", "-v", "nope"), TEXT, 2, "no vocabulary and no file called nope"),
        (("measure", "--gold", "/dev/null"), "", 0, ""),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], given: str, status: int, message: str) -> None:
    done = run(*arguments, given=given)
    assert (done.returncode, message in done.stderr.decode()) == (status, True), (done.stderr, done.stdout)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(("costs", "-m", "nope"), 2), (("costs", "-m", "gpt-4o"), 0), (("evaluate", "--gold", "missing", "-m", "fmm"), 1)],
)
def test_a_command_leaves_no_database_behind(tmp_path: Path, arguments: tuple[str, ...], status: int) -> None:
    environment = {"TOKENSCOPE_DATABASE_FILE": str(tmp_path / "instance" / "site.sqlite")}
    assert run(*arguments, given="low", **environment).returncode == status
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(b"{}"), "no chat template is published"),
        (Answer(status=403, headers={"X-Error-Code": "GatedRepo"}), "requires an account with access to it. Choose"),
        (Answer(b'{"chat_template": "{{ messages[0].content }}!"}', manner="half"), ""),
        (Answer(b'{"chat_template": 5}'), "Choose another template, or paste one"),
        (None, "“Qwen3” cannot be fetched from 127.0.0.1:9 at the moment. Choose another template"),
    ],
)
def test_a_published_template_is_waited_for_or_its_failure_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer | None, message: str
) -> None:
    monkeypatch.setenv("TOKENSCOPE_VOCABULARY_FOLDER", str(tmp_path))
    monkeypatch.setattr("webapp.chat.published.PATIENCE", 0.1)
    with publishing() as publisher:
        publisher.answers["/Qwen/Qwen3-8B/resolve/main/tokenizer_config.json"] = answer or Answer()
        monkeypatch.setenv("TOKENSCOPE_HUB", publisher.address if answer else "http://127.0.0.1:9")
        Timer(1, publisher.gate.set).start()
        arguments = ("messages", "-v", "qwen3", "-t", "vocabulary", "--want", "prompt")
        done = run(*arguments, given=json.dumps(TALK))
    if message:
        assert (done.returncode, done.stderr.decode().count("\n"), done.stdout) == (1, 1, b"")
        assert message.casefold() in done.stderr.decode().casefold()
    else:
        assert json.loads(done.stdout)["prompt"] == "Hi <|im_end|>!"


def test_two_files_are_compared(tmp_path: Path) -> None:
    first = file(tmp_path, "a.txt", "[UNK]\nlow\n##er\n")
    second = file(tmp_path, "b.txt", "[UNK]\nlow\n##e\n##r\n")
    given = ("difference", "--a", first, "--b", second, file(tmp_path, "text.txt", "lower"))
    found = json.loads(output(*given, "--json"))
    assert (found["only_a"], found["only_b"], found["same_ids"]) == (1, 2, 2)
    own = found["texts"][0]
    assert (own["text"], own["a"], own["b"], own["stages"]) == ("lower", [1, 2], [1, 2, 3], ["model"])
    lines = output(*given).splitlines()
    assert any(line.startswith("model          differs, changes ") for line in lines)
    assert f"  {first}  1 only here" in lines
    at = lines.index('"lower"  model')
    assert [line.split("  ")[-1] for line in lines[at + 1 : at + 3]] == ["1 2", "1 2 3"]


def test_a_text_that_is_optional_is_not_read_from_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(TextIOWrapper):
        def isatty(self) -> bool:
            return True

    first = file(tmp_path, "a.txt", "[UNK]\nlow\n")
    arguments = ("difference", "--a", first, "--b", first, "--json")

    def kinds() -> set[str]:
        return {each["kind"] for each in json.loads(run(*arguments, given="lower").stdout)["texts"]}

    assert "own" in kinds()
    monkeypatch.setattr("tests.command_line.test_command_line.TextIOWrapper", Terminal)
    assert "own" not in kinds()


def test_segment_and_evaluate_give_the_figures_of_the_same_words(tmp_path: Path) -> None:
    gold = file(tmp_path, "gold.txt", "研究 生命 的 起源\n结婚 的 和 尚未 结婚 的\n")
    text = file(tmp_path, "text.txt", "研究生命的起源\n结婚的和尚未结婚的\n")
    known = file(tmp_path, "words.txt", "研究生\n生命\n结婚\n和尚\n尚未\n")
    chosen = ("-m", "fmm:own-dictionary")
    segmented = output("segment", *chosen, "--training-words", known, text)
    assert segmented == "研究生 命 的 起 源\n结婚 的 和尚 未 结婚 的\n"
    made = file(tmp_path, "made.txt", segmented)
    rows = output("evaluate", "--gold", gold, *chosen, "--training-words", known, made).splitlines()
    head, method, outcome = (line.split("\t") for line in rows)
    assert method[:-2] == outcome[:-2]
    expected = ["0.455", "0.500", "0.476", "0.500", "0.500", "3", "0", "0", "0", "3", "0", "0"]
    assert (head[:6], method[:12]) == (["P", "R", "F1", "OOV-R", "IV-R", "errors"], expected)
    found = json.loads(output("evaluate", "--gold", gold, "-m", f"fmm:{known}", "--json"))
    assert found["methods"][0]["error_count"] == 3
    assert "=== F MEASURE:\t0.476" in output("evaluate", "--gold", gold, "--training-words", known, "--official", made)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["evaluate"], 2, "choose a method with -m, or name the file of a segmentation"),
        (["evaluate", "-m", "fmm:nothing"], 2, "there is no method fmm:nothing"),
        (["segment", "-m", "fmm:own-dictionary"], 2, "own-dictionary needs --training-words"),
        (["evaluate", "-m", "fmm", "--gold", "{gold}"], 1, "No line has a space"),
        (["evaluate", "-m", "fmm", "{gold}"], 1, "Both must have the same characters"),
    ],
)
def test_what_segment_and_evaluate_refuse(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    gold = file(tmp_path, "gold.txt", "研究生命的起源")
    refused = run(*(each.format(gold=gold) for each in arguments))
    assert (refused.returncode, message in refused.stderr.decode()) == (code, True)
