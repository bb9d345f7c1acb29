"""The dictionary on a page of steps: the visitor's own, or the words of a large one that occur in the text."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.word_models import DictionaryModel
from webapp.tokenization.result import Result


@dataclass(frozen=True)
class DictionaryWords:
    """The values for `steps/_dictionary.html`.

    `words` is the content of the text box: all words of an `own` dictionary, else those that occur in the text.
    """

    own: bool
    words: str
    count: int  # of the words in the text box
    total: int  # of the words of the dictionary
    occurring: int  # of the words that occur in the text


def dictionary_words(result: Result) -> DictionaryWords | None:
    """The dictionary of a result; None for other algorithms."""
    model = result.tokenizer.model
    if not isinstance(model, DictionaryModel):
        return None
    found = words_in(result.encoding.text, model.dictionary)
    frequencies = model.dictionary.frequencies
    if isinstance(model, MaximumProbability) and frequencies is not None:
        found = [f"{word} {frequencies[model.dictionary.ids[word]]}" for word in found]
    if result.state.vocabulary == "own-dictionary":
        written = result.state.dictionary
        return DictionaryWords(True, written, len(model.dictionary), len(model.dictionary), len(found))
    return DictionaryWords(False, "\n".join(found), len(found), len(model.dictionary), len(found))


def words_in(text: str, dictionary: Dictionary) -> list[str]:
    """The words of a dictionary that occur in a text, in the order of the text, each once.

    >>> words_in("研究生命", Dictionary(["研究", "研究生", "生命", "科学"]))
    ['研究', '研究生', '生命']
    """
    longest = dictionary.longest
    spans = (text[at : at + length] for at in range(len(text)) for length in range(1, min(longest, len(text) - at) + 1))
    return list(dict.fromkeys(span for span in spans if span in dictionary))
