"""Scripts of characters as in Hugging Face's `tokenizers`: characters outside its table have none."""

from __future__ import annotations

from functools import cache, lru_cache

import regex

from webapp.core.text.unicode_tables import SCRIPTS, members


def scripts(text: str) -> list[str | None]:
    """The script of each character; None for a space and for a character outside the table.

    >>> scripts("aя ー研")
    ['Latin', 'Cyrillic', None, 'Han', 'Han']
    """
    return list(map(_script, text))


@lru_cache(1 << 16)
def _script(character: str) -> str | None:
    if _unknown().match(character):
        return None
    if character in _OTHERWISE:
        return _OTHERWISE[character]
    found = (name for name, pattern in _patterns().items() if pattern.match(character))
    name = next(found, None)
    return "Han" if name in ("Hiragana", "Katakana") else name


@cache
def _unknown() -> regex.Pattern[str]:
    return regex.compile(f"[{members('without script')}]")


@cache
def _patterns() -> dict[str, regex.Pattern[str]]:
    return {name: regex.compile(rf"\p{{Script={name}}}") for name in SCRIPTS}


# The long vowel mark counts as Japanese; the script of the others has changed since.
_OTHERWISE = {
    "ー": "Han",
    "\u0589": "Common",
    "\u061c": "Common",
    "\u0953": "Devanagari",
    "\u0954": "Devanagari",
}
