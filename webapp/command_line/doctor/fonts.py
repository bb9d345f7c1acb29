"""Checks the fonts of this machine, which pictures in PNG need."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from webapp.command_line.doctor.finding import Finding, fail, ok, warn
from webapp.rendering.pictures.fonts import fonts

CORE, CJK, EMOJI = "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"
# A sample of each script that many visitors write, and the package of Debian with a font for it.
SAMPLES = {
    "Latin": ("aé", CORE),
    "Greek": ("α", CORE),
    "Cyrillic": ("ж", CORE),
    "Hebrew": ("א", CORE),
    "Arabic": ("ع", CORE),
    "Devanagari": ("अ", CORE),
    "Bengali": ("অ", CORE),
    "Tamil": ("அ", CORE),
    "Thai": ("ก", CORE),
    "Georgian": ("ა", CORE),
    "Ethiopic": ("አ", CORE),
    "Chinese": ("词語", CJK),
    "Japanese": ("かカ", CJK),
    "Korean": ("한", CJK),
    "emoji": ("🎉", EMOJI),
}


def check() -> Iterator[Finding]:
    """The findings on fonts."""
    found = fonts()
    if not found.faces:
        yield fail("There are no fonts: pictures have no letters.", f"apt-get install fontconfig {CORE} {CJK} {EMOJI}")
        return
    missing = {script: package for script, (sample, package) in SAMPLES.items() if found.face_for(sample) is None}
    if missing:
        packages = " ".join(dict.fromkeys(missing.values()))
        yield warn(f"No font has {', '.join(missing)}: pictures leave them blank.", f"apt-get install {packages}")
    else:
        yield ok(f"{len(found.faces)} fonts have {', '.join(SAMPLES)}.")
    if found.mono is None:
        yield warn("There is no font whose characters have the same width.", "apt-get install fonts-dejavu-core")
    if shutil.which("fc-list") is None:
        yield warn("fontconfig is not installed, so only the usual folders are searched.", "apt-get install fontconfig")
