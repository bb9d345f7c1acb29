"""The commands `encode`, `decode`, `count` and `split`, each for one text."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from webapp.command_line.inputs import STANDARD_INPUT, InputError, InputText

if TYPE_CHECKING:
    from webapp.core import Tokenizer
    from webapp.core.models.literals import Literals
    from webapp.vocabularies.language_models import LanguageModel


def encode(tokenizer: Tokenizer, given: InputText, options: Namespace) -> Iterator[str]:
    """Yield the ids of a text on one line, or with `--json` ids, pieces and offsets as JSON."""
    marks = {"special": options.special, "template": options.template}
    if not options.json:
        yield " ".join(map(str, tokenizer.ids(given.text, **marks))) + "\n"
        return
    from webapp.tokenization.answers import tokenization_json

    encoding = tokenizer.encode(given.text, **marks)
    yield _json(given, tokenization_json(encoding, ("ids", "pieces", "offsets")))


def decode(tokenizer: Tokenizer, given: InputText, options: Namespace) -> Iterator[str]:
    """Yield the decoded text without changes, or as a line if every line of the input is a text.

    With `--tokens`, yield a line for each token instead.
    """
    ids = _ids(given, options.json)
    if options.tokens:
        yield from _by_token(tokenizer, ids, given, options)
        return
    try:
        text = tokenizer.decode(ids, skip_special=options.skip_special)
    except ValueError as error:
        raise InputError(f"{given.place}: {error}") from None
    if options.json:
        yield _json(given, {"text": text})
    else:
        yield text + ("\n" if given.line is not None else "")


def _by_token(tokenizer: Tokenizer, ids: Sequence[int], given: InputText, options: Namespace) -> Iterator[str]:
    """Yield index, id, bytes, text alone, text in a stream and pending bytes of each token, separated by tabs."""
    from webapp.core.analysis.decoding import decoded

    try:
        found = decoded(tokenizer, ids, skip_special=options.skip_special)
    except ValueError as error:
        raise InputError(f"{given.place}: {error}") from None
    if options.json:
        from webapp.tools.decode import answer

        found_json = answer(found)
        yield _json(given, {**found_json, "tokens": [*map(asdict, found_json["tokens"])]})
        return
    for token in found.tokens:
        texts = (json.dumps(text, ensure_ascii=False) for text in (token.alone, token.text))
        pending = token.pending.hex(" ") or "-"
        yield "\t".join((str(token.position), str(token.id), token.data.hex(" ") or "-", *texts, pending)) + "\n"


def count(tokenizer: Tokenizer, given: InputText, options: Namespace) -> Iterator[str]:
    """Yield the number of tokens and the name of the file, like `wc`; with several models, a line for each.

    For a model whose tokenizer is not public, the least and the most tokens by a calibration. Notes in
    `options.exceeded` what `--max` and `--fail-on-special` forbid. Raises InputError for a text in a script that the
    calibration does not cover.
    """
    count = len(tokenizer.ids(given.text, special=options.special, template=options.template))
    model, several = options.language_model, len(options.model) > 1
    measured = None if model is None or options.exact else model.token_range
    limits = measured.of(count, given.text) if measured else (count,)
    if limits is None:
        raise InputError(f"{given.place}: the calibration of {model.title} does not cover a script of this text")
    name, tokens = model.id if several else "", limits[-1]
    options.total[name] = [sum(each) for each in zip(options.total.get(name, (0, 0)), limits, strict=False)]
    for_model = f" for {model.id}" if several else ""
    if options.max is not None and tokens > options.max:
        most = "up to " * bool(measured)
        options.exceeded.append(f"{given.place}: {most}{tokens:,} tokens{for_model}; --max is {options.max:,}")
    if options.fail_on_special and (span := _special_tokens(tokenizer).first(given.text)):
        options.exceeded.append(f"{given.place}: has the special token {given.text[slice(*span)]}{for_model}")
    if options.json:
        shown = {"tokens": None, "tokens_low": limits[0], "tokens_high": tokens} if measured else {"tokens": tokens}
        counts = {**shown, "characters": len(given.text), "bytes": len(given.text.encode())}
        yield _json(given, {**counts, **(_price(model, limits) if options.price or several else {})})
        return
    about = "" if given.line is not None or given.file == STANDARD_INPUT else f" {given.file}"
    yield f"{'-'.join(map(str, limits))}{about}{f' {model.id}' if several else ''}"
    if options.price or several:
        from webapp.command_line.tokenizers import priced

        yield f"\t{' to '.join(priced(model, each) for each in limits)}"
    yield "\n"


@lru_cache
def _special_tokens(tokenizer: Tokenizer) -> Literals:
    from webapp.core.models.literals import Literals

    return Literals(tokenizer.special_tokens)


def _price(model: LanguageModel, limits: Sequence[int]) -> dict[str, Any]:
    """The keys that `--price` adds to the JSON object, for a number of tokens or for the least and the most."""
    names = [""] if len(limits) == 1 else ["_low", "_high"]
    prices: dict[str, Any] = {}
    for name, tokens in zip(names, limits, strict=True):
        prices |= {
            f"price_in{name}": model.exact_cost(tokens),
            f"price_out{name}": model.exact_cost(tokens, output=True),
        }
    return {"model": model.id, **prices, "context": model.context, "max_input": model.most_input}


def split(tokenizer: Tokenizer, given: InputText, options: Namespace) -> Iterator[str]:
    """Yield the parts of a text, each with at most `--tokens` tokens."""
    from webapp.core.analysis import chunking

    marks = {"special": options.special, "template": options.template}
    limits = {"most": options.tokens, "overlap": options.overlap, "boundary": options.boundary}
    try:
        for part in chunking.split(given.text, tokenizer, **limits, **marks):
            text = given.text[part.start : part.end]
            if options.json:
                yield _json(given, {"start": part.start, "end": part.end, "tokens": part.tokens, "text": text})
            else:
                yield text + ("\0" if options.null else "\f")
    except chunking.PartTooSmallError as error:
        raise InputError(f"{given.place}: {error}; a part may have {options.tokens}") from None


def write(text: str) -> None:
    """Write to standard output as UTF-8, independent of the locale."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def _json(given: InputText, values: dict[str, Any]) -> str:
    place = {"file": given.file} if given.line is None else {"file": given.file, "line": given.line}
    return json.dumps({**place, **values}, ensure_ascii=False) + "\n"


