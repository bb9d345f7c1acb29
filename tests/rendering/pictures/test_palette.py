"""The token tints: text on them is readable, and adjacent tints differ for every common kind of colour vision."""

import math
import re
from pathlib import Path

import pytest

import webapp

CSS = Path(webapp.__file__).parent.parent / "static" / "app.css"

# Machado, Oliveira, Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency":
# severity 1.
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
THEMES = ("light", "dark")
AA = 4.5
APART = 15  # CIE 1976 colour difference; about 2.3 is just noticeable

Linear = tuple[float, ...]


DARK = {"by the system": ':root:not([data-theme="light"])', "by choice": ':root[data-theme="dark"]'}


def block(selector: str) -> dict[str, str]:
    """Return the colours that the style sheet sets in the block of `selector`."""
    found = re.search(rf"{re.escape(selector)} \{{(.*?)\}}", CSS.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, selector
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", found[1]))


def variables(theme: str) -> dict[str, str]:
    return block(":root") | (block(DARK["by the system"]) if theme == "dark" else {})


def test_the_dark_theme_is_the_same_by_the_system_and_by_choice() -> None:
    assert block(DARK["by the system"]) == block(DARK["by choice"])
    assert block(DARK["by choice"]).keys() == block(":root").keys()


def linear(colour: str) -> Linear:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def contrast(one: str, other: str) -> float:
    light = sorted(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(x), strict=True)) for x in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(colour: Linear) -> tuple[float, float, float]:
    r, g, b = (min(max(c, 0), 1) for c in colour)
    x, y, z = (
        0.4124 * r + 0.3576 * g + 0.1805 * b,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        0.0193 * r + 0.1192 * g + 0.9505 * b,
    )
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x / 0.95047, y, z / 1.08883))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def perceived(colour: str, vision: str) -> tuple[float, float, float]:
    channels = linear(colour)
    return lab(tuple(sum(a * b for a, b in zip(row, channels, strict=True)) for row in VISION[vision]))


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_everything(theme: str) -> None:
    colours = variables(theme)
    tints = [colours[f"t{n}"] for n in range(1, 7)]
    for ground in [*tints, colours["page"], colours["stage"], colours["sunk"], colours["wash"]]:
        assert contrast(colours["ink"], ground) >= AA
    for ground in (colours["page"], colours["stage"], colours["sunk"]):
        for name in ("quiet", "accent", "bad", "good"):
            assert contrast(colours[name], ground) >= AA, name
    assert contrast(colours["on-accent"], colours["accent"]) >= AA


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
def test_adjacent_tints_are_distinguishable(theme: str, vision: str) -> None:
    colours = variables(theme)
    tints = [perceived(colours[f"t{n}"], vision) for n in range(1, 7)]
    for one, other in zip(tints, [*tints[1:], tints[0]], strict=True):
        assert math.dist(one, other) >= APART
        assert abs(one[0] - other[0]) >= 6 or vision != "usual"
