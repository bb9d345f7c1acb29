"""A command for each tool of the site: its options are the fields of the tool's input, its output JSON or CSV."""

from __future__ import annotations

import argparse
from typing import Any

from flask import g
from pydantic import ValidationError

from webapp import create_app
from webapp.command_line.commands import write
from webapp.command_line.inputs import STANDARD_INPUT, ArgumentError, InputError, read_texts
from webapp.rendering.delimited import csv_parts
from webapp.tokenization.forms import InputProblem
from webapp.tools import TOOLS
from webapp.tools.inputs import body_model, literals
from webapp.tools.kernel import Tool, as_object
from webapp.web.json_responses import json_parts


def add_arguments(every: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add a parser for each tool whose body in the API has the fields of its page, and that has no command yet."""
    for tool in TOOLS:
        if tool.api is None or isinstance(tool.api.body, type) or tool.name in every.choices:
            continue
        first_line = (tool.run.__doc__ or "").partition("\n")[0]
        parser = every.add_parser(tool.name, help=first_line, description=first_line)
        parser.set_defaults(run=run, tool=tool)
        for name, field in body_model(tool.input, tool.name).model_fields.items():
            if name == "text":
                parser.add_argument("file", nargs="?", default=STANDARD_INPUT, help="input; - is standard input")
                continue
            shape: dict[str, Any] = {"choices": literals(field) or None, "default": field.default}
            if field.annotation is bool:
                shape = {"action": argparse.BooleanOptionalAction, "default": field.default}
            elif field.annotation in (int, float):
                shape |= {"type": field.annotation}
            help_text = (field.description or "").replace("%", "%%")
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=help_text, **shape)
        if tool.table is not None:
            parser.add_argument("--csv", action="store_true", help="CSV instead of JSON")


def run(options: argparse.Namespace) -> int:
    """Run a tool on a file, and return the exit code; raises ArgumentError and InputError."""
    tool: Tool[Any, Any] = options.tool
    values = {name: getattr(options, name) for name in tool.input.model_fields if hasattr(options, name)}
    values |= tool.api.changes if tool.api else {}
    with create_app().app_context():
        g.language_key = "en"
        if "text" in tool.input.model_fields:
            values["text"] = "".join(given.text for given in read_texts(options.file, by_line=False))
        try:
            result = tool.attempt(tool.input.model_validate(values))
        except ValidationError as error:
            wrong = (f"{each['loc'][0]}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors())
            raise ArgumentError("; ".join(wrong)) from None
        except InputProblem as error:
            raise InputError(str(error)) from None
        if tool.table is not None and options.csv:
            for part in csv_parts(tool.table(result)):
                write(part)
        else:
            for piece in json_parts(as_object(tool.answer(result))):
                write(piece.decode())
            write("\n")
    return 0
