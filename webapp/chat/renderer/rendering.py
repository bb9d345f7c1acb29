"""Answers a request: compiles a template, renders it, and tells what is wrong with it and where."""

from __future__ import annotations

import itertools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from types import FrameType, TracebackType
from typing import Any

import jinja2
import jinja2.exceptions
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
import jinja2.utils

from .inspection import inspect

# What a rendering may take: a child's seconds of processor time and of time, and bytes of memory above the start.
CPU_SECONDS, WALL_SECONDS = 1, 3.0
MEMORY, RESERVE = 256_000_000, 32_000_000
MOST_RECEIVED = 160_000_000  # bytes of an answer, written as JSON
MOST_REQUEST = 16_000_000
MOST_OUTPUT = 4_000_000  # bytes of one rendering
MOST_ANSWER = 24_000_000  # bytes of all renderings of a request
LONGEST_MESSAGE = 300
# The processor time after which no further rendering begins, as only the first is needed; and the most prompts of
# first messages.
ENOUGH_SECONDS, MOST_SHORTER = 0.6, 64


class RaisedError(jinja2.exceptions.TemplateError):
    """What a template raises itself, with `raise_exception`."""


class Generation(jinja2.ext.Extension):
    """The tag `generation` around what an assistant wrote: it sets `marks` before and after, by default none."""

    tags = {"generation"}  # noqa: RUF012
    marks = "", ""

    def parse(self, parser: jinja2.parser.Parser) -> jinja2.nodes.Node:
        """The body of the tag, called once."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Callable[[], str]) -> str:
        return caller().join(Generation.marks)


class Namespace(jinja2.utils.Namespace):
    """A namespace without attributes that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            _check_name(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)


class DictFunction:
    """The function `dict`, without the type's other attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """A new dictionary."""
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """A new dictionary with the keys."""
        return dict.fromkeys(*args, **kwargs)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"namespace attributes cannot begin with an underscore: {name[:40]!r}")


def raise_exception(message: object) -> None:
    """The function of that name in templates."""
    raise RaisedError(str(message))


def tojson(
    x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """The filter of that name in templates, which does not escape HTML."""
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Clock:
    """The function `strftime_now` of templates: the time of the request; `used` says whether a template called it."""

    def __init__(self) -> None:
        """Begin at a time that each request replaces."""
        self.now = datetime(2026, 1, 1)
        self.used = False

    def __call__(self, format: str) -> str:
        """The time of the request in a format of `strftime`."""
        self.used = True
        return self.now.strftime(format)


def environment(clock: Clock) -> jinja2.sandbox.ImmutableSandboxedEnvironment:
    """The environment of chat templates, as `apply_chat_template` of transformers 5.23 builds it.

    Source: `_cached_compile_jinja_template` in transformers/utils/chat_template_utils.py.
    """
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = clock
    made.globals["dict"] = DictFunction()
    made.globals["namespace"] = Namespace
    for name in ("cycler", "joiner", "lipsum"):  # no published template uses them, and printed they show an address
        del made.globals[name]
    return made


NAME = "<template>"
# How Python prints an object with its address in memory.
_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")

Line = dict[str, Any]


class RenderTimeError(BaseException):
    """The processor time is over; no template can catch it. `line` is where, if that is known."""

    def __init__(self, line: int | None = None) -> None:
        super().__init__()
        self.line = line


class OutputError(Exception):
    """The output is too long; `line` is where it became so, if that is known."""

    line: int | None = None


def answer(request: Mapping[str, Any], made: jinja2.Environment, clock: Clock) -> Iterator[Line]:
    """The lines of an answer, each `{"text": …}` or `{"kind": …, "line": …, "message": …}`; one for `inspect`.

    The first is the prompt. The others help to find the messages in it: the prompt with marks around each content, and
    the `extra` renderings with marks; or, where marks change the prompt, the prompts of the first messages.
    """
    try:
        yield from _lines(request, made, clock)
    except Exception as error:
        yield _failure(error)


def _lines(request: Mapping[str, Any], made: jinja2.Environment, clock: Clock) -> Iterator[Line]:
    if "inspect" in request:
        yield inspect(request["inspect"], made)
        return
    clock.now = datetime.fromisoformat(request["now"])
    clock.used = False
    rendering = Rendering(made.from_string(request["source"]), request)
    if "renders" in request:
        yield from _several(rendering, clock)
        return
    whole = {"tools": True, "reply": request["reply"]}
    text = rendering.text(whole, "")
    yield {"text": text, "dated": clock.used}
    marks, marked = rendering.marked(whole, text)
    yield {"marks": marks, "text": marked}
    left = MOST_ANSWER - len(text) - len(marked)
    shorter = [whole | {"reply": False, "upto": upto} for upto in range(1, len(request["messages"]))]
    for render in request["extra"] if marks else shorter[:MOST_SHORTER]:
        if left < len(text) or time.process_time() > ENOUGH_SECONDS:
            return
        try:
            found = rendering.text(render, marks)
        except Exception as error:
            yield _failure(error)
        else:
            left -= len(found)
            yield {"text": found}


def _several(rendering: Rendering, clock: Clock) -> Iterator[Line]:
    """The `renders` of a request, each with the spans in `{% generation %}`, until the time or the room is used up."""
    first = rendering.request["base"]
    Generation.marks = chr(first), chr(first + 1)
    left = MOST_ANSWER
    for render in rendering.request["renders"]:
        if time.process_time() > ENOUGH_SECONDS or left < 0:
            return
        clock.now, clock.used = datetime.fromisoformat(render.get("now", rendering.request["now"])), False
        try:
            marked = rendering.text(render, "")
        except Exception as error:
            yield _failure(error)
            continue
        left -= len(marked)
        texts = re.split(f"[{''.join(Generation.marks)}]", marked)
        places = list(itertools.accumulate(map(len, texts)))[:-1]
        learned = list(zip(places[::2], places[1::2], strict=False))
        yield {"text": "".join(texts), "learned": learned, "dated": clock.used}


@dataclass(frozen=True)
class Rendering:
    """A compiled template and the request that it is rendered for."""

    template: jinja2.Template
    request: Mapping[str, Any]

    def text(self, render: Mapping[str, Any], marks: str) -> str:
        """One rendering: of all messages, of those `upto` a number, or of `items` instead, and what a render `add`s.

        `tools` are those of the request, or none, or a list.
        """
        messages = render.get("items") or self.request["messages"][: render.get("upto")]
        messages = [*messages, *render.get("add", ())]
        if marks:
            numbers = itertools.count(self.request["base"], 2)
            messages = [_with_marks(message, numbers, marks) for message in messages]
        tools = self.request["tools"] if render["tools"] is True else render["tools"] or None
        names = {"tools": tools, "add_generation_prompt": render["reply"], "messages": messages}
        pieces: list[str] = []
        size = 0
        generator = self.template.generate({"documents": None} | self.request["variables"] | names)
        try:
            for piece in generator:
                size += len(piece)
                if size > MOST_OUTPUT:
                    raise OutputError
                pieces.append(piece)
        except (RenderTimeError, OutputError) as error:
            error.line = error.line or _line_reached(generator)
            raise
        text = "".join(pieces)
        if len(text.encode()) > MOST_OUTPUT:
            raise OutputError
        if (found := set(_ADDRESS.findall(text))) and found - set(_ADDRESS.findall(repr(self.request))):
            raise jinja2.exceptions.SecurityError("a function or another object without a text is printed")
        return text

    def marked(self, render: Mapping[str, Any], text: str) -> tuple[str, str]:
        """How marks are set, outside the white space around a content or inside, and the prompt with them.

        Both are empty if the marks change the prompt, `text`, or occur in it.
        """
        first = self.request["base"]
        pattern = re.compile(f"[{chr(first)}-{chr(first + self.request['marks'])}]")
        for marks in () if pattern.search(text) else ("outer", "inner"):
            with suppress(Exception):
                found = self.text(render, marks)
                if pattern.sub("", found) == text:
                    return marks, found
        return "", ""


def _with_marks(message: Mapping[str, Any], numbers: Iterator[int], marks: str) -> Mapping[str, Any]:
    """A message with a mark before and after each text of its content; every text takes a number."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [{**part, "text": _between_marks(part["text"], next(numbers), marks)} for part in content]
        return {**message, "content": parts}
    number = next(numbers)
    return {**message, "content": _between_marks(content, number, marks)} if content else message


