"""The colours of pictures, the same as in `static/app.css`; a test compares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """One theme: `stage` is the background of tokens, `tints` are the colours that they take in turn.

    `track` are the colours below a column of a comparison that the rows split in two and in three ways.
    """

    stage: str
    ink: str
    quiet: str
    line: str
    accent: str
    bad: str
    edge: str
    sunk: str
    wash: str
    on_accent: str
    tints: tuple[str, str, str, str, str, str]
    track: tuple[str, str]

    def colour(self, name: str) -> str:
        """A colour by its name in style sheets: `accent`, `on-accent`, `t1` to `t6` for the tints.

        >>> PALETTES["light"].colour("t2")
        '#feefad'
        """
        if name[:1] == "t" and name[1:].isdigit():
            return self.tints[int(name[1:]) - 1]
        return str(getattr(self, name.replace("-", "_")))


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        stage="#ffffff",
        ink="#15171c",
        quiet="#5a5d65",
        line="#dfded9",
        accent="#2238c9",
        bad="#b3261e",
        edge="#8a8b8f",
        sunk="#efeeeb",
        wash="#e9ecff",
        on_accent="#ffffff",
        tints=("#aadcfb", "#feefad", "#f6bbe4", "#c2fddc", "#cdccfe", "#ffe4cf"),
        track=("#b4bcee", "#7a87e0"),
    ),
    "dark": Palette(
        stage="#14161a",
        ink="#f4f6f8",
        quiet="#a5a9b3",
        line="#2b2f37",
        accent="#a3b4ff",
        bad="#ff9a90",
        edge="#6f747d",
        sunk="#1c1f25",
        wash="#1f2547",
        on_accent="#0d1030",
        tints=("#21629d", "#60194e", "#077051", "#36277b", "#ab4c51", "#003f45"),
        track=("#3c4471", "#6874b4"),
    ),
}

SANS = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Hiragino Sans GB', "
    "'HarmonyOS Sans SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', sans-serif, 'Apple Color Emoji', "
    "'Segoe UI Emoji', 'Noto Color Emoji'"
)
"""The fonts of the page, with quotation marks that are valid in an attribute."""

MONO = (
    "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, 'Cascadia Mono', Consolas, 'Noto Sans Mono', 'DejaVu Sans Mono', "
    "'Liberation Mono', monospace, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC'"
)
"""The fonts of bytes and numbers."""
