"""What every tool shares: a tool says what it takes, what it does and what it shows; here are its projections.

A tool is a module with an `Input`, a function from it to a result, a template, and a `Tool` that names them. From that
come its page, the part that htmx swaps in, the address of a result, its JSON and CSV, the route of the API with its
entry in the OpenAPI document (`webapp.api.operations`), and the command (`webapp.command_line.tool_command`).
`webapp.tools.TOOLS` lists the tools; CONTRIBUTING says how to add one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from flask import Blueprint, Response, current_app, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from webapp.observing import report
from webapp.rendering.delimited import csv_parts
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import EXPLAINED_ERRORS, problem_of, refused, still_fetching_problem
from webapp.tokenization.snapshots import SharingPage
from webapp.tokenization.state import State
from webapp.tools.inputs import Input
from webapp.vocabularies import StillFetchingError
from webapp.web.htmx import attachment, private, swappable, wants_partial
from webapp.web.json_responses import json_response
from webapp.web.long_responses import long_response

AnyInput = TypeVar("AnyInput", bound=Input)
Result = TypeVar("Result")


@dataclass(frozen=True)
class ApiEntry:
    """The route of a tool in the API: its path, the names of its schemas, and an example of a body.

    `changes` is what differs for programs, the command among them, in fields that no body and no form has. A body that
    differs from the tool's input is a model in place of a name, and `run` makes the answer of it.
    """

    path: str
    body: str | type[Input]
    answer: type[Any]
    example: Mapping[str, Any]
    changes: Mapping[str, Any] = field(default_factory=dict)
    run: Callable[[Any], Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[AnyInput, Result]):
    """A tool of the site. The docstring of `run` documents it in the API, and its first line is the command's help.

    `run` raises `InputProblem` for what a visitor can correct. `answer` makes of its result the dataclass that programs
    get as JSON, and `table` the rows of the CSV file, the header first; `text` what its command prints, if that is not
    JSON. `files` has further files by the ending of
    their addresses: the media type, and a function that yields the content. `exported` is what files change in the
    input: they have more rows than a page. `view_at` is the part of the page that a view chosen by `show` leads to.
    `leafed` are the fields of links whose result is a new entry of the browser's history. `methods` are those of the
    page; a tool that stores has a view of its own for POST. Its files are called `file_name`, or by its own name.
    `redirected`: a form is redirected to its address; not where the page has more than the address says.
    """

    name: str
    address: str
    input: type[AnyInput]
    run: Callable[[AnyInput], Result]
    examples: Sequence[str] = ()
    answer: Callable[[Result], Any]
    table: Callable[[Result], Iterable[Sequence[object]]] | None = None
    text: Callable[[Result], Iterable[str]] | None = None
    files: Mapping[str, tuple[str, Callable[[Result], Iterable[str | bytes]]]] = field(default_factory=dict)
    exported: Mapping[str, Any] = field(default_factory=dict)
    file_name: str = ""
    form_id: str = "tool"
    view_at: str = ""
    leafed: Sequence[str] = ("page",)
    methods: Sequence[str] = ("GET", "POST")
    redirected: bool = True
    api: ApiEntry | None = None

    @property
    def template(self) -> str:
        """The template of its page."""
        return f"tools/{self.name}.html"

    @property
    def styles(self) -> str:
        """The name of its own style sheet in `static`; empty if it has none."""
        name = f"{self.name}.css"
        return name if current_app.static_folder and (Path(current_app.static_folder) / name).exists() else ""

    def attempt(self, given: AnyInput) -> Result:
        """The result for an input; every reason why there is none becomes an InputProblem."""
        try:
            return self.run(given)
        except EXPLAINED_ERRORS as error:
            raise problem_of(State(vocabulary=getattr(given, "vocabulary", "")), error) from error
        except StillFetchingError as error:
            raise still_fetching_problem() from error


class ToolPage(SharingPage):
    """The context of a tool's template, as a whole page and for its block `result` alone."""

    tool: Tool[Any, Any]
    input: Any
    result: Any
    problems: Sequence[InputProblem]
    invalid: Mapping[str, InputProblem]  # the problem of each field that has one
    link: str | None  # the address of the page with this input; None if it would be too long
    waiting: StillFetchingError | None  # while the vocabulary is being downloaded


