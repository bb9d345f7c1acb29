"""`tokenscope check`: the verdict in sentences or as JSON, and the exit codes."""

import json
from pathlib import Path

import pytest

from tests.command_line.test_command_line import run
from webapp.core.homework.exercises import EXERCISES

RIGHT = "s t\ne st\no w\nl ow\nw est\nn e\n"


@pytest.mark.parametrize(
    ("exercise", "content", "status", "said"),
    [
        ("cs336-bpe-example", RIGHT, 0, "Right."),
        ("cs336-bpe-example", "e s\nes t\nl o\nlo w\nn e\nne w\n", 3, "Right by another rule: the pair seen first."),
        ("cs336-bpe-example", RIGHT.replace("n e", "e r"), 1, "Yours is “e r”, the right one is “n e”."),
        ("cs336-bpe-example", "one\n", 2, "Line 1 is not a merge"),
        ("cs336-train-bpe", RIGHT, 2, "This exercise needs your file corpus.en."),
        ("nothing", RIGHT, 2, "There is no exercise “nothing”."),
        ("hf-wordpiece-merges", "##g ##s\nh ##u\nhu ##g", 0, "Right: as the course prints it."),
        ("minbpe-special", "100257 15339 1917", 0, "Right."),
    ],
)
def test_exit_codes(tmp_path: Path, exercise: str, content: str, status: int, said: str) -> None:
    path = tmp_path / "merges.txt"
    path.write_text(content, encoding="utf-8")
    found = run("check", exercise, path)
    assert (found.returncode, said in (found.stderr if status == 2 else found.stdout).decode()) == (status, True)


def test_given_files_json_and_the_list(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("研究\n研究生\n生命\n", encoding="utf-8")
    (tmp_path / "sentences.txt").write_text("研究生命\n", encoding="utf-8")
    given = ("--given", f"dictionary={tmp_path / 'words.txt'}", "--given", f"text={tmp_path / 'sentences.txt'}")
    found = run("check", "hit-fmm", "--json", *given, given="研究/ 生命/ ")
    verdict = json.loads(found.stdout)
    assert (found.returncode, verdict["outcome"], verdict["rule"]) == (3, "other-rule", "backward")
    assert verdict["link"].startswith("/steps/fmm?")
    own = tmp_path / "own.json"
    own.write_text('{"algorithm": "bpe", "text": "low low lower", "merges": 2, "ties": "greater"}', encoding="utf-8")
    assert [run("check", own, given=answer).returncode for answer in ("o w\nl ow", "l o\nlo w", "x")] == [0, 3, 2]
    sheet = tmp_path / "sheet.json"
    sheet.write_text(f'{{"tasks": ["hf-unhug", {own.read_text(encoding="utf-8")}]}}', encoding="utf-8")
    assert run("check", "--sheet", sheet, "own-2", given="o w\nl ow").returncode == 0
    assert run("check", "--sheet", sheet).stdout.decode().split("\t")[0] == "hf-unhug"
    assert run("check", "--sheet", own, "own-1", given="o w").returncode == 2
    own.write_text('{"algorithm": "bpe", "text": ""}', encoding="utf-8")
    assert run("check", own, given="l o").returncode == 2
    assert run("check", "hit-fmm", tmp_path / "nothing.txt").returncode == 2
    assert [line.split("\t")[0] for line in run("check").stdout.decode().splitlines()] == list(EXERCISES)
