"""The playground's form: example texts, the picker of vocabularies, and the contexts of the templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from flask import current_app, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from markupsafe import Markup

from webapp.core.algorithms import ALGORITHMS, CHOICES, Algorithm
from webapp.sharing.results import SharingPage
from webapp.tokenization import messages
from webapp.tokenization.algorithms import algorithm_names, joined_names, leading_algorithms
from webapp.tokenization.forms import INFERENCE_FIELDS, InputProblem
from webapp.tokenization.inferences import InferenceField, inference_field
from webapp.tokenization.messages import ChoiceField
from webapp.tokenization.state import State
from webapp.tokenization.views import ResultView
from webapp.vocabularies import (
    CATALOGUE,
    LIMITS,
    CatalogueEntry,
    default_for,
    entries_for,
    library,
    title_of,
    well_known,
)
from webapp.vocabularies.library import is_here
from webapp.vocabularies.search import matches
from webapp.vocabularies.titles import grouped
from webapp.vocabularies.upload_cookie import with_chosen
from webapp.web.templates import Context


@dataclass(frozen=True)
class ExampleText:
    """A text and the label of its button."""

    title: LazyString
    text: str


EXAMPLES = (
    ExampleText(
        _l("English"),
        "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in "
        "want of a wife. Unbelievably, tokenization isn't trivial.",
    ),
    ExampleText(
        _l("Chinese"),
        "研究生命科学的人研究生命的起源。\n结婚的和尚未结婚的都来了，南京市长江大桥上下雨天留客天。",
    ),
    ExampleText(
        _l("Code"),
        'def fibonacci(n: int) -> int:\n    """The n-th number."""\n    a, b = 0, 1\n'
        "    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
    ),
    ExampleText(
        _l("Emoji and scripts"),
        "Family 👨‍👩‍👧‍👦, flags 🇨🇳🇩🇪, thumbs 👍🏽 — naïve café, Ωμέγα, Привет, नमस्ते, "
        "مرحبا, こんにちは, 한국어, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢.",
    ),
    ExampleText(
        _l("Whitespace"),
        "one two  three   four\ttab\t\ttabs\n\n  indented line  \n"
        "\u3000全角空格\u3000 \u00a0no-break\nend<|endoftext|>",
    ),
)

# The text of a first visit: English, for letters, subwords and punctuation, and Chinese.
WELCOME = (
    "Tokenizers rarely agree: “unbelievably” may be one piece or five.\n分词器很少意见一致：“研究生命科学”该怎么切？"
)


LONGEST_QUERY = 100


@dataclass(frozen=True)
class VocabularyPicker:
    """The picker's content: `uploads` are the visitor's vocabularies, newest first, `query` is the search text."""

    state: State
    uploads: Sequence[CatalogueEntry] = ()
    query: str = ""

    @cached_property
    def algorithms(self) -> list[str]:
        """The algorithms with at least one vocabulary, shipped, uploaded or well-known."""
        return [algorithm for algorithm in ALGORITHMS if self._entries[algorithm]]

    @property
    def rows(self) -> list[list[str]]:
        """The algorithms in rows of at most three: maximum matching, those with probabilities of words, the others."""
        groups: dict[int, list[str]] = {}
        for name in self.algorithms:
            algorithm = ALGORITHMS[name]
            words = algorithm.family in ("dictionary", "word model")
            groups.setdefault(0 if algorithm.direction else 1 if words else 2, []).append(name)
        return [names[at : at + 3] for _group, names in sorted(groups.items()) for at in range(0, len(names), 3)]

    @cached_property
    def lists(self) -> dict[str, int]:
        """The leading algorithm of each list → the number of the list; the methods with a dictionary share one."""
        return {algorithm: number for number, algorithm in enumerate(leading_algorithms(self.algorithms), 1)}

    def list_of(self, algorithm: str) -> int:
        """The number of the list that an algorithm uses; the stylesheet shows that list."""
        kind = ALGORITHMS[algorithm].vocabulary_kind
        return next(n for leading, n in self.lists.items() if ALGORITHMS[leading].vocabulary_kind == kind)

    def selected(self, algorithm: str) -> str:
        """The vocabulary that the list of an algorithm starts with: well-known ones come first, but must be fetched."""
        kind = ALGORITHMS[algorithm].vocabulary_kind
        current = ALGORITHMS[self.state.algorithm].vocabulary_kind == kind
        return self.state.vocabulary if current else default_for(algorithm)

    def option(self, algorithm: str, entry: CatalogueEntry, selected: str) -> Markup:
        """A vocabulary in the list of an algorithm; an arrow says that choosing it downloads it first."""
        downloads = entry.origin == "fetched" and entry.name not in self._on_disk
        return _option(algorithm, entry, title_of(entry), entry.name == selected, downloads)

    @cached_property
    def _on_disk(self) -> frozenset[str]:
        return library().fetcher.disk_cache.names()

    def groups(self, algorithm: str) -> list[tuple[str, list[CatalogueEntry]]]:
        """The vocabularies for one algorithm."""
        return grouped(self._entries[algorithm])

    def found(self) -> list[tuple[str, list[CatalogueEntry]]]:
        """The vocabularies whose name contains every word of the query, by the names of their algorithms."""
        groups = []
        for algorithm in leading_algorithms(self.algorithms):
            entries = [entry for entry in self._entries[algorithm] if matches(entry, self.query)]
            if entries:
                groups.append((joined_names(algorithm), entries))
        return groups

    @cached_property
    def _entries(self) -> dict[str, list[CatalogueEntry]]:
        common = (*with_chosen(self.uploads, [self.state.vocabulary]), *well_known())
        return {
            algorithm: [entry for entry in (*common, *entries_for(algorithm)) if algorithm in entry.algorithms]
            for algorithm in ALGORITHMS
        }


@lru_cache(maxsize=1024)  # a page has 100, which took a fifth of its time
def _option(algorithm: str, entry: CatalogueEntry, title: str, is_selected: bool, downloads: bool) -> Markup:
    classes, size = fields_of(algorithm, entry), _size_beside(title, entry)
    return Markup('<option value="{}"{}{}>{}{}{}</option>').format(
        entry.name,
        Markup(" selected") if is_selected else "",
        Markup(' class="{}"').format(classes) if classes else "",
        title,
        f" · {size}" if size else "",
        " ↓" if downloads else "",
    )


def takes(algorithm: str) -> str:
    """The CSS classes for the form fields that apply to every vocabulary of an algorithm: `has-hmm has-mode`."""
    record = ALGORITHMS[algorithm]
    names = [option.name for option in record.common_options] + [choice.name for choice in record.choices]
    if len(record.inferences) > 1:
        names += ["inference", *record.inferences[1:]]
    return " ".join(f"has-{name}" for name in names)


def fields_of(algorithm: str, entry: CatalogueEntry) -> str:
    """The CSS classes for the form fields that apply to a vocabulary: `takes-size takes-merges takes-special`."""
    record = ALGORITHMS[algorithm]
    options = record.options if entry.name in CATALOGUE else record.external_options
    fields = [option.name for option in options]
    if entry.origin == "pasted":
        fields.append("dictionary")
    if entry.name in LIMITS:
        fields += ["size", LIMITS[entry.name].unit]
    elif entry.origin == "learned":
        fields.append("size")  # without a number: the training text
    return " ".join(f"takes-{field}" for field in fields)


def origin_of(entry: CatalogueEntry) -> str:
    """Where a vocabulary comes from, in the reader's language."""
    return {
        "shipped": _("ships with this site"),
        "learned": _("trained on your text"),
        "pasted": _("your own words"),
        "fetched": _("ready") if is_here(entry) else _("downloaded on first use"),
        "uploaded": _("uploaded"),
    }[entry.origin]


