"""The menu has seven entries in both languages, and every page with a tab is marked as where the visitor is."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.web.places import PLACES


@pytest.mark.parametrize(
    ("language", "titles"),
    [
        ("en", ["Playground", "Compare", "Step by step", "Chinese", "Train", "Vocabularies", "Learn"]),
        ("zh", ["分词", "对比", "逐步演示", "中文", "训练", "词表", "教程"]),
    ],
)
def test_the_menu_has_seven_places(client: FlaskClient, language: str, titles: list[str]) -> None:
    page = client.get(f"/api?lang={language}").text
    menu = page[page.index('class="nav-wide"') : page.index("</div>", page.index('class="nav-wide"'))]
    assert re.findall(r">([^<>]+)</a>", menu) == titles
    assert "aria-current" not in menu


def test_each_tab_is_marked_on_its_page_with_its_place(client: FlaskClient, app: Flask) -> None:
    addresses = {rule.endpoint: rule.rule for rule in app.url_map.iter_rules()}
    for place in PLACES:
        for endpoint, title in place.tabs:
            page = client.get(
                f"{addresses[endpoint]}?lang=en", follow_redirects=True, headers={"Accept-Language": "en"}
            ).text
            marked = re.findall(r'aria-current="?(?:page|true)"?>([^<>]+)</a>', page)
            expected = [str(place.title)] * 2 + ([str(title)] if len(place.tabs) > 1 else [])
            assert [each for each in marked if each in {*expected}] == [expected[0], expected[1], *expected[2:]]
