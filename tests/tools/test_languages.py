"""The comparison of languages: its figures, its order, and the visitor's own passage."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.tools.languages import SHIPPED_VOCABULARIES, LanguagesInput, languages
from webapp.vocabularies import shipped_tokenizer


def rows_of(page: str) -> list[str]:
    """Return the languages of the table, in order."""
    table = page[page.index('class="numbers-table"') :]
    return [re.sub(r"<.*", "", name, flags=re.S).strip() for name in re.findall(r'<th scope="row">(.*?)</th>', table)]


def test_figures_equal_those_of_the_core_and_are_relative_to_english(client: FlaskClient) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    answer = client.get("/languages?format=json&with=bpe-bytes").get_json()
    by_language = {passage["language"]: passage for passage in answer["passages"]}
    english = by_language["en"]["tokens"]["bpe-bytes"]
    for passage in by_language.values():
        tokens = len(tokenizer.ids(passage["text"]))
        assert passage["tokens"] == {"bpe-bytes": tokens}
        assert passage["values"] == {"bpe-bytes": tokens / english}


def test_the_table_can_be_sorted_in_both_orders(client: FlaskClient) -> None:
    up = rows_of(client.get("/languages?sort=bpe-bytes&lang=en").text)
    down = rows_of(client.get("/languages?sort=bpe-bytes&order=down&lang=en").text)
    assert (up[0], down[0]) == ("Simplified Chinese", "Burmese")
    assert "Code" not in up
    page = client.get("/languages?sort=name&lang=en").text
    assert rows_of(page) == sorted(rows_of(page))


def test_well_known_vocabularies_come_first_where_they_are_ready(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen() -> list[str]:
        page = client.get("/languages?lang=en").text
        return re.findall(r'name="with" value="([^"]+)" checked', page)

    assert chosen() == ["o200k_base", "cl100k_base", "mistral-7b-v0-1", "qwen3"]
    monkeypatch.setattr("webapp.tools.languages.is_here", lambda entry: False)
    assert set(chosen()) == set(SHIPPED_VOCABULARIES)


def test_a_passage_of_the_visitor(client: FlaskClient) -> None:
    response = client.post("/languages", data={"own": "你好，世界", "own_english": "Hello, world"})
    assert response.status_code == 303
    assert "你好，世界" in client.get(response.headers["Location"]).text
    answer = client.get(response.headers["Location"] + "&format=json&with=bpe-bytes").get_json()
    own = answer["passages"][0]
    english = len(shipped_tokenizer("bpe-bytes").ids("Hello, world"))
    assert own["values"]["bpe-bytes"] == own["tokens"]["bpe-bytes"] / english
    assert answer["gini"] == client.get("/languages?format=json&with=bpe-bytes").get_json()["gini"]


def test_a_passage_too_long_for_an_address_is_sorted_by_the_form(client: FlaskClient) -> None:
    page = client.post("/languages", data={"own": "长" * 2_000}).text
    assert not re.search(r'href="[^"]{3000}', page)
    assert '<button type="submit" form="languages" class="sorter" name="by" value="o200k_base down">' in page
    sorted_ = client.post("/languages", data={"own": "长" * 2_000, "by": "o200k_base down", "sort": "name"}).text
    assert 'aria-sort="descending"' in sorted_
    assert "长" * 2_000 in sorted_


@pytest.mark.parametrize("name", ["relative", "tokens", "characters", "bytes"])
def test_every_mark_is_on_its_strip(app: Flask, name: str) -> None:
    with app.test_request_context("/"):
        found = languages(LanguagesInput(measure=name))  # type: ignore[arg-type]
        scale = found.scale
    places = [scale.place(value) for row in found.rows for value in row.values.values() if value is not None]
    assert all(0 < place < 100 for place in places)
    assert 2 <= len(scale.ticks()) <= 12


def test_equality_of_languages_is_the_gini_of_their_tokens(client: FlaskClient) -> None:
    answer = client.get("/languages?format=json&measure=tokens&with=bpe-bytes&with=wordpiece").get_json()
    articles = answer["passages"]
    assert client.get("/languages?format=svg").mimetype == "image/svg+xml"
    assert client.get("/languages?format=png").data.startswith(b"\x89PNG")
    for name, kept in (("bpe-bytes", 39), ("wordpiece", 14)):
        costs = [each["tokens"][name] for each in articles if each["unknown"][name] <= 0.1]
        assert len(costs) == kept
        mean = sum(costs) / len(costs)
        pairs = sum(abs(one - other) for one in costs for other in costs)
        assert answer["gini"][name] == pytest.approx(pairs / (2 * len(costs) ** 2 * mean))
    page = client.get("/languages?with=bpe-bytes&with=wordpiece&lang=en").text
    table = " ".join(re.sub(r"<[^>]+>", " ", page[page.index('class="equality"') :].split("</table>")[0]).split())
    assert "Demo: byte-level BPE, 32k 0.410 20.72× Burmese 39 Demo: WordPiece, 32k 0.118 2.44× Finnish 14" in table


def test_what_finds_chinese_words_is_not_offered(client: FlaskClient) -> None:
    offered = set(re.findall(r'name="with" value="([^"]+)"', client.get("/languages").text))
    assert "bpe-bytes" in offered
    assert not offered & {"jieba", "ngram", "tagger"}
    assert client.get("/languages?with=ngram&with=bpe-bytes").status_code == 200  # as an address from before
