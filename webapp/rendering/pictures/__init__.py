"""Exports results as a picture or data, and figures such as lattices as pictures.

Depends on tokens and fonts, not on requests.
"""

from webapp.rendering.pictures.drawing import (
    CARD,
    PictureRow,
    PictureTexts,
    card,
    comparison_card,
    comparison_picture,
    picture,
)
from webapp.rendering.pictures.tables import csv_parts, json_parts, plain_parts
