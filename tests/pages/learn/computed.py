"""What a lesson says, and the models of the lessons on segmentation that compute it."""

from fractions import Fraction
from functools import cache

from flask.testing import FlaskClient
from markupsafe import Markup

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.hmm import HiddenMarkovModel, State, jieba_hmm
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.smoothing import AddK
from webapp.core.trainers.ngram import train
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State as PageState
from webapp.vocabularies.trained import EXAMPLE_SENTENCES

COUNTS = train(sentence.split() for sentence in EXAMPLE_SENTENCES.splitlines())
ADD_ONE = NGram(COUNTS, AddK())
"""The model of the lesson on n-grams."""
COMPANY = (("东西", 307, 44), ("Q", 306, 6))
"""Two words in the works of Lu Xun in lower case: how often, and after how many different characters."""


@cache
def dictionary() -> Dictionary:
    """jieba's dictionary."""
    model = prepare(PageState("fmm", "jieba", "x"), corpus_limit=1_000).tokenizer.model
    assert isinstance(model, Matching)
    return model.dictionary


@cache
def segmenter(hmm: bool = True) -> MaximumProbability:
    """jieba's segmentation."""
    return MaximumProbability(dictionary(), hmm)


@cache
def site_model() -> NGram:
    """The n-gram model that the site ships."""
    model = prepare(PageState("ngram", "ngram", "x"), corpus_limit=1_000).tokenizer.model
    assert isinstance(model, NGram)
    return model


def frequency(word: str) -> int:
    """The frequency of a word of jieba's dictionary; 0 for another one."""
    id = dictionary().id_of(word)
    return dictionary().frequencies[id] if id is not None else 0


def total() -> int:
    """The sum of all frequencies, with the second line of a word that the file repeats."""
    return dictionary().total


def tag_score(run: str, tags: str, model: HiddenMarkovModel | None = None) -> float:
    """The sum of the log-probabilities of some tags."""
    model = model or jieba_hmm()
    states: list[State] = list(tags)  # type: ignore[arg-type]
    score = model.start[states[0]] + model.emission[states[0]][run[0]]
    for before, state, character in zip(states, states[1:], run[1:], strict=False):
        score += model.transition[before, state] + model.emission[state][character]
    return score


def prose(client: FlaskClient, slug: str, language: str) -> str:
    """The text of a lesson, without markup and with single spaces."""
    page = client.get(f"/learn/{slug}?lang={language}").text
    article = page[page.index("<article") : page.index("</article>")]
    return Markup(article.replace("</td>", " </td>").replace("</th>", " </th>")).striptags()


def signed(value: float, digits: int) -> str:
    """A number with a minus sign, as the lessons write it."""
    return f"{value:.{digits}f}".replace("-", "−")


def product(factors: list[Fraction]) -> Fraction:
    """The product of fractions."""
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result
