"""Exports a result as a self-contained HTML file: own style, no scripts, no external resources."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup, escape

from webapp.core.encoding import Encoding
from webapp.rendering.markup import COLOURS, Painter, ids_html
from webapp.rendering.pictures.drawing import ENGLISH, PictureTexts
from webapp.rendering.pictures.palette import MONO, PALETTES, SANS, Theme

_HEAD = Markup("""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
<style>
{style}
</style>
</head>
<body>
<h1>{heading}</h1>
<div class="tokens" dir="auto">""")
_BETWEEN = Markup("""</div>
<h2>{ids_heading}</h2>
<div class="numbers">""")
_TAIL = """</div>
<p class="name">Tokenscope</p>
</body>
</html>
"""

_STYLE = """
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; max-width: 56rem; padding: 1rem; font: 1.0625rem/1.7 {sans}; background: var(--stage); \
color: var(--ink); }}
h1 {{ font-size: 1.0625rem; }}
h2, .name {{ font-size: .875rem; color: var(--quiet); }}
.tokens {{ white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; unicode-bidi: plaintext; }}
.tokens i {{ font-style: normal; padding: .17em 0; border-radius: .24em; background: var(--c); }}
.tokens .u {{ text-decoration: underline wavy var(--bad) 1px; text-underline-offset: .22em; }}
.tokens .x {{ outline: 1.5px solid var(--ink); outline-offset: -1.5px; font-weight: 600; }}
.tokens .b {{ text-decoration: underline dotted 1.5px; text-underline-offset: .25em; }}
.tokens .b::after {{ content: "\\2060" attr(data-b); font: 500 .6875em/1 {mono}; white-space: nowrap; padding: 0 .3em; \
vertical-align: .1em; }}
.tokens .n::before {{ content: "↵"; color: var(--quiet); font-size: .75em; padding: 0 .15em; }}
.tokens .z::before {{ content: "▁"; color: var(--quiet); }}
.numbers {{ font: .875rem/1.6 {mono}; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }}
@media print {{ .tokens i {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }} }}
"""


def html_parts(
    encoding: Encoding,
    *,
    title: str = "",
    show: bool = False,
    words: PictureTexts = ENGLISH,
    ids_heading: str = "Ids",
    language: str = "en",
) -> Iterator[str]:
    """Yield the HTML file in parts: the coloured segmentation and the ids, light or dark as the browser is set."""
    painter = Painter(encoding, show=show)
    heading = " · ".join(filter(None, (title, words.tokens(len(encoding)))))
    yield _HEAD.format(heading=heading, style=Markup(style()), language=escape(language))
    if painter.chunks:
        yield from map(painter.paint, painter.chunks)
    else:
        yield painter.html()
    yield _BETWEEN.format(ids_heading=ids_heading)
    for chunk in painter.chunks:
        yield ids_html(encoding, [chunk])
    yield _TAIL


def style() -> str:
    """The style sheet of the downloaded page: the colours of `palette.py` as variables, then the rules."""
    rules = [f":root {{ color-scheme: light dark; {_variables('light')} }}"]
    rules.append(f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables('dark')} }} }}")
    rules.append(_STYLE.format(sans=SANS, mono=MONO).strip())
    # A chunk may begin anywhere in the cycle of colours, which its class specifies.
    for begin in range(COLOURS):
        for place in range(COLOURS):
            tint = (begin + place) % COLOURS
            rules.append(f".c{begin} > :nth-child({COLOURS}n+{place + 1}) {{ --c: var(--t{tint + 1}); }}")
    return "\n".join(rules)


def _variables(theme: Theme) -> str:
    palette = PALETTES[theme]
    values = {
        "stage": palette.stage,
        "ink": palette.ink,
        "quiet": palette.quiet,
        "bad": palette.bad,
    }
    values |= {f"t{number}": tint for number, tint in enumerate(palette.tints, 1)}
    return " ".join(f"--{name}: {value};" for name, value in values.items())
