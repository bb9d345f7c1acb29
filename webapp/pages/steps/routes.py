"""Routes of the steps: `/steps` lists the algorithms, `/steps/ALGORITHM` shows one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flask import Blueprint, abort, redirect, request
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.core.algorithms import ALGORITHMS, family_of
from webapp.core.reference import inference as inferences
from webapp.pages.steps import hmm, race, requests
from webapp.pages.steps.maximum_probability import shown_sum
from webapp.pages.steps.requests import LESSONS, USUAL_BEST, OverviewLine, StepsRequest, overview_lines, walkthrough_of
from webapp.pages.steps.tagger import shown_value
from webapp.pages.walkthrough import engine
from webapp.pages.walkthrough.cells import direction, format_log_probability, percentage, quotable, quoted
from webapp.pages.walkthrough.lattice_drawing import shown_text
from webapp.pages.walkthrough.merge_tree import rank_or_score
from webapp.rendering.delimited import as_csv
from webapp.rendering.markup import shown_piece
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.tokenization.algorithms import ChoiceField, algorithm_names, in_groups
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import MOST
from webapp.tokenization.result import Result, tokenize_or_explain
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry, StillFetchingError, default_for, find, title_of
from webapp.web.htmx import private, wants_partial
from webapp.web.json_responses import json_response, well_formed
from webapp.web.localization import number
from webapp.web.problems import problem as problem_response
from webapp.web.security import framed
from webapp.web.templates import Page, render

blueprint = Blueprint("steps", __name__)
blueprint.register_blueprint(race.blueprint)
for template_filter in (direction, percentage, quotable, quoted, rank_or_score):
    blueprint.add_app_template_filter(template_filter)
blueprint.add_app_template_filter(format_log_probability, "log_probability")
blueprint.add_app_template_filter(shown_piece, "piece")
blueprint.add_app_template_filter(shown_text, "shown")
blueprint.add_app_template_filter(shown_sum, "state_sum")
blueprint.add_app_template_filter(hmm.shown_probability, "probability")
blueprint.add_app_template_global(shown_value, "feature_value")
blueprint.add_app_template_global(hmm.HMMRequest().address, "textbook_hmm")


@blueprint.get("/steps")
def index() -> Response:
    """List the algorithms, with example texts for each."""
    return engine.page(render(OverviewPage(lines=overview_lines(), most=MOST)))


@blueprint.route("/steps/<algorithm>", methods=["GET", "POST"])
def page(algorithm: str) -> Response:
    """Show one step of an algorithm on the text in the URL; redirect the form to its URL, unless it has problems."""
    if algorithm == "hmm" and "observed" in request.args:
        return hmm.page()
    if algorithm == "hmm":
        return redirect(requests.hmm_request().address(requests.hmm_request().step))
    if algorithm not in ALGORITHMS:
        abort(404)
    wanted, problems = requests.read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(wanted.address(wanted.step), 303)
    pending, frame, result = None, None, None
    if wanted.state.text and not problems:
        try:
            result = tokenize_or_explain(wanted.state)
            frame = _frame(wanted, result)
        except StillFetchingError as waiting:
            pending = waiting
        except InputProblem as problem:
            problems = [problem]
    status = max((one.status for one in problems), default=202 if pending else 200)
    if engine.wants_json() or engine.wanted_picture():
        return _data(wanted, frame, problems)
    if frame is not None and request.args.get("format") == "csv" and (rows := frame.walkthrough.rows):
        return engine.download(as_csv(rows()), "text/csv", f"{algorithm}-steps.csv")
    if frame is not None and request.args.get("format") == "table":
        return engine.page(render(_all_steps(wanted, frame)), status)
    # Links to other pages do not repeat a text that is too long.
    too_long = any(one.field == "text" for one in problems)
    shortened = wanted.first_step(text=requests.first_sentence(wanted.state.text)) if too_long else wanted
    step_shown = StepContext(
        wanted=wanted,
        state=wanted.state,
        frame=frame,
        problems=problems,
        offers=[offer for one in problems for offer in _offers(wanted, shortened, one)],
        pending=pending,
        again=request.script_root + request.full_path,
        default_for=default_for,
    )
    body = render(step_shown if wants_partial() else _page_context(wanted, shortened, step_shown))
    return engine.page(body, status, link=wanted.address(frame.step) if frame else "")


@blueprint.get("/steps/<algorithm>/embed")
@framed
def embed(algorithm: str) -> Response:
    """Show the steps alone, in a frame of another site."""
    return page(algorithm)


def _offers(wanted: StepsRequest, shortened: StepsRequest, problem: InputProblem) -> list[tuple[str, str]]:
    """Links that solve a problem; the form would send the same again."""
    algorithm = wanted.state.algorithm
    if problem.field in ("step", "token", "n"):
        return [(_("Go to the first step"), wanted.address())]
    if problem.field == "text":
        return [(_("Show the steps of its first sentence"), shortened.address())]
    ships = wanted.first_step(vocabulary=default_for(algorithm))
    offers = [(_("Use the vocabulary that ships with this site"), ships.address())]
    if problem.field == "algorithm":
        return offers
    if (problem.field, problem.status) != ("vocabulary", 422):
        return []
    entry = requests.other_algorithm(request, algorithm)
    if entry is not None and ALGORITHMS[entry.algorithms[0]].has_steps:
        own = wanted.first_step(algorithm=entry.algorithms[0], vocabulary=entry.name)
        offers.insert(0, (_("Use %(name)s instead", name=algorithm_names()[entry.algorithms[0]]), own.address()))
    return offers


def _all_steps(wanted: StepsRequest, frame: engine.ShownStep) -> AllStepsPage:
    steps = range(frame.first, frame.last + 1)
    return AllStepsPage(
        wanted=wanted,
        algorithm_name=algorithm_names()[wanted.state.algorithm],
        vocabulary_title=_title(wanted.state.vocabulary),
        sentences=[(step, engine.emphasized(frame.walkthrough.at(step).sentence)) for step in steps],
    )


def _title(vocabulary: str) -> str:
    entry = find(vocabulary)
    return title_of(entry) if entry else ""


def _page_context(wanted: StepsRequest, shortened: StepsRequest, step_shown: StepContext) -> StepsPage:
    state = wanted.state
    return StepsPage(
        step_shown=step_shown,
        shortened=shortened,
        algorithm_names=algorithm_names(),
        groups=in_groups(requests.with_steps()),
        family_of=family_of,
        choices=requests.choices(request, state),
        checkboxes=requests.checkboxes(state),
        choice_fields=requests.fields_with_values(state),
        hidden_fields=requests.hidden_fields(wanted),
        max_characters=MOST,
        listing=_listing(wanted),
        vocabulary_title=_title(state.vocabulary),
        sentences=requests.own_sentences(state),
        lesson=LESSONS.get(state.algorithm, ""),
    )


def _listing(wanted: StepsRequest) -> SourceListing | None:
    """The reference algorithm of the steps, or None if there is no textbook version."""
    functions = ALGORITHMS[wanted.state.algorithm].reference
    inference = wanted.state.relevant().inference
    if inference in ("longest", "fewest", "dropout", "sample"):
        functions = (getattr(inferences, inference),)
    return source_listing(*functions) if functions else None


def _frame(wanted: StepsRequest, result: Result) -> engine.ShownStep:
    """The step that is wanted for; raises InputProblem for a step or token that does not exist."""
    walkthrough = walkthrough_of(result, wanted.n or USUAL_BEST)
    token, ids, last = wanted.token, walkthrough.ids, len(walkthrough) - 1
    if token is not None and token >= len(ids):
        values = {"index": number(token), "count": number(len(ids))}
        message = _("There is no token %(index)s: the text has %(count)s, counted from 0.", **values)
        raise InputProblem(message, 404, "step")
    # Step 0, the preparation, is below the steps; addresses with it show the first step.
    step = max(1, walkthrough.step_of(token) if token is not None else wanted.step or 1)
    if step > last:
        values = {"step": number(step), "last": number(last)}
        raise InputProblem(_("There is no step %(step)s: this text has steps 1 to %(last)s.", **values), 404, "step")
    note = ""
    # Longest piece first may have another token there.
    if token is not None and ids[token] in result.encoding.ids[token : token + 1]:
        piece = quoted(result.encoding.piece(token))
        note = _("This step decides the token %(piece)s, id %(id)s.", piece=piece, id=ids[token])
    return engine.ShownStep(walkthrough, step, wanted.address, note)


def _data(wanted: StepsRequest, frame: engine.ShownStep | None, problems: Sequence[InputProblem]) -> Response:
    """All steps as JSON, or the picture of a step as a file."""
    if problems:
        return problem_response(max(one.status for one in problems), " ".join(one.message for one in problems))
    if (kind := engine.wanted_picture()) is not None:
        figure = frame.picture if frame is not None else None
        if frame is None or figure is None:
            return problem_response(404, _("This step has no picture."))
        return engine.picture_file(figure, kind, f"{wanted.state.algorithm}-{figure.name}-step-{frame.step}")
    if frame is None and not wanted.state.text:
        return private(json_response({"steps": [], "ids": []}))
    if frame is None:
        return problem_response(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    about: dict[str, Any] = asdict(wanted.state.relevant())
    for name in ("token", "show", "inference", "dropout", "alpha", "seed"):
        del about[name]
    about |= wanted.state.inference_options
    number_of_best = {"n": str(wanted.n)} if wanted.n is not None else {}
    return engine.all_steps_json(frame.walkthrough, {**about, "text": well_formed(wanted.state.text), **number_of_best})


class OverviewPage(Page):
    """The algorithms, with example texts."""

    template = "steps/index.html"

    lines: Sequence[OverviewLine]
    most: int  # characters of a text


class StepContext(engine.WalkthroughContext):
    """One step of an algorithm, for htmx."""

    wanted: StepsRequest
    state: State
    default_for: Callable[[str], str]  # an algorithm's default vocabulary


class StepsPage(Page):
    """The form and a step."""

    template = "steps/page.html"

    step_shown: StepContext
    shortened: StepsRequest  # for links to other pages: a text that is too long is shortened
    algorithm_names: Mapping[str, str]
    groups: Sequence[Sequence[str]]  # algorithms: of subwords, of words
    family_of: Callable[[str], str | None]
    choices: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    checkboxes: Sequence[tuple[str, bool, str]]  # field, whether it is ticked, label
    choice_fields: Sequence[ChoiceField]  # options with several values
    hidden_fields: Sequence[tuple[str, str]]
    max_characters: int  # of a text
    listing: SourceListing | None  # the reference algorithm
    vocabulary_title: str
    sentences: str | None  # those whose words an n-gram model counts; None for other vocabularies
    lesson: str  # the name of the lesson about the algorithm, empty if there is none


class AllStepsPage(Page):
    """All steps as a table."""

    template = "steps/table.html"

    wanted: StepsRequest
    algorithm_name: str
    vocabulary_title: str
    sentences: Sequence[tuple[int, Markup]]  # the number and the sentence of each step
