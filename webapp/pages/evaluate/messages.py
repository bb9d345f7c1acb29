"""The sentences of `/evaluate`, and the methods to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.evaluation.errors import Kind
from webapp.core.evaluation.report import Report
from webapp.tokenization.comparison.choices import TokenizerOption, tokenizer_options
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.evaluation.state import PASTED, is_word_method
from webapp.vocabularies import CATALOGUE, CatalogueEntry, well_known
from webapp.vocabularies.upload_cookie import with_chosen


def kind_names() -> dict[Kind, str]:
    """The names of the kinds of errors."""
    return {
        "overlap": _("Overlap"),
        "merged": _("Too long"),
        "split": _("Too short"),
        "unknown": _("Unknown word"),
        "number": _("Number or Latin"),
        "name": _("Proper name"),
    }


def kind_hints() -> dict[Kind, str]:
    """What each kind of error is."""
    return {
        "overlap": _("Overlap ambiguity: the boundaries cross. 研究生 命 in place of 研究 生命."),
        "merged": _("Combination ambiguity: the method merges what the gold text separates. 将来 in place of 将 来."),
        "split": _(
            "Combination ambiguity: the method splits what is one word in the gold text. 起 源 in place of 起源."
        ),
        "unknown": _("A word of the gold text is not among the known words, so a dictionary cannot find it."),
        "number": _("A number, a date, a time, or a word of Latin letters is in it."),
        "name": _(
            "A name of a person, a place or an organization is in it. The tags of a CoNLL-U file decide; without them, "
            "jieba’s dictionary, or for an unknown word a frequent surname at its beginning. So words that are also "
            "names count as names, and nicknames and foreign names are missed."
        ),
    }


def known_note(report: Report) -> str:
    """What decides which words are unknown."""
    if report.training_words is not None:
        return _("Unknown words (OOV) are those that are not in your list of training words.")
    if any(method.known_from for method in report.methods):
        return _(
            "Without training words, the unknown words (OOV) of a method are those that its own dictionary lacks, "
            "punctuation aside, so the OOV figures of methods with different dictionaries cannot be compared."
        )
    return _("Without training words, no word counts as unknown (OOV).")


def kept_titles(days_kept: int) -> list[tuple[str, str]]:
    """How long a stored evaluation can be kept, by the value of the form's field.

    `days_kept` is the setting `KEEP_SNAPSHOTS_DAYS`: nothing is kept longer, unless it is 0.
    """
    titles = [("30", 30, _("30 days")), ("365", 365, _("one year"))]
    longest = ngettext("for %(num)s day", "for %(num)s days", days_kept) if days_kept else _("forever")
    shorter = [(value, title) for value, days, title in titles if not days_kept or days < days_kept]
    return [("", _("no link")), *shorter, ("forever", longest)]


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
