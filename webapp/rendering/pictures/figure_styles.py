"""The look of the shapes of a figure by their kinds: one table for files and for the page.

Colours are names of the palette. `static/figures.css` has the same rules for the page (`style_sheet`); a test compares
them. To change a look or add a kind, change the table and write the file anew:

    python -m webapp.rendering.pictures.figure_styles > static/figures.css
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class FigureStyle:
    """What a kind changes; None leaves the look as it is."""

    fill: str | None = None
    stroke: str | None = None
    width: float | None = None
    dash: str | None = None
    weight: int | None = None
    mono: bool | None = None
    underline: bool | None = None
    halo: bool | None = None  # a margin in the colour of the ground, for labels across lines


BASE: dict[str, FigureStyle] = {
    "path": FigureStyle(fill="none", stroke="edge", width=1.5),
    "rect": FigureStyle(fill="stage"),
    "circle": FigureStyle(fill="stage", stroke="ink", width=2),
    "text": FigureStyle(fill="ink"),
}
"""The look of shapes before their kinds change it."""

STYLES: dict[str, dict[str, FigureStyle]] = {
    "path": {
        "soon": FigureStyle(width=1.25, dash="1 4"),
        "lost": FigureStyle(width=1),
        "best": FigureStyle(stroke="ink", width=2),
        "cand": FigureStyle(stroke="accent", width=1.75, dash="6 4"),
        "win": FigureStyle(stroke="accent", width=4),
        "rule": FigureStyle(stroke="line", width=1),
        "grid": FigureStyle(stroke="line", width=1),
        "joint": FigureStyle(width=1.25),
        "ghost": FigureStyle(stroke="line", width=1, dash="3 3"),
        "same": FigureStyle(width=1.25, dash="1 4"),
        "new": FigureStyle(stroke="accent", width=2.25),
        "differs": FigureStyle(stroke="accent", width=2, dash="5 3"),
        "hit": FigureStyle(stroke="accent", width=2.5),
        "miss": FigureStyle(stroke="edge", width=1.25),
    },
    "rect": {
        "band": FigureStyle(fill="wash"),
        "rank": FigureStyle(stroke="line", width=1),
        "token": FigureStyle(fill="t1"),
        "made": FigureStyle(stroke="accent", width=2),
        "new": FigureStyle(fill="accent", stroke="none"),
        "tally": FigureStyle(fill="edge"),
        "miss": FigureStyle(fill="sunk"),
        "hit": FigureStyle(fill="wash", stroke="accent", width=2),
        "k1": FigureStyle(fill="t1"),
        "k2": FigureStyle(fill="t2"),
        "k3": FigureStyle(fill="t3"),
        "k4": FigureStyle(fill="t4"),
        "k5": FigureStyle(fill="t5"),
        "k6": FigureStyle(fill="t6"),
        "differs": FigureStyle(stroke="accent", width=2, dash="5 3"),
    },
    "circle": {
        "far": FigureStyle(stroke="edge"),
        "on": FigureStyle(stroke="accent", width=2.5),
        "now": FigureStyle(fill="accent", stroke="accent"),
    },
    "text": {
        "soon": FigureStyle(fill="quiet"),
        "quiet": FigureStyle(fill="quiet"),
        "score": FigureStyle(fill="quiet", mono=True),
        "id": FigureStyle(fill="quiet", mono=True),
        "on-token": FigureStyle(fill="ink"),
        "rank": FigureStyle(mono=True),
        "character": FigureStyle(fill="quiet"),
        "win": FigureStyle(fill="accent", weight=700),
        "strong": FigureStyle(weight=650),
        "new": FigureStyle(weight=650),
        "on-accent": FigureStyle(fill="on-accent", weight=650),
        "unknown": FigureStyle(fill="bad", underline=True),
        "halo": FigureStyle(halo=True),
    },
}
"""What each kind changes, by the element. Later words of a kind win."""

HALO = 5  # pixels


def style_of(tag: str, kind: str) -> FigureStyle:
    """The look of a shape: that of its element, changed by each word of its kind.

    >>> style_of("path", "win").stroke, style_of("path", "win").fill
    ('accent', 'none')
    """
    style = BASE[tag]
    for word in kind.split():
        change = STYLES[tag].get(word)
        if change is not None:
            style = replace(style, **{f.name: v for f in fields(change) if (v := getattr(change, f.name)) is not None})
    return style


def style_sheet() -> str:
    """The rules for inline figures of a page."""
    lines = ["/* The shapes of figures. Written by webapp.rendering.pictures.figure_styles; do not edit. */", ""]
    lines += [f".diagram {tag} {{ {_declarations(style)} }}" for tag, style in BASE.items()]
    for tag, styles in STYLES.items():
        lines += [f".diagram {tag}.{kind} {{ {_declarations(style)} }}" for kind, style in styles.items()]
    return "\n".join(lines) + "\n"


def _declarations(style: FigureStyle) -> str:
    found = []
    for name, colour in (("fill", style.fill), ("stroke", style.stroke)):
        if colour is not None:
            found.append(f"{name}: {colour if colour == 'none' else f'var(--{colour})'};")
    if style.width is not None:
        found.append(f"stroke-width: {style.width:g};")
    if style.dash is not None:
        found.append(f"stroke-dasharray: {style.dash};")
    if style.weight is not None:
        found.append(f"font-weight: {style.weight};")
    if style.mono:
        found.append("font-family: var(--mono);")
    if style.underline:
        found.append("text-decoration: underline wavy 1px;")
    if style.halo:
        found.append(f"paint-order: stroke; stroke: var(--stage); stroke-width: {HALO}px; stroke-linejoin: round;")
    return " ".join(found)


if __name__ == "__main__":
    sys.stdout.write(style_sheet())
