"""A command for each tool of the site: its options are the fields of the tool's input, its output JSON or CSV.

Fields of lists of messages are read from the input, which is JSON; fields of long texts are given as files.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, get_origin

from flask import g
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from webapp.command_line.commands import write
from webapp.command_line.inputs import STANDARD_INPUT, ArgumentError, InputError, InputText, read_texts
from webapp.command_line.tokenizers import DEFAULT, fetched, from_file, site
from webapp.rendering.delimited import csv_parts
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem
from webapp.tools import TOOLS
from webapp.tools.inputs import Input, body_model, literals, sentence_of
from webapp.tools.kernel import ApiEntry, Tool, as_object
from webapp.vocabularies.catalogue import CatalogueEntry, registered
from webapp.vocabularies.library import StillFetchingError, UnavailableVocabularyError, library
from webapp.vocabularies.uploads import algorithms_of, number_of_ids
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.json_responses import json_parts

MOST_BYTES = 100_000_000  # of a file
NAMES = {"measures": "measure", "homework": "check"}  # commands whose name is not the tool's
FROM_INPUT = ("text", "messages", "tools")
FILES = ("gold", "template_source")
VOCABULARIES = ("vocabulary", "a", "b")
_FROM_API = re.compile(", from `GET [^`]*`(?: or `POST [^`]*`| or an upload)?")


def add_arguments(every: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add a parser for each tool that the API has, and that has no command yet."""
    for tool in TOOLS:
        name = NAMES.get(tool.name, tool.name)
        if tool.api is None or name in every.choices:
            continue
        first_line = ((tool.api.run or tool.run).__doc__ or "").partition("\n")[0]
        parser = every.add_parser(name, help=first_line, description=first_line)
        parser.set_defaults(run=run, tool=tool)
        fields = _body(tool, tool.api).model_fields
        for field_name, field in fields.items():
            if field_name not in FROM_INPUT:
                _add_option(parser, field_name, field)
        help_text = "input; - is standard input"
        if "messages" in fields:
            help_text += "; messages as chat APIs take them, in JSON"
        parser.add_argument("files", nargs="*", default=[STANDARD_INPUT], metavar="FILE", help=help_text)
        parser.add_argument("--json", action="store_true", help="JSON on one line for each file")
        if tool.table is not None and tool.api.run is None:
            parser.add_argument("--csv", action="store_true", help="CSV instead of JSON")


def _body(tool: Tool[Any, Any], api: ApiEntry) -> type[Input]:
    return api.body if isinstance(api.body, type) else body_model(tool.input, tool.name)


def _add_option(parser: argparse.ArgumentParser, name: str, field: FieldInfo) -> None:
    shape: dict[str, Any] = {"choices": literals(field) or None, "default": field.default}
    if name == "tokenizers":
        name, shape = "vocabulary", {"action": "append", "default": []}
    elif field.annotation is bool:
        shape = {"action": argparse.BooleanOptionalAction, "default": field.default}
    elif name == "want":
        shape = {"action": "append", "default": [], "choices": literals(field)}
    elif get_origin(field.annotation) is tuple:
        shape = {"action": "append", "default": []}
    elif field.annotation in (int, float):
        shape |= {"type": field.annotation}
    elif name in FILES:
        shape["metavar"] = "FILE"
    elif name == "chat_template_kwargs":
        shape |= {"type": _json, "metavar": "JSON"}
    short = {"vocabulary": ["-v"], "model": ["-m"], "template": ["-t"]}.get(name, [])
    named = ", or a file" if name in VOCABULARIES else ""
    help_text = _FROM_API.sub(named, field.description or "").replace("%", "%%")
    parser.add_argument(*short, f"--{name.replace('_', '-')}", dest=name, help=help_text, **shape)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise argparse.ArgumentTypeError("not JSON; write an object such as '{\"enable_thinking\": false}'") from None


