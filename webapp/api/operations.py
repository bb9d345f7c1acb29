"""The API's blueprint and its operations: one declaration validates, routes and documents; CORS headers for all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from http import HTTPStatus
from inspect import cleandoc
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from flask import Blueprint, Flask, Request, Response, current_app, g, request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webapp.core.formats.tiktoken import ENCODINGS
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem
from webapp.tools.inputs import Input, body_model, sentence_of
from webapp.tools.kernel import ApiEntry, Tool, as_object
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.web.json_responses import json_response
from webapp.web.problems import API, is_api, problem, refuse
from webapp.web.security import is_foreign

TOOL_ERRORS = (404, 409, 413, 503)
AnyModel = TypeVar("AnyModel", bound=BaseModel)
Method = Literal["get", "post"]

MOST_ERRORS = 20  # that a problem lists
LONGEST_POINTER = 200


class Query(BaseModel):
    """Base of the parameters of an address: strict types, no unknown ones; by itself, no parameters."""

    model_config = ConfigDict(strict=True, extra="forbid")


class VocabularyUpload(Input):
    """A vocabulary file, or a vocab.json and its merges.txt, or a .tiktoken and its encoding."""

    file: list[Annotated[Any, Field(json_schema_extra={"contentMediaType": "application/octet-stream"})]] = Field(
        min_length=1,
        max_length=2,
        description="The file; or `vocab.json` and `merges.txt`, or a .tiktoken and its encoding, in two parts.",
    )
    pattern: str = Field(
        "",
        description="The split pattern of a .tiktoken, or the name of the encoding that has it: "
        + ", ".join(f"`{name}`" for name in ENCODINGS),
    )


def body_of(request: Request, model: type[AnyModel]) -> AnyModel:
    """The JSON body of a request as a `model`; answers 400, 415 or 422 if it does not match."""
    if request.mimetype != "application/json":
        refuse(415, "The body must be JSON: send it with the header Content-Type: application/json.")
    content = whole_body(request)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        _refuse(error)


def query_of(request: Request, model: type[AnyModel]) -> AnyModel:
    """The query parameters of a request as a `model`; answers 422 if they do not match or one is repeated."""
    repeated = [name for name, values in request.args.lists() if len(values) > 1]
    if repeated:
        refuse(422, "A parameter occurs twice in the address.", errors=[(repeated[0][:LONGEST_POINTER], "Repeated")])
    try:
        return model.model_validate(request.args.to_dict())
    except ValidationError as error:
        _refuse(error, "")


def whole_body(request: Request, *, keep: bool = False) -> bytes:
    """The body; answers 400 if it is shorter than `Content-Length`. With `keep`, Flask can parse it as a form later."""
    try:
        content = request.get_data(cache=keep)
    except OSError:
        refuse(400, "The body is incomplete.")
    if request.content_length is not None and len(content) < request.content_length:
        refuse(400, f"The body is incomplete: {len(content):,} of {request.content_length:,} bytes arrived.")
    return content


def most_bytes(request: Request) -> int:
    """The longest body of a request in bytes.

    It holds all texts, escaped in JSON, where one byte may take six (`\\u0001`); for an evaluation, a gold text with
    segmentations that are not escaped.
    """
    config = current_app.config
    limit: int = 6 * (2 * config["MAX_TEXT_BYTES"] + config["MAX_CORPUS_BYTES"]) + 1_000_000
    evaluation: int = 4 * config["MAX_GOLD_BYTES"]
    return max(limit, evaluation) if request.endpoint == "api.evaluate" else limit


def _refuse(error: ValidationError, root: str = "#/") -> NoReturn:
    details = error.errors(include_url=False, include_input=False)
    for one in details:
        if isinstance(problem := one.get("ctx", {}).get("error"), InputProblem):
            # 422 is for a body that the schema excludes.
            status = 409 if problem.status == 422 else problem.status
            raise replace(problem, field="/".join(map(_escaped, one["loc"])), status=status)
    if details[0]["type"] == "json_invalid":
        refuse(400, f"The body is not JSON: {details[0]['msg'].removeprefix('Invalid JSON: ')}.")
    places = [("/".join(map(_escaped, one["loc"])), sentence_of(one)) for one in details[:MOST_ERRORS]]
    summary = "; ".join(f"{place or 'the body'}: {message.removesuffix('.')}" for place, message in places[:3])
    refuse(
        422,
        f"The request is invalid. {summary}.",
        errors=[(f"{root}{place}", message) for place, message in places],
    )


def _escaped(step: int | str) -> str:
    """A step of a JSON pointer (RFC 6901)."""
    shown = str(step).replace("~", "~0").replace("/", "~1")[:LONGEST_POINTER]
    return shown.encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Operation:
    """One operation of the API.

    `errors` are its own error statuses, besides those that all operations share. `example` is a valid body, or valid
    parameters.
    """

    name: str
    method: Method
    path: str
    summary: str
    description: str
    answer: type
    status: int = 200
    body: type[Input] | None = None
    query: type[Query] = Query
    errors: tuple[int, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict)


blueprint = Blueprint("api", __name__, url_prefix=API)
OPERATIONS: list[Operation] = []
"""In the order of their declarations."""


def operation(method: Method, path: str, **declared: Any) -> Callable[[Callable[..., Response]], Any]:
    """Decorate a view to serve it at `path` of the API, in Flask's notation: `/vocabularies/<name>`.

    `declared` are further fields of `Operation`. The view receives `body` and `query` as validated models if it
    declares them. Its docstring is the documentation; the first line is the summary.
    """

    def register(view: Callable[..., Response]) -> Callable[..., Response]:
        summary, _, description = cleandoc(view.__doc__ or "").partition("\n")
        added = Operation(view.__name__, method, path, summary.rstrip("."), " ".join(description.split()), **declared)
        OPERATIONS.append(added)

        @wraps(view)
        def validate(**names: str) -> Response:
            parameters = query_of(request, added.query)
            models: dict[str, BaseModel] = {} if added.query is Query else {"query": parameters}
            if added.body is not None and added.body is not VocabularyUpload:
                models["body"] = body_of(request, added.body)
            return view(**names, **models)

        blueprint.add_url_rule(path, view.__name__, validate, methods=[method.upper()])
        return validate

    return register


@blueprint.before_request
def speak_english() -> None:
    """Answer in English, and allow longer bodies than forms have: JSON may escape the text."""
    g.language_key = "en"
    request.max_content_length = most_bytes(request)


@blueprint.errorhandler(StillFetchingError)
def wait_for_vocabulary(error: StillFetchingError) -> Response:
    """Answer 503 for a vocabulary that is being downloaded."""
    of = f" of {error.total:,}" if error.total else ""
    sentence = f"The site is downloading the vocabulary: {error.received:,}{of} bytes so far. Retry in 2 seconds."
    return problem(503, sentence, headers={"Retry-After": "2"})


@blueprint.errorhandler(UnavailableVocabularyError)
def refuse_vocabulary(error: UnavailableVocabularyError) -> Response:
    """Answer the status of the failure for a vocabulary that cannot be downloaded or read."""
    found = unavailable_problem(error)
    return problem(found.status, found.message, headers={"Retry-After": "60"})


@blueprint.errorhandler(InputProblem)
def refuse_input(found: InputProblem) -> Response:
    """Answer an error of the input with problem details that point to its field."""
    pointers = [(f"#/{found.field}", found.message)] if found.field else []
    return problem(found.status, found.message, errors=pointers)


def add_tool(tool: Tool[Any, Any], entry: ApiEntry) -> None:
    """Add the route of a tool, which takes the tool's input as JSON."""

    run = entry.run or tool.run
    body = entry.body if isinstance(entry.body, type) else body_model(tool.input, entry.body)

    def answer(body: Input) -> Response:
        try:
            if entry.run is not None:
                return json_response(entry.run(body))
            given = tool.input.model_construct(**dict(body), **entry.changes)
            return json_response(as_object(tool.answer(tool.attempt(given))))
        except InputProblem as problem:
            found = type(body).model_fields.get(problem.field)
            raise replace(problem, field=(found and found.alias) or problem.field) from None

    answer.__name__, answer.__doc__ = run.__name__, run.__doc__
    operation("post", entry.path, body=body, answer=entry.answer, errors=TOOL_ERRORS, example=entry.example)(answer)


