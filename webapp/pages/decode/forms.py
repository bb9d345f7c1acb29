"""The form of `/decode`: ids as text, a vocabulary, and how to show them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _

from webapp.core.algorithms import DEFAULT
from webapp.pages.decode import messages
from webapp.tokenization import forms
from webapp.tokenization.decode_links import can_decode
from webapp.tokenization.forms import InputProblem, TooLongError, as_typed, within
from webapp.tokenization.ids import IdsError, ReadIds, read_ids
from webapp.tokenization.state import State
from webapp.tokenization.vocabulary_choices import is_choice
from webapp.vocabularies import default_for, find

DecodeView = Literal["joined", "apart"]


@dataclass(frozen=True)
class DecodeRequest:
    """Ids as they were typed, and choices, which are all valid; `page` is that of the table, from 1."""

    ids: str
    vocabulary: str = default_for(DEFAULT)
    skip: bool = False
    view: DecodeView = "joined"
    page: int = 1

    def query(self, **changes: Any) -> str:
        """The query string of the request with changes, without what is at its default."""
        changed = replace(self, **changes)
        pairs = [("vocabulary", changed.vocabulary), ("ids", changed.ids)]
        pairs += [("skip", "1")] if changed.skip else []
        pairs += [("view", changed.view)] if changed.view != "joined" else []
        pairs += [("page", str(changed.page))] if changed.page > 1 else []
        return urlencode(pairs, errors="replace")

    def state(self, text: str, *, special: bool) -> State:
        """The playground's state with a text and the same vocabulary."""
        entry = find(self.vocabulary)
        assert entry is not None
        return State(algorithm=entry.algorithms[0], vocabulary=entry.name, text=text, special=special)


def read(request: Request, example: DecodeRequest) -> tuple[DecodeRequest, ReadIds, list[InputProblem]]:
    """The request, its ids and its problems; `example` if it has no ids at all."""
    values = request.form if request.method == "POST" else request.args
    if "ids" not in values:
        asked = replace(example, vocabulary=values["vocabulary"], ids="") if "vocabulary" in values else example
    else:
        asked = replace(example, vocabulary=values.get("vocabulary", default_for(DEFAULT)), ids=as_typed(values["ids"]))
    view: DecodeView = "apart" if values.get("view") == "apart" else "joined"
    asked = replace(asked, skip=values.get("skip") == "1", view=view)
    problems = []
    if not is_choice(asked.vocabulary):
        name = asked.vocabulary[:40]
        message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=name)
        problems.append(InputProblem(message, 404, "vocabulary"))
        asked = replace(asked, vocabulary=default_for(DEFAULT))
    page = values.get("page", "") or "1"
    if page.isascii() and page.isdecimal() and len(page) <= 7 and int(page) > 0:
        asked = replace(asked, page=int(page))
    else:
        problems.append(InputProblem(_("“%(value)s” is not the number of a page.", value=page[:40]), 404))
    try:
        within(asked.ids, current_app.config["MAX_TEXT_BYTES"], _("The list of ids"))
        return asked, read_ids(asked.ids), problems
    except TooLongError as error:
        problems.append(InputProblem(str(error), 413, "ids"))
    except IdsError as error:
        problems.append(messages.ids_problem(error))
    return asked, ReadIds(asked.ids, (), ()), problems


def chosen_or_default(vocabulary: str) -> str:
    """The vocabulary if the page offers it, or else the default."""
    return vocabulary if is_choice(vocabulary) else default_for(DEFAULT)


def wants_encoding(request: Request) -> bool:
    """Whether the form is the playground's, with a text in place of ids."""
    return request.method == "POST" and "ids" not in request.form and "text" in request.form


def state_of(request: Request) -> tuple[State, list[InputProblem]]:
    """The state of the playground's form, and its problems; its vocabulary must not depend on the text."""
    state, problems = forms.read(request)
    problems = [problem for problem in problems if problem.field != "token"]
    if not problems and not can_decode(state):
        message = _("The ids of this vocabulary are those of one text. Choose a vocabulary that does not change.")
        problems.append(InputProblem(message, 422, "vocabulary"))
    return state, problems
