"""Routes of the steps: `/steps` lists the algorithms, `/steps/ALGORITHM` shows one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from flask import Blueprint, abort, redirect, request
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.core.algorithms import ALGORITHMS, family_of
from webapp.core.reference import inference as inferences
from webapp.core.reference import longest_first
from webapp.pages.steps import forms
from webapp.pages.steps.forms import DictionaryWords, StepsRequest
from webapp.pages.steps.merging_messages import quoted_piece
from webapp.pages.steps.overview import LESSONS, OverviewLine, overview_lines
from webapp.pages.steps.walkthroughs import walkthrough_of
from webapp.pages.walkthrough.cells import direction
from webapp.pages.walkthrough.engine import (
    NoStepsError,
    PictureKind,
    ShownStep,
    Walkthrough,
    WalkthroughContext,
    all_steps_json,
    download,
    emphasized,
    picture_file,
    wanted_picture,
    wants_json,
)
from webapp.pages.walkthrough.engine import page as html_response
from webapp.rendering.delimited import as_csv
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.serializers.json import json_response, well_formed
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import MOST
from webapp.tokenization.messages import ChoiceField
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry, StillFetchingError, default_for, find, title_of
from webapp.web.htmx import private, wants_partial
from webapp.web.localization import number
from webapp.web.problems import problem as problem_response
from webapp.web.templates import Page, render

blueprint = Blueprint("steps", __name__)
blueprint.add_app_template_filter(direction)


@blueprint.get("/steps")
def index() -> Response:
    """List the algorithms, with example texts for each."""
    return html_response(render(OverviewPage(lines=overview_lines(), most=MOST)))


@blueprint.get("/steps/<algorithm>")
def page(algorithm: str) -> Response:
    """Show one step of an algorithm on the text in the URL."""
    return _respond(algorithm)


@blueprint.post("/steps/<algorithm>")
def submit(algorithm: str) -> Response:
    """Redirect the form to its URL, unless it has problems."""
    return _respond(algorithm)


def _respond(algorithm: str) -> Response:
    if algorithm not in ALGORITHMS:
        abort(404)
    asked, problems = forms.read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(asked.address(asked.step), 303)
    pending, frame, result = None, None, None
    offers: list[tuple[str, str]] = []
    if asked.state.text or problems:
        try:
            result, problems = tokenize_or_explain(asked.state, problems)
            if result is not None:
                frame = _frame(asked, result)
        except StillFetchingError as waiting:
            pending = waiting
        except NoStepsError as error:
            problems = [InputProblem(error.message, error.status)]
            offers = _offer_default_vocabulary(asked) if error.instead else _offer_without_options(asked)
        except _NoSuchStepError as error:
            problems = [InputProblem(error.message, 404, "step")]
            offers = [
                (_("Go to the first step"), asked.address(0)),
                (_("Go to the last step"), asked.address(error.last)),
            ]
    if not offers and any(one.field in ("step", "token") for one in problems):
        offers = [(_("Go to the first step"), asked.address(0))]
    shortened = asked  # links to other pages do not repeat a text that is too long
    if any(one.field == "text" for one in problems):
        shortened = asked.with_text(forms.first_sentence(asked.state.text))
        offers = [(_("Show the steps of its first sentence"), shortened.address())]
    if any((one.field, one.status) == ("vocabulary", 422) for one in problems):
        offers = _offer_fitting(asked)
    status = max((one.status for one in problems), default=202 if pending else 200)
    if wants_json():
        return _json(asked, frame, problems)
    if kind := wanted_picture():
        return _picture(asked, frame, kind, problems)
    if frame is not None and request.args.get("format") == "csv" and (rows := frame.walkthrough.rows):
        return download(as_csv(rows()), "text/csv", f"{asked.state.algorithm}-steps.csv")
    if frame is not None and request.args.get("format") == "table":
        return html_response(render(_all_steps(asked, frame)), status)
    step_shown = StepContext(
        asked=asked,
        state=asked.state,
        frame=frame,
        problems=problems,
        offers=offers,
        pending=pending,
        again=request.script_root + request.full_path,
        default_for=default_for,
    )
    body = render(step_shown if wants_partial() else _page_context(asked, shortened, step_shown, result))
    return html_response(body, status, link=asked.address(frame.step) if frame else "")


def _all_steps(asked: StepsRequest, frame: ShownStep) -> AllStepsPage:
    entry = find(asked.state.vocabulary)
    return AllStepsPage(
        asked=asked,
        algorithm_name=algorithm_names()[asked.state.algorithm],
        vocabulary_title=title_of(entry) if entry else "",
        sentences=[
            (step, emphasized(frame.walkthrough.at(step).sentence)) for step in range(frame.first, frame.last + 1)
        ],
    )


def _page_context(
    asked: StepsRequest, shortened: StepsRequest, step_shown: StepContext, result: Result | None
) -> StepsPage:
    entry, default = find(asked.state.vocabulary), find(default_for(asked.state.algorithm))
    return StepsPage(
        step_shown=step_shown,
        shortened=shortened,
        algorithm_names=algorithm_names(),
        algorithms=[name for name, each in ALGORITHMS.items() if each.tracer is not None],
        family_of=family_of,
        choices=forms.choices(request, asked.state),
        checkboxes=forms.checkboxes(asked.state),
        choice_fields=forms.fields_with_values(asked.state),
        hidden_fields=[*forms.hidden_fields(asked.state), *asked.options.items()],
        max_characters=MOST,
        listing=_listing(asked),
        vocabulary_title=title_of(entry) if entry else "",
        default_title=title_of(default) if default else "",
        dictionary=forms.dictionary_words(result) if result is not None else None,
        sentences=(sentences := forms.own_sentences(asked.state)),
        counting=forms.counting_address(asked.state) if sentences is not None else "",
        lesson=LESSONS.get(asked.state.algorithm, ""),
    )


def _listing(asked: StepsRequest) -> SourceListing | None:
    """The reference algorithm of the steps, or None if there is no textbook version."""
    functions = (longest_first.encode,) if "longest" in asked.options else ALGORITHMS[asked.state.algorithm].reference
    inference = asked.state.relevant().inference
    if inference in ("longest", "fewest", "dropout", "sample"):
        functions = (getattr(inferences, inference),)
    return source_listing(*functions) if functions else None


class _NoSuchStepError(Exception):
    """A step or token that does not exist; `last` is the last step."""

    def __init__(self, message: str, last: int) -> None:
        super().__init__(message)
        self.message = message
        self.last = last


def _frame(asked: StepsRequest, result: Result) -> ShownStep:
    walkthrough = walkthrough_of(result, asked.options)
    last = len(walkthrough) - 1
    if asked.token is not None and asked.token >= len(walkthrough.ids):
        message = _(
            "There is no token %(index)s: the text has %(count)s, counted from 0.",
            index=number(asked.token),
            count=number(len(walkthrough.ids)),
        )
        raise _NoSuchStepError(message, last)
    # Step 0, the preparation, is below the steps; addresses with it show the first step.
    step = max(1, walkthrough.step_of(asked.token) if asked.token is not None else asked.step or 1)
    if step > last:
        message = _(
            "There is no step %(step)s: this text has steps 1 to %(last)s.", step=number(step), last=number(last)
        )
        raise _NoSuchStepError(message, last)
    return ShownStep(walkthrough, step, asked.address, _token_sentence(asked, walkthrough, result))


def _token_sentence(asked: StepsRequest, walkthrough: Walkthrough, result: Result) -> str:
    """The sentence that names the requested token; empty if longest piece first has a different token there."""
    if asked.token is None or walkthrough.ids[asked.token] not in result.encoding.ids[asked.token : asked.token + 1]:
        return ""
    shown = quoted_piece(result.encoding.piece(asked.token))
    return _("This step decides the token %(piece)s, id %(id)s.", piece=shown, id=walkthrough.ids[asked.token])


def _offer_default_vocabulary(asked: StepsRequest) -> list[tuple[str, str]]:
    """A link to the same text with the algorithm's shipped vocabulary."""
    name = default_for(asked.state.algorithm)
    if not name or name == asked.state.vocabulary:
        return []
    other = asked.with_algorithm(asked.state.algorithm, name)
    return [(_("Use the vocabulary that ships with this site"), other.address())]


