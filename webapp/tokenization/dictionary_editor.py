"""The editor of a dictionary: its buttons, and what they do to the state."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from flask_babel import gettext as _

from webapp.core.analysis.suggested_frequency import joined_frequency
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.models.dictionary import LONGEST_WORD
from webapp.core.models.dictionary_edits import (
    Edit,
    EditError,
    parse_edits,
    with_edit,
    without_edit,
)
from webapp.core.models.maximum_probability import WordGraph
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import edit_problem
from webapp.tokenization.result import Result, prepare
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError

# Buttons of the details of a token, and of the list of changes.
BUTTONS = ("edit", "undo", "add_word", "remove_word")


def pressed(values: Mapping[str, str], *, plain: bool) -> bool:
    """Whether a form was sent to change the dictionary.

    Without scripts (`plain`), the enter key in the field of the word sends the form with another button.
    """
    return any(values.get(name) for name in BUTTONS) or bool(plain and values.get("edit_word", "").strip())


def with_change(state: State, values: Mapping[str, str]) -> State:
    """The state with the change that a button of the form makes; raises InputProblem."""
    try:
        if values.get("edit") == "clear":
            edits = ""
        elif values.get("undo"):
            edits = without_edit(state.edits, values["undo"])
        else:
            edits = with_edit(state.edits, _with_frequency(state, _edit(values)))
            parse_edits(edits)
    except EditError as error:
        raise edit_problem(error) from error
    return replace(state, edits=edits, token=None)


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


def _edit(values: Mapping[str, str]) -> Edit:
    """The change that was typed, or that a button of a token's details names; raises InputProblem."""
    for name, removed in (("add_word", False), ("remove_word", True)):
        if values.get(name):
            return _checked(Edit(values[name], removed))
    word, frequency = values.get("edit_word", "").strip(), values.get("edit_frequency", "").strip()
    if not word:
        raise InputProblem(_("Type the word to add or remove."), 422, "edit_word")
    if values.get("edit") == "remove":
        return _checked(Edit(word, removed=True))
    if frequency and not (frequency.isascii() and frequency.isdigit() and len(frequency) <= 18):
        message = _("The frequency “%(value)s” is not a whole number of at most 18 digits.", value=frequency[:40])
        raise InputProblem(message, 422, "edit_frequency")
    return _checked(Edit(word, frequency=int(frequency) if frequency else None))


def _checked(edit: Edit) -> Edit:
    """The change; raises InputProblem for a word that cannot be written in the list of changes."""
    if len(edit.word) > LONGEST_WORD:
        message = _(
            "The word has %(count)s characters; the limit is %(most)s.", count=len(edit.word), most=LONGEST_WORD
        )
        raise InputProblem(message, 422, "edit_word")
    with suppress(EditError):
        if parse_edits(str(edit)) == [edit]:
            return edit
    message = _("A word cannot begin with a hyphen or contain a line break or control character.")
    raise InputProblem(message, 422, "edit_word")


def changes_of(edits: str) -> list[Edit]:
    """The changes in the order of the list; none if a line is no change."""
    try:
        return parse_edits(edits)
    except EditError:
        return []


def word_buttons(result: Result, index: int) -> list[tuple[str, str]]:
    """The buttons that change the dictionary at token `index`, each with its word: itself, or with a neighbour."""
    dictionary, encoding = result.dictionary, result.encoding
    assert dictionary is not None
    text, starts, ends = encoding.text, encoding.starts, encoding.ends
    word = text[starts[index] : ends[index]]
    last = min(index + 1, len(encoding) - 1)
    words = [word, text[starts[max(index - 1, 0)] : ends[index]], text[starts[index] : ends[last]]]
    buttons = [("add_word", each) for each in dict.fromkeys(words) if each not in dictionary and _is_addable(each)]
    return [*buttons, ("remove_word", word)] if word in dictionary else buttons


def _is_addable(word: str) -> bool:
    return word == "".join(word.split()) and word.isprintable() and not word.startswith("-") and len(word) <= 16
