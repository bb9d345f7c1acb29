"""Validates requests against their models; the problem for an invalid one names its fields."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn, TypeVar

from flask import Request, current_app
from pydantic import BaseModel, ValidationError

from webapp.tokenization.forms import InputProblem
from webapp.web.problems import refuse

M = TypeVar("M", bound=BaseModel)

MOST_ERRORS = 20  # that a problem lists
LONGEST_POINTER = 200


def body_of(request: Request, model: type[M]) -> M:
    """The JSON body of a request as a `model`; answers 400, 415 or 422 if it does not match."""
    if request.mimetype != "application/json":
        refuse(415, "The body must be JSON: send it with the header Content-Type: application/json.")
    content = whole_body(request)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        _refuse(error)


def query_of(request: Request, model: type[M]) -> M:
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
    places = [
        ("/".join(map(_escaped, one["loc"])), one["msg"].removeprefix("Value error, ")) for one in details[:MOST_ERRORS]
    ]
    summary = "; ".join(f"{place or 'the body'}: {message}" for place, message in places[:3])
    refuse(
        422,
        f"The request is invalid. {summary}.",
        errors=[(f"{root}{place}", message) for place, message in places],
    )


def _escaped(step: int | str) -> str:
    """A step of a JSON pointer (RFC 6901)."""
    shown = str(step).replace("~", "~0").replace("/", "~1")[:LONGEST_POINTER]
    return shown.encode("utf-8", "replace").decode()
