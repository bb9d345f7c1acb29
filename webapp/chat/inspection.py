"""What a template reads and how it is written, as the sandboxed process finds it in the source."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from webapp.chat.sandbox import RENDERER
from webapp.chat.templates import SPECIAL_TOKENS

# What a template gets anyway.
_GIVEN = {"messages", "tools", "add_generation_prompt", *SPECIAL_TOKENS}
MOST_VARIABLES = 64


@dataclass(frozen=True)
class Inspection:
    """The source of a template, as far as it is seen without rendering.

    `reads` are the variables besides those that every template gets, `takes_parts` says whether it goes through the
    parts of a content, `uses` has its filters, tests, methods and statements, such as `filter tojson`. `broken` says
    that the source is no template.
    """

    reads: tuple[str, ...] = ()
    takes_parts: bool = False
    uses: frozenset[str] = frozenset()
    broken: bool = False


def inspected(source: str) -> Inspection:
    """Inspect a template; one that is not Jinja has nothing."""
    try:
        found = _answer(source)
    except LookupError:
        return Inspection(broken=True)
    reads = [name for name in found["reads"] if name not in _GIVEN and len(name) <= MOST_VARIABLES]
    return Inspection(tuple(reads[:MOST_VARIABLES]), found["iterates"] is True, frozenset(found["uses"]))


@lru_cache(maxsize=64)
def _answer(source: str) -> Mapping[str, Any]:
    """The process's answer; raises LookupError for a failure, which a busy machine may cause and is not cached."""
    found = RENDERER.answer({"inspect": source})[0]
    return {name: found[name] for name in ("reads", "iterates", "uses")}
