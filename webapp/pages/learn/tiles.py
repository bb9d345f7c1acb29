"""Tokens as tiles with their ids, for short texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.encoding import Encoding
from webapp.rendering.markup import Painter, visible


@dataclass(frozen=True)
class WordTile:
    """A word and its id, or None if it is unknown."""

    word: str
    id: int | None


def encoding_tiles(encoding: Encoding) -> Markup:
    """The tokens of an encoding, each with its id under it."""
    return Painter(encoding, under=lambda index: str(encoding.ids[index])).html()


def word_tiles(tiles: Iterable[WordTile]) -> Markup:
    """Words as tiles; an unknown word is marked and has no id."""
    cells = [
        Markup('<i class="u" data-u="–">{}</i>').format(visible(tile.word))
        if tile.id is None
        else Markup('<i data-u="{}">{}</i>').format(tile.id, visible(tile.word))
        for tile in tiles
    ]
    return Markup('<div class="chunk c0">{}</div>').format(Markup("").join(cells))
