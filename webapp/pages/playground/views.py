"""Builds the contexts of the playground's templates: of the page, and of the search results alone."""

from __future__ import annotations

from typing import Any

from flask import current_app, request, url_for

from webapp.core.algorithms import ALGORITHMS, CHOICES
from webapp.pages.playground.contexts import ChoicesContext, PlaygroundPage
from webapp.pages.playground.examples import EXAMPLES, ExampleText
from webapp.pages.playground.picker import VocabularyPicker, origin_of, takes
from webapp.tokenization import messages
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.forms import INFERENCE_FIELDS, InputProblem
from webapp.tokenization.inferences import inference_field
from webapp.tokenization.views import ResultView

# The fields beside which the page shows what is wrong with them.
FIELDS = (
    *("text", "vocabulary", "size", "corpus", "dictionary"),
    *(choice.name for choice in CHOICES),
    *INFERENCE_FIELDS,
)


def page_context(
    view: ResultView, picker: VocabularyPicker, upload_problem: InputProblem | None = None
) -> PlaygroundPage:
    """The context of the whole page."""

    def example_url(example: ExampleText) -> str:
        """The URL with the text of `example` and all other settings unchanged, except lists too long for an address."""
        changes: dict[str, Any] = {"text": example.text, "token": None}
        if len(view.state.query(text="", token=None)) > current_app.config["MAX_LINK_CHARACTERS"]:
            changes |= {"corpus": "", "dictionary": "", "edits": ""}
        return f"{url_for('playground.page')}?{view.state.query(**changes)}"

    invalid = dict.fromkeys(FIELDS, "")
    for problem in view.problems:
        field = "text" if problem.field == "file" else problem.field  # a file is read into the text box
        if field in invalid and not messages.is_unavailable(problem):  # which the result says, with what to do
            invalid[field] = problem.message
    return PlaygroundPage(
        result_shown=view,
        choices=choices_context(picker),
        algorithm_names=algorithm_names(),
        takes=takes,
        records=ALGORITHMS,
        options=messages.options(view.state),
        choice_fields=messages.choice_fields(view.state),
        inference=inference_field(view.state),
        typed=dict.fromkeys(INFERENCE_FIELDS, "") | {one.field: one.value for one in view.problems},
        examples=EXAMPLES,
        example_url=example_url,
        upload_problem=upload_problem,
        upload_limit=current_app.config["MAX_UPLOAD_BYTES"],
        corpus_limit=current_app.config["MAX_CORPUS_BYTES"],
        text_limit=current_app.config["MAX_TEXT_BYTES"],
        invalid=invalid,
        is_setting_invalid=any(invalid[name] for name in (*(choice.name for choice in CHOICES), *INFERENCE_FIELDS)),
        invalid_size=request.values.get("size") if invalid["size"] else None,
    )


def choices_context(picker: VocabularyPicker) -> ChoicesContext:
    """The context of the vocabularies that a search finds."""
    return ChoicesContext(picker=picker, state=picker.state, origin_of=origin_of)
