"""Registers API operations: one declaration validates requests, adds the route and documents the operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import cleandoc
from typing import Any

from flask import Blueprint, Response, request
from pydantic import BaseModel

from webapp.api.schemas.requests import Method, NoQuery, VocabularyUpload
from webapp.api.validation import body_of, query_of


@dataclass(frozen=True)
class Operation:
    """One operation of the API. `errors` are its own error statuses, besides those that all operations share."""

    name: str
    method: Method
    path: str
    summary: str
    description: str
    answer: type | None
    status: int
    body: type[BaseModel] | None
    query: type[BaseModel]
    errors: tuple[int, ...]
    example: Mapping[str, Any]


class Operations:
    """The operations of a blueprint, in the order of their declarations."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.all: list[Operation] = []

    def add(
        self,
        method: Method,
        path: str,
        *,
        answer: type | None,
        status: int = 200,
        body: type[BaseModel] | None = None,
        query: type[BaseModel] = NoQuery,
        errors: tuple[int, ...] = (),
        example: Mapping[str, Any] | None = None,
    ) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
        """Decorate a view to serve it at `path` of the blueprint, in Flask's notation: `/vocabularies/<name>`.

        The view receives `body` and `query` as validated models if it declares them. Its docstring is the
        documentation; the first line is the summary. `example` is a valid body, or valid parameters.
        """

        def register(view: Callable[..., Response]) -> Callable[..., Response]:
            summary, _, description = cleandoc(view.__doc__ or "").partition("\n")
            operation = Operation(
                view.__name__,
                method,
                path,
                summary.rstrip("."),
                " ".join(description.split()),
                answer,
                status,
                body,
                query,
                errors,
                example or {},
            )
            self.all.append(operation)

            @wraps(view)
            def validate(**names: str) -> Response:
                parameters = query_of(request, query)
                models: dict[str, Any] = {} if query is NoQuery else {"query": parameters}
                if body is not None and body is not VocabularyUpload:
                    models["body"] = body_of(request, body)
                return view(**names, **models)

            self._blueprint.add_url_rule(path, view.__name__, validate, methods=[method.upper()])
            return validate

        return register
