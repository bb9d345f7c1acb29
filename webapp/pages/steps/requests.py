"""Requests of `/steps`, with their walkthroughs; what the form and the list of algorithms show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from flask import Request, url_for
from flask import request as current_request
from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS, family_of, sharing_vocabularies
from webapp.core.analysis.chunking import boundaries_of
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.mapped_bpe import MappedBPE
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import SentencePieceCharacters, SentencePieceWords
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.tagger import Tagger
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.pages.steps import inference, lattice, matching, maximum_probability, merging, tagger
from webapp.pages.walkthrough import ngrams
from webapp.pages.walkthrough.cells import preparation
from webapp.pages.walkthrough.engine import MOST_BEST, Walkthrough
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization import forms
from webapp.tokenization.algorithms import (
    TEXTS,
    ChoiceField,
    algorithm_names,
    choice_fields,
    in_groups,
    leading_algorithms,
)
from webapp.tokenization.algorithms import options as checkbox_options
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import LONGEST_ADDRESS, MOST, Groups, vocabulary_choices
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry, default_for, find, title_of
from webapp.vocabularies.trained import EXAMPLE_SENTENCES
from webapp.web.localization import current_key, join_list, number

USUAL_BEST = 5
WALKTHROUGHS: dict[type[Any], Callable[[Result, Any, int], Walkthrough]] = {
    Matching: matching.walkthrough,
    MaximumProbability: maximum_probability.walkthrough,
    NGram: ngrams.walkthrough,
    Tagger: tagger.walkthrough,
    WordPiece: matching.wordpiece_walkthrough,
    **dict.fromkeys((BPE, MappedBPE, RankBPE, ScoredBPE, SubwordBPE), merging.walkthrough),
    **dict.fromkeys((Unigram, SentencePieceUnigram), lattice.walkthrough),
}
"""What makes a walkthrough of a result with its model and a number of best segmentations, by the class of the model."""


@dataclass(frozen=True)
class StepsRequest:
    """A state and one of its steps: given by number, or by the token that it made; by default the first.

    `n` is the number of best segmentations that the last step lists, for algorithms that have them.
    """

    state: State
    step: int | None = None
    token: int | None = None
    n: int | None = None

    def address(self, step: int | None = None, **more: str | None) -> str:
        """The address of a step, by default of the first; what is None is left out."""
        pairs = [(name, value) for name, value in {"n": self.n, **more, "step": step}.items() if value is not None]
        tail = f"&{urlencode(pairs)}" if pairs else ""
        endpoint = "steps.embed" if current_request.endpoint == "steps.embed" else "steps.page"
        return f"{url_for(endpoint, algorithm=self.state.algorithm)}?{self.state.query_of_algorithm()}{tail}"

    def first_step(self, **changes: Any) -> StepsRequest:
        """The same request with changes of its state, such as another text, from its first step."""
        return StepsRequest(replace(self.state, **changes), n=None if "algorithm" in changes else self.n)


def walkthrough_of(result: Result, n: int = USUAL_BEST) -> Walkthrough:
    """The walkthrough of a result; its first step shows what happens before the model.

    Raises InputProblem if there are no steps to show.
    """
    return replace(_steps(result, n), preparation=partial(preparation, result))


def _steps(result: Result, n: int) -> Walkthrough:
    model = result.tokenizer.model
    drawn = "seed" in result.state.inference_options  # whether the tokens are random
    if drawn or (result.inferred is not None and result.inferred.model is not model):
        return inference.walkthrough(result)
    if isinstance(model, WordLevel | SentencePieceWords | SentencePieceCharacters):
        raise InputProblem(
            _("This vocabulary is only looked up, word by word or character by character, so there are no steps.")
        )
    if type(model) in WALKTHROUGHS:
        return WALKTHROUGHS[type(model)](result, model, n)
    raise InputProblem(_("There is no step-by-step view for this kind of vocabulary."), field="algorithm")


def read(request: Request, algorithm: str) -> tuple[StepsRequest, list[InputProblem]]:
    """The request, and its problems."""
    state, problems = forms.read(request, algorithm)
    values = request.form if request.method == "POST" else request.args
    if not state.inference_options:  # then the seed is that of the samples that the lattice shows
        problems = [problem for problem in problems if problem.field != "seed"]
    if request.method == "GET" and "text" not in values:
        state = replace(state, text=TEXTS[algorithm].examples[0])
    wrong = _("“%(value)s” is not a step number. Steps are counted from 1.", value=values.get("step", "")[:40])
    step, wrong_step = _whole(values.get("step", ""), 0, 999_999_999, InputProblem(wrong, 422, "step"))
    wrong = _("The number of best segmentations must be from 1 to %(most)s.", most=MOST_BEST)
    written = values.get("n", "") if algorithm in ("ngram", "unigram") else ""
    n, wrong_n = _whole(written, 1, MOST_BEST, InputProblem(wrong, 422, "n"))
    wanted = StepsRequest(replace(state, token=None), step, state.token if step is None else None, n)
    if not problems and (other := other_algorithm(request, algorithm)) is not None:
        names = algorithm_names()
        own = join_list(names[name] for name in other.algorithms)
        message = _(
            "“%(title)s” is a vocabulary for %(own)s and cannot be used with %(algorithm)s.",
            title=title_of(other),
            own=own,
            algorithm=names[algorithm],
        )
        problems = [InputProblem(message, 422, "vocabulary")]
    if not problems and len(state.text) > MOST:
        values_of_text = {"count": number(len(state.text)), "most": number(MOST)}
        message = _("The text has %(count)s characters; steps are shown for up to %(most)s.", **values_of_text)
        problems = [InputProblem(message, 413, "text")]
    elif not problems and request.method == "POST" and len(wanted.address()) > LONGEST_ADDRESS:
        message = _("This is too long for a URL. Shorten the training text or the dictionary.")
        problems = [InputProblem(message, 413)]
    return wanted, [*problems, *wrong_step, *wrong_n]


def _whole(value: str, least: int, most: int, wrong: InputProblem) -> tuple[int | None, list[InputProblem]]:
    """A number of an address, if it has one; the problem if it is none from `least` to `most`."""
    if not value:
        return None, []
    if value.isascii() and value.isdecimal() and len(value) <= 9 and least <= int(value) <= most:
        return int(value), []
    return None, [wrong]


def other_algorithm(request: Request, algorithm: str) -> CatalogueEntry | None:
    """The vocabulary in the address, if it does not fit the algorithm: no merges, no scores, or no words."""
    entries = [entry for name in request.args.getlist("vocabulary") if (entry := find(name)) is not None]
    return None if any(algorithm in entry.algorithms for entry in entries) else next(iter(entries), None)


def first_sentence(text: str) -> str:
    """The first sentence that is not empty; if it is too long for steps, its beginning, up to the end of a word.

    >>> first_sentence(" It rains. Take an umbrella.")
    'It rains.'
    """
    ends = [*boundaries_of(text, "sentence"), len(text)]
    begin = len(text) - len(text.lstrip())
    sentence = text[begin : next(end for end in ends if end > begin or end == len(text))].rstrip()
    if len(sentence) <= MOST:
        return sentence
    space = max(sentence.rfind(" ", MOST // 2, MOST + 1), sentence.rfind("\n", MOST // 2, MOST + 1))
    return sentence[: space if space > 0 else MOST]


def choices(request: Request, state: State) -> Groups:
    """The vocabularies of the algorithm."""

    def keep(entry: CatalogueEntry) -> bool:
        return state.algorithm in entry.algorithms and (entry.origin != "pasted" or bool(state.dictionary))

    return vocabulary_choices(request, state.vocabulary, keep=keep)


def checkboxes(state: State) -> list[tuple[str, bool, str]]:
    """The checkboxes that apply to an algorithm: field, whether it is ticked, label."""
    algorithm = ALGORITHMS[state.algorithm]
    wanted = {option.name for option in (algorithm.external_options if state.external else algorithm.options)}
    return [(name, checked, title) for name, checked, title, _groups in checkbox_options(state) if name in wanted]


def fields_with_values(state: State) -> list[ChoiceField]:
    """The options with several values that apply to an algorithm and its vocabulary."""
    wanted = {choice.name for choice in state.choices}
    return [field for field in choice_fields(state) if field.name in wanted]


def hidden_fields(wanted: StepsRequest) -> list[tuple[str, str]]:
    """The hidden fields of the form."""
    state = wanted.state
    fields = {"size": state.size if state.trained else None, **state.inference_options, "n": wanted.n}
    return [(name, str(value)) for name, value in fields.items() if value is not None]


def own_sentences(state: State) -> str | None:
    """The sentences whose words an n-gram model counts; None for other vocabularies."""
    if not state.trained or state.family != "word model":
        return None
    return state.corpus if state.corpus.strip() else EXAMPLE_SENTENCES


# --- the list of algorithms

DICTIONARIES = (
    ("研究生命科学", ("研究", "研究生", "生命", "科学")),
    ("结婚的和尚未结婚的", ("结婚", "的", "和", "和尚", "尚未")),
)
"""Texts with a small dictionary each, which FMM and BMM segment differently."""
COUNTED_SENTENCES = State(
    "ngram", "learned-ngram", "人生如梦境", corpus=EXAMPLE_SENTENCES, order="2", smoothing="add-one"
)

UNLISTED = "他来到了网易杭研大厦"  # 杭研 is in no dictionary

LESSONS = {
    **dict.fromkeys(("fmm", "bmm", "bidirectional"), "dictionary"),
    **{name: name for name in ("max-probability", "ngram", "tagger", "bpe", "wordpiece", "unigram")},
}
"""The lesson about each algorithm."""


_PICTURED = {
    "fmm": ("研究生命科学", -1),
    "ngram": ("如梦境", -1),
    "tagger": ("人生如梦", -2),
    "bpe": ("lower", -1),
    "wordpiece": ("unbelievably", 2),
    "unigram": ("hugs", -1),
}
"""The text and the step of each picture; -1 is the last step."""


@dataclass(frozen=True)
class OverviewLine:
    """One or two related algorithms: their names with links, what their steps show, and example texts."""

    ways: list[tuple[str, StepsRequest]]
    about: str
    examples: list[StepsRequest]
    figure: Figure | None = None  # a small picture of a step


@cache
def hmm_request() -> StepsRequest:
    """The first step of the hidden Markov model, on a text with a word that the dictionary lacks."""
    state = State("max-probability", default_for("max-probability"), UNLISTED)
    steps = walkthrough_of(tokenize(state, corpus_limit=0))
    return StepsRequest(state, next(at for at in range(len(steps)) if steps.at(at).record["kind"] == "column"))


def with_steps() -> list[str]:
    """The algorithms that have steps."""
    return [name for name, each in ALGORITHMS.items() if each.has_steps]


def overview_lines() -> list[OverviewLine]:
    """A line for each algorithm that has steps, or for related ones; subwords first, but words for a Chinese reader."""
    names, subwords, words = algorithm_names(), *map(leading_algorithms, in_groups(with_steps()))
    hmm = _("Each Han character begins a word (B), is in its middle (M), ends it (E), or is a word by itself (S).")
    lines = {
        algorithm: OverviewLine(
            [(names[each], _request_for(each)) for each in (algorithm, *sharing_vocabularies(algorithm))],
            str(TEXTS[algorithm].steps),
            _examples(algorithm),
            _figure(algorithm, current_key()),
        )
        for algorithm in (*subwords, *words)
    }
    wanted = hmm_request()
    figure = walkthrough_of(tokenize(wanted.state, corpus_limit=0)).at((wanted.step or 0) + 2).picture()
    lines["hmm"] = OverviewLine([("HMM", wanted)], hmm, [wanted], figure)
    return [lines[each] for each in ((*words, "hmm", *subwords) if current_key() == "zh" else lines)]


@cache
def _figure(algorithm: str, language: str) -> Figure | None:
    """A small picture of an algorithm; its labels are in the language of the request, which is `language`."""
    if algorithm not in _PICTURED:
        return None
    text, step = _PICTURED[algorithm]
    state = replace(_examples(algorithm)[0].state, text=text)
    walkthrough = walkthrough_of(tokenize(state, corpus_limit=0))
    return walkthrough.at(step % len(walkthrough)).picture()


def _examples(algorithm: str) -> list[StepsRequest]:
    """Examples with a dictionary of a few words or the sentences whose words are counted, then other texts."""
    own = []
    if algorithm == "ngram":
        own = [StepsRequest(COUNTED_SENTENCES)]
    elif family_of(algorithm) == "dictionary":
        states = (State(algorithm, "own-dictionary", text, dictionary="\n".join(words)) for text, words in DICTIONARIES)
        own = [StepsRequest(state) for state in states]
    known = {each.state.text for each in own}
    return [*own, *(_request_for(algorithm, text) for text in TEXTS[algorithm].examples if text not in known)]


def _request_for(algorithm: str, text: str | None = None) -> StepsRequest:
    """The request for the steps of a text, by default of the first example."""
    return StepsRequest(State(algorithm, default_for(algorithm), text or TEXTS[algorithm].examples[0]))
