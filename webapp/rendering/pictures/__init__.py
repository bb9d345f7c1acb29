"""Exports results as a picture, an HTML page or data. Depends on tokens and fonts, not on requests."""

from webapp.rendering.pictures.drawing import CARD, ENGLISH, PictureTexts, card, comparison_card, png, svg
from webapp.rendering.pictures.page import standalone_html
from webapp.rendering.pictures.tables import as_json, csv, plain

__all__ = [
    "CARD",
    "ENGLISH",
    "PictureTexts",
    "as_json",
    "card",
    "comparison_card",
    "csv",
    "plain",
    "png",
    "standalone_html",
    "svg",
]
