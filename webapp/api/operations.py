"""What the API can do: each operation is told once, and read, served and documented from that."""

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
    """One thing that can be asked. `errors` are the statuses that are its own, beside those of all."""

    name: str
    method: Method
    path: str
    summary: str
    description: str
    answer: type[BaseModel] | None
    status: int
    body: type[BaseModel] | None
    query: type[BaseModel]
    errors: tuple[int, ...]
    example: Mapping[str, Any]


class Operations:
    """The operations of a blueprint, in the order in which they are told."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.all: list[Operation] = []

    def add(
        self,
        method: Method,
        path: str,
        *,
        answer: type[BaseModel] | None,
        status: int = 200,
        body: type[BaseModel] | None = None,
        query: type[BaseModel] = NoQuery,
        errors: tuple[int, ...] = (),
        example: Mapping[str, Any] | None = None,
    ) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
        """Serve a view at a path of the blueprint (as Flask writes it, `/vocabularies/<name>`).

        The view is given `body` and `query` as their models, where it has them; its docstring is the documentation, the
        first line of it the summary. `example` is a body, or the parameters, that can be sent as it is.
        """

        def served(view: Callable[..., Response]) -> Callable[..., Response]:
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
            def read(**names: str) -> Response:
                found = query_of(request, query)
                given: dict[str, Any] = {} if query is NoQuery else {"query": found}
                if body is not None and body is not VocabularyUpload:
                    given["body"] = body_of(request, body)
                return view(**names, **given)

            self._blueprint.add_url_rule(path, view.__name__, read, methods=[method.upper()])
            return read

        return served
