r"""The fonts of this machine: chooses a font for each character, and measures text.

A picture uses the installed fonts, one for each span of text, chosen here by the coverage in their files. Therefore the
measured widths are those of the drawing, and characters without a font are known before drawing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

import regex
import uharfbuzz as hb

# The first family that has a character draws it. Other families follow by name, those with serifs last.
PREFERRED = (
    "Noto Sans",
    "Liberation Sans",
    "DejaVu Sans",
    "Helvetica Neue",
    "Arial",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "PingFang SC",
    "Noto Color Emoji",
    "Apple Color Emoji",
)
PREFERRED_MONO = ("DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", "Menlo", "Courier New")
# Fonts with placeholder glyphs for all characters, which are worse than reporting a missing font.
_NO_FONTS = regex.compile(r"LastResort|Last Resort|Adobe Blank|Unifont", regex.I)
_UNLIKELY = regex.compile(r"Serif|Mono|Times|Courier|Condensed|Narrow|Math|Symbol|Slab|Naskh|Mincho|Song|Ming")

LONGEST_CACHED = 32  # characters of a cluster whose face is cached; the longest emoji has ten

FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/.local/share/fonts",
)
"""The folders of fonts on systems without fontconfig."""

_REGULAR = (75, 100)  # fontconfig's weights: book 75, regular 80, medium 100
# Characters that need no glyph: joiners, variation selectors, tags of flags.
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_EMOJI = regex.compile(r"\p{Emoji_Presentation}|[\p{Emoji}--[0-9#*]]\ufe0f|[0-9#*]\ufe0f?\u20e3|\p{RI}", regex.V1)


@dataclass(frozen=True)
class Advance:
    """The advance of one glyph in em; `cluster` is the index of the first character that it draws."""

    cluster: int
    width: float


class Face:
    """One face of one font file, opened on first use."""

    def __init__(self, path: str, index: int = 0, family: str = "") -> None:
        self.path = path
        self.index = index
        self._family = family

    def __repr__(self) -> str:
        return f"Face({self.family!r})"

    @cached_property
    def _face(self) -> hb.Face:
        return hb.Face(hb.Blob.from_file_path(self.path), self.index)

    @cached_property
    def _font(self) -> hb.Font:
        return hb.Font(self._face)

    @cached_property
    def family(self) -> str:
        """The name of the family in style sheets."""
        return self._family or self._face.get_name(hb.OTNameIdPredefined.FONT_FAMILY) or ""

    @cached_property
    def regular(self) -> bool:
        """Whether the face is upright and of normal weight, according to its name."""
        style = self._face.get_name(hb.OTNameIdPredefined.FONT_SUBFAMILY) or ""
        return style.casefold() in ("regular", "book", "medium", "normal", "roman", "")

    @cached_property
    def coloured(self) -> bool:
        """Whether its glyphs have their own colours, like emoji."""
        face = self._face
        return bool(face.has_color_png or face.has_color_layers or face.has_color_paint or face.has_color_svg)

    @cached_property
    def _covered(self) -> hb.Set:
        return self._face.unicodes

    def covers(self, cluster: str) -> bool:
        """Whether the face has all characters of `cluster`."""
        return all(ord(character) in self._covered or _IGNORABLE.match(character) for character in cluster)

    def advances(self, text: str, rtl: bool = False) -> list[Advance]:
        """The advances of the glyphs of `text`, shaped as one run in one direction."""
        buffer = hb.Buffer()
        buffer.add_codepoints([ord(character) for character in text])
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if rtl else "ltr"
        hb.shape(self._font, buffer)
        em = self._face.upem
        pairs = zip(buffer.glyph_infos, buffer.glyph_positions, strict=True)
        return [Advance(info.cluster, position.x_advance / em) for info, position in pairs]


class Fonts:
    """Font faces in order of preference."""

    def __init__(self, faces: Sequence[Face], mono: Face | None = None) -> None:
        self.faces = faces
        self.mono = mono
        self._cached_face = lru_cache(1 << 15)(self._face_for)

    def face_for(self, cluster: str) -> Face | None:
        """The face that draws a grapheme cluster; None if no face has it."""
        # A letter may have thousands of marks; caching such clusters would fill the memory.
        return (self._cached_face if len(cluster) <= LONGEST_CACHED else self._face_for)(cluster)

    def _face_for(self, cluster: str) -> Face | None:
        if _EMOJI.search(cluster):
            coloured = (face for face in self.faces if face.coloured and face.covers(cluster))
            found = next(coloured, None)
            if found:
                return found
        return next((face for face in self.faces if face.covers(cluster)), None)


@cache
def fonts() -> Fonts:
    """The fonts of this machine, searched once per process."""
    found: dict[str, Face] = {}
    for face in _listed() or _found(FOLDERS):
        if not _NO_FONTS.search(face.family):
            found.setdefault(face.family, face)
    ordered = sorted(found.values(), key=lambda face: _rank(face.family))
    mono = next((found[family] for family in PREFERRED_MONO if family in found), None)
    return Fonts(ordered, mono)


def _rank(family: str) -> tuple[int, bool, str]:
    place = PREFERRED.index(family) if family in PREFERRED else len(PREFERRED)
    return place, bool(_UNLIKELY.search(family)), family


def _listed() -> list[Face]:
    """The regular faces that fontconfig lists; none without fontconfig."""
    command = shutil.which("fc-list")
    if not command:
        return []
    pattern = "%{file}\t%{index}\t%{family[0]}\t%{weight}\t%{slant}\t%{width}\n"
    try:
        lines = subprocess.run([command, "--format", pattern], capture_output=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    faces = []
    for line in sorted(lines.decode("utf-8", "replace").splitlines()):
        path, index, family, weight, slant, width = (line.split("\t") + [""] * 6)[:6]
        if not path.casefold().endswith((".ttf", ".otf", ".ttc", ".otc")):
            continue
        if _is_variable(index, weight) or (_within(weight, _REGULAR) and slant == "0" and width in ("100", "")):
            faces.append(Face(path, int(index or 0) & 0xFFFF, family))
    return faces


def _is_variable(index: str, weight: str) -> bool:
    return weight.startswith("[") and int(index or 0) >> 16 == 0


def _within(weight: str, limits: tuple[int, int]) -> bool:
    return weight == "" or (weight.isdigit() and limits[0] <= int(weight) <= limits[1])


def _found(folders: Iterable[str]) -> list[Face]:
    """The faces in some folders, with the names from the files."""
    faces = []
    for folder in folders:
        for path in sorted(Path(folder).expanduser().rglob("*")):
            if path.suffix.casefold() not in (".ttf", ".otf", ".ttc", ".otc"):
                continue
            try:
                faces += [face for face in _faces_of(path) if face.family and face.regular]
            except (OSError, ValueError, hb.HarfBuzzError):
                sys.stderr.write(f"{path} cannot be read as a font\n")
    return faces


def _faces_of(path: Path) -> list[Face]:
    count = hb.Face(hb.Blob.from_file_path(str(path))).count
    return [Face(str(path), index) for index in range(count)]


def script_of(cluster: str) -> str:
    """The ISO 15924 code of a cluster's script, such as `Deva`; `Zyyy` for characters of no particular script."""
    buffer = hb.Buffer()
    buffer.add_codepoints([ord(character) for character in cluster])
    buffer.guess_segment_properties()
    return buffer.script or "Zyyy"
