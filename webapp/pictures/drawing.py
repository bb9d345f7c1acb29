"""The pictures themselves: a segmentation as SVG or PNG, and the card that a shared link unfolds to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import resvg_py

from webapp.core.encoding import Encoding
from webapp.pictures.cells import cells, drawable
from webapp.pictures.fonts import Face, Fonts, fonts
from webapp.pictures.layout import Layout, lay_out
from webapp.pictures.palette import PALETTES, Theme
from webapp.pictures.svg import LEADING, Writer, document, quoted

SIZE = 17  # pixels, as on the page
MARGIN = 24
MOST_CHARACTERS = {"svg": 20_000, "png": 2_000}
"""What is drawn of a text, in characters. The rest is told as a number of tokens."""
MOST_LINES = {"svg": 2_000, "png": 120}
LEAST_WIDTH, MOST_WIDTH = 160, 4_000
CARD = (1200, 630)
_CARD_MARGIN = 72
_CARD_SIZES = (88, 72, 60, 50, 42, 36)
_CARD_CHARACTERS = 600
_CARD_BOTTOM = 150  # what the words below the tokens take


@dataclass(frozen=True)
class Words:
    """What a picture says beside the text, in the reader's language; English if nobody says otherwise."""

    tokens: Callable[[int], str] = field(default=lambda count: f"{count:,} token{'s' * (count != 1)}")
    more: Callable[[int], str] = field(default=lambda count: f"and {count:,} more token{'s' * (count != 1)}")
    missing: Callable[[Sequence[str]], str] = field(
        default=lambda scripts: "No font on this server for: " + ", ".join(map(_script, scripts))
    )
    empty: str = "No text, no tokens."


def _script(code: str) -> str:
    return "some symbols" if code in ("Zyyy", "Zinh", "Zzzz") else code


ENGLISH = Words()


def svg(
    encoding: Encoding,
    *,
    theme: Theme = "light",
    width: int = 760,
    title: str = "",
    show: bool = False,
    words: Words = ENGLISH,
) -> str:
    """The coloured segmentation as an SVG file, `width` pixels wide and as high as it needs.

    `title` (algorithm and vocabulary) stands below the text, with the number of tokens.
    """
    return _picture(encoding, theme, width, title, show, words, drawing=False)[0]


def png(
    encoding: Encoding,
    *,
    width: int = 760,
    height: int | None = None,
    theme: Theme = "light",
    title: str = "",
    show: bool = False,
    words: Words = ENGLISH,
) -> bytes:
    """The same as a PNG file, two pixels a pixel; with a `height`, a card of exactly `width` × `height`.

    What no font of the machine covers is left blank, and the picture says in words which scripts those are.
    """
    if height is not None:
        return card(encoding, width=width, height=height, title=title, theme=theme, words=words)
    source, used = _picture(encoding, theme, width, title, show, words, drawing=True)
    return rendered(source, used, zoom=2)


def _picture(
    encoding: Encoding, theme: Theme, width: int, title: str, show: bool, words: Words, *, drawing: bool
) -> tuple[str, list[Face]]:
    known, palette = fonts(), PALETTES[theme]
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    kind = "png" if drawing else "svg"
    most = MOST_CHARACTERS[kind]
    room = (width - 2 * MARGIN) / SIZE
    layout = lay_out(cells(encoding, show, most), known, room, most_lines=MOST_LINES[kind], most_characters=most)
    writer = Writer(palette, SIZE, drawing=drawing)
    body = writer.lines(layout, MARGIN, MARGIN)
    y = MARGIN + len(layout.lines) * LEADING * SIZE + 10
    used = faces_of(layout)
    lines = [_summary(encoding, title, words), *_remarks(encoding, layout, words, drawing)]
    for line in lines:
        for part in _words_in_lines(line, known, (width - 2 * MARGIN) / 13):
            y += 20
            body += writer.text(part, MARGIN, y, 13, palette.quiet, _families(part, known))
            used += [face for character in part if (face := known.face_for(character))]
    source = document(body, width, y + MARGIN, title=_summary(encoding, title, words), background=palette.paper)
    return source, used


