"""The names of the kinds of tokens that a portrait counts, in the visitor's language."""

from flask_babel import get_locale
from flask_babel import gettext as _

from webapp.core.analysis import portrait

# ISO 15924 codes of scripts whose names differ between the Unicode locale data and the character data.
_CODES = {
    "Bengali": "Beng",
    "Canadian_Aboriginal": "Cans",
    "Hanifi_Rohingya": "Rohg",
    "Lisu": "Lisu",
    "Meetei_Mayek": "Mtei",
    "Miao": "Plrd",
    "Nko": "Nkoo",
    "Nushu": "Nshu",
    "Oriya": "Orya",
    "Phags_Pa": "Phag",
    "Tai_Tham": "Lana",
}


def kind_title(kind: str) -> str:
    """The name of a script, or of a kind of token that is not text in one script."""
    others = {
        portrait.SEVERAL_SCRIPTS: _("Several scripts"),
        portrait.DIGITS: _("Digits"),
        portrait.PUNCTUATION: _("Punctuation and symbols"),
        portrait.WHITE_SPACE: _("White space"),
        portrait.PART: _("Part of a character"),
        portrait.SPECIAL: _("Special and unknown tokens"),
        portrait.OTHER: _("Other characters"),
    }
    return others.get(kind) or script_title(kind)


def script_title(name: str) -> str:
    """The name of a script in the reader's language."""
    plain = name.replace("_", " ")
    locale = get_locale()
    if locale is None:
        return plain
    english = locale.parse("en").scripts
    code = _CODES.get(name) or next((code for code, title in english.items() if title == plain), "")
    title: str = locale.scripts.get(code, plain)
    return title
