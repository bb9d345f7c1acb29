"""The colours of pictures, the same as in `static/app.css`; a test compares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """One theme: `stage` is the background of tokens, `tints` are the colours that they take in turn."""

    stage: str
    ink: str
    quiet: str
    line: str
    accent: str
    bad: str
    tints: tuple[str, str, str, str, str, str]


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        stage="#ffffff",
        ink="#15171c",
        quiet="#5a5d65",
        line="#dfded9",
        accent="#2238c9",
        bad="#b3261e",
        tints=("#aadcfb", "#feefad", "#f6bbe4", "#c2fddc", "#cdccfe", "#ffe4cf"),
    ),
    "dark": Palette(
        stage="#14161a",
        ink="#f4f6f8",
        quiet="#a5a9b3",
        line="#2b2f37",
        accent="#a3b4ff",
        bad="#ff9a90",
        tints=("#21629d", "#60194e", "#077051", "#36277b", "#ab4c51", "#003f45"),
    ),
}

SANS = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'HarmonyOS Sans SC', 'Microsoft YaHei', "
    "'Noto Sans CJK SC', 'Noto Sans SC', sans-serif, 'Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji'"
)
"""The fonts of the page, with quotation marks that are valid in an attribute."""

MONO = (
    "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, 'Cascadia Mono', Consolas, 'Noto Sans Mono', 'DejaVu Sans Mono', "
    "'Liberation Mono', monospace"
)
"""The fonts of bytes and numbers."""
