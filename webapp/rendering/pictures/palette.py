"""The colours of pictures, the same as in `static/app.css`; a test compares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """One theme. `edge` is the hairline between tokens and `edge_opacity` how much of it shows."""

    paper: str
    ink: str
    quiet: str
    line: str
    accent: str
    wrong: str
    tints: tuple[str, str, str, str, str]
    edge: str
    edge_opacity: float


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        paper="#ffffff",
        ink="#1b1b1a",
        quiet="#595954",
        line="#d5d4cd",
        accent="#0b5394",
        wrong="#9c1c1c",
        tints=("#c6faee", "#dfd0a8", "#e0eeff", "#f3c4bc", "#cccdf4"),
        edge="#000000",
        edge_opacity=0.28,
    ),
    "dark": Palette(
        paper="#1b1b1a",
        ink="#efede8",
        quiet="#aaa8a1",
        line="#3a3936",
        accent="#86bdf5",
        wrong="#ff9c92",
        tints=("#1b3236", "#3f2903", "#2f5042", "#332647", "#5f4025"),
        edge="#ffffff",
        edge_opacity=0.34,
    ),
}

SANS = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', "
    "'Noto Sans SC', sans-serif, 'Apple Color Emoji', 'Noto Color Emoji'"
)
"""The fonts of the page, with quotation marks that are valid in an attribute."""

MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
"""The fonts of bytes and numbers."""