def _ids(given: InputText, as_json: bool) -> Sequence[int]:
    """The ids in an input: whole numbers in any brackets, or with `as_json` an object with `ids`.

    Raises InputError, which names the first value that is not an id.
    """
    if as_json:
        try:
            found = json.loads(given.text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{given.place}: not valid JSON: {error}") from None
        ids = found.get("ids") if isinstance(found, dict) else None
        if not isinstance(ids, list) or any(type(id) is not int for id in ids):
            raise InputError(f'{given.place}: expected an object with "ids", a list of whole numbers')
        return ids
    from webapp.tokenization.ids import TOO_LARGE, IdsError, read_ids

    try:
        read = read_ids(given.text, most=None)
    except IdsError as error:
        raise InputError(f"{_place(given, error.line, error.column)}: {error}") from None
    if read.ids and max(read.ids) >= TOO_LARGE:
        place = read.place(list(read.ids).index(TOO_LARGE))
        raise InputError(f"{_place(given, place.line, place.column)}: “{place.written}” is not an id")
    return read.ids


def _place(given: InputText, line: int, column: int) -> str:
    """The place of an error: the column in a line that is a text, or else the line and the column."""
    where = f"column {column}" if given.line is not None else f"line {line}, column {column}"
    return f"{given.place}, {where}"
