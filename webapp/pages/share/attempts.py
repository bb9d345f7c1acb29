"""Store the result of a form, or say why it cannot be stored and what the visitor can do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Request
from flask_babel import gettext as _

from webapp.storage import ShareReceipt
from webapp.tokenization import forms
from webapp.tokenization.comparison import state as comparisons
from webapp.tokenization.conversation import state as conversations
from webapp.tokenization.conversation.state import ConversationState
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import still_fetching_problem, tokenize_or_explain, unavailable_problem
from webapp.tokenization.sharing.comparisons import share_comparison
from webapp.tokenization.sharing.conversations import share_conversation
from webapp.tokenization.sharing.results import share_result
from webapp.tokenization.sharing.snapshots import ShareTerms
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError


def origin_of(request: Request) -> str:
    """The blueprint of the page that sent a form: `playground`, `compare` or `messages`."""
    if "content" in request.form or "messages" in request.form:
        return "messages"
    return "compare" if "with" in request.form else "playground"


def share_form(
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the form's result with its vocabulary, or return the problems that prevent it."""
    read, share = ORIGINS[origin_of(request)]
    given, found = read(request)
    problems = [*found, *problems]
    try:
        return (None, problems) if problems else (share(given, terms), [])
    except InputProblem as problem:
        return None, [problem]
    except StillFetchingError:
        return None, [still_fetching_problem()]
    except UnavailableVocabularyError as error:
        return None, [unavailable_problem(error)]


def _read_result(request: Request) -> tuple[State, list[InputProblem]]:
    state, problems = forms.read(request)
    return state, [each for each in problems if each.field != "token"]


def _share_result(state: State, terms: ShareTerms) -> ShareReceipt:
    return share_result(tokenize_or_explain(state), terms)


def _read_conversation(request: Request) -> tuple[ConversationState, list[InputProblem]]:
    given = conversations.read(request)
    if not given.state.messages and not given.problems:
        return given.state, [InputProblem(_("There are no messages yet. Add one, or paste a conversation."))]
    return given.state, given.problems


ORIGINS: dict[str, tuple[Callable[[Request], Any], Callable[[Any, ShareTerms], ShareReceipt]]] = {
    "playground": (_read_result, _share_result),
    "compare": (comparisons.read, share_comparison),
    "messages": (_read_conversation, share_conversation),
}
"""How the form of each page is read, and how its result is stored; the latter raises InputProblem."""
