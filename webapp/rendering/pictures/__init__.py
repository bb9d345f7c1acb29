"""Exports results as a picture, an HTML page or data, and figures such as lattices as pictures.

Depends on tokens and fonts, not on requests.
"""

from webapp.rendering.pictures.comparison import PictureRow, comparison_card, comparison_picture
from webapp.rendering.pictures.drawing import CARD, PictureTexts, card, picture
from webapp.rendering.pictures.page import html_parts
from webapp.rendering.pictures.tables import csv_parts, json_parts, plain_parts
