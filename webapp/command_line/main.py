"""Parses the arguments of `tokenscope` and runs a command; exits with 1 for invalid inputs, 2 for invalid arguments."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from webapp.command_line import commands, measure, messages, train
from webapp.command_line.inference_argument import InapplicableInferenceError, inference_arguments, inferred
from webapp.command_line.inputs import STANDARD_INPUT, InputError, read_texts
from webapp.command_line.training_errors import ArgumentError
from webapp.command_line.vocabulary_argument import (
    DEFAULT,
    UnknownVocabularyError,
    UnusableVocabularyError,
    tokenizer_of,
)

if TYPE_CHECKING:
    from webapp.core import Tokenizer

DOCTOR = "Run it with the environment and as the user of the site. The exit code is 1 if a line says fail."
COMMANDS = ("encode", "decode", "count", "split", "measure", "messages", "train", "doctor")

EPILOG = """\
Built-in vocabularies: o200k_base (GPT-4o), o200k_harmony, cl100k_base (GPT-4), p50k_base, p50k_edit, r50k_base, gpt2;
bpe-bytes, bpe-characters, wordpiece, unigram and jieba. Fetch others, such as llama-3 or qwen3, with
`flask --app webapp vocabularies fetch NAME` first. Any other value is the path of a vocabulary file: tokenizer.json,
a SentencePiece model, .tiktoken, vocab.txt, a word list and more.
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
    """Run the command for each file, and return the exit code.

    Reports an invalid file on standard error and continues with the next one, like `cat` and `wc`.
    """
    parser = _parser(arguments)
    options = parser.parse_args(arguments)
    if options.command == "doctor":
        from webapp.command_line.doctor import doctor

        return doctor()
    if options.command == "train":
        return _train(options, arguments)
    if options.command == "messages":
        return _messages(options)
    if options.command == "measure":
        return _measure(options, parser)
    if options.command not in COMMANDS:
        from webapp.command_line import tool_command

        return tool_command.run(options)
    if options.command == "decode" and options.json:
        options.lines = True  # JSON Lines: each line is a text's ids
    if options.command == "split" and options.overlap > options.tokens // 2:
        parser.error("--overlap must be at most half of --tokens")
    if options.command == "count" and options.price and not options.model:
        parser.error("--price needs --model")
    try:
        tokenizer = _tokenizer(options)
    except UnknownVocabularyError as error:
        parser.error(str(error))
    except UnusableVocabularyError as error:
        _complain(str(error))
        return 1
    try:
        tokenizer = inferred(tokenizer, options)
    except InapplicableInferenceError as error:
        parser.error(str(error))
    skipped = getattr(getattr(tokenizer.model, "dictionary", None), "skipped", None)
    if skipped:
        _complain(f"{options.vocabulary}: skipped {skipped.count:,} {'line' if skipped.count == 1 else 'lines'}")
        for line in skipped.first:
            _complain(f"{options.vocabulary}: line {line.number}: {line.message}")
        if skipped.more:
            _complain(f"{options.vocabulary}: and {skipped.more:,} more")
    status = 0
    for file in options.files:
        try:
            for given in read_texts(file, by_line=options.lines):
                for written in options.function(tokenizer, given, options):
                    commands.write(written)
                if options.lines:
                    sys.stdout.flush()
        except InputError as error:
            sys.stdout.flush()
            _complain(str(error))
            status = 1
    if options.command == "count" and len(options.files) > 1 and not (options.json or options.lines):
        commands.write(f"{options.total} total\n")
    return status


def _tokenizer(options: argparse.Namespace) -> Tokenizer:
    """Return the tokenizer that the arguments choose: of `--model`, of `--vocabulary`, or of both if both are given."""
    if getattr(options, "model", None):
        from webapp.command_line.language_model import model_named

        options.language_model = model_named(options.model)
        if options.vocabulary is None:
            options.vocabulary = options.language_model.vocabulary
    options.vocabulary = options.vocabulary or DEFAULT
    return tokenizer_of(options.vocabulary, options.merges)


def _train(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # workers are stopped, and what they counted is kept
    try:
        return train.train(options, arguments)
    except (ArgumentError, InputError) as error:
        _complain(str(error))
        return 2 if isinstance(error, ArgumentError) else 1


def _messages(options: argparse.Namespace) -> int:
    try:
        return messages.messages(options)
    except (ArgumentError, InputError) as error:
        sys.stdout.flush()
        _complain(str(error))
        return 2 if isinstance(error, ArgumentError) else 1


def _measure(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    try:
        return measure.measure(options)
    except UnknownVocabularyError as error:
        parser.error(str(error))
    except (UnusableVocabularyError, InputError) as error:
        _complain(str(error))
    return 1


def _complain(message: str) -> None:
    sys.stderr.write(f"tokenscope: {message}\n")


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tokenscope",
        description="Convert text to tokens and back, and train tokenizers.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    every = parser.add_subparsers(
        dest="command",
        required=True,
        metavar="encode|decode|count|split|measure|messages|train|doctor|ambiguity|pretokens",
    )
    marks = _marks()

    applied = [_common(), marks, inference_arguments()]
    encode = every.add_parser("encode", parents=applied, help="convert text to ids, one line for each text")
    encode.set_defaults(function=commands.encode)

    decode = every.add_parser("decode", parents=[_common()], help="convert ids to text")
    decode.add_argument("--skip-special", action="store_true", help="omit special tokens from the text")
    decode.add_argument(
        "--tokens",
        action="store_true",
        help="a line for each token: index, id, bytes, text alone, text in a stream, pending bytes",
    )
    decode.set_defaults(function=commands.decode)

    applied = [_common(), marks, inference_arguments()]
    count = every.add_parser("count", parents=applied, help="count the tokens of each file, like wc")
    count.add_argument("--model", metavar="NAME", help="count as this language model does, such as gpt-4o")
    count.add_argument("--price", action="store_true", help="with --model: the price, and the share of its context")
    count.set_defaults(function=commands.count, total=0, language_model=None)

    split = every.add_parser("split", parents=[_common(), marks], help="split a text into parts of at most N tokens")
    split.add_argument(
        "-n", "--tokens", type=_at_least(1), default=512, metavar="N", help="the most tokens of a part (512)"
    )
    split.add_argument(
        "--overlap",
        type=_at_least(0),
        default=0,
        metavar="N",
        help="begin each part up to N tokens before the end of the previous one",
    )
    split.add_argument("--boundary", choices=("sentence", "line", "token"), default="sentence", help="where parts end")
    split.add_argument("-0", "--null", action="store_true", help="end each part with NUL, not a form feed")
    split.set_defaults(function=commands.split)

    conversations = every.add_parser(
        "messages",
        help="count the tokens of a conversation in JSON, by message",
        epilog=messages.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    messages.add_arguments(conversations)
    measuring = every.add_parser("measure", help="measure tokenizers on files", epilog=measure.EPILOG)
    measure.add_arguments(measuring)

    every.add_parser("doctor", help="check the settings and the machine of a site", epilog=DOCTOR)

    training = every.add_parser(
        "train",
        help="train a tokenizer on a corpus",
        epilog=train.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if arguments[:1] == ["train"]:  # its choices are in the core, which takes a second to import
        train.add_arguments(training)
    if arguments and arguments[0] not in COMMANDS:  # the tools of the site, which take a second to import
        from webapp.command_line import tool_command

        tool_command.add_arguments(every)
    return parser


def _common() -> argparse.ArgumentParser:
    """The arguments of every command."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("-v", "--vocabulary", metavar="NAME|FILE", help=f"the vocabulary ({DEFAULT})")
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
