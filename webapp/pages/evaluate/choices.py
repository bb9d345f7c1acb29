"""The methods to choose from: those that segment into words, then those that segment into pieces of words."""

from __future__ import annotations

from collections.abc import Sequence

from flask_babel import gettext as _

from webapp.tokenization.comparison.choices import TokenizerOption, tokenizer_options
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.evaluation.state import PASTED, is_word_method
from webapp.vocabularies import CATALOGUE, CatalogueEntry, well_known
from webapp.vocabularies.upload_cookie import with_chosen


def groups_of(
    uploads: Sequence[CatalogueEntry], chosen: Sequence[TokenizerChoice]
) -> list[tuple[str, list[TokenizerOption]]]:
    """The methods to choose from under their headings, given the visitor's uploads and the chosen methods."""
    yours = with_chosen(uploads, [choice.vocabulary for choice in chosen])
    own = [*(entry for entry in CATALOGUE.values() if entry.origin not in ("learned", "pasted")), *yours]
    pasted = [CATALOGUE[PASTED]] if PASTED in CATALOGUE else []
    groups = [
        (_("Methods that find words"), tokenizer_options(own, is_word_method)),
        (
            _("The same, with your training words as the dictionary"),
            tokenizer_options(pasted, is_word_method, lambda entry: _("your training words")),
        ),
        (_("Methods that find pieces of words"), tokenizer_options(own, _finds_pieces)),
        (_("The same, with well-known vocabularies"), tokenizer_options(well_known(), _finds_pieces)),
    ]
    return [(title, options) for title, options in groups if options]


def _finds_pieces(id: str) -> bool:
    return not is_word_method(id)
