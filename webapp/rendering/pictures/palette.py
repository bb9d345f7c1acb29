"""The look of pictures, which is that of pages: read from the style sheets of the site when they are first needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

Theme = Literal["light", "dark"]

PACKAGE = Path(__file__).parents[2]
STATIC = next(home / "static" for home in (PACKAGE, PACKAGE.parent) if (home / "static").is_dir())  # installed, or not
THEMES: Mapping[Theme, str] = {"light": ":root", "dark": ':root[data-theme="dark"]'}
_RULE = re.compile(r"([^{}]+) \{([^{}]*)\}")
_DECLARATION = re.compile(r"([\w-]+): ([^;]+);")
_FIGURE = re.compile(r"\.diagram (\w+)(?:\.([\w-]+))?")

FigureLook = dict[str, str]
"""Declarations of a style sheet, such as `{"fill": "none", "stroke": "var(--edge)"}`."""


class Palette(dict[str, str]):
    """The variables of one theme by name: `stage` is the ground of tokens, `t1` to `t6` their tints."""

    @property
    def tints(self) -> list[str]:
        """The colours that tokens take in turn."""
        return [self[f"t{number}"] for number in range(1, 7)]


@cache
def palette_of(theme: Theme) -> Palette:
    """The colours and fonts of a theme, from `static/app.css`.

    >>> palette_of("light")["t2"], palette_of("dark")["ink"]
    ('#feefad', '#f4f6f8')
    """
    rules = _rules("app.css")
    return Palette({name.removeprefix("--"): value for name, value in (rules[":root"] | rules[THEMES[theme]]).items()})


@cache
def look(tag: str, kind: str) -> FigureLook:
    """The look of a shape, from `static/figures.css`: that of its element, changed by each word of its kind.

    >>> look("path", "win")["stroke"], look("path", "win")["fill"]
    ('var(--accent)', 'none')
    """
    looks = figure_looks()
    found = dict(looks[tag, ""])
    for word in kind.split():
        found |= looks.get((tag, word), {})
    return found


@cache
def figure_looks() -> Mapping[tuple[str, str], FigureLook]:
    """What the style sheet says of each kind of shape, by element and kind; the kind of the element alone is empty."""
    rules = {_FIGURE.fullmatch(selector): found for selector, found in _rules("figures.css").items()}
    return {(match[1], match[2] or ""): found for match, found in rules.items() if match}


def _rules(name: str) -> dict[str, FigureLook]:
    """The declarations of each rule of a style sheet, by its selector."""
    text = re.sub(r"/\*.*?\*/", "", (STATIC / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    rules: dict[str, FigureLook] = {}
    for selector, declarations in _RULE.findall(text):
        rules.setdefault(selector.strip(), dict(_DECLARATION.findall(declarations)))  # not those for small screens
    return rules
