"""What the address of `/vocabularies/diff` asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import Request
from flask_babel import gettext as _

from webapp.core.analysis.portrait import KINDS
from webapp.core.analysis.vocabulary_difference import GROUPS, Group
from webapp.rendering.markup import visible
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.vocabulary_choices import is_choice
from webapp.web.localization import number

LONGEST_QUERY = 100  # characters
LONGEST_NAME = 40  # characters of an unknown name that a message repeats


@dataclass(frozen=True)
class DifferenceRequest:
    """Two vocabularies by name, the group of pieces to show, a search in it, and the page of its results.

    `script` is a kind of `webapp.core.analysis.portrait`, to which the group is limited; all if empty.
    """

    a: str = ""
    b: str = ""
    show: Group = "a"
    query: str = ""
    page: str = ""
    script: str = ""

    def address(self, **changes: Any) -> str:
        """The query of the address, without what is at its default.

        >>> DifferenceRequest("gpt2", "unigram", query="un").address(show="b")
        'a=gpt2&b=unigram&show=b&query=un'
        """
        changed = replace(self, **changes)
        parts = {
            "a": changed.a,
            "b": changed.b,
            "show": "" if changed.show == GROUPS[0] else changed.show,
            "script": changed.script,
            "query": changed.query,
            "page": "" if changed.page == "1" else changed.page,
        }
        return urlencode({name: value for name, value in parts.items() if value})


def read(request: Request) -> tuple[DifferenceRequest, list[InputProblem]]:
    """The request, and what is wrong with it."""
    args = request.args
    show = next((group for group in GROUPS if group == args.get("show")), GROUPS[0])
    a, b, query = args.get("a", ""), args.get("b", ""), args.get("query", "")
    asked = DifferenceRequest(a, b, show, query, args.get("page", ""), args.get("script", ""))
    problems = [_unknown(field, name) for field, name in (("a", a), ("b", b)) if name and not is_choice(name)]
    if asked.script and asked.script not in KINDS:
        problems.append(InputProblem(_("There is no such script. Choose one from the list."), 422, "script"))
        asked = replace(asked, script="")
    if len(query) > LONGEST_QUERY:
        message = _(
            "Search for at most %(limit)s characters; these are %(count)s.",
            limit=number(LONGEST_QUERY),
            count=number(len(query)),
        )
        problems.append(InputProblem(message, 422, "query"))
    return asked, problems


def _unknown(field: str, name: str) -> InputProblem:
    shown = visible(name)
    shown = shown if len(shown) <= LONGEST_NAME else f"{shown[:LONGEST_NAME]}…"
    message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=shown)
    return InputProblem(message, 422, field)