def _between_marks(text: str, number: int, marks: str) -> str:
    core = text if marks == "outer" else text.strip()
    if not core:
        return text
    before, _core, after = text.partition(core)
    return f"{before}{chr(number)}{core}{chr(number + 1)}{after}"


def _failure(error: BaseException) -> Line:
    """An error as a line: its kind, the line of the template, and a message without anything of this process."""
    kind, message = _kind(error)
    line = getattr(error, "lineno", None) if kind == "syntax" else line_of(error.__traceback__)
    line = getattr(error, "line", None) if kind == "output" else line
    return {"kind": kind, "line": line if isinstance(line, int) else None, "message": message[:LONGEST_MESSAGE]}


def _kind(error: BaseException) -> tuple[str, str]:
    if isinstance(error, MemoryError):
        return "memory", ""
    if isinstance(error, OutputError):
        return "output", ""
    if isinstance(error, RecursionError):
        return "depth", ""
    if isinstance(error, UnicodeEncodeError):
        return "surrogate", ""
    if isinstance(error, (OSError, ImportError)):  # a file that the limits refuse; the message would name its path
        return "forbidden", type(error).__name__
    try:
        message = str(error)[: LONGEST_MESSAGE * 2]
    except Exception:
        message = ""
    if any(folder in message for folder in (*sys.path, sys.prefix, sys.base_prefix) if len(folder) > 1):
        message = type(error).__name__
    if isinstance(error, RaisedError):
        return "raised", message
    if isinstance(error, jinja2.exceptions.SecurityError) or message.startswith("Range too big"):
        return "forbidden", message
    if isinstance(error, jinja2.exceptions.TemplateSyntaxError):
        return "syntax", message if message == type(error).__name__ else str(error.message)
    if isinstance(error, SyntaxError):  # Python's, of what Jinja made: loops within loops within loops
        return "depth", ""
    if isinstance(error, jinja2.exceptions.TemplateError):
        return "runtime", message
    return "runtime", f"{type(error).__name__}: {message}"


def line_of(traceback: TracebackType | None) -> int | None:
    """The line of the template where an exception was raised; None if it was not raised in one."""
    found = None
    while traceback is not None:
        frame, line = traceback.tb_frame, traceback.tb_lineno
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            found = template.get_corresponding_lineno(line)
        elif frame.f_code.co_filename == NAME:  # Jinja has rewritten the traceback
            found = line
        traceback = traceback.tb_next
    return found


def _line_reached(generator: Any) -> int | None:
    """The line where a template waits that has just put out something."""
    while (inner := getattr(generator, "gi_yieldfrom", None)) is not None:
        generator = inner
    return line_now(getattr(generator, "gi_frame", None))


def line_now(frame: FrameType | None) -> int | None:
    """The line of the template that a frame, or one that called it, is at; None if there is none."""
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            line: int = template.get_corresponding_lineno(frame.f_lineno)
            return line
        frame = frame.f_back
    return None
