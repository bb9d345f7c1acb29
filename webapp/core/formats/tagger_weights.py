"""The weights of a tagger as JSON: for each template and each of its values the weights of B, M, E and S.

    {"type": "tagger weights", "words": ["研究", "生命"], "transitions": {"BM": -12, "BE": 40},
     "weights": {"C0": {"的": [-310, -250, -64, 624]}, "C-1C0": {"研究": [-20, 8, 31, -19]}}}

Templates are those of `webapp.core.models.tag_weights`; a line break stands for the edge of a sentence. `words` have
ids, in their order.
"""

import json
from typing import Any

from webapp.core.formats.reading import FormatError, field, parts_of_file
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.tag_weights import HIGHEST, TEMPLATES, TRANSITIONS, TagWeights, Weights
from webapp.core.models.tagger import Tagger
from webapp.core.recipes import NGRAM
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

TYPE = "tagger weights"


def write(tokenizer: Tokenizer) -> str:
    """Return the weights of a tagger as JSON; raises FormatError for another model."""
    model = tagger_of(tokenizer)
    weights: dict[str, dict[str, list[int]]] = {template: {} for template in TEMPLATES}
    for template, value, four in model.weights.items():
        weights[template][value] = four
    transitions = dict(zip(TRANSITIONS, model.weights.transitions, strict=True))
    document = {"type": TYPE, "words": list(model.pieces), "transitions": transitions, "weights": weights}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def tagger_of(tokenizer: Tokenizer) -> Tagger:
    """The tagger of a tokenizer; raises FormatError if it has another model."""
    if not isinstance(tokenizer.model, Tagger):
        raise FormatError("only a tagger can be written as the weights of one")
    return tokenizer.model


def read(document: dict[str, Any], dictionary: Dictionary | None = None) -> Tokenizer:
    """Return the tokenizer of parsed weights; raises FormatError that says what is wrong.

    The words of a `dictionary` take the place of those of the document.
    """
    words = field(document, "words", list)
    for word in words:
        if not isinstance(word, str) or not word or any(map(str.isspace, word)):
            raise FormatError('"words" should be a list of words without spaces, not %(word)s', word=shown(word))
    transitions = field(document, "transitions", dict, {})
    for pair, weight in transitions.items():
        if pair not in TRANSITIONS or not _is_weight(weight):
            raise FormatError(
                '"transitions" should map %(pairs)s to whole numbers, not %(pair)s to %(weight)s',
                pairs=", ".join(TRANSITIONS),
                pair=shown(pair),
                weight=shown(weight),
            )
    weights = TagWeights(_weights(field(document, "weights", dict)), transitions)
    with parts_of_file():
        return NGRAM.tokenizer(Tagger(weights, dictionary or Dictionary(words)))


def _weights(tables: dict[str, Any]) -> Weights:
    for template, table in tables.items():
        if template not in TEMPLATES or not isinstance(table, dict):
            raise FormatError(
                '"weights" should have an object for each of %(templates)s, not %(template)s',
                templates=", ".join(TEMPLATES),
                template=shown(template),
            )
        length = template.count("C") or template.count("T")
        for value, four in table.items():
            if len(value) != length:
                raise FormatError(
                    "the value %(value)s of %(template)s should have %(count)s characters",
                    value=shown(value),
                    template=template,
                    count=length,
                )
            if not isinstance(four, list) or len(four) != 4 or not all(map(_is_weight, four)):
                raise FormatError(
                    "%(value)s in %(template)s should have four whole numbers from -%(most)s to %(most)s",
                    value=shown(value),
                    template=template,
                    most=f"{HIGHEST:,}",
                )
    return tables


def _is_weight(value: Any) -> bool:
    return type(value) is int and -HIGHEST <= value <= HIGHEST
