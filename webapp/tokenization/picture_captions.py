"""The captions of pictures, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence

from flask_babel import get_locale, ngettext
from flask_babel import gettext as _

from webapp.core.inference.records import OWN
from webapp.rendering.pictures import PictureTexts
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.inferences import inference_title
from webapp.tokenization.state import State
from webapp.vocabularies import find, title_of
from webapp.web.localization import join_list, number

_NO_SCRIPT = ("Zyyy", "Zinh", "Zzzz")


def picture_words() -> PictureTexts:
    """The texts of a picture."""
    return PictureTexts(
        tokens=_tokens,
        more=_more,
        missing=_missing,
        empty=_("No text, no tokens."),
        beginning=_("Only the beginning of the text is shown."),
    )


def picture_title(state: State) -> str:
    """The title of a picture, with algorithm and vocabulary: `BPE · Demo: byte-level BPE, 32k`."""
    entry = find(state.vocabulary)
    inference = state.relevant().inference
    other = [inference_title(inference)] if inference != OWN else []
    return " · ".join([algorithm_names()[state.algorithm], *([title_of(entry)] if entry else []), *other])


def _tokens(count: int) -> str:
    return ngettext("One token", "%(size)s tokens", count, size=number(count))


def _more(count: int) -> str:
    return ngettext("and one more token", "and %(count)s more tokens", count, count=number(count))


def _missing(scripts: Sequence[str]) -> str:
    locale = get_locale()
    names = [locale.scripts.get(script, script) if locale else script for script in scripts if script not in _NO_SCRIPT]
    if len(names) < len(scripts):
        names.append(_("some symbols"))
    return _("No font of this server has: %(scripts)s.", scripts=join_list(names))