def _size_beside(title: str, entry: CatalogueEntry) -> str:
    """The number of ids, abbreviated (`100,277 → 100k`); empty where the visitor chooses it or the title has it."""
    if entry.size is None:
        return ""
    size = f"{round(entry.size / 1000)}k" if entry.size >= 1000 else str(entry.size)
    return "" if size in title.replace("，", " ").split() else size


@dataclass(frozen=True, kw_only=True)
class ChoicesContext(Context):
    """The vocabularies that a search finds."""

    template = "playground/_choices.html"

    picker: VocabularyPicker
    state: State
    origin_of: Callable[[CatalogueEntry], str]


@dataclass(frozen=True, kw_only=True)
class PlaygroundPage(SharingPage):
    """The form, the result, and the form that shares it."""

    template = "playground/page.html"
    chosen_templates = ("share/_share_button.html",)

    result_shown: ResultView
    choices: ChoicesContext
    algorithm_names: Mapping[str, str]
    takes: Callable[[str], str]  # CSS classes of the fields that apply to every vocabulary of an algorithm
    records: Mapping[str, Algorithm]
    options: Sequence[tuple[str, bool, str, str]]  # checkboxes: field, whether it is ticked, label, CSS class
    choice_fields: Sequence[ChoiceField]  # options with several values
    examples: Sequence[ExampleText]
    example_url: Callable[[ExampleText], str]
    upload_problem: InputProblem | None  # the problem of an uploaded file
    upload_limit: int  # bytes of an uploaded vocabulary
    corpus_limit: int  # bytes of a training text
    text_limit: int  # bytes of a text
    invalid: Mapping[str, str]  # field → what is wrong with it, "" if nothing is
    is_setting_invalid: bool  # whether something is wrong with a field of the menu of settings
    invalid_size: str | None  # what was entered as the number of merges or pieces, if it is wrong
    inference: InferenceField
    typed: Mapping[str, str]  # parameter of an inference → what was entered, if it is wrong


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
