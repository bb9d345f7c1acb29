"""The command `measure`: the measures of tokenizers on each file, as a table, CSV or JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from webapp.command_line.commands import write
from webapp.command_line.inputs import STANDARD_INPUT, InputError, InputText, read_texts
from webapp.command_line.tokenizers import DEFAULT, tokenizer_of

if TYPE_CHECKING:
    from webapp.core import Tokenizer
    from webapp.core.evaluation.gold import GoldText

EPILOG = """\
Words are those of Unicode Standard Annex 29; runs of Han characters are divided by maximum probability with jieba's
dictionary, without its HMM. The premium (tokens of Chinese by those of English) and the Gini coefficient are measured
on an article in 39 languages, not on the file. The page /measures of the site defines each measure.
"""
DECIMALS = 4


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "-v",
        "--vocabulary",
        action="append",
        metavar="NAME|FILE",
        help=f"a vocabulary to measure, several times for several ({DEFAULT})",
    )
    parser.add_argument(
        "--gold",
        metavar="FILE",
        help="compare boundaries with a gold segmentation: words or morphemes separated by spaces, or CoNLL-U",
    )
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="JSON Lines: an object for each file and vocabulary")
    formats.add_argument("--csv", action="store_true", help="CSV: a row for each file and vocabulary")
    parser.add_argument("files", nargs="*", default=[STANDARD_INPUT], metavar="FILE", help="input; - is standard input")


def measure(options: Namespace) -> int:
    """Measure each file with each vocabulary, and return the exit code.

    Raises InputError for an invalid gold segmentation, and the errors of `tokenizer_of`.
    """
    tokenizers = {name: tokenizer_of(name) for name in dict.fromkeys(options.vocabulary or [DEFAULT])}
    gold = _gold(options.gold) if options.gold else None
    status, is_first = 0, True
    for file in options.files:
        try:
            for given in read_texts(file, by_line=False):
                found = {name: _measures(tokenizer, given.text, gold) for name, tokenizer in tokenizers.items()}
                write(_written(given, found, options, is_first=is_first))
                is_first = False
        except InputError as error:
            sys.stdout.flush()
            sys.stderr.write(f"tokenscope: {error}\n")
            status = 1
    return status


def _gold(file: str) -> GoldText:
    from webapp.core.evaluation.gold import GoldError, read_gold

    text = "".join(given.text for given in read_texts(file, by_line=False))
    try:
        return read_gold(text)
    except GoldError as error:
        raise InputError(f"{file}: {error}") from None


def _measures(tokenizer: Tokenizer, text: str, gold: GoldText | None) -> dict[str, float | None]:
    """The value of each measure, those of the gold segmentation only if there is one."""
    from webapp.core.analysis.measures import boundary_agreement, measures_of
    from webapp.core.analysis.words import words_of
    from webapp.core.models.word_models import WordModel
    from webapp.tokenization.measures.definitions import DEFINITIONS
    from webapp.tokenization.measures.measured import Measures, article_measures
    from webapp.vocabularies.shipped_vocabularies import chinese_words
    from webapp.vocabularies.uploads import number_of_ids

    found = Measures(
        measures_of(tokenizer.encode(text), words_of(text, chinese_words), number_of_ids(tokenizer)),
        None if isinstance(tokenizer.model, WordModel) else article_measures(tokenizer),
        None if gold is None else boundary_agreement(tokenizer, gold),
    )
    without_gold = {measure.replace("-", "_") for measure, each in DEFINITIONS.items() if each.of != "gold"}
    return {name: value for name, value in found.values().items() if gold is not None or name in without_gold}


def _written(
    given: InputText, found: Mapping[str, Mapping[str, float | None]], options: Namespace, *, is_first: bool
) -> str:
    if options.json:
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows(given, found))
    if options.csv:
        out = io.StringIO(newline="")
        rows = list(_rows(given, found))
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        if is_first:
            writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()
    head = [] if given.file == STANDARD_INPUT else [f"{given.file}\n"]
    return "".join(["" if is_first else "\n", *head, *_table(found)])


def _rows(given: InputText, found: Mapping[str, Mapping[str, float | None]]) -> Iterator[dict[str, Any]]:
    for name, values in found.items():
        yield {"file": given.file, "vocabulary": name, **values}


def _table(found: Mapping[str, Mapping[str, float | None]]) -> Iterator[str]:
    """The lines of a table: a row for each measure, a column for each vocabulary."""
    rows: list[Sequence[str]] = [("", *found)]
    for measure in next(iter(found.values())):
        rows.append((measure.replace("_", " "), *(_figure(values.get(measure)) for values in found.values())))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        figures = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join([row[0].ljust(widths[0]), *figures]) + "\n"


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.{DECIMALS}f}"
