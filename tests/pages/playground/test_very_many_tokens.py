"""A result with more tokens than a page draws says so, and has all of them among its ids and figures."""

from flask.testing import FlaskClient

from tests.site import HTMX
from webapp.rendering.markup import DRAWN


def test_the_page_says_how_many_tokens_it_draws(client: FlaskClient) -> None:
    count = DRAWN + 5_000
    answer = client.post("/", data={"algorithm": "fmm", "text": "\0" * count}, headers=HTMX)
    html = answer.text
    assert answer.status_code == 200
    assert f'data-tokens="{count}"' in html
    drawn = html.count('<i class="u">')
    assert DRAWN <= drawn < count
    assert f"The page draws the first {drawn:,} tokens." in html
    ids = "".join(part.split("</div>")[0].split(">", 1)[1] for part in html.split('<div class="ids"')[1:])
    assert len(ids.split()) == count


def test_an_ordinary_result_does_not(client: FlaskClient) -> None:
    assert "The page draws" not in client.post("/", data={"algorithm": "fmm", "text": "研究"}, headers=HTMX).text
