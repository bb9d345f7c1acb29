"""What a lesson says, for the tests of its numbers."""

from __future__ import annotations

from fractions import Fraction

from flask.testing import FlaskClient
from markupsafe import Markup


def prose(client: FlaskClient, slug: str, language: str) -> str:
    """The text of a lesson, without markup and with single spaces."""
    page = client.get(f"/learn/{slug}?lang={language}").text
    article = page[page.index("<article") : page.index("</article>")]
    return Markup(article.replace("</td>", " </td>").replace("</th>", " </th>")).striptags()


def signed(value: float, digits: int) -> str:
    """A number with a minus sign, as the lessons write it."""
    return f"{value:.{digits}f}".replace("-", "−")


def product(factors: list[Fraction]) -> Fraction:
    """The product of fractions."""
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result
