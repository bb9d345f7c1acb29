"""From a request to the model that it must match, or a problem that names the fields."""

from __future__ import annotations

from typing import NoReturn, TypeVar

from flask import Request, current_app
from pydantic import BaseModel, ValidationError

from webapp.web.problems import refuse

M = TypeVar("M", bound=BaseModel)

MOST_ERRORS = 20  # that are told
LONGEST_POINTER = 200


def body_of(request: Request, model: type[M]) -> M:
    """The body of a request, which must be JSON that matches `model`."""
    if request.mimetype != "application/json":
        refuse(415, "The body must be JSON: send it with the header Content-Type: application/json.")
    content = whole_body(request)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        _refuse(error)


def query_of(request: Request, model: type[M]) -> M:
    """The parameters of an address, each at most once."""
    repeated = [name for name, values in request.args.lists() if len(values) > 1]
    if repeated:
        refuse(422, "A parameter stands twice in the address.", errors=[(repeated[0][:LONGEST_POINTER], "Repeated")])
    try:
        return model.model_validate(request.args.to_dict())
    except ValidationError as error:
        _refuse(error, "")


def whole_body(request: Request, *, keep: bool = False) -> bytes:
    """The body, which must be as long as its header says; with `keep` it can be read as a form afterwards."""
    try:
        content = request.get_data(cache=keep)
    except OSError:
        refuse(400, "The body stopped half way.")
    if request.content_length is not None and len(content) < request.content_length:
        refuse(400, f"The body stopped half way: {len(content):,} of {request.content_length:,} bytes arrived.")
    return content


def most_bytes() -> int:
    """How long a body may be: all texts in JSON's escapes, which need six bytes for one in the worst case."""
    limit: int = 6 * (2 * current_app.config["MAX_TEXT_BYTES"] + current_app.config["MAX_CORPUS_BYTES"]) + 1_000_000
    return limit


def _refuse(error: ValidationError, root: str = "#/") -> NoReturn:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        refuse(400, f"The body is not JSON: {found[0]['msg'].removeprefix('Invalid JSON: ')}.")
    places = [
        ("/".join(map(_escaped, one["loc"])), one["msg"].removeprefix("Value error, ")) for one in found[:MOST_ERRORS]
    ]
    told = "; ".join(f"{place or 'the body'}: {message}" for place, message in places[:3])
    refuse(
        422,
        f"The request is not what is asked for here. {told}.",
        errors=[(f"{root}{place}", message) for place, message in places],
    )


def _escaped(step: int | str) -> str:
    """A step of a JSON pointer (RFC 6901)."""
    shown = str(step).replace("~", "~0").replace("/", "~1")[:LONGEST_POINTER]
    return shown.encode("utf-8", "replace").decode()