def run(options: argparse.Namespace) -> int:
    """Run a tool on each file, and return the exit code; raises ArgumentError and InputError."""
    app = site(MAX_TEXT_BYTES=MOST_BYTES)
    logging.getLogger("webapp.vocabularies").addHandler(logging.NullHandler())  # a message below says it once
    with app.app_context(), ExitStack() as stack:
        g.language_key = "en"
        chosen = [getattr(options, name, None) or [] for name in VOCABULARIES]
        for name in chain.from_iterable(each if isinstance(each, list) else [each] for each in chosen):
            if library().find(name) is None:  # `find` would remember that there is none
                if not Path(name).is_file():
                    raise ArgumentError(f"there is no vocabulary and no file called {name}")
                stack.enter_context(registered(entry_of(name)))
            elif library().must_be_fetched(name):
                fetched(WELL_KNOWN[name], library().fetcher)
        text = options.tool.input.model_fields.get("text")
        optional = text is not None and text.default == "" and sys.stdin.isatty() and options.files == [STANDARD_INPUT]
        for file in options.files:
            for given in [InputText(file, "")] if optional else read_texts(file, by_line=False):
                for part in _output(options, given):
                    write(part)
    return 0


def entry_of(path: str) -> CatalogueEntry:
    """A vocabulary file as an entry of the catalogue under its path."""
    tokenizer = from_file(path, None)
    algorithms, size = algorithms_of(tokenizer), number_of_ids(tokenizer)
    return CatalogueEntry(path, algorithms, "shipped", size, title=path, load=lambda: tokenizer)


def _output(options: argparse.Namespace, given: InputText) -> Iterator[str]:
    tool: Tool[Any, Any] = options.tool
    api = tool.api
    assert api is not None
    kind = _body(tool, api) if api.run else tool.input
    values = {name: getattr(options, name) for name in kind.model_fields if hasattr(options, name)}
    values = {name: value for name, value in values.items() if value != [] or name == "want"}
    values |= {name: _content(values[name]) for name in FILES if values.get(name)} | dict(api.changes)
    if "tokenizers" in kind.model_fields:
        values["tokenizers"] = [{"vocabulary": name} for name in options.vocabulary or [DEFAULT]]
    if "messages" in kind.model_fields:
        values |= _conversation(given, values)
    elif "text" in kind.model_fields:
        values["text"] = given.text
    try:
        if api.run is not None:
            found = api.run(kind.model_validate(values))
        else:
            result = tool.attempt(tool.input.model_validate(values))
            if tool.table is not None and options.csv:
                yield from csv_parts(tool.table(result))
                return
            if tool.text is not None and not options.json:
                yield from tool.text(result)
                return
            found = as_object(tool.answer(result))
    except StillFetchingError:  # a chat template, for which `published_template` has waited for seconds
        yield from _output(options, given)
        return
    except UnavailableVocabularyError as error:
        raise InputError(unavailable_problem(error).message) from None
    except ValidationError as error:
        wrong = (f"{each['loc'][0]}: {sentence_of(each)}" for each in error.errors())
        raise ArgumentError("; ".join(wrong)) from None
    except InputProblem as error:
        raise InputError(f"{given.place}: {error}") from None
    parts = (piece.decode() for piece in json_parts(found))
    if api.run is None or options.json:
        yield from parts
    else:
        yield json.dumps(json.loads("".join(parts)), ensure_ascii=False, indent=1)
    yield "\n"


def _content(file: str) -> str:
    return "".join(given.text for given in read_texts(file, by_line=False))


def _conversation(given: InputText, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the conversation, of which variables of the template may also be an option."""
    try:
        found = json.loads(given.text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{given.place}: not JSON: {error}") from None
    if not isinstance(found, dict):
        return {"messages": found}
    variables = options.get("chat_template_kwargs") or found.get("chat_template_kwargs", {})
    return {name: found[name] for name in FROM_INPUT if name in found} | {"chat_template_kwargs": variables}