def _offer_fitting(asked: StepsRequest) -> list[tuple[str, str]]:
    """Links to the same text with the vocabulary's own algorithm, and with the algorithm's shipped vocabulary."""
    ships = (_("Use the vocabulary that ships with this site"), asked.address())
    entry = forms.other_algorithm(request, asked.state.algorithm)
    if entry is None or ALGORITHMS[entry.algorithms[0]].tracer is None:
        return [ships]
    own = asked.with_algorithm(entry.algorithms[0], entry.name)
    return [(_("Use %(name)s instead", name=algorithm_names()[own.state.algorithm]), own.address()), ships]


def _offer_without_options(asked: StepsRequest) -> list[tuple[str, str]]:
    """A link without the options in the address, one of which is invalid; the form would send them again."""
    return [(_("Go to the first step"), asked.address(0, **dict.fromkeys(asked.options)))] if asked.options else []


def _picture(
    asked: StepsRequest, frame: ShownStep | None, kind: PictureKind, problems: Sequence[InputProblem]
) -> Response:
    """The picture of a step as a file."""
    figure = frame.picture if frame is not None else None
    if frame is None or figure is None:
        status = max((one.status for one in problems), default=404)
        message = " ".join(one.message for one in problems) or _("This step has no picture.")
        return problem_response(status, message)
    return picture_file(figure, kind, f"{asked.state.algorithm}-{figure.name}-step-{frame.step}")


