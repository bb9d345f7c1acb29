"""Switching the language of a page that responds to a form and has no address: a button that sends the form again."""

import re

import pytest
from flask.testing import FlaskClient

LONG = "今天下雨。" * 500


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/", {"text": LONG}),
        ("/compare", {"text": LONG, "with": ["bpe:bpe-bytes", "unigram:unigram"]}),
        ("/languages", {"own": LONG}),
        ("/learn/bytes", {"never": LONG}),
        ("/split", {"text": LONG}),
        ("/steps/bpe", {"text": LONG}),
        ("/steps/training/bpe", {"corpus": LONG}),
    ],
)
def test_the_language_button_sends_the_same_form(client: FlaskClient, path: str, sent: dict[str, object]) -> None:
    answer = client.post(path, data=sent)
    assert not answer.location
    button = re.search(r'<button type="submit" form="([^"]+)" name="lang" value="zh"', answer.text)
    assert button is not None
    form = re.search(rf'(?s)<form [^>]*id="{button[1]}".*?</form>', answer.text)
    assert form is not None
    assert LONG in form[0]
    assert f'action="{path}' in form[0]
