"""The editor of a dictionary: what its buttons do to the state, and the panel that shows the changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flask_babel import gettext as _

from webapp.core.analysis.suggested_frequency import joined_frequency
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.models.dictionary import LONGEST_WORD, Dictionary, SkippedLines
from webapp.core.models.dictionary_edits import (
    Edit,
    EditedDictionary,
    EditError,
    parse_edits,
    with_edit,
    without_edit,
)
from webapp.core.models.word_graph import WordGraph
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import edit_problem
from webapp.tokenization.result import Result, prepare
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.web.localization import number

_DIGITS_SHOWN = 40
# Buttons of the details of a token, and of the list of changes.
BUTTONS = ("edit", "undo", "add_word", "remove_word")


@dataclass(frozen=True)
class ShownChange:
    """A change to the dictionary: the word, and what it does, in the reader's language."""

    word: str
    sentence: str


@dataclass(frozen=True)
class DictionaryPanel:
    """The dictionary of a result, and the form that changes it; `word` and `frequency` are what was typed."""

    words: int | None  # None if the input has a problem
    changes: Sequence[ShownChange]
    skipped: SkippedLines
    own: bool  # whether the dictionary was pasted: its report stands beside its field
    word: str = ""
    frequency: str = ""
    problem: InputProblem | None = None  # with what was typed
    list_problem: InputProblem | None = None  # with the list of changes in the address


@dataclass(frozen=True)
class WordChanges:
    """The changes that the details of a token offer: its word to remove, and words to add that it begins or ends."""

    removable: str | None
    addable: Sequence[str]


def pressed(values: Mapping[str, str], *, plain: bool) -> bool:
    """Whether a form was sent to change the dictionary.

    Without scripts (`plain`), the enter key in the field of the word sends the form with another button.
    """
    return any(values.get(name) for name in BUTTONS) or bool(plain and values.get("edit_word", "").strip())


def with_change(state: State, values: Mapping[str, str]) -> tuple[State, InputProblem | None]:
    """The state with the change that a button of the form makes, or the same state and the problem."""
    try:
        if values.get("edit") == "clear":
            return replace(state, edits="", token=None), None
        if values.get("undo"):
            return replace(state, edits=without_edit(state.edits, values["undo"]), token=None), None
        edit = _edit(values)
        if isinstance(edit, InputProblem):
            return state, edit
        edits = with_edit(state.edits, _with_frequency(state, edit))
        parse_edits(edits)
        return replace(state, edits=edits, token=None), None
    except EditError as error:
        return state, edit_problem(error)


def _with_frequency(state: State, edit: Edit) -> Edit:
    """A new word without a frequency gets the one that it needs to be the most probable, where that counts."""
    if edit.removed or edit.frequency is not None or state.algorithm != "max-probability":
        return edit
    try:
        dictionary = prepare(state, corpus_limit=0).dictionary
    except (DictionaryError, UnavailableVocabularyError, StillFetchingError):
        return edit
    if dictionary is None or edit.word in dictionary:
        return edit
    return replace(edit, frequency=joined_frequency(WordGraph(dictionary), edit.word))


def _edit(values: Mapping[str, str]) -> Edit | InputProblem:
    """The change that was typed, or that a button of a token's details names; or the problem with it."""
    for name, removed in (("add_word", False), ("remove_word", True)):
        if values.get(name):
            return _checked(Edit(values[name], removed))
    word, frequency = values.get("edit_word", "").strip(), values.get("edit_frequency", "").strip()
    if not word:
        return InputProblem(_("Type the word to add or remove."), 422, "edit_word")
    if values.get("edit") == "remove":
        return _checked(Edit(word, removed=True))
    if frequency and not (frequency.isascii() and frequency.isdigit() and len(frequency) <= 18):
        shown = frequency[:_DIGITS_SHOWN]
        message = _("The frequency “%(value)s” is not a whole number of at most 18 digits.", value=shown)
        return InputProblem(message, 422, "edit_frequency")
    return _checked(Edit(word, frequency=int(frequency) if frequency else None))


def _checked(edit: Edit) -> Edit | InputProblem:
    """The change, or the problem of a word that cannot be written in the list of changes."""
    if len(edit.word) > LONGEST_WORD:
        message = _(
            "The word has %(count)s characters; the limit is %(most)s.", count=len(edit.word), most=LONGEST_WORD
        )
        return InputProblem(message, 422, "edit_word")
    try:
        if parse_edits(str(edit)) == [edit]:
            return edit
    except EditError:
        pass
    message = _("A word cannot begin with a hyphen or contain a line break or control character.")
    return InputProblem(message, 422, "edit_word")


def panel_of(
    state: State,
    dictionary: Dictionary | None,
    values: Mapping[str, str],
    problem: InputProblem | None,
    problems: Sequence[InputProblem],
) -> DictionaryPanel | None:
    """The panel for a state; None for an algorithm without a dictionary.

    `problem` is that of the typed change, `problems` are those of the form as a whole.
    """
    if not state.has_dictionary:
        return None
    typed = problem is not None or not pressed(values, plain=False)
    return DictionaryPanel(
        words=None if dictionary is None else len(dictionary),
        changes=changes_of(state.edits, dictionary),
        skipped=SkippedLines() if dictionary is None else dictionary.skipped,
        own=state.vocabulary == "own-dictionary",
        word=values.get("edit_word", "")[: 2 * LONGEST_WORD] if typed else "",
        frequency=values.get("edit_frequency", "")[:_DIGITS_SHOWN] if typed else "",
        problem=problem,
        list_problem=next((one for one in problems if one.field == "edits"), None),
    )


def changes_of(edits: str, dictionary: Dictionary | None) -> list[ShownChange]:
    """The changes in the order of the list; none if a line is no change."""
    try:
        changes = parse_edits(edits)
    except EditError:
        return []
    base = dictionary.base if isinstance(dictionary, EditedDictionary) else dictionary
    return [ShownChange(change.word, _sentence(change, base)) for change in changes]


def _sentence(change: Edit, base: Dictionary | None) -> str:
    known = base is not None and change.word in base
    if change.removed:
        if base is None or known:
            return _("removed")
        return _("removed, but the dictionary does not have it")
    if not known:
        return _("added, frequency %(frequency)s", frequency=number(change.frequency or 0))
    if change.frequency is None:
        return _("added, but the dictionary has it already")
    assert base is not None
    before = base.frequencies[base.ids[change.word]] if base.frequencies else 0
    return _("frequency %(frequency)s instead of %(before)s", frequency=number(change.frequency), before=number(before))


def word_changes(result: Result, index: int) -> WordChanges | None:
    """The changes to offer for token `index` of a result; None without a dictionary."""
    dictionary, encoding = result.dictionary, result.encoding
    if dictionary is None:
        return None
    text, starts, ends = encoding.text, encoding.starts, encoding.ends
    word = text[starts[index] : ends[index]]
    spans = [(starts[index], ends[index])]
    spans += [(starts[index - 1], ends[index])] if index else []
    spans += [(starts[index], ends[index + 1])] if index + 1 < len(encoding) else []
    words = (text[start:end] for start, end in spans)
    addable = [each for each in words if each not in dictionary and _is_addable(each)]
    return WordChanges(word if word in dictionary else None, addable)


def _is_addable(word: str) -> bool:
    return word == "".join(word.split()) and word.isprintable() and not word.startswith("-") and len(word) <= 16
