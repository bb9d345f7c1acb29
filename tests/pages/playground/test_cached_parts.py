"""Parts of the page that are computed once: they follow the language, the uploads and the downloads of the moment."""

import re

from flask import Flask
from flask.testing import FlaskClient

from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN


def option(page: str, name: str) -> str:
    found = re.search(f'<option value="{name}".*?</option>', page)
    assert found is not None
    return found[0]


def test_each_language_has_its_own_messages_and_options(client: FlaskClient) -> None:
    pages = [client.get("/?text=low&lang=" + key).text for key in ("en", "zh", "en", "zh")]
    assert [page.count("See how text becomes tokens") > 0 for page in pages] == [True, False, True, False]
    assert option(pages[0], "bpe-characters") == option(pages[2], "bpe-characters")
    assert (
        option(pages[1], "bpe-characters") == option(pages[3], "bpe-characters") != option(pages[0], "bpe-characters")
    )


def test_a_vocabulary_loses_its_arrow_once_it_is_downloaded_and_gets_it_back(client: FlaskClient, app: Flask) -> None:
    cache = fetcher_of(app).disk_cache
    known = next(each for each in WELL_KNOWN.values() if each.algorithm == "bpe" and not each.source.sha256)
    assert option(client.get("/").text, known.name).endswith(" ↓</option>")
    cache.put(known, [b"content"] * len(known.source.files))
    assert "↓" not in option(client.get("/").text, known.name)
    cache.remove(known)
    assert option(client.get("/").text, known.name).endswith(" ↓</option>")