UNSTORED = {
    503: "The site's storage cannot be reached at the moment, so nothing was stored.",
    507: "The site's storage is full, so nothing was stored. Everything else works.",
}


def refuse_to_store(found: InputProblem, field: str = "") -> NoReturn:
    """Refuse what cannot be stored; the sentences of pages about storage speak of a form."""
    message = UNSTORED.get(found.status, found.message)
    raise InputProblem(message, 409 if found.status == 422 else found.status, field) from found


def refuse_foreign() -> None:
    """Refuse a request that a page of another site made a browser send, before anything is stored."""
    if is_foreign(request):
        refuse(403, "The request came from a page of another site, so nothing was stored. Send it from a program.")


DAY_SECONDS = 86_400


def init_app(app: Flask) -> None:
    """Add CORS headers to every response under `/api/v1`, errors included."""

    @app.after_request
    def add_cors_headers(response: Response) -> Response:
        if not is_api(request):
            return response
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = "ETag, Location, Retry-After"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        if request.method == "OPTIONS" and response.status_code == HTTPStatus.OK:
            response.status_code = HTTPStatus.NO_CONTENT
            del response.headers["Content-Type"]
            response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
            response.headers["Access-Control-Allow-Headers"] = "Content-Type, If-None-Match"
            response.headers["Access-Control-Max-Age"] = str(DAY_SECONDS)
        return response
