"""`tokenscope check`: checks an answer to an exercise, for a student's shell and a course's CI."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from webapp.command_line.commands import write
from webapp.command_line.inputs import STANDARD_INPUT

EPILOG = """\
exit codes: 0 right; 1 wrong; 2 the answer or the arguments cannot be read; 3 right by another rule than the exercise
fixes, for ties, direction or tags. Files called as the exercise names them, such as corpus.en or dic.txt, are what the
answer is computed from. With --sheet, EXERCISE is a task of a sheet that /homework/sheet has saved as a file, such as
own-1. An exercise of your own is also a file such as own.json, an object with the text fields algorithm (bpe,
bpe-bytes, wordpiece, fmm, bmm, bidirectional, max-probability), asked (merges, tokens; segmentation, tags), text, ties,
word and dictionary, and with the number merges, as far as the algorithm needs them.
"""
UNREADABLE = 2
EXIT_CODES = {"right": 0, "wrong": 1, "other-rule": 3}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("exercise", nargs="?", metavar="EXERCISE", help="an id or a .json file; without, list the ids")
    help_text = "files of the answer, such as merges.txt; - is standard input"
    parser.add_argument("files", nargs="*", metavar="FILE", help=help_text)
    parser.add_argument(
        "--sheet", metavar="FILE", help="the file of a teacher's sheet; without EXERCISE, list its tasks"
    )
    given = "a file that the answer is computed from, such as corpus=corpus.en"
    parser.add_argument("--given", action="append", default=[], metavar="ROLE=FILE", help=given)
    parser.add_argument("--json", action="store_true", help="the verdict as JSON")


def check(options: argparse.Namespace) -> int:
    """Check the files, write the verdict, and return the exit code."""
    from flask import g

    from webapp.command_line.tokenizers import site
    from webapp.core.homework.exercises import EXERCISES
    from webapp.tokenization.forms import InputProblem
    from webapp.tools.homework import Checked, HomeworkInput, answer, exercise_of, judge
    from webapp.tools.homework.sheets import sheet_of_file, tasks_of_form
    from webapp.tools.kernel import as_object
    from webapp.web.json_responses import json_parts

    with site().test_request_context():
        g.language_key = "en"
        try:
            sheet = sheet_of_file(_content(options.sheet).decode()) if options.sheet else None
            if not options.exercise:
                listed = {task.key: task.exercise for task in sheet.tasks} if sheet else EXERCISES
                write("".join(f"{id}\t{each.course.title['en']}: {each.title['en']}\n" for id, each in listed.items()))
                return 0
            files = {Path(name).name: _content(name) for name in options.files or [STANDARD_INPUT]}
            typed = files.pop(STANDARD_INPUT, b"").decode(errors="replace")
            roles = dict(each.partition("=")[::2] for each in options.given)
            given = HomeworkInput(exercise=options.exercise, answer=typed).model_copy(
                update={"files": files, "given": {role: _content(name) for role, name in roles.items()}}
            )
            if sheet:
                exercise = sheet.exercise(options.exercise)
            elif options.exercise.endswith(".json"):
                exercise = tasks_of_form([_content(options.exercise).decode()])[0].exercise
            else:
                exercise = exercise_of(given)
            verdict = judge(exercise, given)
        except (InputProblem, OSError, UnicodeDecodeError) as error:
            sys.stderr.write(f"tokenscope: {error}\n")
            return UNREADABLE
        shown = Checked(given, exercise, verdict=verdict, reveals_all=True)
        if options.json:
            written = json.loads(b"".join(json_parts(as_object(answer(shown)))))
            write(json.dumps(written, ensure_ascii=False, indent=1) + "\n")
        else:
            write("\n".join([shown.headline, *shown.explanation, *shown.notes, ""]))
        return EXIT_CODES[verdict.outcome]


def _content(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
