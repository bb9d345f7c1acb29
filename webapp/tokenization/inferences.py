"""What pages say about an inference: its title, how it works, how its count differs, and where to read on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from flask import current_app, url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.algorithms import inferences_of
from webapp.core.inference.records import INFERENCES, OWN, PARAMETERS, SEED
from webapp.tokenization.comparison.state import Comparison, TokenizerChoice, inferences_compared
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.web.localization import join_list, number


def inference_title(id: str) -> str:
    """The title of an inference."""
    return {
        "own": _("Own rule"),
        "longest": _("Longest match"),
        "fewest": _("Fewest tokens"),
        "dropout": _("BPE-dropout"),
        "sample": _("Sample"),
    }[id]


def how_it_works(id: str) -> str:
    """What an inference does, in a sentence."""
    return {
        "own": _("The rule that the vocabulary was trained for; the only one that gives the tokens a model expects."),
        "longest": _("At each position, from the left, the longest piece that fits."),
        "fewest": _("A shortest path: the fewest pieces; among equals, the longest piece first, from the left."),
        "dropout": _("At each step every possible merge is dropped with a probability, each on its own."),
        "sample": _("A segmentation is drawn at random; alpha makes the probabilities more equal or less."),
    }[id]


PAPERS = {
    "longest": "Uzan et al. 2024",
    "fewest": "Schmidt et al. 2024",
    "dropout": "Provilkov et al. 2020",
    "sample": "Kudo 2018",
}


@dataclass(frozen=True)
class InferenceField:
    """The choice of an inference and the fields of its parameters, as the form shows them."""

    values: list[tuple[str, str, str]]  # id, title, and the class of an option that only some algorithms have
    chosen: str
    dropout: str
    alpha: str
    seed: str


def inference_field(state: State) -> InferenceField:
    """The fields for the inference of a state."""
    titles = {
        "own": _("by its own rule"),
        "longest": _("longest match from the left"),
        "fewest": _("fewest tokens"),
        "dropout": _("at random: BPE-dropout"),
        "sample": _("at random: a sample of Unigram"),
    }
    return InferenceField(
        [(id, titles[id], f"only-{id}" if INFERENCES[id].parameters else "") for id in INFERENCES],
        state.inference,
        f"{state.dropout:.12g}",
        f"{state.alpha:.12g}",
        str(state.seed),
    )


def ways_of(choice: TokenizerChoice) -> list[tuple[str, str]]:
    """The ids and titles of the ways to apply the vocabulary of a tokenizer, its own rule first."""
    return [(each, inference_title(each)) for each in inferences_of(choice.algorithm)]


def parameter_fields(state: State) -> list[tuple[str, str, str, str, str]]:
    """The parameters of inferences as fields: name, label, least and greatest value, value."""
    titles = {"dropout": _("Dropout, from 0 to 1"), "alpha": _("Alpha, from 0.01 to 10"), "seed": _("Seed")}
    return [
        (each.name, titles[each.name], f"{each.least:g}", f"{each.most:.12g}", f"{getattr(state, each.name):.12g}")
        for each in PARAMETERS
    ]


@dataclass(frozen=True)
class InferenceNote:
    """What a result says about an inference that is not the vocabulary's own rule; addresses are None if too long.

    With `refused`, the chosen inference does not apply to the vocabulary, and the result is by its own rule.
    """

    title: str
    refused: bool = False
    count: str = ""  # how many tokens more or fewer than by the own rule
    parameters: str = ""
    how: str = ""
    paper: str = ""
    paper_address: str = ""
    own: str | None = None  # the address of the result by the own rule
    compare: str | None = None
    next_sample: str | None = None


def inference_note(result: Result) -> InferenceNote | None:
    """The note of a result; None if its vocabulary is applied by its own rule, as chosen."""
    state = result.state
    id = state.relevant().inference
    if state.inference != id:
        return InferenceNote(inference_title(state.inference), refused=True)
    if id == OWN:
        return None
    names = [parameter.name for parameter in INFERENCES[id].parameters]
    given = {
        "dropout": lambda: _("probability %(value)s", value=f"{state.dropout:.12g}"),
        "alpha": lambda: _("alpha %(value)s", value=f"{state.alpha:.12g}"),
        "seed": lambda: _("seed %(value)s", value=state.seed),
    }
    following = (state.seed + 1) % (int(SEED.most) + 1)
    return InferenceNote(
        title=inference_title(id),
        count=_count_sentence(result),
        parameters=join_list(given[name]() for name in names),
        how=how_it_works(id),
        paper=PAPERS[id],
        paper_address=f"https://arxiv.org/abs/{INFERENCES[id].source}",
        own=_address(replace(state, inference=OWN)),
        compare=compare_address(state),
        next_sample=_address(replace(state, seed=following)) if "seed" in names else None,
    )


def compare_address(state: State) -> str | None:
    """The address of a comparison of all inferences of a state's vocabulary; None if there is one, or if too long."""
    choice = TokenizerChoice(state.algorithm, state.vocabulary)
    if len(inferences_of(state.algorithm)) < 2:
        return None
    query = Comparison(inferences_compared(choice), replace(state, inference=OWN)).link(
        current_app.config["MAX_LINK_CHARACTERS"]
    )
    return f"{url_for('compare.page')}?{query}" if query else None


def steps_of_sample(state: State) -> str:
    """What the address of the steps needs to show a sample: its temperature and seed.

    >>> steps_of_sample(State(algorithm="unigram", inference="sample", alpha=0.5, seed=3))
    'temperature=2&seed=3'
    """
    return urlencode({"temperature": f"{1 / state.alpha:.12g}", "seed": state.seed})


def _address(state: State) -> str | None:
    query = replace(state, token=None).link(current_app.config["MAX_LINK_CHARACTERS"])
    return f"{url_for('playground.page')}?{query}" if query else None


def _count_sentence(result: Result) -> str:
    own, tokens = result.own_tokens, len(result.encoding)
    if own is None:
        return ""
    more = tokens - own
    if not more:
        return _("The own rule gives the same number of tokens.")
    if more > 0:
        return ngettext(
            "One token more than the %(own)s of the own rule.",
            "%(count)s tokens more than the %(own)s of the own rule.",
            more,
            count=number(more),
            own=number(own),
        )
    return ngettext(
        "One token fewer than the %(own)s of the own rule.",
        "%(count)s tokens fewer than the %(own)s of the own rule.",
        -more,
        count=number(-more),
        own=number(own),
    )
