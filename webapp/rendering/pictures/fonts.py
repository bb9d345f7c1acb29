r"""The fonts of this machine: chooses a font for each character, and measures text.

A picture uses the installed fonts, one for each span of text, chosen here by the coverage in their files. Therefore the
measured widths are those of the drawing, and characters without a font are known before drawing.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

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
# Files that need not be opened: they have no regular face.
_NOT_REGULAR = regex.compile(r"Bold|Italic|Oblique|Black|Light|Thin|Medium", regex.I)

LONGEST_CACHED = 32  # characters of a text whose runs are cached
MISSING = 0.7  # the width of a character without a font, in em

FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/.local/share/fonts",
)

# Characters that need no glyph: joiners, variation selectors, tags of flags.
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
# Joiners and marks of direction belong to the letter next to them, which they would otherwise get another face than.
_CLUSTERS = regex.compile(r"[\u200d\u200f]*+\X\u200f*+|[\u200d\u200f]+")
_EMOJI = regex.compile(r"\p{Emoji_Presentation}|[\p{Emoji}--[0-9#*]]\ufe0f|[0-9#*]\ufe0f?\u20e3|\p{RI}", regex.V1)


class Face:
    """One face of one font file, opened on first use."""

    def __init__(self, path: str, index: int = 0) -> None:
        self.path = path
        self.index = index

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
        return self._face.get_name(hb.OTNameIdPredefined.FONT_FAMILY) or ""

    @cached_property
    def regular(self) -> bool:
        """Whether the face is upright and of normal weight, according to its name."""
        style = self._face.get_name(hb.OTNameIdPredefined.FONT_SUBFAMILY) or ""
        return style.casefold() in ("regular", "book", "normal", "roman", "")

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

    def width(self, text: str) -> float:
        """The width of `text` in em, shaped as one run."""
        buffer = hb.Buffer()
        buffer.add_codepoints([ord(character) for character in text])
        buffer.guess_segment_properties()
        hb.shape(self._font, buffer)
        advances: int = sum(position.x_advance for position in buffer.glyph_positions or ())  # None for an empty text
        upem: int = self._face.upem
        return advances / upem


class Run(NamedTuple):
    """A span of text that one face draws; None if no face has it. `width` is in em."""

    face: Face | None
    text: str
    width: float


class Fonts:
    """Font faces in order of preference."""

    def __init__(self, faces: Sequence[Face], mono: Face | None = None) -> None:
        self.faces = faces
        self.mono = mono
        self._cached_runs = lru_cache(1 << 15)(self._runs)

    def face_for(self, cluster: str) -> Face | None:
        """The face that draws a grapheme cluster; None if no face has it."""
        if _EMOJI.search(cluster):
            coloured = (face for face in self.faces if face.coloured and face.covers(cluster))
            found = next(coloured, None)
            if found:
                return found
        return next((face for face in self.faces if face.covers(cluster)), None)

    def runs(self, text: str, *, mono: bool = False) -> tuple[Run, ...]:
        """The spans of a text that one face draws."""
        # A letter may have thousands of marks; caching such texts would fill the memory.
        return (self._cached_runs if len(text) <= LONGEST_CACHED else self._runs)(text, mono)

    def _runs(self, text: str, mono: bool) -> tuple[Run, ...]:
        if mono and self.mono and self.mono.covers(text):
            return (Run(self.mono, text, self.mono.width(text)),)
        found = []
        for face, group in groupby(_CLUSTERS.findall(text), self.face_for):
            clusters = list(group)
            run = "".join(clusters)
            found.append(Run(face, run, face.width(run) if face else MISSING * len(clusters)))
        return tuple(found)

    def width(self, text: str, *, mono: bool = False) -> float:
        """The width of a text in em."""
        return sum(run.width for run in self.runs(text, mono=mono))


@cache
def fonts() -> Fonts:
    """The fonts of this machine, searched once per process."""
    found: dict[str, Face] = {}
    for face in _found(FOLDERS):
        if not _NO_FONTS.search(face.family):
            found.setdefault(face.family, face)
    ordered = sorted(found.values(), key=lambda face: _rank(face.family))
    mono = next((found[family] for family in PREFERRED_MONO if family in found), None)
    return Fonts(ordered, mono)


def _rank(family: str) -> tuple[int, bool, str]:
    place = PREFERRED.index(family) if family in PREFERRED else len(PREFERRED)
    return place, bool(_UNLIKELY.search(family)), family


def _found(folders: Iterable[str]) -> Iterator[Face]:
    """The regular faces in some folders."""
    for folder in folders:
        # A user of the system may have no home, which Path.expanduser() takes for an error.
        for path in sorted(Path(os.path.expanduser(folder)).rglob("*")):
            if path.suffix.casefold() not in (".ttf", ".otf", ".ttc", ".otc") or _NOT_REGULAR.search(path.stem):
                continue
            try:
                count = hb.Face(hb.Blob.from_file_path(str(path))).count
                faces = [Face(str(path), index) for index in range(count)]
                yield from (face for face in faces if face.family and face.regular)
            except (OSError, ValueError, hb.HarfBuzzError):
                sys.stderr.write(f"{path} cannot be read as a font\n")


def script_of(cluster: str) -> str:
    """The ISO 15924 code of a cluster's script, such as `Deva`; `Zyyy` for characters of no particular script."""
    buffer = hb.Buffer()
    buffer.add_codepoints([ord(character) for character in cluster])
    buffer.guess_segment_properties()
    return buffer.script or "Zyyy"
