"""The footer of every page: the operator's links, if they are set."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, []),
        ({"SOURCE": "https://code.example/tokenscope"}, ['<a href="https://code.example/tokenscope">Source code</a>']),
        ({"CONTACT": "me@example.org"}, ['<a href="mailto:me@example.org">Contact</a>']),
        ({"CONTACT": "https://example.org/@me"}, ['<a href="https://example.org/@me">Contact</a>']),
        ({"CONTACT": "mailto:me@example.org"}, ['<a href="mailto:me@example.org">Contact</a>']),
    ],
)
def test_the_footer_shows_source_and_contact_if_they_are_set(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], shown: list[str]
) -> None:
    for name in ("SOURCE", "CONTACT"):
        monkeypatch.setitem(client.application.config, name, settings.get(name, ""))
    footer = client.get("/learn").text.partition('<footer class="foot">')[2]
    for link in shown:
        assert link in footer
    assert ("Source code" in footer, "Contact" in footer) == ("SOURCE" in settings, "CONTACT" in settings)
