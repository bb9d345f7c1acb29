"""The type of a field that names an algorithm; it accepts those that are registered at the time of the request."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from webapp.core.algorithms import ALGORITHMS


class _RegisteredId:
    """The id of an algorithm: validated and described like a `Literal` of all of them."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_registered)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"enum": list(ALGORITHMS), "type": "string"}


def _registered(value: object) -> str:
    if isinstance(value, str) and value in ALGORITHMS:
        return value
    *others, last = map(repr, ALGORITHMS)
    raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})


AlgorithmId = Annotated[str, _RegisteredId()]
