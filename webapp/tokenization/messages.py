"""Messages about a result, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.algorithms import CHOICES
from webapp.core.analysis.ambiguity import Kind
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.formats.fields import FormatError
from webapp.core.models.dictionary import SkippedLine
from webapp.core.models.dictionary_edits import EditError
from webapp.core.text.growth import GrowthError
from webapp.core.text.split_patterns import TextError
from webapp.core.vocabulary_error import Phrase, VocabularyError
from webapp.tokenization.algorithms import TEXTS, caption_of, choice_title
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import DISAGREEING_CHARACTERS, Reason, Result
from webapp.tokenization.state import State
from webapp.vocabularies import UnavailableVocabularyError, find, title_of
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.messages import sentence as fetch_sentence
from webapp.vocabularies.shipped_vocabularies import NAMES, NGRAM
from webapp.web.localization import current_key, number


def options(state: State) -> list[tuple[str, bool, str, str]]:
    """The checkboxes: field, whether it is checked, label, and the CSS class that shows it where it applies."""
    return [
        ("runs", state.runs, _("Keep Latin words and numbers whole"), "for-runs"),
        ("special", state.special, _("Recognize special tokens such as <|endoftext|>"), "for-special"),
        (
            "template",
            state.template,
            _("Add the vocabulary’s special tokens around the text"),
            "for-template",
        ),
        ("lowercase", state.lowercase, _("Convert to lower case first"), "for-lowercase"),
        ("hmm", state.hmm, _("Find unknown words with an HMM"), "for-hmm"),
    ]


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
    titles = {
        "mode": (_("of the segmentation"), _("all words, overlapping"), _("for a search index")),
        "order": (_("1, unigrams"), _("2, bigrams"), _("3, trigrams")),
        "smoothing": (
            _("Add one (Laplace)"),
            _("Jelinek–Mercer"),
            _("Absolute discounting"),
            _("Interpolated Kneser–Ney"),
        ),
    }
    return [
        ChoiceField(
            choice.name,
            choice_title(choice),
            list(zip(choice.values, titles[choice.name], strict=True)),
            getattr(state, choice.name),
            f"for-{choice.name}",
        )
        for choice in CHOICES
    ]


def caption(result: Result) -> str:
    """What the algorithm does, and which vocabulary it uses."""
    return joined([caption_of(result.state.algorithm, result.tokenizer.model), _vocabulary(result.state)])


def joined(sentences: Iterable[str]) -> str:
    """Join sentences, with a space between them unless the language has none."""
    return ("" if current_key() == "zh" else " ").join(sentence for sentence in sentences if sentence)


def fewer_merges_reason(state: State) -> str:
    """Why there are fewer merges than requested."""
    return str(TEXTS[state.algorithm].fewer_merges_reason)


def _vocabulary(state: State) -> str:
    if state.vocabulary in NAMES:
        return _(
            "Our own trainer trained its 32,000 pieces on the same English, Chinese and code as those of the other "
            "subword algorithms, so their figures are comparable."
        )
    if state.vocabulary == NGRAM:
        return _(
            "Its n-grams were counted in three Chinese books, modern and classical, whose words maximum probability "
            "found; jieba’s frequencies say how likely the words are that the books do not have."
        )
    if state.external and (entry := find(state.vocabulary)):
        if entry.origin == "uploaded":
            return _(
                "The vocabulary is an uploaded file, %(title)s, of %(size)s tokens.",
                title=title_of(entry),
                size=number(entry.size or 0),
            )
        return _(
            "The vocabulary is “%(title)s” as published (%(source)s).",
            title=title_of(entry),
            source=entry.source,
        )
    if state.trained:
        return _("The vocabulary was just trained on this text, or on the training text that you entered.")
    return ""


def notes(result: Result) -> list[str]:
    """Notes on this text for the visitor."""
    found = []
    if result.trained_bytes is not None:
        found.append(
            _(
                "The text is too long to train on: only the first %(size)s bytes were used.",
                size=number(result.trained_bytes),
            )
        )
    if "\0" in result.encoding.text:
        found.append(
            _(
                "NUL characters are tokenized and shown as ⟨0000⟩, but a text box cannot hold them: they are lost "
                "when the text is edited."
            )
        )
    return found


def frequency_note(result: Result) -> str:
    """Whether the frequencies of the dictionary count; empty where nothing is to be said."""
    dictionary = result.dictionary
    if dictionary is None:
        return ""
    if result.matches:
        own = result.state.vocabulary == "own-dictionary" or result.state.edits
        if dictionary.frequencies is None or not own:
            return ""
        return _("Maximum matching ignores the frequencies of the dictionary; maximum probability uses them.")
    if dictionary.frequencies is None:
        return _(
            "The dictionary has no frequencies: each word counts once, so the path with the fewest words is the most "
            "probable."
        )
    if 0 in dictionary.frequencies:
        return _("A word without a frequency counts once.")
    return ""


def ids_note(result: Result) -> str:
    """A note on the meaning of the ids; empty if they need none."""
    if result.dictionary is not None:
        return _(
            "An id is the word's position in the dictionary. Everything out of vocabulary shares the id %(id)s, so "
            "decoding ids is lossy there. White space has ids of its own after that.",
            id=number(result.dictionary.unknown_id),
        )
    if result.encoding.unknown:
        return _("All unknown tokens share one id, so decoding ids is lossy there.")
    return ""


def reasons(found: Iterable[Reason]) -> str:
    """Why the decoded text differs from the input."""
    sentences: dict[Reason, str] = {
        "unknown": _("All unknown tokens decode to the same mark."),
        "case": _("The text was lower-cased."),
        "normalization": _("The normalizer replaced or removed characters."),
        "whitespace": _(
            "This tokenizer does not keep white space: it splits words at white space and joins them by its own rules."
        ),
    }
    return joined(sentences[reason] for reason in found)


def milliseconds(seconds: float) -> str:
    """A time in milliseconds: `0.00042 → 0.42 ms`."""
    value = seconds * 1000
    return _("%(value)s ms", value=number(value, 2 if value < 10 else 0))


def verdict_sentence(result: Result) -> str:
    """Which direction bidirectional matching chooses, and by which of its three rules."""
    verdict = result.verdict
    if verdict is None:
        return ""
    winner = "FMM" if verdict.direction == "forward" else "BMM"
    if verdict.reason == "fewer words":
        return _(
            "Bidirectional matching chooses %(winner)s: it has fewer words (FMM %(forward)s, BMM %(backward)s).",
            winner=winner,
            forward=number(verdict.forward_words),
            backward=number(verdict.backward_words),
        )
    if verdict.reason == "fewer single characters":
        return _(
            "Bidirectional matching chooses %(winner)s: the same number of words, but fewer single characters "
            "(FMM %(forward)s, BMM %(backward)s).",
            winner=winner,
            forward=number(verdict.forward_single_characters),
            backward=number(verdict.backward_single_characters),
        )
    return _(
        "Bidirectional matching chooses BMM: the numbers of words and of single characters are equal, so BMM wins."
    )


def agreement_sentence(result: Result) -> str:
    """Why no disagreement is listed: both directions agree, or the text is too long to compare."""
    if len(result.encoding.text) > DISAGREEING_CHARACTERS:
        return _(
            "The text is too long to be compared here; the limit is %(count)s characters.",
            count=number(DISAGREEING_CHARACTERS),
        )
    return _("FMM and BMM split this text at the same positions.")


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
        return InputProblem(fetch_sentence(error.why), 503, "vocabulary")
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


def skipped_line_reason(line: SkippedLine) -> str:
    """Why a line of a word list was skipped."""
    return translated(line.message)


def translated(message: VocabularyError | Phrase) -> str:
    """Translate a message of the core and the phrases in its values, and fill them in."""
    values = {
        name: translated(value) if isinstance(value, VocabularyError | Phrase) else value
        for name, value in message.values.items()
    }
    return _(message.sentence, **values)