def _json(asked: StepsRequest, frame: ShownStep | None, problems: Sequence[InputProblem]) -> Response:
    if frame is None:
        if not problems and not asked.state.text:
            return private(json_response({"steps": [], "ids": []}))
        if not problems:
            return problem_response(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
        return problem_response(max(one.status for one in problems), " ".join(one.message for one in problems))
    about: dict[str, Any] = asdict(asked.state.relevant())
    for name in ("token", "show", "inference", "dropout", "alpha", "seed"):
        del about[name]
    about |= asked.state.inference_options
    return all_steps_json(frame.walkthrough, {**about, "text": well_formed(asked.state.text), **asked.options})


@dataclass(frozen=True, kw_only=True)
class OverviewPage(Page):
    """The algorithms, with example texts."""

    template = "steps/index.html"

    lines: Sequence[OverviewLine]
    most: int  # characters of a text


@dataclass(frozen=True, kw_only=True)
class StepContext(WalkthroughContext):
    """One step of an algorithm, for htmx."""

    chosen_templates = (
        "steps/_inference.html",
        "steps/_lattice.html",
        "steps/_matching.html",
        "steps/_merging.html",
        "steps/_ngram.html",
        "steps/_word_graph.html",
        "steps/_wordpiece.html",
    )

    asked: StepsRequest
    state: State
    default_for: Callable[[str], str]  # an algorithm's default vocabulary


@dataclass(frozen=True, kw_only=True)
class StepsPage(Page):
    """The form and a step."""

    template = "steps/page.html"

    step_shown: StepContext
    shortened: StepsRequest  # for links to other pages: a text that is too long is shortened
    algorithm_names: Mapping[str, str]
    algorithms: Sequence[str]
    family_of: Callable[[str], str | None]
    choices: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    checkboxes: Sequence[tuple[str, bool, str]]  # field, whether it is ticked, label
    choice_fields: Sequence[ChoiceField]  # options with several values
    hidden_fields: Sequence[tuple[str, str]]
    max_characters: int  # of a text
    listing: SourceListing | None  # the reference algorithm
    vocabulary_title: str
    default_title: str  # of the algorithm's default vocabulary
    dictionary: DictionaryWords | None  # of FMM and BMM
    sentences: str | None  # those whose words an n-gram model counts; None for other vocabularies
    counting: str  # the address of their counting, empty if there are none
    lesson: str  # the name of the lesson about the algorithm, empty if there is none


@dataclass(frozen=True, kw_only=True)
class AllStepsPage(Page):
    """All steps as a table."""

    template = "steps/table.html"

    asked: StepsRequest
    algorithm_name: str
    vocabulary_title: str
    sentences: Sequence[tuple[int, Markup]]  # the number and the sentence of each step
