"""The playground's sentences, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable

from flask_babel import gettext as _

from webapp.core.formats.dictionary import LONGEST_WORD, DictionaryError
from webapp.core.formats.fields import FormatError
from webapp.core.text.normalizers import GrowthError
from webapp.core.text.split_patterns import TextError
from webapp.core.vocabulary_error import Phrase, VocabularyError
from webapp.tokenization.algorithms import TEXTS, caption_of
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import DISAGREEING_CHARACTERS, Result
from webapp.tokenization.round_trip import Reason
from webapp.tokenization.state import State
from webapp.vocabularies import UnavailableVocabularyError, find, title_of
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.messages import sentence as fetch_sentence
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.web.localization import current_key, number


def options(state: State) -> list[tuple[str, bool, str, str]]:
    """The checkboxes: field, whether it is ticked, its words, and the CSS class that shows it where it applies."""
    return [
        ("show", state.show, _("Show spaces and line ends"), ""),
        ("runs", state.runs, _("Keep Latin words and numbers whole"), "for-runs"),
        ("special", state.special, _("Honour special tokens such as <|endoftext|>"), "for-special"),
        (
            "template",
            state.template,
            _("Add the special tokens that the vocabulary puts around a text"),
            "for-template",
        ),
        ("lowercase", state.lowercase, _("Lower-case first"), "for-lowercase"),
    ]


def caption(result: Result) -> str:
    """One or two sentences: what the algorithm did with this vocabulary."""
    return joined([caption_of(result.state.algorithm, result.tokenizer.model), _vocabulary(result.state)])


def joined(sentences: Iterable[str]) -> str:
    """Sentences one after the other, with a space between them where the language has one."""
    return ("" if current_key() == "zh" else " ").join(sentence for sentence in sentences if sentence)


def exhausted(state: State) -> str:
    """Why there are fewer merges than were asked for."""
    return str(TEXTS[state.algorithm].exhausted)


def _vocabulary(state: State) -> str:
    if state.vocabulary in NAMES:
        return _(
            "Its 32,000 pieces were learned by our own trainer from the same English, Chinese and code as those of "
            "the other subword algorithms: their figures compare on equal terms."
        )
    if state.brought and (entry := find(state.vocabulary)):
        if entry.origin == "uploaded":
            return _(
                "The vocabulary is an uploaded file, %(title)s, of %(size)s tokens.",
                title=title_of(entry),
                size=number(entry.size or 0),
            )
        return _(
            "The vocabulary is “%(title)s” as it is published (%(source)s).",
            title=title_of(entry),
            source=entry.source,
        )
    if state.learned:
        return _("The vocabulary was learned just now, from the text you see or the one you gave.")
    return ""


def notes(result: Result) -> list[str]:
    """What the visitor should know about this text."""
    found = []
    if result.learned_bytes is not None:
        found.append(
            _(
                "The text is longer than can be learned from on the spot: the first %(size)s bytes were used.",
                size=number(result.learned_bytes),
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


def ids_note(result: Result) -> str:
    """What ids mean here, where that is not obvious."""
    if result.dictionary is not None:
        return _(
            "An id is the word's position in the dictionary. Everything out of vocabulary shares the id %(id)s, so "
            "decoding ids is lossy there.",
            id=number(len(result.dictionary)),
        )
    if result.encoding.unknown:
        return _("All unknown tokens share one id, so decoding ids is lossy there.")
    return ""


def reason_sentences() -> dict[Reason, str]:
    """Why decoded text differs from the input."""
    return {
        "unknown": _("Unknown tokens all decode to the same mark."),
        "case": _("The text was lower-cased."),
        "normalization": _("The normalizer replaced or removed characters."),
        "whitespace": _(
            "White space is not kept by this tokenizer: words are split at it and joined again by its rules."
        ),
    }


def milliseconds(seconds: float) -> str:
    """A time in the core: `0.00042 → 0.42 ms`."""
    value = seconds * 1000
    return _("%(value)s ms", value=number(value, 2 if value < 10 else 0))


def verdict_sentence(result: Result) -> str:
    """What bidirectional matching would take, and by which of its three rules."""
    verdict = result.verdict
    if verdict is None:
        return ""
    winner = "FMM" if verdict.direction == "forward" else "BMM"
    if verdict.reason == "fewer words":
        return _(
            "Bidirectional matching takes %(winner)s: it needs fewer words (FMM %(forward)s, BMM %(backward)s).",
            winner=winner,
            forward=number(verdict.forward_words),
            backward=number(verdict.backward_words),
        )
    if verdict.reason == "fewer single characters":
        return _(
            "Bidirectional matching takes %(winner)s: as many words, but fewer single characters "
            "(FMM %(forward)s, BMM %(backward)s).",
            winner=winner,
            forward=number(verdict.forward_single_characters),
            backward=number(verdict.backward_single_characters),
        )
    return _("Bidirectional matching takes BMM: as many words and as many single characters, and then BMM wins.")


def agreement_sentence(result: Result) -> str:
    """What to say where no disagreement is listed."""
    if len(result.encoding.text) > DISAGREEING_CHARACTERS:
        return _(
            "The text is too long to be compared here; the limit is %(count)s characters.",
            count=number(DISAGREEING_CHARACTERS),
        )
    return _("Nowhere: both directions cut this text in the same places.")


def dictionary_problem(error: DictionaryError) -> InputProblem:
    """A malformed line of a pasted dictionary, with its number and what to do."""
    sentences = {
        "frequency-not-a-number": _(
            "Line %(line)s of the dictionary: the frequency is not a whole number of at most 18 digits.",
            line=error.line_number,
        ),
        "word-too-long": _(
            "Line %(line)s of the dictionary: the word is too long; the most is %(most)s characters.",
            line=error.line_number,
            most=LONGEST_WORD,
        ),
        "too-many-fields": _(
            "Line %(line)s of the dictionary has too many parts: a word, a frequency and a tag at most.",
            line=error.line_number,
        ),
        "empty-word": _("Line %(line)s of the dictionary has no word.", line=error.line_number),
    }
    return InputProblem(sentences[error.reason])


def unavailable_problem(error: UnavailableVocabularyError) -> InputProblem:
    """A vocabulary that is known and cannot be had, with what to do."""
    if isinstance(error.why, FetchError):
        return InputProblem(fetch_sentence(error.why), 503, "vocabulary")
    if error.entry.origin == "uploaded":
        message = _(
            "The uploaded vocabulary “%(title)s” cannot be read any more: %(why)s. Upload the file again.",
            title=title_of(error.entry),
            why=wrong_file(error.why),
        )
        return InputProblem(message, 503, "vocabulary")
    sentence = _(
        "What the publisher of “%(title)s” sends cannot be read: %(why)s. Everything that ships with this site works "
        "without it.",
        title=title_of(error.entry),
        why=wrong_file(error.why),
    )
    return InputProblem(sentence, 503, "vocabulary")


def text_problem(state: State, error: TextError) -> InputProblem:
    """A text that the vocabulary's own parts cannot cope with."""
    entry = find(state.vocabulary)
    title = title_of(entry) if entry else state.vocabulary
    if isinstance(error, GrowthError):
        return InputProblem(
            _(
                "“%(title)s” makes this text too long. Shorten it, or choose another vocabulary.",
                title=title,
            )
        )
    return InputProblem(
        _(
            "A pattern of “%(title)s” comes to no end on this text. Change the text, or choose another vocabulary.",
            title=title,
        )
    )


def wrong_file(error: FormatError) -> str:
    """What is wrong with a vocabulary file, and where."""
    return _translated(error)


def _translated(said: VocabularyError | Phrase) -> str:
    """A sentence of the core with its places filled, first those that are sentences themselves."""
    values = {
        name: _translated(value) if isinstance(value, VocabularyError | Phrase) else value
        for name, value in said.values.items()
    }
    return _(said.sentence, **values)
