"""`/compare` shows several tokenizers on one text.

`/compare/tokens.svg` and the like export the comparison; `/compare/choices` searches tokenizers by name.

Addresses (GET) and forms (POST) have the same fields. A plain form is redirected to its address if that is short
enough; htmx gets the parts of the page that change, and the address to show.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, Request, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import options_of
from webapp.tokenization.comparison import state as reading
from webapp.tokenization.comparison import views
from webapp.tokenization.comparison.state import (
    LEAST,
    MOST,
    Comparison,
    ComparisonResult,
    TokenizerChoice,
    compare_tokenizers,
)
from webapp.tokenization.exports import download
from webapp.tokenization.forms import InputProblem, moved
from webapp.tokenization.messages import refused
from webapp.tokenization.snapshots import SharingPage
from webapp.vocabularies import default_for, find, offered_algorithms
from webapp.vocabularies.library import is_here
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.titles import SAME_CORPUS
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.json_responses import json_response
from webapp.web.problems import problem
from webapp.web.templates import Context, render


@dataclass(frozen=True)
class Preset:
    """A named comparison: every algorithm of each of its vocabularies, or without any, one for each algorithm."""

    name: str
    title: LazyString
    vocabularies: tuple[str, ...] = ()

    @property
    def names(self) -> Iterable[str]:
        """Its vocabularies."""
        return self.vocabularies or dict.fromkeys(map(default_for, offered_algorithms()))

    @property
    def choices(self) -> tuple[TokenizerChoice, ...]:
        """The rows, at most `MOST`."""
        entries = [entry for name in self.names if (entry := find(name)) is not None]
        last = None if self.vocabularies else 1
        rows = [TokenizerChoice(algorithm, entry.name) for entry in entries for algorithm in entry.algorithms[:last]]
        return tuple(rows[:MOST])


PRESETS = (
    Preset("same", SAME_CORPUS, tuple(NAMES)),
    Preset("directions", _l("Ways to use a dictionary"), ("jieba",)),
    Preset("methods", _l("One of each kind")),
    Preset("learned", _l("Trained on this text"), ("learned-bytes", "learned-wordpiece", "learned-unigram")),
    Preset("gpt", _l("GPT-2, GPT-4, GPT-4o"), ("gpt2", "cl100k_base", "o200k_base")),
    Preset("open", _l("GPT-4 and Llama"), ("cl100k_base", "llama-2", "llama-3")),
    Preset("bert", _l("BERT and T5"), ("bert-base-uncased", "t5")),
)


def offered() -> list[Preset]:
    """The presets whose vocabularies are all here; the others could fail."""
    return [preset for preset in PRESETS if all((entry := find(name)) and is_here(entry) for name in preset.names)]


# The initial text: a long word, a rare one, a name and digits; and a sentence with two possible segmentations.
WELCOME = (
    "Unbelievably, no two tokenizers agree on antidisestablishmentarianism, Dostoyevsky or 31415926.\n"
    "研究生命科学的人研究生命的起源。"
)


def read(request: Request) -> tuple[Comparison, list[InputProblem]]:
    """The comparison of a request, after the button that was pressed, and its problems."""
    comparison, problems = reading.read(request, lambda choices: _changed(choices, request))
    if request.method == "GET" and "text" not in request.args:
        comparison = replace(comparison, common=replace(comparison.common, text=WELCOME))
    return comparison, problems


def _changed(choices: Sequence[TokenizerChoice], request: Request) -> Sequence[TokenizerChoice]:
    """The rows after the button that was pressed: `add`, `remove`, `up`, `down` or `preset`; raises InputProblem."""
    if request.method != "POST":
        return choices
    if "preset" in request.form:
        return next((preset.choices for preset in PRESETS if preset.name == request.form["preset"]), choices)
    if "add" in request.form:
        if len(choices) >= MOST:
            raise InputProblem(_("A comparison has at most six tokenizers. Remove one first."), 422)
        return [*choices, TokenizerChoice.parse(request.form["add"])]
    found = moved(request.form, choices)
    if len(found) < LEAST <= len(choices):
        raise InputProblem(_("A comparison has at least two tokenizers. Add another one first."), 422)
    return found


def uses(comparison: Comparison) -> set[str]:
    """The options that at least one row uses."""
    found = {"show"}
    for state in comparison.states:
        options = {option.name for option in options_of(state.algorithm)}
        options |= {choice.name for choice in state.choices}
        if state.trained:
            options |= {"size", "corpus"}
        if state.vocabulary == "own-dictionary":
            options.add("dictionary")
        if state.external:
            options = options - {"lowercase"} | {"special"}
        found |= options.union(state.inference_options)
    return found - {"inference"}


class ComparisonChoices(Context):
    """The tokenizers that match a search."""

    template = "compare/_choices.html"

    choosing: views.ComparisonPicker


class ComparePage(SharingPage):
    """The form, the rows, and the form that shares them."""

    template = "compare/page.html"

    form_id: str = "compare"
    view: views.ComparisonView
    choices: ComparisonChoices
    problems: Sequence[InputProblem]
    presets: Sequence[Preset]
    uses: Collection[str]  # the options that at least one row uses
    link: str | None  # the address with the whole state, or None if it would be too long
    ways_of: Callable[[TokenizerChoice], Sequence[tuple[str, str]]]  # how a vocabulary may be applied: id and title
    parameters: Sequence[tuple[str, str, str, str, str]]  # of inferences: field, label, least, most, value


class CompareAnswer(ComparePage):
    """The parts of the page that change, for htmx."""

    template = "compare/_answer.html"


blueprint = Blueprint("compare", __name__)


@blueprint.get("/compare")
def page() -> BaseResponse:
    """The form and the tokens of its text."""
    comparison, problems = read(request)
    if request.args.get("format") == "json":
        return _as_json(comparison, problems)
    link = _link(comparison)
    if "algorithm" in request.args and "with" not in request.args and link and not problems:
        return redirect(link)  # from the playground: redirect to the address that names the rows
    return _answer(comparison, problems)


@blueprint.post("/compare")
def submit() -> BaseResponse:
    """The form: redirected to its own address if it has one, else rendered here."""
    return _answer(*read(request))


@blueprint.get("/compare/choices")
def choices() -> Response:
    """The tokenizers that match the search: the part of the page that htmx swaps."""
    comparison, _problems = read(request)
    return private(make_response(render(ComparisonChoices(choosing=_choosing(comparison)))))


@blueprint.route("/compare/tokens.<kind>", methods=["GET", "POST"])
def files(kind: str) -> BaseResponse:
    """The comparison as a file: a picture, text or JSON."""
    comparison, problems = read(request)
    if kind == "json":
        return _as_json(comparison, problems)
    if kind not in views.WRITERS:
        abort(404)
    compared = ComparisonResult(comparison.text, []) if problems else compare_tokenizers(comparison)
    if problems or not compared.shown:
        return _answer(comparison, problems)
    return download(views.WRITERS[kind], views.ComparisonView(comparison, compared), f"comparison.{kind}")


def _answer(comparison: Comparison, problems: Sequence[InputProblem]) -> BaseResponse:
    link = _link(comparison)
    partial = wants_partial()
    if request.method == "POST" and not partial and not problems and link and "search" not in request.form:
        return redirect(link, 303)
    # A text that is too long is not tokenized; too many or too few rows are shown all the same.
    refused = any(one.field not in ("", "file") for one in problems)
    compared = ComparisonResult(comparison.text, []) if refused else compare_tokenizers(comparison)
    context = (CompareAnswer if partial else ComparePage)(
        view=views.ComparisonView(comparison, compared, url_for("compare.page"), shareable=True),
        choices=ComparisonChoices(choosing=_choosing(comparison)),
        problems=problems,
        presets=offered(),
        uses=uses(comparison),
        link=link,
        ways_of=views.ways_of,
        parameters=views.parameter_fields(comparison.common),
    )
    response = make_response(render(context), max((one.status for one in problems), default=compared.status))
    return swappable(response, link or f"{url_for('compare.page')}?{comparison.query_without_texts()}")


def _as_json(comparison: Comparison, problems: Sequence[InputProblem]) -> Response:
    """The comparison as JSON."""
    if problems:
        return refused(problems)
    compared = compare_tokenizers(comparison)
    if compared.pending:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    response = json_response(views.comparison_json(comparison, compared), compared.status)
    return private(response)


def _choosing(comparison: Comparison) -> views.ComparisonPicker:
    query = request.values.get("find", "").strip()[: views.LONGEST_QUERY]
    return views.ComparisonPicker(uploads_of(request), comparison.choices, query)


def _link(comparison: Comparison) -> str | None:
    """The address that holds the whole state, or None where it would be too long."""
    query = comparison.link(current_app.config["MAX_LINK_CHARACTERS"])
    return None if query is None else f"{url_for('compare.page')}?{query}"
