"""Messages about a result, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l

from webapp.core.algorithms import CHOICES
from webapp.core.analysis.ambiguity import Kind
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.formats.fields import FormatError
from webapp.core.models.dictionary_edits import EditError
from webapp.core.text.growth import GrowthError
from webapp.core.text.split_patterns import TextError
from webapp.core.vocabulary_error import Phrase, VocabularyError
from webapp.tokenization.algorithms import TEXTS as TEXTS
from webapp.tokenization.algorithms import choice_title
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State
from webapp.vocabularies import UnavailableVocabularyError, find, title_of
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.shipped_vocabularies import NAMES as NAMES
from webapp.vocabularies.shipped_vocabularies import NGRAM as NGRAM
from webapp.web.localization import current_key, number

OPTION_TITLES = {
    "runs": _l("Keep Latin words and numbers whole"),
    "special": _l("Recognize special tokens such as <|endoftext|>"),
    "template": _l("Add the vocabulary’s special tokens around the text"),
    "lowercase": _l("Convert to lower case first"),
    "hmm": _l("Find unknown words with an HMM"),
}
VALUE_TITLES = {
    "mode": (_l("of the segmentation"), _l("all words, overlapping"), _l("for a search index")),
    "order": (_l("1, unigrams"), _l("2, bigrams"), _l("3, trigrams")),
    "smoothing": (
        _l("Add one (Laplace)"),
        _l("Jelinek–Mercer"),
        _l("Absolute discounting"),
        _l("Interpolated Kneser–Ney"),
    ),
}


def options(state: State) -> list[tuple[str, bool, str, str]]:
    """The checkboxes: field, whether it is checked, label, and the CSS class that shows it where it applies."""
    return [(name, getattr(state, name), str(title), f"for-{name}") for name, title in OPTION_TITLES.items()]


@dataclass(frozen=True)
class ChoiceField:
    """An option with several values as a field: `values` has each value and its title, `groups` is the CSS class."""

    name: str
    title: str
    values: Sequence[tuple[str, str]]
    chosen: str
    groups: str


def choice_fields(state: State) -> list[ChoiceField]:
    """The options with several values, with the CSS class that shows each where it applies."""
    return [
        ChoiceField(
            choice.name,
            choice_title(choice),
            list(zip(choice.values, map(str, VALUE_TITLES[choice.name]), strict=True)),
            getattr(state, choice.name),
            f"for-{choice.name}",
        )
        for choice in CHOICES
    ]


def joined(sentences: Iterable[str]) -> str:
    """Join sentences, with a space between them unless the language has none."""
    return ("" if current_key() == "zh" else " ").join(sentence for sentence in sentences if sentence)


def milliseconds(seconds: float) -> str:
    """A time in milliseconds: `0.00042 → 0.42 ms`."""
    value = seconds * 1000
    return _("%(value)s ms", value=number(value, 2 if value < 10 else 0))


def ambiguity_name(kind: Kind) -> str:
    """The name of a kind of ambiguity, with the Chinese term that courses use."""
    names: dict[Kind, str] = {
        "overlapping": _("Overlapping ambiguity (交集型)"),
        "combinational": _("Combinational ambiguity (组合型)"),
    }
    return names[kind]


def dictionary_problem(error: DictionaryError) -> InputProblem:
    """The problem with a pasted text that is no word list."""
    wrong = translated(error.message)
    if error.lines == 1:
        message = _("Line %(line)s of the dictionary: %(wrong)s.", line=error.line_number, wrong=wrong)
    else:
        message = _(
            "This is not a word list: %(count)s of its %(lines)s lines are not entries. Line %(line)s, for example: "
            "%(wrong)s.",
            count=number(error.wrong),
            lines=number(error.lines),
            line=number(error.line_number),
            wrong=wrong,
        )
    return InputProblem(message, field="dictionary")


def edit_problem(error: EditError) -> InputProblem:
    """The problem with a line that is no change of a dictionary."""
    message = _(
        "Line %(line)s of the changes: %(wrong)s.", line=number(error.line_number), wrong=translated(error.message)
    )
    return InputProblem(message, field="edits")


def still_fetching_problem() -> InputProblem:
    """The problem with a vocabulary that is not there yet, and what to do."""
    waiting = _("The vocabulary is still being downloaded. Try again in a moment.")
    return InputProblem(waiting, 503, "vocabulary")


def unavailable_problem(error: UnavailableVocabularyError) -> InputProblem:
    """The problem with a vocabulary that cannot be fetched or read, and what to do."""
    if isinstance(error.why, FetchError):
        return InputProblem(error.why.sentence(), 503, "vocabulary")
    if error.entry.origin == "uploaded":
        message = _(
            "The uploaded vocabulary “%(title)s” can no longer be read: %(why)s. Upload the file again.",
            title=title_of(error.entry),
            why=wrong_file(error.why),
        )
        return InputProblem(message, 503, "vocabulary")
    sentence = _(
        "The file from the publisher of “%(title)s” cannot be read: %(why)s. Choose a vocabulary that ships with this "
        "site.",
        title=title_of(error.entry),
        why=wrong_file(error.why),
    )
    return InputProblem(sentence, 503, "vocabulary")


def is_unavailable(problem: InputProblem) -> bool:
    """Whether the problem is a vocabulary that cannot be fetched or read."""
    return (problem.status, problem.field) == (503, "vocabulary")


def text_problem(state: State, error: TextError) -> InputProblem:
    """The problem with a text that the vocabulary's pipeline cannot process."""
    entry = find(state.vocabulary)
    title = title_of(entry) if entry else state.vocabulary
    if isinstance(error, GrowthError):
        return InputProblem(
            _(
                "“%(title)s” makes this text too long. Shorten it, or choose another vocabulary.",
                title=title,
            ),
            422,
            "text",
        )
    return InputProblem(
        _(
            "A split pattern of “%(title)s” times out on this text. Change the text, or choose another vocabulary.",
            title=title,
        ),
        422,
        "text",
    )


def wrong_file(error: FormatError) -> str:
    """The error in a vocabulary file, translated."""
    return translated(error)


def translated(message: VocabularyError | Phrase) -> str:
    """Translate a message of the core and the phrases in its values, and fill them in."""
    values = {
        name: translated(value) if isinstance(value, VocabularyError | Phrase) else value
        for name, value in message.values.items()
    }
    return _(message.sentence, **values)
