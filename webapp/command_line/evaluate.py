"""The commands `segment`, which writes the words of texts, and `evaluate`, which scores segmentations of a gold text.

Both name a method as `/evaluate` does: an algorithm and a vocabulary, as in `fmm:jieba`. Figures and counts are the
same for the same files and version, whatever the machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.command_line.commands import write
from webapp.command_line.inputs import STANDARD_INPUT, ArgumentError, InputError, read_texts

if TYPE_CHECKING:
    from webapp.tokenization.comparison.state import TokenizerChoice

SAMPLE = "sample"
METHODS = "ALGORITHM[:VOCABULARY], such as fmm:jieba, fmm:own-dictionary (the training words) or ngram:model.json"


def add_arguments(every: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parsers of both commands."""
    parser = every.add_parser("segment", help="write the words of each line, separated by spaces")
    parser.set_defaults(run=segment)
    parser.add_argument("-m", "--method", default="max-probability:jieba", metavar="METHOD", help=METHODS)
    _add_common(parser)
    parser.add_argument("files", nargs="*", default=[STANDARD_INPUT], metavar="FILE", help="input; - is standard input")
    about = "score methods, and segmentations made elsewhere, against a gold text; there is no limit of size or time"
    parser = every.add_parser("evaluate", help=about, description=about)
    parser.set_defaults(run=evaluate)
    gold_help = f"the gold text: a sentence a line, spaces between words; or CoNLL-U; {SAMPLE}: the site's own sample"
    parser.add_argument("--gold", default=SAMPLE, metavar="FILE", help=gold_help)
    parser.add_argument("-m", "--method", action="append", default=[], metavar="METHOD", help=f"repeatable: {METHODS}")
    _add_common(parser)
    parser.add_argument("--json", action="store_true", help="JSON with confusions and errors, as the API has it")
    parser.add_argument("--official", action="store_true", help="the summary of SIGHAN's script for each method")
    parser.add_argument("files", nargs="*", metavar="FILE", help="segmentations of the gold text, made elsewhere")


def _add_common(parser: argparse.ArgumentParser) -> None:
    words_help = "a word a line: the known words, and the vocabulary own-dictionary"
    parser.add_argument("--training-words", metavar="FILE", help=words_help)
    runs_help = "keep a run of Latin letters or digits as one word, where a method can"
    parser.add_argument("--runs", action=argparse.BooleanOptionalAction, default=True, help=runs_help)


def segment(options: argparse.Namespace) -> int:
    """Write the words of each line of the files; white space separates words and is none."""
    from webapp.tokenization.messages import EXPLAINED_ERRORS, problem_of
    from webapp.tokenization.result import prepare
    from webapp.tools.evaluate.scoring import PASTED, state_of

    with _application([options.method]) as (choice,):
        words = _content(options.training_words)
        if choice.vocabulary == PASTED and not words:
            raise ArgumentError(f"{PASTED} needs --training-words")
        state = state_of(choice, words, options.runs)
        try:
            tokenizer = prepare(state, corpus_limit=0).encoder
        except EXPLAINED_ERRORS as error:
            raise InputError(problem_of(state, error).message) from None
        for file in options.files:
            for given in read_texts(file, by_line=True):
                ends = dict.fromkeys((0, *tokenizer.encode(given.text).ends, len(given.text)))
                parts = (given.text[start:end] for start, end in pairwise(ends))
                write(" ".join(" ".join(parts).split()) + "\n")
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Write a row for each method and file: figures, the errors of each kind, and seconds of processor time."""
    from webapp.core.evaluation.score import KINDS, three_digits
    from webapp.tokenization.forms import InputProblem
    from webapp.tools.evaluate.api import evaluation_json, official_summary
    from webapp.tools.evaluate.inputs import EvaluationInput, UploadedOutput
    from webapp.tools.evaluate.scoring import score_all

    with _application(options.method) as choices:
        given = EvaluationInput.model_construct(
            chosen=tuple(map(str, choices)),
            gold="" if options.gold == SAMPLE else _content(options.gold),
            training=_content(options.training_words),
            files=tuple(UploadedOutput(file, _content(file)) for file in options.files),
            runs=options.runs,
        )
        if not given.count:
            raise ArgumentError("choose a method with -m, or name the file of a segmentation")
        try:
            report, gold = score_all(given, seconds=float("inf"))
        except InputProblem as problem:
            place = options.gold if problem.field == "gold" else "a segmentation"
            raise InputError(f"{place}: {problem.message}") from None
        for line in gold.problems:
            sys.stderr.write(f"tokenscope: {options.gold}: line {line.number}: {line.message}\n")
        if options.json:
            write(json.dumps(evaluation_json(report), ensure_ascii=False) + "\n")
        elif options.official:
            write(official_summary(report))
        else:
            write("\t".join(("P", "R", "F1", "OOV-R", "IV-R", "errors", *KINDS, "seconds", "method")) + "\n")
            for each in report.methods:
                if each.problem:
                    sys.stderr.write(f"tokenscope: {each.name}: {each.problem}\n")
                    continue
                score = each.score
                figures = (score.precision, score.recall, score.f1, score.oov_recall, score.iv_recall)
                counts = (each.error_count, *(each.kinds[kind] for kind in KINDS))
                ends = (f"{each.seconds:.1f}", each.choice or each.name)
                write("\t".join((*map(three_digits, figures), *map(str, counts), *ends)) + "\n")
    return int(any(each.problem for each in report.methods))


@contextmanager
def _application(methods: Sequence[str]) -> Iterator[list[TokenizerChoice]]:
    """The site without a server, and the methods that are named; raises ArgumentError for one that is none."""
    from flask import g

    from webapp.command_line.tokenizers import site
    from webapp.command_line.tool_command import entry_of
    from webapp.tokenization.comparison.state import TokenizerChoice
    from webapp.tokenization.forms import fits
    from webapp.vocabularies import default_for
    from webapp.vocabularies.catalogue import registered

    with site().app_context(), ExitStack() as stack:
        g.language_key = "en"
        found = []
        for method in methods:
            choice = TokenizerChoice.parse(method if ":" in method else f"{method}:{default_for(method)}")
            if Path(choice.vocabulary).is_file():
                stack.enter_context(registered(entry_of(choice.vocabulary)))
            if not fits(choice.vocabulary, choice.algorithm):
                raise ArgumentError(f"there is no method {method}; write {METHODS}")
            found.append(choice)
        yield found


def _content(file: str | None) -> str:
    """The text of a file, or none without a file; raises InputError for one without text."""
    text = "".join(given.text for given in read_texts(file, by_line=False)) if file else ""
    if file and not text.strip():
        raise InputError(f"{file}: there is no text in it")
    return text
