"""What a measure is, once for all: its title, unit and formula, what it is measured on, and how its values are shown.

Pages, files, the API and the command `measure` derive their lists from these records, which have the ids of
`webapp.core.analysis.measures`. What each measure tells, with an example and its sources, is written in
`templates/measures/_definitions.html`. Texts are translated when a page shows them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from flask_babel import lazy_gettext as _l

from webapp.core.analysis.measures import MEASURES, MeasureId
from webapp.tokenization.algorithms import Text


@dataclass(frozen=True)
class Definition:
    """A measure.

    `of` is what is measured: the text, the parallel article or the gold segmentation; `field` is the name of its value
    in the result for that, if it is not the id. Values have `decimals`, or are shares in percent if that is None.
    """

    title: Text
    unit: Text
    formula: Text
    of: Literal["text", "languages", "gold"] = "text"
    field: str = ""
    decimals: int | None = 2
    sign: str = ""  # after a value
    named_by_unit: bool = False  # whether the title says the unit
    in_figures: bool = False  # whether a comparison has it among its figures, apart from the table of measures


DEFINITIONS: Mapping[MeasureId, Definition] = {
    "tokens": Definition(
        _l("Tokens"),
        _l("tokens"),
        _l("the number of tokens of the text, without the special tokens that a model adds around it"),
        decimals=0,
        named_by_unit=True,
        in_figures=True,
    ),
    "characters-per-token": Definition(
        _l("Characters per token"),
        _l("characters per token"),
        _l("characters of the text, spaces included ÷ tokens"),
        named_by_unit=True,
        in_figures=True,
    ),
    "bytes-per-token": Definition(
        _l("Bytes per token"),
        _l("bytes per token"),
        _l("bytes of the text in UTF-8 ÷ tokens"),
        named_by_unit=True,
        in_figures=True,
    ),
    "fertility": Definition(
        _l("Fertility"),
        _l("tokens per word"),
        _l("Σ over words (tokens that cover any character of the word) ÷ words"),
    ),
    "whole-words": Definition(
        _l("Words kept whole"),
        _l("share of the words"),
        _l("words that a single token covers, unknown tokens aside ÷ words"),
        decimals=None,
    ),
    "unknown": Definition(
        _l("Unknown"),
        _l("share of the tokens"),
        _l("tokens that stand for text outside the vocabulary ÷ tokens"),
        decimals=None,
        in_figures=True,
    ),
    "renyi-efficiency": Definition(
        _l("Rényi efficiency"),
        _l("from 0 to 1"),
        _l("log₂(Σ p(t)^α) ÷ (1 − α) ÷ log₂ V, with α = 2.5, p(t) the share of token t, V different tokens"),
        decimals=3,
    ),
    "vocabulary-used": Definition(
        _l("Vocabulary used"),
        _l("share of the vocabulary"),
        _l("different tokens of the text ÷ ids of the vocabulary, added tokens included"),
        decimals=None,
    ),
    "premium": Definition(
        _l("Premium"),
        _l("times the tokens of English"),
        _l("tokens of the article in the language ÷ tokens of the article in English"),
        of="languages",
        field="of_chinese",
        sign="×",
    ),
    "gini": Definition(
        _l("Gini across languages"),
        _l("from 0 to 1"),
        _l("Σ over pairs of languages |cᵢ − cⱼ| ÷ (2 n² · mean of c), with cᵢ the tokens of the article"),
        of="languages",
        decimals=3,
    ),
    "boundary-precision": Definition(
        _l("Boundary precision"),
        _l("share of the tokenizer’s boundaries"),
        _l("boundaries of tokens that are gold ÷ boundaries of tokens, inside the lines of the gold text"),
        of="gold",
        field="precision",
        decimals=None,
    ),
    "boundary-recall": Definition(
        _l("Boundary recall"),
        _l("share of the gold boundaries"),
        _l("gold boundaries that are boundaries of tokens ÷ gold boundaries, inside the lines"),
        of="gold",
        field="recall",
        decimals=None,
    ),
    "boundary-f1": Definition(
        _l("Boundary F1"),
        _l("from 0% to 100%"),
        _l("2 · precision · recall ÷ (precision + recall)"),
        of="gold",
        field="f1",
        decimals=None,
    ),
}

assert tuple(DEFINITIONS) == MEASURES
