"""Store the result of a form, or say why it cannot be stored and what the visitor can do instead."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from flask import Request, current_app, url_for
from flask_babel import gettext as _

from webapp.sharing.comparisons import share_comparison
from webapp.sharing.conversations import share_conversation
from webapp.sharing.results import LONGEST_NOTE, LONGEST_TITLE, ShareTerms, UnshareableError, end_of, share_result
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError
from webapp.tokenization import forms
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.comparison.forms import read as read_comparison
from webapp.tokenization.comparison.rows import compare_tokenizers
from webapp.tokenization.conversation.count import count
from webapp.tokenization.conversation.forms import read as read_conversation
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.messages import unavailable_problem, wrong_file
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError


def read_terms(request: Request) -> tuple[ShareTerms, list[InputProblem]]:
    """The title, the note and the last day in a request, and the problems with them."""
    form = request.form
    title, note = " ".join(form.get("title", "").split()), as_typed(form.get("note")).strip()
    problems = []
    limits = (("title", title, LONGEST_TITLE, _("The title")), ("note", note, LONGEST_NOTE, _("The note")))
    for field, text, limit, subject in limits:
        if len(text) > limit:
            values = {"subject": subject, "size": f"{len(text):,}", "limit": f"{limit:,}"}
            message = _("%(subject)s has %(size)s characters; the limit is %(limit)s.", **values)
            problems.append(InputProblem(message, 422, field))
    expires = None
    keep = form.get("keep", "forever")
    if keep == "until":
        with suppress(ValueError):
            expires = end_of(datetime.strptime(form.get("until", ""), "%Y-%m-%d").date())
    if expires is None and keep != "forever":
        message = _("Choose a day after today as the last day, or keep it forever.")
        problems.append(InputProblem(message, 422, "until"))
    return ShareTerms(title, note, expires), problems


def origin_of(request: Request) -> str:
    """The blueprint of the page that sent a form: `playground`, `compare` or `messages`."""
    if "content" in request.form or "messages" in request.form:
        return "messages"
    return "compare" if "with" in request.form else "playground"


def share_form(
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the form's result with its vocabulary, or return the problems that prevent it."""
    try:
        match origin_of(request):
            case "messages":
                return _share_conversation(request, terms, problems)
            case "compare":
                return _share_comparison(request, terms, problems)
        state, form_problems = forms.read(request)
        result, problems = tokenize_or_explain(
            state, [*(each for each in form_problems if each.field != "token"), *problems]
        )
        return (None, problems) if result is None else (share_result(result, terms), [])
    except StillFetchingError:
        message = _("The vocabulary is still being downloaded. Share again when the tokens appear.")
        return None, [InputProblem(message, 503)]
    except UnavailableVocabularyError as error:
        return None, [unavailable_problem(error)]
    except UnshareableError as error:
        message = _(
            "This result cannot be shared because its vocabulary cannot be stored: %(why)s.", why=wrong_file(error.why)
        )
        return None, [InputProblem(message)]
    except StorageFullError as error:
        return None, [InputProblem(_full(error), 507)]
    except RemovedSnapshotError:
        return None, [
            InputProblem(_("The site's operator has removed this result, so it cannot be shared again."), 410)
        ]


def _share_comparison(
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the comparison of a form, or return the problems that prevent it. Raises what `share_comparison` does."""
    comparison, form_problems = read_comparison(request)
    problems = [*form_problems, *problems]
    if problems:
        return None, problems
    compared = compare_tokenizers(comparison)
    for row in compared.rows:
        if row.pending:
            raise StillFetchingError(row.pending.entry, row.pending.received, row.pending.total)
        if row.problem:
            message = f"{row.number} {row.title}: {row.problem.message}"
            problems.append(InputProblem(message, row.problem.status, row.problem.field))
        if row.result:
            row.result.check_computable()
    if problems:
        sentence = _("A comparison can be shared only if every row has tokens. Remove the other rows, then share it.")
        return None, [*problems, InputProblem(sentence)]
    return share_comparison(comparison, compared, terms), []


def _share_conversation(
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the conversation of a form, or return the problems that prevent it.

    Raises StillFetchingError, and what `share_conversation` does.
    """
    given = read_conversation(request)
    problems = [*given.problems, *problems]
    if not given.state.messages and not problems:
        problems = [InputProblem(_("There are no messages yet. Add one, or paste a conversation."))]
    try:
        return (None, problems) if problems else (share_conversation(count(given.state), terms), [])
    except InputProblem as problem:
        return None, [problem]


def text_of(request: Request) -> str:
    """The text of a form, or the first message that is not empty, to identify what a link is for."""
    if origin_of(request) != "messages":
        return as_typed(request.form.get("text"))
    messages = read_conversation(request).state.messages
    return next((one.content for one in messages if one.content.strip()), "")


def address_of_state(request: Request) -> str | None:
    """The address that contains the whole state of a form; None if it would be too long for a link."""
    origin = origin_of(request)
    most = current_app.config["MAX_LINK_CHARACTERS"]
    match origin:
        case "messages":
            query = read_conversation(request).state.link(most)
        case "compare":
            query = read_comparison(request)[0].link(most)
        case _:
            query = forms.read(request)[0].link(most)
    return f"{url_for(f'{origin}.page', _external=True)}?{query}" if query else None


def _full(error: StorageFullError) -> str:
    """What is full, and what the visitor and the operator can do."""
    if error.what == "vocabularies":
        return _(
            "The result was not shared: this site has no storage left for vocabularies. Results with a vocabulary "
            "that ships with the site can still be shared; please tell the site's operator."
        )
    return _(
        "The result was not shared: this site has no storage left for shared results. Your text is still in the form: "
        "download the tokens instead, or share again when the site’s operator has made room."
    )
