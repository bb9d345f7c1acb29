"""Exports results as a picture, an HTML page or data, and figures such as lattices as pictures.

Depends on tokens and fonts, not on requests.
"""

from webapp.rendering.pictures.cells import PictureCell, drawable
from webapp.rendering.pictures.comparison import (
    ComparisonPicture,
    PictureColumn,
    PictureRow,
    comparison_card,
    comparison_png,
    comparison_svg,
)
from webapp.rendering.pictures.drawing import CARD, ENGLISH, PictureTexts, card, png, svg
from webapp.rendering.pictures.page import html_parts
from webapp.rendering.pictures.tables import csv_parts, json_parts, plain_parts
