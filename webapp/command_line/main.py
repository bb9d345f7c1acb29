"""Parses the arguments of `tokenscope` and runs a command.

Exits with 1 for invalid inputs, 2 for invalid arguments, 3 if `count` finds more than it may; `check` has its own.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from webapp.command_line import check, commands, evaluate, train
from webapp.command_line.inputs import STANDARD_INPUT, ArgumentError, InputError, read_texts
from webapp.command_line.tokenizers import DEFAULT, inference_arguments, inferred, model_named, tokenizer_of

if TYPE_CHECKING:
    from webapp.core import Tokenizer
    from webapp.vocabularies.language_models import LanguageModel

DOCTOR = "Run it with the environment and as the user of the site. The exit code is 1 if\na line says fail."
TOO_MUCH = 3
"""The exit code of `count` for a text that `--max` or `--fail-on-special` forbids."""
COMMANDS = ("encode", "decode", "count", "split", "train", "doctor", "check", "segment", "evaluate")

EPILOG = """\
Built-in vocabularies: o200k_base (GPT-4o), o200k_harmony, cl100k_base (GPT-4), p50k_base, p50k_edit, r50k_base, gpt2,
qwen3, mistral-nemo, mistral-7b-v0-1, bert-base-cased, bert-base-chinese, t5; bpe-bytes, bpe-characters, wordpiece,
unigram, jieba and tagger. Others, such as llama-3 or gemma-3, are fetched from their publishers on first use, and with
hf:OWNER/NAME any repository of the hub. Any other value is the path of a vocabulary file: tokenizer.json, a
SentencePiece model, .gguf, .tiktoken, vocab.txt, a word list and more.
"""


def run() -> None:
    """Run the command that `sys.argv` specifies, and exit: the entry point of `tokenscope`.

    Like other filters, it ends without a message on Ctrl+C or if its reader exits early (`tokenscope encode … | head`).
    """
    for name in ("SIGPIPE", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:  # `inputs` handles errors of reading, so this is one of writing
        _complain(f"standard output: {error.strerror or error}")
        # Buffered output cannot be written either, and Python would report that again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    raise SystemExit(status)


def main(arguments: Sequence[str]) -> int:
    """Run the command, and return the exit code; invalid arguments end it with the usage and exit code 2."""
    parser = _parser(arguments)
    options = parser.parse_args(arguments)
    options.arguments = arguments
    try:
        status: int = options.run(options)
    except ArgumentError as error:
        sys.stdout.flush()
        parser.error(str(error))
    except InputError as error:
        sys.stdout.flush()
        _complain(str(error))
        status = 1
    return status


def _doctor(_options: argparse.Namespace) -> int:
    from webapp.command_line.doctor import doctor

    return doctor()


def _each_file(options: argparse.Namespace) -> int:
    """Run a command on each file, and return the exit code.

    Reports an invalid file on standard error and continues with the next one, like `cat` and `wc`.
    """
    if options.command == "decode" and options.json:
        options.lines = True  # JSON Lines: each line is a text's ids
    if options.command == "split" and options.overlap > options.tokens // 2:
        raise ArgumentError("--overlap must be at most half of --tokens")
    if options.command == "count" and options.price and not options.model:
        raise ArgumentError("--price needs --model")
    options.total, options.exceeded, options.exact = {}, [], False
    tokenizers, status = _tokenizers(options)
    tokenizer = tokenizers[0][1]
    skipped = getattr(getattr(tokenizer.model, "dictionary", None), "skipped", None)
    if skipped:
        _complain(f"{options.vocabulary}: skipped {skipped.count:,} {'line' if skipped.count == 1 else 'lines'}")
        for line in skipped.first:
            _complain(f"{options.vocabulary}: line {line.number}: {line.message}")
        if skipped.more:
            _complain(f"{options.vocabulary}: and {skipped.more:,} more")
    for file in options.files:
        try:
            for given in read_texts(file, by_line=options.lines):
                for options.language_model, tokenizer in tokenizers:
                    for written in options.function(tokenizer, given, options):
                        commands.write(written)
                if options.lines:
                    sys.stdout.flush()
        except InputError as error:
            sys.stdout.flush()
            _complain(str(error))
            status = 1
    if options.command == "count" and len(options.files) > 1 and not (options.json or options.lines):
        for name, totals in options.total.items():
            commands.write(f"{'-'.join(map(str, totals))} total{name and f' {name}'}\n")
    sys.stdout.flush()
    for message in options.exceeded:
        _complain(message)
    return status or (TOO_MUCH if options.exceeded else 0)


def _tokenizers(options: argparse.Namespace) -> tuple[list[tuple[LanguageModel | None, Tokenizer]], int]:
    """Return the tokenizers that the arguments choose, each with its model, and the exit code so far.

    They are those of each `--model`, or of `--vocabulary`, which can also be what the only model counts with. Of
    several models, those that cannot be counted are reported.
    """
    names = getattr(options, "model", [])
    if len(names) < 2:
        model = model_named(names[0], options.vocabulary) if names else None
        options.exact = bool(options.vocabulary)
        options.vocabulary = options.vocabulary or (model and model.counts_with) or DEFAULT
        return [(model, inferred(tokenizer_of(options.vocabulary, options.merges), options))], 0
    if options.vocabulary:
        raise ArgumentError("--vocabulary is for one --model; several count with their own")
    found: list[tuple[LanguageModel | None, Tokenizer]] = []
    loaded: dict[str, Tokenizer] = {}
    for name in dict.fromkeys(names):
        try:
            model = model_named(name, None)
            options.vocabulary = model.counts_with or ""
            if options.vocabulary not in loaded:
                loaded[options.vocabulary] = inferred(tokenizer_of(options.vocabulary), options)
            found.append((model, loaded[options.vocabulary]))
        except InputError as error:
            _complain(str(error))
    if not found:
        raise InputError("none of the models can be counted")
    return found, int(len(found) < len(set(names)))


def _complain(message: str) -> None:
    sys.stderr.write(f"tokenscope: {message}\n")


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tokenscope",
        description="Convert text to tokens and back, and train tokenizers.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="show the version, and exit")
    every = parser.add_subparsers(
        dest="command",
        required=True,
        metavar="COMMAND",
    )
    for name, function, explanation in (
        ("encode", commands.encode, "convert text to ids, one line for each text"),
        ("decode", commands.decode, "convert ids to text"),
        ("count", commands.count, "count the tokens of each file, like wc"),
        ("split", commands.split, "split a text into parts of at most N tokens"),
    ):
        parents = (
            [_common()] + [_marks()] * (name != "decode") + [inference_arguments()] * (name in ("encode", "count"))
        )
        command = every.add_parser(name, parents=parents, help=explanation)
        command.set_defaults(run=_each_file, function=function, language_model=None)
        add = command.add_argument
        if name == "decode":
            add("--skip-special", action="store_true", help="omit special tokens from the text")
            columns = "a line for each token: index, id, bytes, text alone, text in a stream, pending bytes"
            add("--tokens", action="store_true", help=columns)
        elif name == "count":
            as_model = "count as this language model does, such as gpt-4o; several: a line for each, with its price"
            add("--model", metavar="NAME", action="append", default=[], help=as_model)
            add("--price", action="store_true", help="with --model: the price, and the share of its maximum input")
            add("--max", type=_at_least(0), metavar="N", help=f"exit with {TOO_MUCH} if a text has more than N tokens")
            special = f"exit with {TOO_MUCH} if a text contains a special token"
            add("--fail-on-special", action="store_true", help=special)
        elif name == "split":
            add("-n", "--tokens", type=_at_least(1), default=512, metavar="N", help="the most tokens of a part (512)")
            before = "begin each part up to N tokens before the end of the previous one"
            add("--overlap", type=_at_least(0), default=0, metavar="N", help=before)
            add("--boundary", choices=("sentence", "line", "token"), default="sentence", help="where parts end")
            add("-0", "--null", action="store_true", help="end each part with NUL, not a form feed")
    raw = argparse.RawDescriptionHelpFormatter
    for name, run_command, explanation, epilog in (
        ("doctor", _doctor, "check the settings and the machine of a site", DOCTOR),
        ("train", train.train, "train a tokenizer on a corpus", train.EPILOG),
        ("check", check.check, "check an answer to an exercise of a course", check.EPILOG),
    ):
        command = every.add_parser(name, help=explanation, epilog=epilog, formatter_class=raw)
        command.set_defaults(run=run_command)
    check.add_arguments(every.choices["check"])
    evaluate.add_arguments(every)
    if arguments[:1] == ["train"]:  # its choices are in the core, which takes a second to import
        train.add_arguments(every.choices["train"])
    # The tools of the site take a second to import.
    if arguments and arguments[0] not in (*COMMANDS, "--version"):
        from webapp.command_line import tool_command

        tool_command.add_arguments(every)
    return parser


class _Version(argparse.Action):
    """Prints the version of the installed package, without importing anything for other commands."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_rest: object) -> None:
        from importlib.metadata import version

        commands.write(f"tokenscope {version('tokenscope')}\n")
        parser.exit()


def _common() -> argparse.ArgumentParser:
    """The arguments of every command."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("-v", "--vocabulary", metavar="NAME|FILE|hf:OWNER/NAME", help=f"the vocabulary ({DEFAULT})")
    common.add_argument("--merges", metavar="FILE", help="the merges.txt that belongs to a vocab.json")
    common.add_argument(
        "-l", "--lines", action="store_true", help="read each line as a text, and write its result at once"
    )
    common.add_argument("--json", action="store_true", help="JSON Lines: an object for each result")
    common.add_argument("files", nargs="*", default=[STANDARD_INPUT], metavar="FILE", help="input; - is standard input")
    return common


def _marks() -> argparse.ArgumentParser:
    """The arguments of commands that encode."""
    marks = argparse.ArgumentParser(add_help=False)
    marks.add_argument("--special", action="store_true", help="recognize special tokens in the text")
    marks.add_argument(
        "--template", action="store_true", help="add the special tokens of the vocabulary's template around the text"
    )
    return marks


def _at_least(least: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number of at least `least`."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 19 and int(text) >= least):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
        return int(text)

    return number