def blueprint_of(tool: Tool[Any, Any]) -> Blueprint:
    """The routes of a tool's page and its files."""
    routes = Blueprint(tool.name, __name__)

    def page() -> BaseResponse:
        ending = request.args.get("format", "")
        if ending == "json":
            return _json(tool)
        if ending in files:
            return as_file(ending)
        return page_of(tool, *_attempted(tool, {}))

    def as_json() -> BaseResponse:
        return _download(_json(tool), f"{tool.file_name or tool.name}.json")

    def as_file(ending: str) -> BaseResponse:
        media_type, content = files[ending]
        given, result, problems = _attempted(tool, tool.exported)
        try:
            if not problems:
                return _download(
                    long_response(content(result), mimetype=media_type), f"{tool.file_name or tool.name}.{ending}"
                )
        except InputProblem as problem:
            problems = [problem]
        return page_of(tool, given, None, problems)

    def file_view(ending: str) -> Callable[[], BaseResponse]:
        def view() -> BaseResponse:  # no `partial`: Flask-Limiter asks views for their names
            return as_file(ending)

        return view

    files = dict(tool.files)
    if (table := tool.table) is not None:
        files["csv"] = ("text/csv", lambda result: csv_parts(table(result)))
    views = {"": ("page", page), ".json": ("as_json", as_json)}
    views |= {f".{ending}": (f"as_{ending}", file_view(ending)) for ending in files}
    for ending, (endpoint, view) in views.items():
        routes.add_url_rule(f"{tool.address}{ending}", endpoint, view, methods=tool.methods)
    return routes


def _attempted(tool: Tool[Any, Any], changes: Mapping[str, Any]) -> tuple[Any, Any, list[InputProblem]]:
    """The input of the request, and the result or the problems."""
    given, problems = tool.input.read(request)
    if problems:
        return given, None, problems
    try:
        return given, tool.attempt(given.model_copy(update=changes)), []
    except InputProblem as problem:
        return given, None, [problem]


def page_of(
    tool: Tool[Any, Any], given: Any, result: Any, problems: list[InputProblem], address: str = ""
) -> BaseResponse:
    """The whole page, or the result alone for htmx; a form is redirected to its address if that is short enough."""
    address = address or f"{request.script_root}{tool.address}"
    link = f"{address}?{given.query()}".removesuffix("?") if given.fits_address else None
    if request.method == "POST" and tool.redirected and not wants_partial() and not problems and link:
        return redirect(f"{link}#{tool.view_at}" if tool.view_at and "show" in request.form else link, 303)
    context = ToolPage(
        form_id=tool.form_id,
        tool=tool,
        input=given,
        result=result,
        problems=problems,
        invalid={one.field: one for one in reversed(problems) if one.field},
        link=link,
        waiting=next((one.__cause__ for one in problems if isinstance(one.__cause__, StillFetchingError)), None),
    )
    response = make_response(
        _rendered(tool.template, context), max((one.status for one in problems), default=getattr(result, "status", 200))
    )
    response = swappable(response, link or address)
    if wants_partial() and any(name in request.args for name in tool.leafed):
        response.headers["HX-Push-Url"] = response.headers.pop("HX-Replace-Url")
    return response


def _rendered(name: str, context: ToolPage) -> str:
    """The page, or its block `result` alone for htmx."""
    with report.current().phase("render"):
        if not wants_partial():
            return render_template(name, **context.variables())
        template, variables = current_app.jinja_env.get_template(name), context.variables()
        current_app.update_template_context(variables)
        return "".join(template.blocks["result"](template.new_context(variables)))


def _json(tool: Tool[Any, Any]) -> Response:
    _given, result, problems = _attempted(tool, tool.exported)
    try:
        return refused(problems) if problems else private(json_response(as_object(tool.answer(result))))
    except InputProblem as problem:
        return refused([problem])


def as_object(answer: Any) -> dict[str, Any]:
    """The fields of an answer by name, without those that are None by default; a dictionary as it is."""
    if isinstance(answer, dict):
        return answer
    values = ((each, getattr(answer, each.name)) for each in fields(answer))
    return {each.name: value for each, value in values if value is not None or each.default}


def _download(response: Response, name: str) -> Response:
    return attachment(response, name) if response.status_code == 200 else private(response)
