"""What the playground's own templates are given: for the whole page, and for the list of vocabularies alone."""

from __future__ import annotations

from typing import Any

from flask import current_app, url_for

from webapp.core.algorithms import ALGORITHMS
from webapp.pages.playground.examples import EXAMPLES, ExampleText
from webapp.pages.playground.picker import VocabularyPicker, fields_of, origin, size
from webapp.tokenization import messages
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.views import ResultView
from webapp.vocabularies import title_of


def page_part(view: ResultView, picker: VocabularyPicker, upload_problem: InputProblem | None = None) -> dict[str, Any]:
    """For `playground/page.html`."""

    def example_url(example: ExampleText) -> str:
        """The address that shows `example` with everything else as it is."""
        return f"{url_for('playground.page')}?{view.state.query(text=example.text, token=None)}"

    return {
        **view.result_part(),
        **choices_part(picker),
        "upload_problem": upload_problem,
        "options": messages.options(view.state),
        "corpus_limit": current_app.config["MAX_CORPUS_BYTES"],
        "examples": EXAMPLES,
        "example_url": example_url,
    }


def choices_part(picker: VocabularyPicker) -> dict[str, Any]:
    """For `playground/_choices.html`, and the controls around it."""
    return {
        "picker": picker,
        "state": picker.state,
        "algorithm_names": algorithm_names(),
        "title_of": title_of,
        "size_of": size,
        "origin_of": origin,
        "fields_of": fields_of,
        "records": ALGORITHMS,
        "upload_limit": current_app.config["MAX_UPLOAD_BYTES"],
    }