def card(
    encoding: Encoding,
    *,
    width: int = CARD[0],
    height: int = CARD[1],
    title: str = "",
    theme: Theme = "light",
    words: Words = ENGLISH,
) -> bytes:
    """The picture of a link: the beginning of the text in the largest size in which it fits, and what it is."""
    known, palette = fonts(), PALETTES[theme]
    scale = min(width / CARD[0], height / CARD[1])
    margin = _CARD_MARGIN * scale
    room = height - 2 * margin - _CARD_BOTTOM * scale
    for size in (each * scale for each in _CARD_SIZES):
        lines = max(1, int(room / (LEADING * size)))
        layout = lay_out(
            cells(encoding, most=_CARD_CHARACTERS),
            known,
            (width - 2 * margin) / size,
            most_lines=lines,
            most_characters=_CARD_CHARACTERS,
        )
        if layout.tokens == len(encoding):
            break
    writer = Writer(palette, size, drawing=True)
    free = room - len(layout.lines) * LEADING * size
    top = margin + max(0.0, free / 2)
    body = writer.lines(layout, margin, top)
    used = faces_of(layout)

    def say(text: str, x: float, y: float, size: float, colour: str, extra: str = "") -> None:
        nonlocal body
        text = _shortened(drawable(text), known, (width - margin - x) / size)
        body += writer.text(text, x, y, size, colour, f"{_families(text, known)} {extra}".strip())
        used.extend(face for character in text if (face := known.face_for(character)))

    remarks = " · ".join(_remarks(encoding, layout, words, True))
    baseline = height - margin
    if remarks:
        say(remarks, margin, top + len(layout.lines) * LEADING * size + 34 * scale, 24 * scale, palette.quiet)
    body += f'<path d="M{margin} {baseline - 62 * scale}h{width - 2 * margin}" stroke="{palette.line}"/>'
    name = "Tokenscope"
    name_width = _measure(name, known) * 32 * scale
    summary = _shortened(
        _summary(encoding, title, words), known, (width - 2 * margin - name_width - 40 * scale) / (32 * scale)
    )
    say(summary, margin, baseline, 32 * scale, palette.ink)
    say(name, width - margin - name_width, baseline, 32 * scale, palette.accent)
    return rendered(document(body, width, height, title=drawable(title), background=palette.paper), used)


def rendered(source: str, used: Sequence[Face], zoom: int = 1) -> bytes:
    """An SVG of ours as PNG, with the files of the fonts it names and no others; nothing else is loaded."""
    files = sorted({face.path for face in used})
    first = used[0].family if used else None
    return resvg_py.svg_to_bytes(
        svg_string=source, zoom=zoom, skip_system_fonts=True, font_files=files, font_family=first
    )


def faces_of(layout: Layout) -> list[Face]:
    """The faces that a layout is drawn with."""
    return list({id(run.face): run.face for line in layout.lines for run in line.runs if run.face}.values())


def _summary(encoding: Encoding, title: str, words: Words) -> str:
    return " · ".join(filter(None, (drawable(title), words.tokens(len(encoding)))))


def _remarks(encoding: Encoding, layout: Layout, words: Words, drawing: bool) -> list[str]:
    remarks = []
    if not encoding.text and not len(encoding):
        remarks.append(words.empty)
    if layout.tokens < len(encoding):
        remarks.append(words.more(len(encoding) - layout.tokens))
    if layout.missing and drawing:
        remarks.append(words.missing(layout.missing))
    return remarks


def _families(text: str, known: Fonts) -> str:
    """The fonts that our words need, by name: a title may be in any script."""
    names = dict.fromkeys(face.family for character in text if (face := known.face_for(character)))
    listed = ", ".join(f"'{quoted(name)}'" for name in names)
    return f'font-family="{listed}"' if listed else ""


def _measure(text: str, known: Fonts) -> float:
    width = 0.0
    for character in text:
        face = known.face_for(character)
        width += sum(advance.width for advance in face.advances(character)) if face else 1.0
    return width


def _shortened(text: str, known: Fonts, width: float) -> str:
    """`text` in at most `width` em, with an ellipsis where it was cut."""
    if _measure(text, known) <= width:
        return text
    while text and _measure(text + "…", known) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def _words_in_lines(text: str, known: Fonts, width: float) -> list[str]:
    """A sentence of ours, cut at spaces into lines."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _measure(longer, known) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
